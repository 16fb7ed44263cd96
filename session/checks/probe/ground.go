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
	"mcptea/session/checks/lint"
)

// Ground is a sentence of the specification that findings of a probe rest on. Without one
// that has MUST there is no error in that protocol version, without one that has SHOULD no
// warning.
type Ground struct {
	ID      string              `json:"id"`      // of the probe
	Rev     []revision.Revision `json:"rev"`     // in which the sentence is
	Section string              `json:"section"` // such as basic#responses
	Says    string              `json:"says"`    // the sentence, without markup; items of a list follow the line before
	// Verdicts are the names of the verdicts that rest on the sentence; empty where all of the probe do.
	Verdicts []string `json:"verdicts"`
	// Schema is what the official schema requires, in place of a sentence: a shape of
	// client/revision with a member that it must have, such as tools/call.result.content, or
	// without one for all that it must have.
	Schema string `json:"schema"`
	// Effect is what the probe shows, in place of a sentence: an attack that worked is an
	// error whatever is written, and so is a server that cannot be used.
	Effect string `json:"effect"`
	// Word is the level of an effect that is no attack.
	Word Level `json:"level"`
}

//go:embed probes/grounds.jsonl
var groundTable []byte

// groundsOf are the grounds by the id of the probe.
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

// required is what the schema requires, in a sentence.
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

// Grounds are the sentences that findings of the probe rest on. The slice must not be
// changed.
func (e *Entry) Grounds() []Ground { return groundsOf()[e.ID] }

// The words of the specification (RFC 2119).
var (
	mustWord   = lazyregexp.New(`\b(MUST|REQUIRED|SHALL)\b`)
	shouldWord = lazyregexp.New(`\b(SHOULD|RECOMMENDED)\b`)
)

// Level is the word of the sentence: [Must], or else [Should].
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

// Allows is the worst severity that the sentence allows.
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

// isIn reports whether it holds in a protocol version.
func (g Ground) isIn(v revision.Revision) bool { return g.Effect != "" || slices.Contains(g.Rev, v) }

// GroundFor returns the sentence in a protocol version that a verdict with a severity rests on, and that severity or the
// worst below it that a sentence allows; nil for an info. A sentence that names the verdict comes before one that is for
// all of the probe. The verdict is "" if it has no name.
func (e *Entry) GroundFor(v revision.Revision, severity lint.Severity, verdict string) (*Ground, lint.Severity) {
	var best *Ground
	worst, own := lint.Info, false
	for _, g := range e.Grounds() {
		own = own || len(g.Verdicts) > 0 && g.isFor(verdict) && g.isIn(v)
	}
	for i := range e.Grounds() {
		g := &e.Grounds()[i]
		if g.isFor(verdict) && g.isIn(v) && own == (len(g.Verdicts) > 0) {
			// Of two, the one that says no more than the finding: a warning rests on a SHOULD.
			allowed := max(g.Allows(), severity)
			if allowed < worst || best != nil && allowed == worst && g.Allows() == severity && best.Allows() != severity {
				best, worst = g, allowed
			}
		}
	}
	return best, worst
}

// anyExchange is what each response rests on: a request that gets none, and a frame that
// ends the server.
var anyExchange = &Ground{Section: "JSON-RPC 2.0 §5", Says: "When a rpc call is made, the Server MUST reply with a Response, except for in the case of Notifications."}
