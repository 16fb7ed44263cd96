package server

import (
	"math"

	"mcptea/ui/changelist"
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
		r.Put(s.pal.Warn, "changed by "+changelist.RestartName(c.ServerRestart))
		r.Gap(3)
		r.Put(s.pal.AccentBold, s.key("change.see"))
		r.Put(s.pal.Muted, " mark seen")
	})
	below := paint.NewSheet(s.pal, s.w, math.MaxInt32)
	changelist.Groups(&below, c.ServerGroups(), nil)
	for _, row := range below.Rows {
		s.line(func(r *paint.Row) { r.Painted(row, s.w) })
	}
	s.blank()
}
