package logs

import (
	"strings"

	"mcptea/session"
	"mcptea/session/store"
	"mcptea/ui/command"
	"mcptea/ui/paint"
)

// reader shows the selected entry in full under the list, while somebody reads
// and does not follow: stderr has no other place for long lines. Its height
// does not depend on the text, so that the list stands still.
func (p *Pane) reader(pal *paint.Palette, w, place int) []string {
	if p.follow || place < 12 || p.Len() == 0 {
		return nil
	}
	n := min(6, place/4)
	rows := make([]string, 0, n+1)
	e, ok := p.entry(p.number(p.cursor))
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
	spans := []paint.Span{{Style: pal.Muted, Text: "in full"}}
	if more {
		spans[0].Text = "its beginning"
	}
	if l.Row >= 0 {
		spans = append(spans, paint.Span{Style: pal.Muted, Text: "   "}, paint.Span{Style: pal.AccentBold, Text: command.KeyOf(command.ShowLogFrame)},
			paint.Span{Style: pal.Muted, Text: " shows the frame"})
	}
	return spans
}

// empty says what would be here, and how to get it.
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
			say(pal.Muted, paint.Spinner(pal, p.spin)+" looking")
		case len(p.words) == 0:
			say(pal.Muted, "Nothing is that severe; "+command.KeyOf(command.CycleLogLevel)+" changes it. What has no level, like stderr, counts as info.")
		default:
			say(pal.Muted, "No entry has these words; "+command.KeyOf(command.Back)+" shows all "+paint.HumanCount(p.st.Logs)+".")
		}
		return rows
	}
	say(pal.Text, "The server has said nothing beside its answers yet.")
	say(pal.Muted, "Here come its log messages (notifications/message), what it writes to stderr, and text on stdout that is no message.")
	switch {
	case p.st.Phase != session.Ready:
	case p.st.Handshake.Revision.IsStateless():
		say(pal.Muted, "It logs for requests that ask for it: "+command.KeyOf(command.SetServerLevel)+" has each later one ask (logLevel in its _meta).")
	case p.st.Handshake.HasCapability("logging"):
		say(pal.Muted, "It can log: "+command.KeyOf(command.SetServerLevel)+" tells it from which level on (logging/setLevel).")
	default:
		say(pal.Muted, "It does not offer logging; "+command.KeyOf(command.SetServerLevel)+" asks for it all the same.")
	}
	return rows
}
