package logs

import (
	"strings"

	"mcptea/session"
	"mcptea/session/store"
	"mcptea/ui/command"
	"mcptea/ui/paint"
)

// reader shows the selected entry in full under the list while the list does not
// follow: lines on stderr have no frame to open. Its height does not depend on the
// text, so that the list does not jump.
func (p *Pane) reader(pal *paint.Palette, w, place int) []string {
	if p.follow || place < 12 || p.Len() == 0 {
		return nil
	}
	n := min(6, place/4)
	rows := make([]string, 0, n+1)
	e, ok := p.entry(p.number(p.list.Index()))
	if !ok {
		return nil
	}
	text := strings.TrimRight(e.text, "\r\n")
	lines := paint.WrapFirst(text, w-4, n+1)
	rows = append(rows, paint.Rule(pal, w, p.caption(pal, e.log, len(lines) > n)...))
	r := pal.Row()
	for i := range n {
		r.Start(w, paint.Style{})
		r.Gap(2)
		if i < len(lines) {
			r.Put(pal.Text, lines[i])
		}
		rows = append(rows, r.String())
	}
	return rows
}

func (p *Pane) caption(pal *paint.Palette, l store.Log, more bool) []paint.Span {
	spans := []paint.Span{{Style: pal.Muted, Text: "full text"}}
	if more {
		spans[0].Text = "beginning of the text"
	}
	if l.Row >= 0 {
		spans = append(spans, paint.Span{Style: pal.Muted, Text: "   "}, paint.Span{Style: pal.AccentBold, Text: command.KeyOf(command.ShowLogFrame)},
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
		switch {
		case p.scanned < p.st.Logs:
			say(pal.Muted, paint.Spinner(pal, p.spin)+" filtering")
		case len(p.words) == 0:
			say(pal.Muted, "No entry has this severity; "+command.KeyOf(command.CycleLogLevel)+" changes it. Entries without a level, such as stderr, count as info.")
		default:
			say(pal.Muted, "No matching entries. "+command.KeyOf(command.Back)+" clears the filter.")
		}
		return rows
	}
	say(pal.Strong, "No log messages yet.")
	say(pal.Text, "Log messages of the server (notifications/message), its stderr, and text on stdout that is not a message are shown here.")
	switch {
	case p.st.Phase != session.Ready:
	case p.st.Handshake.Revision.IsStateless():
		say(pal.Muted, "The server logs for requests with a logLevel in _meta: "+command.KeyOf(command.SetServerLevel)+" sets it for later requests.")
	case p.st.Handshake.HasCapability("logging"):
		say(pal.Muted, "The server supports logging: "+command.KeyOf(command.SetServerLevel)+" sets the level (logging/setLevel).")
	default:
		say(pal.Muted, "The server does not declare logging; "+command.KeyOf(command.SetServerLevel)+" sends logging/setLevel anyway.")
	}
	return rows
}
