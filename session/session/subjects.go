package session

import (
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/lint"
	"mcptea/record/store"
)

// A subject is the entry of a server's list that a finding is about, by its name or URI.
type subject struct{ list, name string }

// subjectFindings holds the findings about a subject on the newest connection that has some.
type subjectFindings struct {
	conn uint16
	of   []aboutRule
}

// aboutRule holds the findings of a rule about a subject.
type aboutRule struct {
	newest lint.Finding
	n      int
}

const (
	// maxSubjects bounds the entries with findings that are remembered; then all are forgotten.
	maxSubjects = 5000
	// maxRules bounds the rules that are remembered of one entry; findings of others are not counted.
	maxRules = 20
	// maxRequest is the number of bytes of a request that are searched for the entry that it is about.
	maxRequest = 64 << 10
)

// listed maps a method to its list, the member of the result with the entries, and the member that names an
// entry.
var listed = map[string]struct{ list, member, name string }{
	"tools/list":               {"tools", "tools", "name"},
	"prompts/list":             {"prompts", "prompts", "name"},
	"resources/list":           {"resources", "resources", "uri"},
	"resources/templates/list": {"templates", "resourceTemplates", "uriTemplate"},
}

// used maps requests about one entry to its list and to the member of the params that names it.
var used = map[string]struct{ list, name string }{
	"tools/call": {"tools", "name"}, "prompts/get": {"prompts", "name"}, "resources/read": {"resources", "uri"},
}

// frameAt is the frame that the linter has in hand, with the names of the list in it once they are needed.
type frameAt struct {
	row   int32
	bytes []byte
	of    string   // the list; empty before it is read
	names []string // names of its entries
}

// subjectOf returns the list entry that a finding is about, or a subject without a name. It runs on the
// goroutine of the linter, which holds the frame.
func (l *linter) subjectOf(f *lint.Finding) (of subject) {
	at := &l.frame
	if f.Row != at.row || f.Fault == lint.Client || at.bytes == nil {
		return of
	}
	row, ok := l.s.store.Row(f.Row)
	if !ok {
		return of
	}
	request, asked := row, at.bytes
	if row.Kind.IsResponse() {
		if row.Pair == store.None {
			return of
		}
		request, _ = l.s.store.Row(row.Pair)
		asked = nil
	}
	method := l.s.store.Method(request.Method)
	if u, ok := used[method]; ok {
		if asked == nil {
			asked, _ = l.s.store.Head(row.Pair, maxRequest)
		}
		params, _ := jsonrpc.Start(asked, "params")
		return subject{u.list, jsonrpc.Text(params, u.name)}
	}
	of.list = listed[method].list
	rest, inList := strings.CutPrefix(f.Path, "/result/"+listed[method].member+"/")
	if of.list == "" || !inList || asked != nil {
		return subject{}
	}
	index, _, _ := strings.Cut(rest, "/")
	n, err := strconv.Atoi(index)
	if err != nil || n < 0 {
		return subject{}
	}
	if at.of != method {
		at.read(method)
	}
	if n >= len(at.names) {
		return subject{}
	}
	of.name = at.names[n]
	return of
}

// read reads the names of the entries from the list in the frame.
func (f *frameAt) read(method string) {
	f.of, f.names = method, nil
	of := listed[method]
	for entry := range jsonrpc.Elements(jsonrpc.Get(f.bytes, "result", of.member)) {
		f.names = append(f.names, jsonrpc.Text(entry, of.name))
	}
}

// noteSubject remembers a finding about an entry. The caller holds the lock.
func (l *linter) noteSubject(of subject, f *lint.Finding) {
	if of.name == "" || f.Severity == lint.Info {
		return
	}
	if len(l.subjects) >= maxSubjects {
		clear(l.subjects)
	}
	a := l.subjects[of]
	if a == nil || a.conn != l.conn {
		a = &subjectFindings{conn: l.conn}
		l.subjects[of] = a
	}
	for i := range a.of {
		if one := &a.of[i]; one.newest.Rule == f.Rule && one.newest.Severity == f.Severity {
			one.newest = *f
			one.n++
			return
		}
	}
	if len(a.of) < maxRules {
		a.of = append(a.of, aboutRule{*f, 1})
	}
}

// FindingsAbout returns the most severe finding about an entry of a server's list on the current connection,
// and their number, without muted rules. list is "tools", "prompts", "resources" or "templates"; the name of a
// resource is its URI. Findings about the client's frames and infos are left out.
func (s *Session) FindingsAbout(list, name string) (worst lint.Finding, n int) {
	l := s.linter
	if l == nil {
		return worst, 0
	}
	s.mu.Lock()
	current := s.state.Current
	s.mu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.subjects[subject{list, name}]
	if a == nil || a.conn < current {
		return worst, 0
	}
	for i := range a.of {
		one := &a.of[i]
		if l.muted[one.newest.Rule.ID] {
			continue
		}
		if n == 0 || one.newest.Severity < worst.Severity {
			worst = one.newest
		}
		n += one.n
	}
	return worst, n
}

// FindingsSince returns the findings about frames after the request of an exchange, without muted rules: about
// its response first, then the frames in between, then later responses.
func (s *Session) FindingsSince(root, response int32) (all []lint.Finding) {
	l := s.linter
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	rows := []int32{response}
	for _, row := range l.marks.newestIn(root) {
		if row != root && row != response {
			rows = append(rows, row)
		}
	}
	for _, row := range rows {
		for _, f := range l.marks.all(row) {
			if !l.muted[f.Rule.ID] {
				all = append(all, f)
			}
		}
	}
	return all
}
