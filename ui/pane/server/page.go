package server

import (
	"fmt"
	"net/http"
	"strings"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/session"
	"mcptea/ui/paint"
)

// twoColumns is the width from which on the page has two of them.
const twoColumns = 134

// leftWidth is what the left one needs for capabilities with all their flags.
const leftWidth = 71

// compose lays the page out on a sheet.
func (p *Pane) compose(s *sheet) page {
	pal := s.pal
	switch p.st.Phase {
	case session.Idle:
		s.text(pal.Muted, "Not connected.")
		s.blank()
		p.command(s)
		s.blank()
		s.keys(hint{"reconnect", "connect"})
	case session.Connecting:
		p.checklist(s)
		p.authorization(s)
		s.blank()
		if p.target.IsStdio() && p.now.Sub(p.st.Started) > strayWait {
			p.strayLine(s)
		}
		p.command(s)
		p.stderrTail(s, stderrShown)
	case session.Failed:
		p.failure(s)
		p.details(s)
	default:
		return p.working(s)
	}
	return page{top: s}
}

// title is what is in the upper border.
func (p *Pane) title(pal *paint.Palette) (title, note []paint.Span) {
	words := map[session.Phase]string{
		session.Idle: "Server", session.Connecting: "Connecting", session.Ready: "Server",
		session.Failed: "Connection failed", session.Ended: "Connection lost",
	}
	if p.st.Phase == session.Ended && !p.st.Process.Exited.IsZero() {
		words[session.Ended] = "Server exited"
	}
	title = []paint.Span{{Style: pal.TextBold, Text: words[p.st.Phase]}}
	var parts []string
	if p.lines > p.height {
		parts = append(parts, fmt.Sprintf("lines %d-%d of %d", p.top+1, min(p.top+p.height, p.lines), p.lines))
	}
	if p.st.Attempt > 0 {
		parts = append(parts, fmt.Sprintf("attempt %d", p.st.Attempt), p.st.Started.Format("15:04:05"))
	}
	if len(parts) > 0 {
		note = []paint.Span{{Style: pal.Muted, Text: strings.Join(parts, " "+pal.Separator+" ")}}
	}
	return title, note
}

// working is the page of a connection that works, or has worked.
func (p *Pane) working(s *sheet) page {
	if p.st.Phase == session.Ended {
		p.failure(s)
		s.blank()
	}
	if p.authorizing() || p.unauthorized() {
		p.authorization(s)
		s.blank()
	}
	p.strayLine(s)
	p.changes(s)
	if s.w < twoColumns {
		p.agreed(s)
		p.offers(s)
		p.instructions(s)
		p.process(s)
		p.stderrReady(s)
		return page{top: s}
	}
	left := s.column(max(leftWidth, (s.w-gutter)/2))
	right := s.column(s.w - gutter - left.w)
	p.agreed(left)
	p.offers(left)
	p.process(right)
	p.instructions(right)
	p.stderrReady(right)
	return page{s, left, right}
}

// agreed writes the server, the protocol version and how it was negotiated.
func (p *Pane) agreed(s *sheet) {
	h, pal := p.st.Handshake, s.pal
	s.line(func(r *paint.Row) {
		r.Put(pal.Muted, "server")
		r.To(labelWidth)
		if h.Server.Name == "" {
			r.Put(pal.Warn, "(no server name)")
		}
		r.Put(pal.TextBold, h.Server.Name)
		r.Gap(1)
		r.Put(pal.Text, h.Server.Version)
		if h.Server.Title != "" && h.Server.Title != h.Server.Name {
			r.Gap(2)
			r.Put(pal.Muted, h.Server.Title)
		}
	})
	if h.Server.Website != "" {
		s.fact("website", pal.Text, h.Server.Website)
	}
	s.line(func(r *paint.Row) {
		r.Put(pal.Muted, "protocol")
		r.To(labelWidth)
		if h.Unknown != "" {
			r.Put(pal.Text, string(h.Revision))
			r.Put(pal.Warn, "  fallback for the unknown version ")
			r.Put(pal.WarnBold, h.Unknown)
			return
		}
		if h.Offered == h.Revision {
			r.Put(pal.Text, string(h.Revision))
			if h.Revision.IsStateless() {
				r.Put(pal.Muted, "  stateless: no handshake")
				return
			}
			r.Put(pal.Muted, "  as offered")
			return
		}
		r.Put(pal.Muted, string(h.Offered)+" offered "+pal.ArrowOut+" ")
		r.Put(pal.Text, string(h.Revision))
		if h.Revision.Before(h.Offered) {
			r.Put(pal.Warn, "  negotiated down")
		} else {
			r.Put(pal.Warn, "  newer than what was offered")
		}
	})
	p.era(s)
	p.condensed(s)
}

// era writes which era the server belongs to, and how that was detected.
func (p *Pane) era(s *sheet) {
	v := p.st.Detection
	if v.Era == revision.EraUnknown {
		return
	}
	text := v.Era.String()
	if len(v.Evidence) > 0 {
		text += " (" + strings.Join(v.Evidence, "; ") + ")"
	}
	s.fact("mode", s.pal.Text, text)
	if w := p.st.Subscription; w.Err != nil {
		text := w.String()
		if !w.Retry.IsZero() {
			text += "; next attempt at " + w.Retry.Format("15:04:05")
		}
		s.fact("changes", s.pal.Warn, text)
	} else if !w.Since.IsZero() {
		s.fact("changes", s.pal.Text, w.String()+"  (subscriptions/listen)")
	}
}

// offers writes the capabilities of both sides.
func (p *Pane) offers(s *sheet) {
	h := p.st.Handshake
	s.heading("the server offers", "")
	if h.ServerCaps == nil {
		method := "initialize"
		if h.Revision.IsStateless() {
			method = "server/discover"
		}
		s.text(s.pal.Warn, "The "+method+" result has no capabilities, which are required.")
	}
	p.capabilities(s, revision.Capabilities(revision.Server), h.ServerCaps)
	p.listErrors(s)
	s.heading("mcptea offers", "")
	p.capabilities(s, revision.Capabilities(revision.Client), h.ClientCaps)
}

// instructions writes the instructions of the server, whole.
func (p *Pane) instructions(s *sheet) {
	text := p.st.Handshake.Instructions
	if text == "" {
		s.heading("instructions", "none")
		return
	}
	if rows, ok := p.instructed.Rows(s.pal, text, s.w, -1); ok {
		s.heading("instructions", "for a model, Markdown")
		s.many(len(rows), func(r *paint.Row, i int) { r.Spans(rows[i]...) })
		return
	}
	s.heading("instructions", "for a model")
	lines := p.wrapped.of(strings.TrimRight(text, "\n"), s.w)
	s.many(len(lines), func(r *paint.Row, i int) { r.Put(s.pal.Text, lines[i]) })
}

// process writes the facts of the process or of the HTTP endpoint, and of the
// recording.
func (p *Pane) process(s *sheet) {
	if !p.target.IsStdio() {
		s.heading("http", "")
		p.command(s)
		p.tokenFact(s)
		p.http(s)
		p.recordingFact(s)
		return
	}
	s.heading("process", "")
	proc := p.st.Process
	s.fact("pid", s.pal.Text, life(proc))
	p.command(s)
	p.recordingFact(s)
}

func life(proc session.Process) string {
	text := fmt.Sprintf("%d   started %s", proc.PID, proc.Started.Format("15:04:05"))
	if !proc.Exited.IsZero() {
		text += ", ended " + proc.Exited.Format("15:04:05")
	}
	return text
}

func (p *Pane) http(s *sheet) {
	x := p.exchange
	session := p.st.Session
	if session == "" {
		session = x.RequestHeader.Get("Mcp-Session-Id")
	}
	switch {
	case p.st.Handshake.Revision.IsStateless():
		s.fact("session", s.pal.Muted, "none: this protocol version has no sessions")
	case session != "":
		s.fact("session", s.pal.Text, session)
	case p.st.Transport == client.TransportSSE:
		s.fact("session", s.pal.Muted, "the event stream: HTTP+SSE has no Mcp-Session-Id")
	default:
		s.fact("session", s.pal.Muted, "none: the server sent no Mcp-Session-Id")
	}
	if p.st.Renewed != "" {
		s.fact("", s.pal.Warn, p.st.Renewed)
	}
	if x.ID == 0 {
		return
	}
	st, text := s.pal.Text, x.Method
	switch {
	case x.Status == 0:
		st = s.pal.Error
		if text = x.Err; !strings.HasPrefix(x.Err, x.Method+" ") {
			text = x.Method + " " + x.Err
		}
	case x.Status >= 400:
		st = s.pal.Error
		fallthrough
	default:
		text += fmt.Sprintf(" returned %d %s after %s", x.Status, http.StatusText(x.Status), paint.HumanDuration(x.FirstByte))
		if kind := x.ResponseHeader.Get("Content-Type"); kind != "" {
			text += ", " + kind
		}
	}
	s.fact("last", st, text)
}
