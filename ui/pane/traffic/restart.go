package traffic

import (
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/session/session"
	"mcptea/ui/diff"
	"mcptea/ui/paint"
)

// restartOf returns the restart that started a connection, or nil for the first one.
func (p *Pane) restartOf(conn uint16) *session.Restarted {
	for i := len(p.restarts) - 1; i >= 0; i-- {
		if p.restarts[i].Conn == conn {
			return &p.restarts[i]
		}
	}
	return nil
}

// putRestart writes the reason of a restart and its differences from the previous connection, up to a column.
func putRestart(r *paint.Row, pal *paint.Palette, s *session.Restarted, end int) {
	parts := []paint.Spans{{{Style: pal.OK, Text: diff.RestartName(s.Number)}}}
	for _, list := range []string{"tools", "prompts", "resources", "templates"} {
		if c := s.Lists[list]; c.Any() {
			part := paint.Spans{{Style: pal.Text, Text: list}}
			for _, span := range diff.Counts(pal, c, "") {
				part = append(part, paint.Span{Style: span.Style, Text: " " + span.Text})
			}
			parts = append(parts, part)
		}
	}
	if s.Cause.Text != "" {
		parts = append(parts, paint.Spans{{Style: pal.Text, Text: pal.Cut(display.Sanitize(s.Cause.Text), 40)}})
	}
	if s.Cause.Built > 0 {
		parts = append(parts, paint.Spans{{Style: pal.Muted, Text: "built in " + phrase.Took(s.Cause.Built)}})
	}
	for i, part := range parts {
		if i > 0 && r.Used()+3+paint.SpansWidth(part) > end-2 {
			r.Put(pal.Muted, " "+pal.Ellipsis)
			return
		}
		if i > 0 {
			r.Put(pal.Muted, " "+pal.Separator+" ")
		}
		r.Spans(part...)
	}
}
