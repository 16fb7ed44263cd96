package probe

import (
	"cmp"
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"

	"mcptea/client/revision"
	"mcptea/internal/catalog"
	"mcptea/internal/lazyregexp"
	"mcptea/lint"
)

// A Ground is a sentence of the specification that findings of a probe are based on. A finding is an error only
// if such a sentence has MUST in that protocol version, and a warning only if one has SHOULD.
type Ground struct {
	ID      string              `json:"id"`      // id of the probe
	Rev     []revision.Revision `json:"rev"`     // protocol versions that contain the sentence
	Section string              `json:"section"` // such as basic#responses
	Says    string              `json:"says"`    // the sentence without markup; list items follow their introduction
	// Verdicts names the verdicts that rest on the sentence. If empty, all verdicts of the probe do.
	Verdicts []string `json:"verdicts"`
	// Schema names a requirement of the official schema instead of a sentence: a shape of client/revision,
	// optionally followed by a required member, such as tools/call.result.content. Without a member it stands
	// for all required members.
	Schema string `json:"schema"`
	// Effect describes a demonstrated effect instead of a sentence. A successful attack, or a server that
	// cannot be used, is an error in any case.
	Effect string `json:"effect"`
	// Word is the level of an effect that is not an attack.
	Word Level `json:"level"`
}

//go:embed probes/grounds.jsonl
var groundTable []byte

// groundsOf returns the grounds by probe id.
var groundsOf = sync.OnceValue(func() map[string][]Ground {
	all := map[string][]Ground{}
	for _, g := range catalog.Read[Ground](groundTable) {
		if g.Schema != "" && g.Says == "" {
			g.Says = g.required()
		}
		all[g.ID] = append(all[g.ID], g)
	}
	return all
})

// required describes the schema requirement in a sentence.
func (g Ground) required() string {
	members := []string{}
	shape := revision.Shape(g.Schema)
	for _, m := range shape.Members(g.Rev[0]) {
		if m.Required {
			members = append(members, m.Name)
		}
	}
	if len(members) == 0 { // the path ends with a member
		dot := strings.LastIndexByte(g.Schema, '.')
		shape, members = revision.Shape(g.Schema[:dot]), []string{g.Schema[dot+1:]}
	}
	of := string(shape)
	if method, isResult := strings.CutSuffix(of, ".result"); isResult {
		of = "the result of " + method
	} else if method, isParams := strings.CutSuffix(of, ".params"); isParams {
		of = "the params of " + method
	}
	return "The schema requires " + strings.Join(members, ", ") + " in " + of + "."
}

// Grounds returns the sentences for findings of the probe. The caller must not modify the slice.
func (e *Entry) Grounds() []Ground { return groundsOf()[e.ID] }

// Keywords of RFC 2119.
var (
	mustWord   = lazyregexp.New(`\b(MUST|REQUIRED|SHALL)\b`)
	shouldWord = lazyregexp.New(`\b(SHOULD|RECOMMENDED)\b`)
)

// Level returns the requirement level of the sentence: [Must] or [Should], or the level of its effect.
func (g Ground) Level() Level {
	if g.Effect != "" {
		return cmp.Or(g.Word, Security)
	}
	if g.Schema != "" || matches(mustWord(), g.Says) {
		return Must
	}
	return Should
}

func matches(word *regexp.Regexp, text string) bool { return word.MatchString(text) }

// Allows returns the most severe finding that the sentence supports.
func (g Ground) Allows() lint.Severity {
	switch {
	case g.Effect != "" || g.Schema != "" || matches(mustWord(), g.Says):
		return lint.Error
	case matches(shouldWord(), g.Says):
		return lint.Warn
	}
	return lint.Info
}

// isFor reports whether a verdict can rest on the sentence.
func (g Ground) isFor(verdict string) bool {
	return len(g.Verdicts) == 0 || slices.Contains(g.Verdicts, verdict)
}

// isIn reports whether the sentence is part of a protocol version.
func (g Ground) isIn(v revision.Revision) bool { return g.Effect != "" || slices.Contains(g.Rev, v) }

// GroundFor returns the sentence that a verdict is based on in a protocol version, and the severity
// that the sentence allows. The severity is the given one, or the next lower one that is allowed.
// For an info, the sentence is nil. A sentence that names the verdict takes precedence over
// sentences for the whole probe. verdict may be "".
func (e *Entry) GroundFor(v revision.Revision, severity lint.Severity, verdict string) (*Ground, lint.Severity) {
	var best *Ground
	worst, own := lint.Info, false
	for _, g := range e.Grounds() {
		own = own || len(g.Verdicts) > 0 && g.isFor(verdict) && g.isIn(v)
	}
	for i := range e.Grounds() {
		g := &e.Grounds()[i]
		if g.isFor(verdict) && g.isIn(v) && own == (len(g.Verdicts) > 0) {
			// Prefer a sentence that is not stronger than the finding: a warning is based on SHOULD.
			allowed := max(g.Allows(), severity)
			if allowed < worst || best != nil && allowed == worst && g.Allows() == severity && best.Allows() != severity {
				best, worst = g, allowed
			}
		}
	}
	return best, worst
}

// anyExchange is the ground for findings that apply to any request: a missing response, or the end of the
// server.
var anyExchange = &Ground{Section: "JSON-RPC 2.0 §5", Says: "When a rpc call is made, the Server MUST reply with a Response, except for in the case of Notifications."}
