package server

import (
	"mcptea/session"
)

const (
	stderrFailed = 24 // lines shown of a server that did not come up
	stderrShown  = 8
)

// stderrReady writes the newest lines of a server that runs; those of one that
// has ended are evidence.
func (p *Pane) stderrReady(s *sheet) {
	if p.st.Phase != session.Ended {
		p.stderrTail(s, stderrShown)
	}
}

// stderrTail writes the newest lines. What looks like the reason stands out.
func (p *Pane) stderrTail(s *sheet, most int) {
	e := p.stderrPart()
	if e.name == "" {
		return
	}
	if s.lines > 0 {
		s.blank()
	}
	for _, row := range e.rows(s, most) {
		s.line(row)
	}
}
