package inspector

import (
	"mcptea/internal/words/display"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/paint"
)

// chipRow returns the first row if there are several sessions: their chips, then the state of the connection
// unless it is ready, whether TLS is verified, and as much of the rest as fits. ok is false for a single
// session.
func (m *model) chipRow(c *app.Canvas) (row string, ok bool) {
	p := m.Pal
	var r paint.Row
	r.Start(m.W, p.Header)
	must, details := m.unverified(), m.phase()
	if _, recorded := m.session.Recording(); (recorded || m.state.Phase != session.Ready) && len(details) > 0 {
		must, details = append(must, details[0]), details[1:]
	}
	if !m.Around.PutChips(m.Program, c, &r, m.W-1-paint.SpansWidth(must)) {
		return "", false
	}
	r.Put(p.Faint, " "+p.Lines.Left+" ")
	room, wide := r.Left()-paint.SpansWidth(must), m.W >= wideWidth
	counts := m.counts(wide, !m.Tick.Still)
	if paint.SpansWidth(counts) > room {
		counts = m.counts(wide, false)
	}
	for len(counts) > 0 && paint.SpansWidth(counts) > room {
		counts = counts[1:]
	}
	room -= paint.SpansWidth(counts) + 1
	fits := func(text string) (shown string) {
		if w := display.Width(text) + 2; text != "" && w <= room {
			room -= w
			return text + "  "
		}
		return ""
	}
	over, rev := fits(display.Sanitize(m.session.Transport())), fits(display.Sanitize(string(m.state.Handshake.Revision)))
	named := fits(display.Sanitize(m.serverName()))
	for len(details) > 0 && paint.SpansWidth(details) > room {
		details = details[:len(details)-1]
	}
	r.Right(m.withTaps(counts, room-paint.SpansWidth(details)-2)...)
	r.Put(p.Text, named)
	r.Put(p.Muted, over+rev)
	r.Spans(must...)
	r.Spans(details...)
	return r.String(), true
}
