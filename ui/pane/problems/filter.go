package problems

import (
	"slices"
	"strings"

	"mcptea/session"
	"mcptea/session/lint"
	"mcptea/ui/severity"
)

// apply puts the words that were typed in force.
func (p *Pane) apply() {
	words := strings.Fields(strings.ToLower(p.input.Value()))
	if !slices.Equal(words, p.words) {
		p.words = words
		p.list()
	}
}

// nextLeast hides what is milder, step by step.
func (p *Pane) nextLeast() {
	switch p.least {
	case lint.Info:
		p.least = lint.Warn
	case lint.Warn:
		p.least = lint.Error
	default:
		p.least = lint.Info
	}
	p.list()
}

func (p *Pane) filtering() bool { return len(p.words) > 0 || p.least != lint.Info }

func (p *Pane) unfilter() {
	p.input.SetValue("")
	p.words, p.least = nil, lint.Info
	p.list()
}

// passes reports whether a rule has all the words, in itself or in what it says
// of the newest, and none of those with a dash in front.
func (p *Pane) passes(g *session.Group) bool {
	if g.Rule.Severity > p.least {
		return false
	}
	if len(p.words) == 0 {
		return true
	}
	f := &g.Newest
	text := strings.ToLower(strings.Join([]string{
		g.Rule.ID, g.Rule.Slug, severity.Word(g.Rule.Severity), f.Fault.String(), p.method(f.Row), f.Message, f.Hint,
	}, "\n"))
	for _, word := range p.words {
		rest, not := strings.CutPrefix(word, "-")
		if rest != "" && strings.Contains(text, rest) == not {
			return false
		}
	}
	return true
}

// method is that of the frame of a row; empty for what has none.
func (p *Pane) method(row int32) string {
	s := p.s.Store()
	r, ok := s.Row(row)
	if !ok {
		return ""
	}
	return s.Method(r.Method)
}
