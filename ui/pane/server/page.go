package server

import (
	"cmp"
	"fmt"
	"strings"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/session/session"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
)

const (
	labelWidth = 12 // width of a fact's label
	// twoColumns is the width from which the page has two columns. leftWidth is the width that the
	// left column needs for capabilities with all their flags.
	twoColumns = 138
	leftWidth  = 73
)

// compose lays the page out.
func (p *Pane) compose(d *doc.Doc) {
	d.Margin = min(labelWidth, d.W/3)
	switch p.st.Phase {
	case session.Idle:
		if p.st.IsAuthority() {
			p.authority(d)
			return
		}
		d.Text(d.Pal.Muted, "Not connected.", 1)
		d.Blank()
		p.command(d)
		d.Blank()
		d.Keys(1, doc.Key{ID: "reconnect", Label: "connect"})
	case session.Connecting:
		p.checklist(d)
		p.authorization(d)
		d.Blank()
		if p.target.IsStdio() && p.now.Sub(p.st.Started) > strayWait {
			p.strayLine(d)
		}
		p.command(d)
		p.stderrTail(d)
	case session.Failed:
		p.failure(d, p.spare(d))
		p.details(d)
	default:
		p.working(d)
	}
}

// spare returns the number of rows of a low page of a failure that stay empty without the lines of stderr that its
// sentence repeats, or 0.
func (p *Pane) spare(d *doc.Doc) int {
	if p.reporting || d.H >= minRoomy || p.stderr.Total == 0 {
		return 0
	}
	if _, repeats := p.unquoted(p.stderr.Last(), true); !repeats {
		return 0
	}
	toSteps := p.toSteps
	p.toSteps = false // painting only for measuring must not move the page
	rows := doc.Measure(d.Screen, d.W, d.H, func(d *doc.Doc) {
		d.Margin = min(labelWidth, d.W/3)
		p.failure(d, 0)
		p.details(d)
	})
	p.toSteps = toSteps
	return max(d.H-rows+1, 0) // the heading has a row already
}

// heading starts a section, with a remark after its name.
func heading(d *doc.Doc, name, remark string) {
	if d.Wants() > 0 {
		d.Blank()
	}
	d.Row(paint.Span{Style: d.Pal.TextBold, Text: name}, paint.Span{Style: d.Pal.Muted, Text: "   " + remark})
}

// fact adds a label and a text, wrapped next to it.
func fact(d *doc.Doc, label string, st paint.Style, text string) {
	d.FactText(label, st, text, doc.All)
}

// title returns the subject of the page.
func (p *Pane) title() string {
	words := map[session.Phase]string{
		session.Idle: "Server", session.Connecting: "Connecting", session.Ready: "Server",
		session.Failed: "Connection failed", session.Ended: "Connection lost",
	}
	if p.st.IsAuthority() {
		words[session.Idle] = "Authority"
	}
	if p.st.Phase == session.Ended && !p.st.Process.Exited.IsZero() {
		words[session.Ended] = "Server exited"
	}
	return words[p.st.Phase]
}

// note returns the visible rows, and the number of the connection attempt.
func (p *Pane) note(pal *paint.Palette) []paint.Span {
	var parts []string
	if at := p.Position(); at != "" {
		parts = append(parts, "lines "+at)
	}
	if p.st.Attempt > 0 {
		parts = append(parts, p.attemptNote(), p.st.Started.Format("15:04:05"))
	}
	return []paint.Span{{Style: pal.Muted, Text: strings.Join(parts, " "+pal.Separator+" ")}}
}

// working adds the page of a connection that works, or has worked.
func (p *Pane) working(d *doc.Doc) {
	if p.st.Phase == session.Ended {
		p.failure(d, 0)
		d.Blank()
	} else {
		p.compared(d)
	}
	if p.authorizing() || p.unauthorized() {
		p.authorization(d)
		d.Blank()
	}
	if p.record.watches {
		d.Text(d.Pal.Text, "The client is another program: mcptea watches. "+d.Names.Name("breakpoint")+" holds frames, to change or drop them. What you send needs a server of its own.", 3)
		d.Blank()
	}
	p.strayLine(d)
	p.changes(d)
	if d.W < twoColumns {
		p.agreed(d)
		p.offers(d)
		p.instructions(d)
		p.process(d)
		p.stderrTail(d)
		return
	}
	left, right := d.Columns(max(leftWidth, (d.W-1)/2), 1)
	p.agreed(left)
	p.offers(left)
	p.process(right)
	p.instructions(right)
	p.stderrTail(right)
}

// agreed adds the server, the protocol version and how it was negotiated.
func (p *Pane) agreed(d *doc.Doc) {
	h, pal := p.st.Handshake, d.Pal
	name, title := paint.Span{Style: pal.TextBold, Text: h.Server.Name}, ""
	if h.Server.Name == "" {
		name = paint.Span{Style: pal.Warn, Text: "(no server name)"}
	}
	if h.Server.Title != h.Server.Name {
		title = "  " + h.Server.Title
	}
	d.Fact("server", name, paint.Span{Style: pal.Text, Text: " " + h.Server.Version}, paint.Span{Style: pal.Muted, Text: title})
	fact(d, "website", pal.Text, h.Server.Website)
	words, notable := h.Negotiation()
	st := paint.If(notable, pal.Warn, pal.Muted)
	d.Fact("protocol", paint.Span{Style: pal.Text, Text: string(h.Revision)}, paint.Span{Style: st, Text: "  " + words})
	p.era(d)
	if t := p.st.TLS; t != nil {
		st := paint.If(t.Insecure, d.Pal.Error, d.Pal.Text)
		fact(d, "tls", st, client.HandshakeWords(t))
		if len(t.Chain) > 0 {
			fact(d, "valid for", d.Pal.Text, strings.Join(t.Chain[0].Names, ", "))
		}
	}
	if p.as != "" {
		fact(d, "as client", d.Pal.Warn, p.as)
		if len(p.notOfClient) > 0 {
			fact(d, "not known", d.Pal.Text, strings.Join(p.notOfClient, ", ")+": as mcptea does it")
		}
	}
	p.condensed(d)
}

// era adds which era the server belongs to, and how that was detected.
func (p *Pane) era(d *doc.Doc) {
	v := p.st.Detection
	if v.Era == revision.EraUnknown {
		return
	}
	text := v.Era.String()
	if len(v.Evidence) > 0 {
		text += " (" + strings.Join(v.Evidence, "; ") + ")"
	}
	fact(d, "era", d.Pal.Text, text)
	if w := p.st.Subscription; w.Err != nil {
		text := w.String()
		if !w.Retry.IsZero() {
			text += "; next attempt at " + w.Retry.Format("15:04:05")
		}
		fact(d, "changes", d.Pal.Warn, text)
	} else if !w.Since.IsZero() {
		fact(d, "changes", d.Pal.Text, w.String()+"  (subscriptions/listen)")
	}
}

// instructions adds the instructions of the server, whole.
func (p *Pane) instructions(d *doc.Doc) {
	text, w := p.st.Handshake.Instructions, max(1, d.W-2)
	if text == "" {
		heading(d, "instructions", "none")
		return
	}
	if rows, ok := p.instructed.Rows(d.Pal, text, w, -1); ok {
		heading(d, "instructions", "for a model, Markdown")
		d.Lines(len(rows), func(r *paint.Row, i int) { r.Spans(rows[i]...) })
		return
	}
	heading(d, "instructions", "for a model")
	lines := p.wrapped.of(strings.TrimRight(text, "\n"), w)
	d.Lines(len(lines), func(r *paint.Row, i int) { r.Put(d.Pal.Text, lines[i]) })
}

// wrapping remembers a long text in lines.
type wrapping struct {
	text  string
	w     int
	lines []string
}

func (c *wrapping) of(text string, w int) []string {
	if c.w != w || c.text != text {
		*c = wrapping{text, w, display.Wrap(text, w)}
	}
	return c.lines
}

// process adds the facts of the process or of the HTTP endpoint, and of the recording.
func (p *Pane) process(d *doc.Doc) {
	if p.target.IsStdio() {
		heading(d, "process", "")
		proc := p.st.Process
		text := fmt.Sprintf("%d   started %s", proc.PID, proc.Started.Format("15:04:05"))
		if !proc.Exited.IsZero() {
			text += ", ended " + proc.Exited.Format("15:04:05")
		}
		fact(d, "pid", d.Pal.Text, text)
		if len(proc.Left) > 0 {
			d.FactText("left", d.Pal.Warn, transport.Running(proc.Left), doc.All)
		}
		p.command(d)
	} else {
		heading(d, "http", "")
		p.command(d)
		p.tokenFact(d)
		p.http(d)
	}
	p.recordingFacts(d)
}

func (p *Pane) http(d *doc.Doc) {
	x, st := p.exchange, p.st
	st.Session = cmp.Or(st.Session, x.RequestHeader.Get("Mcp-Session-Id"))
	fact(d, "session", d.Pal.Text, st.SessionWords())
	fact(d, "", d.Pal.Warn, p.st.Renewed)
	if x.ID == 0 {
		return
	}
	style, text := d.Pal.Text, x.Method
	if x.Status == 0 || x.Status >= 400 {
		style = d.Pal.Error
	}
	if x.Status == 0 {
		text += " " + strings.TrimPrefix(x.Err, x.Method+" ")
	} else {
		text += fmt.Sprintf(" returned %s after %s", transport.StatusText(x.Status), phrase.Took(x.FirstByte))
		if kind := x.ResponseHeader.Get("Content-Type"); kind != "" {
			text += ", " + kind
		}
	}
	fact(d, "last", style, text)
}
