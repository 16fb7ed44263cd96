package traffic

import (
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/session/session"
	"mcptea/ui/diff"
	"mcptea/ui/paint"
)

// restartOf is the restart that a fold is of; nil for the first connection.
func (p *Pane) restartOf(f *fold) *session.Restarted {
	for i := len(p.restarts) - 1; i >= 0; i-- {
		if p.restarts[i].Conn == f.conn {
			return &p.restarts[i]
		}
	}
	return nil
}

// putRestart writes what a restart was for, how long it took, and what differs from
// the connection before.
func putRestart(r *paint.Row, pal *paint.Palette, s *session.Restarted) {
	between := func() { r.Put(pal.Muted, " "+pal.Separator+" ") }
	r.Put(pal.OK, diff.RestartName(s.Number))
	if s.Cause.Text != "" {
		between()
		r.Put(pal.Text, display.Cut(s.Cause.Text, 40))
	}
	for _, list := range []string{"tools", "prompts", "resources", "templates"} {
		if c := s.Lists[list]; c.Any() {
			between()
			r.Put(pal.Text, list)
			for _, span := range diff.Counts(pal, c, "") {
				r.Put(span.Style, " "+span.Text)
			}
		}
	}
	if s.Cause.Built > 0 {
		between()
		r.Put(pal.Muted, "built in "+phrase.Took(s.Cause.Built))
	}
	between()
	r.Put(pal.Muted, "connected in "+phrase.Took(s.Took))
}
