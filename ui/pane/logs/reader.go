package logs

import (
	"strings"

	"mcptea/session/record/store"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/paint"
)

// readerRows is how many rows of the selected entry are shown in full under the list while
// the list does not follow: lines on stderr have no frame to open. It does not depend on
// the text, so that the list does not jump.
func (p *Pane) readerRows(place int) int {
	if p.follow || place < 12 || p.Len() == 0 {
		return 0
	}
	return min(6, place/4)
}

// reader shows the selected entry in n rows under a rule.
func (p *Pane) reader(c *app.Canvas, n int) {
	e, _ := p.entry(p.number(p.list.Index()))
	lines := paint.WrapFirst(strings.TrimRight(e.text, "\r\n"), c.W-4, n+1)
	c.Rows(paint.Rule(c.Pal, c.W, p.caption(c.Pal, e.log, len(lines) > n)...))
	for _, line := range lines[:min(n, len(lines))] {
		c.Line(func(r *paint.Row) {
			r.Gap(2)
			r.Put(c.Pal.Text, line)
		})
	}
}

func (p *Pane) caption(pal *paint.Palette, l store.Log, more bool) []paint.Span {
	spans := []paint.Span{{Style: pal.Muted, Text: "full text"}}
	if more {
		spans[0].Text = "beginning of the text"
	}
	if l.Row >= 0 {
		spans = append(spans, paint.Span{Style: pal.Muted, Text: "   "}, paint.Span{Style: pal.AccentBold, Text: p.app.Key("frame")},
			paint.Span{Style: pal.Muted, Text: " frame"})
	}
	return spans
}

// empty explains what is shown here and how to get it.
func (p *Pane) empty(pal *paint.Palette, w int) []string {
	var rows []string
	say := func(st paint.Style, text string) {
		for _, line := range paint.Wrap(text, max(1, w-4)) {
			rows = append(rows, "  "+st.Render(line))
		}
	}
	if p.filtering() {
		if p.behind() {
			say(pal.Muted, paint.Spinner(pal, p.spin)+" filtering")
		} else {
			say(pal.Muted, "No matching entries. "+p.app.Key("back")+" clears the filter. Entries without a level, such as stderr, count as info.")
		}
		return rows
	}
	say(pal.Strong, "No log messages yet.")
	say(pal.Text, "Log messages of the server (notifications/message), its stderr, and text on stdout that is not a message are shown here.")
	switch {
	case p.st.Phase != session.Ready:
	case p.st.Handshake.Revision.IsStateless():
		say(pal.Muted, "The server logs for requests with a logLevel in _meta: "+p.app.Key("setting")+" sets it for later requests.")
	case p.st.Handshake.HasCapability("logging"):
		say(pal.Muted, "The server supports logging: "+p.app.Key("setting")+" sets the level (logging/setLevel).")
	default:
		say(pal.Muted, "The server does not declare logging; "+p.app.Key("setting")+" sends logging/setLevel anyway.")
	}
	return rows
}
