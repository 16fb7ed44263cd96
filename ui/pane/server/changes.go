package server

import (
	"math"

	"mcptea/ui/changelist"
	"mcptea/ui/command"
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
		r.Put(s.pal.AccentBold, command.KeyIn(command.Connected, command.SeeChanges, false))
		r.Put(s.pal.Muted, " mark seen")
	})
	below := paint.NewSheet(s.pal, s.w, math.MaxInt32)
	changelist.Groups(&below, c.ServerGroups(), nil)
	for _, row := range below.Rows {
		s.line(func(r *paint.Row) { r.Painted(row, s.w) })
	}
	s.blank()
}

// Works reports whether a command does something now.
func (p *Pane) Works(id command.ID) bool {
	return id != command.SeeChanges || p.st.Changes != nil && len(p.st.Changes.Server) > 0
}
