package sequence

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/sequence"
	"mcptea/session/store"
	"mcptea/ui/command"
	"mcptea/ui/frames"
	"mcptea/ui/paint"
)

const (
	// besideWidth is from which width the JSON is beside the diagram, belowHeight from
	// which height it is below it on a narrower screen.
	besideWidth = 100
	belowHeight = 34
	timeWidth   = 9
	borderWidth = 3  // cells of a border before its title
	maxFilter   = 30 // cells of the filter in the title
)

// Paint draws the pane: exactly h rows of w cells.
func (p *Pane) Paint(pal *paint.Palette, js paint.JSONStyles, w, h int, focused bool) []string {
	switch {
	case w >= besideWidth:
		left := w * 61 / 100
		return paint.JoinSide(p.diagram(pal, left, h, focused), p.json(pal, &js, w-left, h))
	case h >= belowHeight:
		below := h * 2 / 5
		return append(p.diagram(pal, w, h-below, focused), p.json(pal, &js, w, below)...)
	}
	return p.diagram(pal, w, h, focused)
}

func (p *Pane) diagram(pal *paint.Palette, w, h int, focused bool) []string {
	scope := "whole session"
	if p.only {
		scope = "selected exchange"
	}
	title := []paint.Span{{Style: pal.TextBold, Text: "Sequence"}, {Style: pal.Muted, Text: "  " + scope}}
	switch {
	case p.input.Typing() || p.wrong != nil:
		st := pal.OK
		if p.wrong != nil {
			st = pal.Error
		}
		title = append(title[:1], paint.Span{Text: "  "})
		title = append(title, p.input.Spans(pal, st, borderWidth+len("Sequence  "), maxFilter)...)
		if p.wrong != nil {
			title = append(title, paint.Span{Style: pal.Error, Text: "  " + paint.Sanitize(p.wrong.Error())})
		}
	case p.applied != "" && !p.only:
		title = append(title[:1], paint.Span{Style: pal.Accent, Text: "  / "}, paint.Span{Style: pal.Text, Text: paint.Sanitize(p.applied)})
	}
	note := pal.Choice(frames.ViewNames(), frames.ViewOf(command.ShowSequence))
	p.cols = w
	r := pal.Row()
	inner := w - 2
	rows := []string{p.participants(pal, r, inner)}
	if p.lead == store.None {
		r.Start(inner, paint.Style{})
		r.Gap(2)
		r.Put(pal.Muted, "No frames yet.")
		return paint.Box(pal, w, h, focused, title, note, []string{r.String()})
	}
	if p.count() == 0 {
		r.Start(inner, paint.Style{})
		r.Gap(2)
		r.Put(pal.Muted, "No frame matches the filter. esc clears it.")
		return paint.Box(pal, w, h, focused, title, note, []string{r.String()})
	}
	p.arrange(h - 3)
	for i := range p.lines {
		rows = append(rows, p.line(pal, r, inner, i, focused))
	}
	return paint.Box(pal, w, h, focused, title, note, rows)
}

// participants are the heads of the two lifelines.
func (p *Pane) participants(pal *paint.Palette, r *paint.Row, w int) string {
	r.Start(w, paint.Style{})
	server := p.server
	if server == "" {
		server = "server"
	}
	r.Right(paint.Span{Style: pal.Strong, Text: pal.Label(server, w/3)}, paint.Span{Style: pal.Muted, Text: " server "})
	r.Gap(timeWidth + 1)
	r.Put(pal.Strong, p.client)
	r.Put(pal.Muted, " client")
	if at := timeWidth + (w-timeWidth-len(p.over))/2; at > r.Used()+1 {
		r.To(at)
		r.Put(pal.Muted, p.over)
	}
	return r.String()
}

// line paints a line of the diagram.
func (p *Pane) line(pal *paint.Palette, r *paint.Row, w, n int, focused bool) string {
	l := p.lines[n]
	selected := slices.Contains(p.exchange, l.row)
	within := len(p.exchange) > 1 && (n > 0 && p.inside(p.lines[n-1].row) || selected) && p.inside(p.nextRow(n))
	base, mark := paint.Style{}, " "
	if selected {
		base = pal.Selected
		if focused {
			mark = pal.Bar
		}
	}
	r.Start(w, base)
	r.Put(pal.Accent, mark)
	life := paint.Span{Style: pal.Faint, Text: pal.Vertical}
	if l.row == store.None {
		r.CellRight(pal.Muted, "+"+paint.HumanDuration(l.gap), timeWidth-1)
		r.Gap(1)
		r.Put(pal.Faint, pal.Guide)
		r.To(w - 2)
		r.Put(pal.Faint, pal.Guide)
		return r.String()
	}
	m, ok := p.message(l.row)
	if !ok {
		return r.String()
	}
	if within || selected {
		life = paint.Span{Style: pal.OK, Text: pal.Scroll}
	}
	r.CellRight(pal.Muted, p.clock(m.Time), timeWidth-1)
	r.Gap(1)
	r.Spans(paint.Span{Style: pal.Faint, Text: pal.Vertical})
	p.arrow(pal, r, &m, w-3)
	r.To(w - 2)
	if m.Request == p.lead && p.pending && m.Row == p.lead {
		life = paint.Span{Style: pal.Warn, Text: paint.Spinner(pal, p.spin)}
	}
	r.Spans(life)
	return r.String()
}

// inside reports whether a row is between the begin and the end of the selected exchange.
func (p *Pane) inside(row int32) bool {
	return len(p.exchange) > 1 && row >= p.exchange[0] && row <= p.exchange[len(p.exchange)-1]
}

// nextRow is the row of a line, or of the one after a gap.
func (p *Pane) nextRow(n int) int32 {
	if p.lines[n].row == store.None && n+1 < len(p.lines) {
		n++
	}
	return p.lines[n].row
}

// clock is the time of a row after the first one, in seconds.
func (p *Pane) clock(at time.Time) string {
	first, _ := p.store.Row(0)
	return strconv.FormatFloat(max(0, at.Sub(time.Unix(0, first.Time)).Seconds()), 'f', 3, 64)
}

// arrow draws a message up to a column: its label at the side of its sender.
func (p *Pane) arrow(pal *paint.Palette, r *paint.Row, m *sequence.Message, end int) {
	st, dash := p.style(pal, m)
	if m.Arrow() == sequence.Event {
		r.Gap(1)
		r.Put(pal.Warn, m.Text)
		return
	}
	room := end - r.Used()
	took := ""
	if m.Took > 0 && room > 40 {
		took = " " + paint.HumanDuration(m.Took) + " "
	}
	spans := p.label(pal, m, room-8-len(took))
	width := 0
	for _, s := range spans {
		width += paint.Width(s.Text)
	}
	if m.Dir == transport.Out {
		r.Fill(st, dash, 2)
		r.Gap(1)
		r.Spans(spans...)
		r.Gap(1)
		r.Fill(st, dash, end-1-r.Used()-paint.Width(took))
		r.Put(pal.Muted, took)
		r.Fill(st, dash, end-r.Used())
		r.Put(st, pal.HeadRight)
		return
	}
	r.Put(st, pal.HeadLeft)
	r.Fill(st, dash, 1)
	r.Put(pal.Muted, took)
	r.Fill(st, dash, end-3-width-r.Used())
	r.Gap(1)
	r.Spans(spans...)
	r.Gap(1)
	r.Fill(st, dash, end+1-r.Used())
}

func (p *Pane) style(pal *paint.Palette, m *sequence.Message) (st paint.Style, dash string) {
	fromServer := m.Kind == jsonrpc.Request && m.Dir == transport.In || m.Kind.IsResponse() && m.Dir == transport.Out
	switch {
	case m.Arrow() == sequence.Failure:
		return pal.Error, pal.Horizontal
	case m.Arrow() == sequence.Notification:
		return pal.Muted, pal.Dash
	case fromServer:
		return pal.Asked, pal.Horizontal
	case m.Dir == transport.Out:
		return pal.Out, pal.Horizontal
	}
	return pal.In, pal.Horizontal
}

// label is what is written on an arrow, in so many cells.
func (p *Pane) label(pal *paint.Palette, m *sequence.Message, room int) []paint.Span {
	var spans []paint.Span
	put := func(st paint.Style, text string) {
		if text != "" && room > 1 {
			text = pal.Label(text, room-1) + " "
			room -= paint.Width(text)
			spans = append(spans, paint.Span{Style: st, Text: text})
		}
	}
	id := pal.Muted
	method := pal.TextBold
	if m.Kind == jsonrpc.Request && m.Dir == transport.In {
		id, method = pal.Asked, pal.AskedBold
	}
	put(id, m.ID)
	switch {
	case m.Kind == jsonrpc.Request:
		put(method, m.Method)
		put(pal.Value, m.Name)
		if p.waitsForUser(m) {
			put(pal.Warn, "waits for you")
		}
	case m.Kind == jsonrpc.Notification:
		put(pal.Muted, strings.TrimPrefix(m.Method, "notifications/"))
		put(pal.Text, m.Text)
	case m.Kind == jsonrpc.ErrorResponse:
		put(pal.Error, pal.FailMark+" error "+strconv.FormatInt(m.Code, 10))
		put(pal.Error, m.Text)
	case m.Kind.IsResponse() && m.Failed:
		put(pal.Warn, "tool error")
		p.preview(pal, m, put)
	case m.Kind.IsResponse():
		put(pal.OK, "ok")
		p.preview(pal, m, put)
	default:
		put(pal.Text, m.Label())
	}
	if n := len(spans); n > 0 {
		spans[n-1].Text = strings.TrimSuffix(spans[n-1].Text, " ")
	}
	return spans
}

// preview is what a result says, or how large it is, and the status of an HTTP response.
func (p *Pane) preview(pal *paint.Palette, m *sequence.Message, put func(st paint.Style, text string)) {
	if m.Text != "" {
		put(pal.Text, paint.Cut(strings.Join(strings.Fields(m.Text), " "), maxPreview))
	} else {
		put(pal.Muted, paint.HumanSize(int64(m.Size)))
	}
	if m.Status != 0 {
		put(pal.Muted, "HTTP "+strconv.Itoa(m.Status))
	}
}

// maxPreview is how much of a result is written on its arrow, in cells.
const maxPreview = 40

// waitsForUser reports a request of the server that has no response yet, and that the user
// responds to unless a policy does.
func (p *Pane) waitsForUser(m *sequence.Message) bool {
	if m.Dir != transport.In || m.Method != "elicitation/create" && m.Method != "sampling/createMessage" {
		return false
	}
	r, _ := p.store.Row(m.Row)
	return r.Flags&store.Pending != 0
}

// json is the box with the frames of the selected exchange.
func (p *Pane) json(pal *paint.Palette, js *paint.JSONStyles, w, h int) []string {
	m, ok := p.message(p.lead)
	if !ok {
		return paint.Box(pal, w, h, false, nil, nil, nil)
	}
	name := m.Name
	if name == "" {
		name = m.Method
	}
	s := paint.NewSheet(pal, w-2, h-2)
	response := store.None
	if info, _ := p.store.Row(p.lead); info.Pair != store.None {
		response = info.Pair
	}
	request := p.body(p.lead)
	rest := 0
	for _, row := range p.exchange {
		if row != p.lead && row != response {
			rest++
		}
	}
	room := s.H - min(rest, 6) - 3
	if response != store.None {
		room -= min(len(p.body(response).lines), max(room/2, room-len(request.lines)))
	}
	p.frame(pal, js, &s, &m, request, max(room, 3))
	shown := 0
	for _, row := range p.exchange {
		if row == p.lead || row == response {
			continue
		}
		if shown++; shown > 6 {
			continue
		}
		if m, ok := p.message(row); ok {
			s.Line(func(r *paint.Row) { p.head(pal, r, &m, pal.Folded) })
		}
	}
	if response != store.None && s.Left() > 2 {
		m, _ := p.message(response)
		p.frame(pal, js, &s, &m, p.body(response), s.Left()-2)
	}
	title := []paint.Span{{Style: pal.Muted, Text: paint.Sanitize(m.ID) + " "}, {Style: pal.TextBold, Text: pal.Label(name, max(4, w-30))}}
	var note []paint.Span
	if r, ok := p.message(response); ok {
		note = []paint.Span{{Style: pal.Muted, Text: paint.HumanDuration(r.Took)}}
	}
	for s.Left() > 1 {
		s.Blank()
	}
	s.Hints(1, paint.Hint{Key: command.KeyIn(command.Sequence, command.OpenFrame, false), Label: "frame"})
	return paint.Box(pal, w, h, false, title, note, s.Rows)
}

// head is the line above a frame: its direction, what it is, its number and size.
func (p *Pane) head(pal *paint.Palette, r *paint.Row, m *sequence.Message, sign string) {
	st, arrow := pal.In, pal.ArrowIn
	if m.Dir == transport.Out {
		st, arrow = pal.Out, pal.ArrowOut
	}
	r.Right(paint.Span{Style: pal.Muted, Text: "#" + strconv.Itoa(int(m.Row)+1) + " " + pal.Separator + " " + paint.HumanSize(int64(m.Size)) + " " + sign})
	r.Put(st, arrow+" ")
	what := "notification"
	switch {
	case m.Kind == jsonrpc.Request && m.Dir == transport.In:
		what = "server request " + m.Method
	case m.Kind == jsonrpc.Request:
		what = "request"
	case m.Kind == jsonrpc.ErrorResponse:
		what = "error response"
	case m.Kind.IsResponse() && m.Dir == transport.Out:
		what = "response of the client"
	case m.Kind.IsResponse():
		what = "response"
	case m.Method != "":
		what = strings.TrimPrefix(m.Method, "notifications/")
	}
	r.Put(pal.TextBold, what)
}

// frame writes a frame with its head in at most so many lines.
func (p *Pane) frame(pal *paint.Palette, js *paint.JSONStyles, s *paint.Sheet, m *sequence.Message, d document, most int) {
	s.Line(func(r *paint.Row) { p.head(pal, r, m, pal.Unfolded) })
	for i, text := range d.lines {
		if i == most-1 && len(d.lines) > most {
			s.Text(pal.Muted, pal.Ellipsis+" "+paint.Plural(len(d.lines)-i, "more line"), 1)
			return
		}
		s.Line(func(r *paint.Row) { js.Put(r, text) })
	}
	if d.more > 0 && s.Left() > 1 {
		s.Text(pal.Muted, pal.Ellipsis+" "+paint.HumanSize(int64(d.more))+" more", 1)
	}
}
