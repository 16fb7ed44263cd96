package session

import (
	"cmp"
	"slices"

	"mcptea/session/lint"
)

// Findings are what the rules have found so far. It is a copy.
type Findings struct {
	Groups                  []Group // the worst first
	Errors, Warnings, Infos int     // muted rules left out
	// Behind is how many frames nobody has looked at yet.
	Behind int

	gen uint64
}

// Group is what one rule has found.
type Group struct {
	Rule   *lint.Entry
	Count  int // how often it has fired, counted ones included
	Muted  bool
	Newest lint.Finding
	// Findings are single ones, oldest first: the newest [maxFindings], or a few
	// more.
	Findings []lint.Finding
}

// maxFindings is how many findings of a rule are kept one by one.
const maxFindings = 200

// Findings returns what the rules have found; nothing when none look.
func (s *Session) Findings() Findings {
	var f Findings
	s.UpdateFindings(&f)
	return f
}

// UpdateFindings brings up to date what somebody knows of the findings, and
// reports whether there was anything to copy.
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
		switch {
		case copied.Muted:
		case g.Rule.Severity == lint.Error:
			found.Errors += g.Count
		case g.Rule.Severity == lint.Warn:
			found.Warnings += g.Count
		default:
			found.Infos += g.Count
		}
	}
	slices.SortFunc(found.Groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(a.Rule.Severity, b.Rule.Severity), cmp.Compare(b.Newest.Row, a.Newest.Row), cmp.Compare(a.Rule.ID, b.Rule.ID))
	})
	return found
}

// FindingsAt returns what is wrong with the frame of a row, muted rules left
// out. The slice is not to be changed.
func (s *Session) FindingsAt(row int32) []lint.Finding {
	l := s.linter
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.byRow[row]
	if len(l.muted) == 0 {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(f lint.Finding) bool { return l.muted[f.Rule.ID] })
}

// Mute leaves a rule out of the counts, or no longer.
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
	s.store.Poke()
}
