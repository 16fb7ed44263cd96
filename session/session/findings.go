package session

import (
	"cmp"
	"slices"

	"mcptea/lint"
)

// Findings is a copy of the findings so far.
type Findings struct {
	Groups []Group // the worst first
	// Behind is the number of frames that have not been linted yet.
	Behind int

	gen uint64
}

// Group holds the findings of one rule with one severity.
type Group struct {
	Rule     *lint.Entry
	Severity lint.Severity
	Count    int    // number of occurrences, including those that are only counted
	Conn     uint16 // the connection of the newest one
	Earlier  int    // number of occurrences on earlier connections
	Muted    bool
	Newest   lint.Finding
	// Findings holds individual findings, oldest first: the newest [maxFindings], or a few more.
	Findings []lint.Finding
}

// FindingCounts holds the numbers of findings, without those of muted rules.
type FindingCounts struct {
	Server [lint.Info + 1]int // about the server, by severity
	// Client counts findings about the client: frames written by the user, or the host of a tap. mcptea's own
	// frames have none, see [lint.OfSelf]. More reports whether there may be more, because older findings are
	// not kept one by one.
	Client [lint.Info + 1]int
	More   bool
}

// Counts counts the findings.
func (f *Findings) Counts() (n FindingCounts) {
	for i := range f.Groups {
		g := &f.Groups[i]
		if g.Muted {
			continue
		}
		user, more := g.ofUser()
		n.Client[g.Severity] += user
		n.More = n.More || more
		n.Server[g.Severity] += g.Count - user
	}
	return n
}

// OfServer returns the number of findings that [FindingCounts] counts for the server.
func (g *Group) OfServer() int {
	user, _ := g.ofUser()
	return g.Count - user
}

// ofUser returns the number of findings for which the client is responsible, and whether there may
// be more.
func (g *Group) ofUser() (n int, more bool) {
	switch g.Rule.Side {
	case lint.Client:
		return g.Count, false
	case lint.Server:
		return 0, false
	}
	for i := range g.Findings {
		if g.Findings[i].Fault == lint.Client {
			n++
		}
	}
	return n, n > 0 && g.Count > len(g.Findings)
}

// Since returns the findings of a connection and of later ones. For connection 0 it returns all.
func (f *Findings) Since(conn uint16) Findings { return f.part(conn, true) }

// Before returns the findings of the connections before conn.
func (f *Findings) Before(conn uint16) Findings {
	if conn == 0 {
		return Findings{}
	}
	return f.part(conn, false)
}

func (f *Findings) part(conn uint16, since bool) Findings {
	part := *f
	if conn == 0 {
		return part // conn is 0: no connection replaced another
	}
	part.Groups = nil
	for _, g := range f.Groups {
		now := 0 // number of occurrences on this connection
		if g.Conn >= conn {
			now = g.Count - g.Earlier
		}
		switch kept := max(len(g.Findings)-now, 0); {
		case since && g.Conn >= conn:
			g.Count, g.Findings, g.Earlier = now, g.Findings[kept:], 0
		case !since && g.Count > now:
			g.Count, g.Findings = g.Count-now, g.Findings[:kept]
			if len(g.Findings) > 0 {
				g.Newest = g.Findings[len(g.Findings)-1]
			}
		default:
			continue
		}
		part.Groups = append(part.Groups, g)
	}
	return part
}

// maxFindings is the number of findings of a rule that are kept one by one.
const maxFindings = 200

// Findings returns the findings so far, or none without Config.Lint. Behind is exact, even immediately after a
// frame was recorded.
func (s *Session) Findings() Findings {
	rows := s.store.Snapshot().Rows
	var f Findings
	s.UpdateFindings(&f)
	if l := s.linter; l != nil {
		l.mu.Lock()
		f.Behind = max(f.Behind, rows-l.checked)
		l.mu.Unlock()
	}
	return f
}

// UpdateFindings brings the caller's copy up to date and reports whether it has
// changed.
func (s *Session) UpdateFindings(f *Findings) bool {
	l := s.linter
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if f.Behind = l.behind; !l.begun {
		f.Behind = s.store.Snapshot().Rows
	}
	if f.gen == l.gen {
		return false
	}
	*f = l.copied()
	return true
}

func (l *linter) copied() Findings {
	found := Findings{Behind: l.behind, gen: l.gen}
	for _, g := range l.groups {
		copied := *g
		copied.Findings = slices.Clone(g.Findings)
		copied.Muted = l.muted[g.Rule.ID]
		found.Groups = append(found.Groups, copied)
	}
	slices.SortStableFunc(found.Groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(a.Severity, b.Severity), cmp.Compare(b.Newest.Row, a.Newest.Row), cmp.Compare(a.Rule.ID, b.Rule.ID))
	})
	return found
}

// ErrorRows returns the rows with a finding that is an error, without muted rules, in no order.
func (s *Session) ErrorRows() (rows []int32) {
	l := s.linter
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for row := range l.marks.newest {
		for m := range l.marks.each(row) {
			if m.of.severity == lint.Error && !l.muted[m.of.rule.ID] {
				rows = append(rows, row)
				break
			}
		}
	}
	return rows
}

// FindingsAt returns the findings about the frame of a row, without muted rules. It returns none if newer
// findings have replaced them.
func (s *Session) FindingsAt(row int32) []lint.Finding {
	l := s.linter
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.marks.all(row)
	if len(l.muted) == 0 {
		return all
	}
	return slices.DeleteFunc(all, func(f lint.Finding) bool { return l.muted[f.Rule.ID] })
}

// WorstIn returns the most severe finding about the frames of an exchange and the number of findings: about its
// request, its response, and the frames in between, without muted rules. It returns nil if there are none.
func (s *Session) WorstIn(root, response int32) (worst *lint.Finding, n int) {
	l := s.linter
	if l == nil {
		return nil, 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	counts := func(rule *lint.Entry) bool { return !l.muted[rule.ID] }
	gravest := l.marks.worst(counts, root, response)
	if gravest == nil {
		return nil, 0
	}
	f := gravest.finding()
	return &f, l.marks.in(counts, root, response)
}

// Mute excludes a rule from the counts, or includes it again.
func (s *Session) Mute(rule string, on bool) {
	l := s.linter
	if l == nil {
		return
	}
	l.mu.Lock()
	l.muted[rule] = on
	if !on {
		delete(l.muted, rule)
	}
	l.gen++
	l.mu.Unlock()
	s.store.Notify()
}
