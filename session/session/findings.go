package session

import (
	"cmp"
	"slices"

	"mcptea/session/checks/lint"
)

// Findings is a copy of the findings so far.
type Findings struct {
	Groups []Group // the worst first
	// Behind is how many frames have not been linted yet.
	Behind int

	gen uint64
}

// Group holds the findings of one rule with one severity.
type Group struct {
	Rule     *lint.Entry
	Severity lint.Severity
	Count    int // how often it has fired, counted ones included
	Muted    bool
	Newest   lint.Finding
	// Findings are single ones, oldest first: the newest [maxFindings], or a few
	// more.
	Findings []lint.Finding
}

// FindingCounts are the numbers of findings, those of muted rules left out.
type FindingCounts struct {
	Server [lint.Info + 1]int // by severity, those about the server
	// Client are those about the client: frames that the user wrote, or the host of a tap; mcptea's
	// own have none, see [lint.OfSelf]. More reports that there may be more: older findings are not kept one
	// by one.
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

// OfServer is how many findings of a rule [FindingCounts] counts for the server.
func (g *Group) OfServer() int {
	user, _ := g.ofUser()
	return g.Count - user
}

// ofUser counts the findings for which the client is responsible. It reports true when
// there may be more.
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

// maxFindings is how many findings of a rule are kept one by one.
const maxFindings = 200

// Findings returns the findings so far; empty without Config.Lint. Its Behind is exact,
// also right after a frame was recorded.
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
	f.Behind = l.behind
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

// FindingsAt returns the findings for the frame of a row, without muted rules; none where newer
// ones have taken their place.
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

// WorstIn returns the gravest finding about the frames of an exchange: its request, its response, and those in
// between, without muted rules; nil without one.
func (s *Session) WorstIn(root, response int32) *lint.Finding {
	l := s.linter
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	worst := l.marks.worst(func(rule *lint.Entry) bool { return !l.muted[rule.ID] }, root, response)
	if worst == nil {
		return nil
	}
	f := worst.finding()
	return &f
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
