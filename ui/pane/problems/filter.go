package problems

import (
	"slices"
	"strings"

	"mcptea/session"
	"mcptea/session/lint"
	"mcptea/ui/severity"
	"mcptea/ui/widget/input"
)

// apply filters by the words that were typed.
func (p *Pane) apply() {
	words := input.ParseWords(p.input.Value())
	if !slices.Equal(words, p.words) {
		p.words = words
		p.list()
	}
}

// cycleSeverity shows all findings, errors and warnings, or errors only.
func (p *Pane) cycleSeverity() {
	if p.minSeverity == lint.Error {
		p.minSeverity = lint.Info
	} else {
		p.minSeverity--
	}
	p.list()
}

func (p *Pane) filtering() bool { return len(p.words) > 0 || p.minSeverity != lint.Info }

func (p *Pane) clearFilter() {
	p.input.SetValue("")
	p.words, p.minSeverity = nil, lint.Info
	p.list()
}

// passes reports whether a rule and its newest finding contain all the words, and
// none of those after a dash.
func (p *Pane) passes(g *session.Group) bool {
	if g.Rule.Severity > p.minSeverity {
		return false
	}
	if len(p.words) == 0 {
		return true
	}
	f := &g.Newest
	text := strings.ToLower(strings.Join([]string{
		g.Rule.ID, g.Rule.Slug, severity.Word(g.Rule.Severity), f.Fault.String(), p.method(f.Row), f.Message, f.Hint,
	}, "\n"))
	return p.words.Match(text)
}

// method is the method of the frame of a row; empty without one.
func (p *Pane) method(row int32) string {
	s := p.s.Store()
	r, ok := s.Row(row)
	if !ok {
		return ""
	}
	return s.Method(r.Method)
}
