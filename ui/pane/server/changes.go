package server

import (
	"mcptea/ui/app"
	"mcptea/ui/diff"
	"mcptea/ui/doc"
	uipage "mcptea/ui/page"
	"mcptea/ui/paint"
)

// changes writes how the server describes itself otherwise than the user has seen it.
func (p *Pane) changes(s *sheet) {
	c := p.st.Changes
	if c == nil || len(c.Server) == 0 {
		return
	}
	s.line(func(r *paint.Row) {
		r.Put(s.pal.WarnBold, "~ ")
		r.Put(s.pal.Warn, "changed by "+diff.RestartName(c.ServerRestart))
		r.Gap(3)
		r.Put(s.pal.AccentBold, s.key("change.see"))
		r.Put(s.pal.Muted, " mark seen")
	})
	screen := app.Screen{Pal: s.pal}
	d := doc.On(screen.Begin(s.w, 0))
	diff.Changes(d, doc.All, c.ServerGroups(), nil)
	for _, row := range screen.Paint(uipage.Still(func(c *app.Canvas) { d.Canvas = c; d.Paint() }), s.w, d.Wants(), false) {
		s.line(func(r *paint.Row) { r.Painted(row, s.w) })
	}
	s.blank()
}
