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
	"mcptea/session/checks/lint"
)

// library is a library that servers are built on. It is known by the form of the results of the
// server and by its words, which is no proof: what is said of it has to be true for a server that only looks like it.
type library struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Members are those of each response with a result, in their order.
	Members []string `json:"members"`
	// Unknown is the message of each error for a method that the server does not have; * stands for
	// the method. Empty is any message. UnknownCode is its code; -32601 if it is absent.
	Unknown     string `json:"unknown"`
	UnknownCode *int64 `json:"unknown_code"`
	// Declined is the message of an error for a method that the library knows, and the server does not have; * stands
	// for any text. It speaks neither for the library nor against it. Empty: all are in the words of Unknown.
	Declined string `json:"declined"`
	own      []own
}

// own is what a library does itself: the author of a server cannot mend it where the tools are.
type own struct {
	Library   string `json:"library"`   // its id; the row of the library comes before
	Probe     string `json:"probe"`     // id of the one that finds it
	Transport string `json:"transport"` // over which the library does it; empty for all
	// Claim and Severity are those of the findings: the probe has others that are the server's own. The end of
	// a connection has the severity of the frame, and is told by its claim alone.
	Claim    claim         `json:"claim"`
	Severity lint.Severity `json:"severity"`
	Does     string        `json:"does"` // what the library does
	Try      string        `json:"try"`  // what the author of a server can do
}

// Library is a library that a server is likely built on, which does by itself what a finding is
// about. That it is the library is no proof: see [Library.Known].
type Library struct {
	Name  string
	Known string // by what it was recognized: a sentence with a full stop
}

//go:embed probes/libraries.jsonl
var libraryTable []byte

// libraries are those that are known. The slice must not be changed.
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
		all[i].own = append(all[i].own, row.own) // a row of none is a mistake in the table
	}
	return all
})

// LibraryRows are the names of libraries, each with a probe that finds what it does.
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

// writes reports whether a response with a result has the members of the library, in their order.
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

// says reports whether the message of an error for an unknown method is that of the library; sent are the methods of
// the requests so far.
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
	return before+after != "" || sent[method] // the name alone might be any word
}

// declines reports an error for a method that the library knows, which it refuses in other words.
func (l *library) declines(code jsonrpc.Code, message string) bool {
	before, after, has := strings.Cut(l.Declined, "*")
	return has && code.Is(jsonrpc.CodeMethodNotFound) && strings.HasPrefix(message, before) && strings.HasSuffix(message, after)
}

// code is that of the errors for an unknown method.
func (l *library) code() int64 {
	if l.UnknownCode != nil {
		return *l.UnknownCode
	}
	return jsonrpc.CodeMethodNotFound
}

// authorship is how many results, and errors for an unknown method, the server has written as each
// library does.
type authorship struct {
	results, unknown int
	as, says         []int           // by the index in libraries; nil before the first response
	declined         []int           // of the errors, those that say nothing of the library
	sent             map[string]bool // methods of requests, at most maxAuthored
}

// maxAuthored is how many results are looked at, the first of a run, and how many errors.
const maxAuthored = 200

// note counts a frame that is a response.
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
			return // about something else
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

// library is the one that all results have the form of, and all errors for an unknown method the words;
// nil for none, and without results. One that is known by its words has to have said them.
func (a *authorship) library() *library {
	for i, n := range a.as {
		if l := &libraries()[i]; a.results > 0 && n == a.results && a.says[i]+a.declined[i] == a.unknown && (l.Unknown == "" || a.says[i] > 0) {
			return l
		}
	}
	return nil
}

// known says by what a library was recognized.
func (l *library) known() string {
	text := "Each result of the server has the form of those of " + l.Name + " (" + strings.Join(l.Members, ", ") + ")"
	if l.Unknown != "" {
		text += ", and each error for an unknown method its words (" + strings.ReplaceAll(l.Unknown, "*", "…") + ")"
	}
	return text + "."
}

// blame finds the library that does by itself what a finding of a probe is about, and adds to the
// advice what the author of a server can do about it.
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
