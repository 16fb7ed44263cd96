package probe

import (
	_ "embed"
	"iter"
	"slices"
	"strings"
	"sync"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/catalog"
	"mcptea/lint"
)

// A library is an SDK that servers are built on. The form of a server's responses identifies it.
// That is not a proof, so statements about the library must also hold for servers that only look
// like it.
type library struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Members lists the members of each result response, in order.
	Members []string `json:"members"`
	// Unknown is the message of errors for unknown methods, with * for the method. If empty, any message
	// matches. UnknownCode is the code, by default -32601.
	Unknown     string `json:"unknown"`
	UnknownCode *int64 `json:"unknown_code"`
	// Declined is the message of errors for methods that the library knows but the server does not offer, with
	// * for any text. It is evidence neither for nor against the library. If empty, all such errors match
	// Unknown.
	Declined string `json:"declined"`
	own      []own
}

// A own is a mistake of the library itself. The author of a server cannot fix it in the tools.
type own struct {
	Library   string `json:"library"`   // id of the library, which must have an earlier row
	Probe     string `json:"probe"`     // id of the probe that finds it
	Transport string `json:"transport"` // transport on which it occurs; "" for all
	// Claim and Severity select the findings that the library explains. Other findings of the probe are the
	// server's own. For the end of a connection, only the claim is compared.
	Claim    claim         `json:"claim"`
	Severity lint.Severity `json:"severity"`
	Does     string        `json:"does"` // what the library does
	Try      string        `json:"try"`  // what the author of a server can do
}

// A Library is the library that probably causes a finding; see [Library.Known].
type Library struct {
	Name  string
	Known string // evidence for the library: a sentence
}

//go:embed probes/libraries.jsonl
var libraryTable []byte

// libraries returns the known libraries. The caller must not modify the slice.
var libraries = sync.OnceValue(func() []library {
	var all []library
	for line := range catalog.Lines(libraryTable) {
		var row struct {
			library
			own
		}
		catalog.Decode(line, &row)
		if row.library.ID != "" {
			all = append(all, row.library)
			continue
		}
		i := slices.IndexFunc(all, func(l library) bool { return l.ID == row.Library })
		all[i].own = append(all[i].own, row.own) // panics if the table lists the row before its library
	}
	return all
})

// LibraryRows returns the name of each library with each probe that finds one of its mistakes.
func LibraryRows() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, l := range libraries() {
			for _, o := range l.own {
				if !yield(l.Name + " " + o.Probe) {
					return
				}
			}
		}
	}
}

// writes reports whether a result response has the members of the library, in order.
func (l *library) writes(response []byte) bool {
	i := 0
	for name := range jsonrpc.Members(response) {
		if i == len(l.Members) || string(name) != l.Members[i] {
			return false
		}
		i++
	}
	return i == len(l.Members)
}

// says reports whether the message of an unknown-method error is the one that the library writes. sent holds
// the methods requested so far.
func (l *library) says(message string, sent map[string]bool) bool {
	before, after, has := strings.Cut(l.Unknown, "*")
	if !has {
		return message == l.Unknown || l.Unknown == ""
	}
	rest, begins := strings.CutPrefix(message, before)
	method, ends := strings.CutSuffix(rest, after)
	if !begins || !ends {
		return false
	}
	return before+after != "" || sent[method] // a name without other words could be any word
}

// declines reports whether an error is the library's response for a known method that the server does not
// offer.
func (l *library) declines(code jsonrpc.Code, message string) bool {
	before, after, has := strings.Cut(l.Declined, "*")
	return has && code.Is(jsonrpc.CodeMethodNotFound) && strings.HasPrefix(message, before) && strings.HasSuffix(message, after)
}

// code returns the error code of the library for unknown methods.
func (l *library) code() int64 {
	if l.UnknownCode != nil {
		return *l.UnknownCode
	}
	return jsonrpc.CodeMethodNotFound
}

// authorship counts, for each library, the results and unknown-method errors that match it.
type authorship struct {
	results, unknown int
	as, says         []int           // numbers of matching results and errors, by index in libraries; nil before the first response
	declined         []int           // number of errors that are no evidence, by index in libraries
	sent             map[string]bool // requested methods, at most maxAuthored
}

// maxAuthored bounds the results, the errors and the methods that are examined.
const maxAuthored = 200

// note counts a frame.
func (a *authorship) note(f transport.Frame) {
	if f.Dir != transport.In {
		if f.Envelope.Kind == jsonrpc.Request && len(a.sent) < maxAuthored {
			if a.sent == nil {
				a.sent = map[string]bool{}
			}
			a.sent[f.Envelope.MethodName(f.Bytes)] = true
		}
		return
	}
	if a.as == nil {
		a.as, a.says, a.declined = make([]int, len(libraries())), make([]int, len(libraries())), make([]int, len(libraries()))
	}
	switch e := f.Envelope; {
	case e.Kind == jsonrpc.Response && a.results < maxAuthored:
		a.results++
		count(a.as, func(l *library) bool { return l.writes(f.Bytes) })
	case e.Kind == jsonrpc.ErrorResponse && a.unknown < maxAuthored:
		message := jsonrpc.ParseError(f.Bytes, e).Message
		says := func(l *library) bool {
			return e.ErrorCode().Is(l.code()) && l.says(message, a.sent)
		}
		if !e.ErrorCode().Is(jsonrpc.CodeMethodNotFound) && !slices.ContainsFunc(libraries(), func(l library) bool { return l.UnknownCode != nil && says(&l) }) {
			return // another kind of error
		}
		a.unknown++
		count(a.says, says)
		count(a.declined, func(l *library) bool { return !says(l) && l.declines(e.ErrorCode(), message) })
	}
}

func count(n []int, is func(l *library) bool) {
	for i := range libraries() {
		if is(&libraries()[i]) {
			n[i]++
		}
	}
}

// library returns the library that all results and all unknown-method errors match. It returns nil
// if there is no such library, or no result yet. If the library has characteristic words, at least
// one error must have matched.
func (a *authorship) library() *library {
	for i, n := range a.as {
		if l := &libraries()[i]; a.results > 0 && n == a.results && a.says[i]+a.declined[i] == a.unknown && (l.Unknown == "" || a.says[i] > 0) {
			return l
		}
	}
	return nil
}

// known describes the evidence for the library.
func (l *library) known() string {
	text := "Each result of the server has the form of those of " + l.Name + " (" + strings.Join(l.Members, ", ") + ")"
	if l.Unknown != "" {
		text += ", and each error for an unknown method its words (" + strings.ReplaceAll(l.Unknown, "*", "…") + ")"
	}
	return text + "."
}

// blame attributes a finding to the library that causes it, if known, and extends the advice.
func (r *Runner) blame(e *Entry, c claim, f *Finding) {
	r.journal.mu.Lock()
	l := r.journal.authors.library()
	r.journal.mu.Unlock()
	if l == nil {
		return
	}
	for _, o := range l.own {
		if o.Probe == e.ID && o.Claim == c && (c == claimEnds || o.Severity == f.Severity) && (o.Transport == "" || o.Transport == r.server.Transport) {
			f.Library = &Library{Name: l.Name, Known: l.known()}
			f.Hint += " " + f.Library.Known + " If it is built on that: " + o.Does + " " + o.Try
			return
		}
	}
}
