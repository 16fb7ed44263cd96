package problems

import (
	"maps"
	"slices"

	"mcptea/lint"
	"mcptea/record/filter"
	"mcptea/record/store"
)

// passes reports whether a finding, or one of an entry or of a group, passes a filter.
func (p *Pane) passes(l line, match func(*filter.Frame) bool) bool {
	switch {
	case l.entry == nil:
		return slices.ContainsFunc(l.group.entries, func(e *entry) bool { return p.passes(line{l.group, e, -1}, match) })
	case l.i >= 0 || match(p.frameOf(l.entry, -1)):
		return l.i < 0 || match(p.frameOf(l.entry, l.i))
	}
	for i := range l.entry.len() {
		if match(p.frameOf(l.entry, i)) {
			return true
		}
	}
	return false
}

// frameOf returns the data that a filter examines: the text of a finding, and its frame.
func (p *Pane) frameOf(e *entry, i int) *filter.Frame {
	f, ok := e.at(i)
	s, fr := p.s.Store(), &filter.Frame{}
	if p.scanner == nil {
		p.scanner = s.NewScanner()
	}
	fr.OfRow(s, p.scanner)
	fr.Row, fr.Index = &store.Row{Pair: store.None}, store.None
	if f.lint != nil {
		if row, ok := s.Row(f.lint.Row); ok {
			fr.Row, fr.Index, fr.Method = &row, f.lint.Row, s.Method(row.Method)
		}
		fr.Row.Time = f.lint.Time.UnixNano()
	}
	fr.Body = func() []byte { return []byte(p.text(e, f)) }
	fr.Found = func(match func(id string, of lint.Severity) bool) bool { return ok && match(e.id, e.severity()) }
	return fr
}

// values returns the values of a property of the findings.
func (p *Pane) values(property string) []string {
	seen := map[string]bool{}
	for _, e := range p.entries {
		f, _ := e.at(-1)
		switch {
		case property == "rule" && (e.rule != nil || e.report != nil):
			seen[e.id] = true
		case property == "method" && f.lint != nil:
			seen[p.method(f.lint.Row)] = true
		}
	}
	delete(seen, "")
	return slices.Sorted(maps.Keys(seen))
}
