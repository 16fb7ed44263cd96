package probe

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/catalog"
	"mcptea/session/checks/lint"
)

// library is a library that servers are built on. It is known by the form of the results of the
// server, which is no proof: what is said of it has to be true for a server that only looks like it.
type library struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Members are those of each response with a result, in their order.
	Members []string `json:"members"`
	own     []own
}

// own is what a library does itself: the author of a server cannot mend it where the tools are.
type own struct {
	Library   string `json:"library"`   // its id; the row of the library comes before
	Probe     string `json:"probe"`     // id of the one that finds it
	Transport string `json:"transport"` // over which the library does it; empty for all
	// Claim and Severity are those of the findings: the probe has others that are the server's own.
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

// authorship is how many results the server has written as each library does.
type authorship struct {
	results int
	as      []int // by the index in libraries; nil before the first result
}

// maxAuthored is how many results are looked at, the first of a run.
const maxAuthored = 200

// note counts a frame that is a response with a result.
func (a *authorship) note(f transport.Frame) {
	if f.Dir != transport.In || f.Envelope.Kind != jsonrpc.Response || a.results == maxAuthored {
		return
	}
	if a.as == nil {
		a.as = make([]int, len(libraries()))
	}
	a.results++
	for i := range libraries() {
		if libraries()[i].writes(f.Bytes) {
			a.as[i]++
		}
	}
}

// library is the one that all results have the form of; nil for none, and without results.
func (a *authorship) library() *library {
	for i, n := range a.as {
		if n == a.results {
			return &libraries()[i]
		}
	}
	return nil
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
		if o.Probe == e.ID && o.Claim == c && o.Severity == f.Severity && (o.Transport == "" || o.Transport == r.server.Transport) {
			f.Library = &Library{Name: l.Name, Known: "Each result of the server has the form of those of " + l.Name + " (" + strings.Join(l.Members, ", ") + ")."}
			f.Hint += " " + f.Library.Known + " If it is built on that: " + o.Does + " " + o.Try
			return
		}
	}
}
