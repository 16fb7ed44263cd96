package sequence

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/record/sequence"
	"mcptea/record/store"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/frames"
	"mcptea/ui/jsonview"
	"mcptea/ui/paint"
)

const (
	// besideWidth is the minimum width at which the JSON is next to the diagram. On a narrower
	// screen, it is below the diagram, if the height is at least belowHeight.
	besideWidth = 100
	belowHeight = 34
	timeWidth   = 9
)

// Paint implements [app.Pane].
func (p *Pane) Paint(c *app.Canvas, focused bool) {
	diagram := c
	switch {
	case c.W >= besideWidth:
		left, right := c.Neighbors(c.W * 61 / 100)
		diagram = left
		p.json(right)
	case c.H >= belowHeight:
		top, bottom := c.Over(c.H - c.H*2/5)
		diagram = top
		p.json(bottom)
	}
	scope := paint.If(p.only, "selected exchange", "whole session")
	title := []paint.Span{{Style: c.Pal.TextBold, Text: "Sequence"}, {Style: c.Pal.Muted, Text: "  " + scope}}
	if words := p.app.Filter.Title(c.Pal); words != nil && !p.only {
		title = append(title[:1], words...)
	}
	in := diagram.Box(title, c.Pal.Choice(frames.Views(), int(frames.Sequence)), focused)
	p.app.Clickable(diagram)
	p.app.Filter.Paint(in)
	p.diagram(in.Below(), focused)
	p.app.Filter.Candidates(diagram)
}

func (p *Pane) diagram(c *app.Canvas, focused bool) {
	switch {
	case p.lead == store.None:
		c.Say(2, c.Pal.Muted, "No frames yet.")
		return
	case p.count() == 0:
		c.Say(2, c.Pal.Muted, p.app.Filter.NoMatches("frame", p.app.Key("back")))
		return
	}
	c.Line(func(r *paint.Row) { p.participants(c.Pal, r, c.W) })
	p.arrange(c.Left())
	y := c.Next()
	for i := range p.lines {
		c.Line(func(r *paint.Row) { p.line(c.Pal, r, c.W, i, focused) })
	}
	c.Click(0, y, c.W, c.H-y, func(_, y int) { p.press(y) })
	c.Wheel(p.Move)
}

// participants writes the heads of the two lifelines.
func (p *Pane) participants(pal *paint.Palette, r *paint.Row, w int) {
	server, over := "", ""
	if p.Names != nil {
		server, over = p.Names()
	}
	server = cmp.Or(server, "server")
	r.Right(paint.Span{Style: pal.Strong, Text: pal.Label(server, w/3)}, paint.Span{Style: pal.Muted, Text: " server "})
	r.Gap(timeWidth + 1)
	r.Put(pal.Strong, "mcptea")
	r.Put(pal.Muted, " client")
	if at := min(timeWidth+(w-timeWidth-len(over))/2, r.Used()+r.Left()-len(over)); at > r.Used()+1 {
		r.To(at)
		r.Put(pal.Muted, over)
	}
}

// line paints a line of the diagram.
func (p *Pane) line(pal *paint.Palette, r *paint.Row, w, n int, focused bool) {
	l := &p.lines[n]
	selected := slices.ContainsFunc(p.exchange, l.has)
	within := len(p.exchange) > 1 && (n > 0 && p.inside(p.lines[n-1].last) || selected) && p.inside(p.nextRow(n))
	r.StartItem(pal, w, selected, focused)
	r.Find(p.app.Filter.Marks())
	life := paint.Span{Style: pal.Faint, Text: pal.Lines.Left}
	if within || selected {
		life = paint.Span{Style: pal.OK, Text: pal.Scroll}
	}
	if l.isTime() {
		pause, guide := "", pal.Lines.Left
		if l.pause > 0 {
			pause, guide = "+"+phrase.Took(l.pause), pal.Guide
			life.Text = guide
		}
		r.CellRight(pal.Muted, pause, timeWidth-1)
		r.Gap(1)
		r.Put(pal.Faint, guide)
		r.To(w - 2)
		r.Spans(life)
		return
	}
	m, ok := p.messages.Message(l.row)
	if !ok {
		return
	}
	r.CellRight(pal.Muted, p.clock(m.Time), timeWidth-1)
	r.Gap(1)
	r.Put(pal.Faint, pal.Lines.Left)
	if l.count > 0 {
		p.folded(pal, r, l, &m)
	} else {
		p.arrow(pal, r, &m, w-3)
	}
	r.To(w - 2)
	if m.Request == p.lead && p.pending && m.Row == p.lead {
		life = paint.Span{Style: pal.Warn, Text: p.tick.Waits(pal)}
	}
	r.Spans(life)
}

// folded writes which rows of progress are folded into a line.
func (p *Pane) folded(pal *paint.Palette, r *paint.Row, l *line, first *sequence.Message) {
	r.Put(pal.Accent, pal.Folded+" ")
	r.Put(pal.Text, phrase.Digits(l.count)+" progress")
	requests := map[int32]bool{}
	for row := l.row; row <= l.last && int(row-l.row) < maxFold; row++ {
		if info, _ := p.store.Row(row); info.Request() != store.None {
			requests[info.Request()] = true
		}
	}
	last, _ := p.messages.Message(l.last)
	switch n := len(requests); {
	case n > 1:
		r.Put(pal.Muted, "  of "+phrase.Count(n, "request"))
	case first.Token != "":
		r.Put(pal.Muted, "  token "+first.Token+"  "+first.Text+" "+pal.ArrowOut+" "+last.Text)
	}
	r.Put(pal.Muted, "  "+phrase.Took(last.Time.Sub(first.Time)))
}

// inside reports whether a row is between the begin and the end of the selected exchange.
func (p *Pane) inside(row int32) bool {
	return len(p.exchange) > 1 && row >= p.exchange[0] && row <= p.exchange[len(p.exchange)-1]
}

// nextRow returns the row of a line, or of the line after a gap.
func (p *Pane) nextRow(n int) int32 {
	if p.lines[n].isTime() && n+1 < len(p.lines) {
		n++
	}
	return p.lines[n].row
}

// clock returns the time of a row relative to the first one, in seconds.
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
		took = " " + phrase.Took(m.Took) + " "
	}
	spans := p.label(pal, m, room-8-len(took))
	width := paint.SpansWidth(spans)
	if m.Dir == transport.Out {
		r.Fill(st, dash, 2)
		r.Gap(1)
		r.Spans(spans...)
		r.Gap(1)
		r.Fill(st, dash, end-1-r.Used()-display.Width(took))
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
	switch {
	case p.store.IsExpected(m.Row):
		return pal.Muted, pal.Lines.Top
	case m.Arrow() == sequence.Failure:
		return pal.Error, pal.Lines.Top
	case m.Arrow() == sequence.Notification:
		return pal.Muted, pal.Dash
	case frames.OfServer(m.Kind, m.Dir):
		return pal.Asked, pal.Lines.Top
	case m.Dir == transport.Out:
		return pal.Out, pal.Lines.Top
	}
	return pal.In, pal.Lines.Top
}

// label returns the text on an arrow, in at most room cells.
func (p *Pane) label(pal *paint.Palette, m *sequence.Message, room int) []paint.Span {
	var spans []paint.Span
	put := func(st paint.Style, text string) {
		if text != "" && room > 1 {
			text = pal.Label(text, room-1) + " "
			room -= display.Width(text)
			spans = append(spans, paint.Span{Style: st, Text: text})
		}
	}
	id := pal.Muted
	method := pal.TextBold
	if m.Kind == jsonrpc.Request && m.Dir == transport.In {
		id, method = pal.Asked, pal.AskedBold
	}
	put(id, m.ID)
	if m.Token != "" {
		put(id, "token "+m.Token)
	}
	switch {
	case m.Kind == jsonrpc.Request:
		put(method, m.Method)
		put(pal.Value, m.Name)
		if m.Name != "" {
			put(pal.Muted, m.Text)
		}
		if info, _ := p.store.Row(m.Row); frames.WaitsForUser(&info, m.Method) {
			put(pal.Warn, "waits for you")
		}
	case m.Kind == jsonrpc.Notification:
		put(pal.Muted, strings.TrimPrefix(m.Method, "notifications/"))
		put(pal.Text, m.Text)
	case m.Kind == jsonrpc.ErrorResponse && p.store.IsExpected(m.Row):
		put(pal.Muted, pal.Absent+" handshake era: "+m.ErrorPhrase())
		put(pal.Muted, m.Text)
	case m.Kind == jsonrpc.ErrorResponse:
		put(pal.Error, pal.FailMark+" "+m.ErrorPhrase())
		put(pal.Error, m.Text)
	case m.Kind.IsResponse() && m.IsOpaque():
		put(pal.Warn, pal.WarnMark+" "+m.Text)
	case m.Kind.IsResponse() && m.Failed:
		put(pal.Warn, "tool error")
		p.preview(pal, m, put)
	case m.Kind.IsResponse():
		put(pal.OK, "ok")
		if by := p.by[m.Request]; by != "" {
			put(pal.Muted, "answered by "+by)
		}
		p.preview(pal, m, put)
	case m.Kind == jsonrpc.Invalid:
		put(pal.Text, "not a message: "+m.Fault.String())
		put(pal.Muted, `"`+m.Text+`"`)
	default:
		put(pal.Text, m.Label())
	}
	if note := p.store.MarkAt(m.Row).Note; note != "" {
		put(pal.Warn, phrase.Signs("“")+note+phrase.Signs("”"))
	}
	if n := len(spans); n > 0 {
		spans[n-1].Text = strings.TrimSuffix(spans[n-1].Text, " ")
	}
	return spans
}

// preview writes the content of a result, or its size, and the status of an HTTP response.
func (p *Pane) preview(pal *paint.Palette, m *sequence.Message, put func(st paint.Style, text string)) {
	if m.Text != "" {
		text := pal.Cut(phrase.OneLine(m.Text), maxPreview)
		if m.Quoted {
			text = `"` + text + `"`
		}
		put(pal.Text, text)
	} else {
		put(pal.Muted, phrase.Size(int64(m.Size)))
	}
	if m.Status != 0 {
		put(pal.Muted, "HTTP "+strconv.Itoa(m.Status))
	}
}

// maxPreview is the number of cells of a result on its arrow.
const maxPreview = 40

// maxHeads is the number of additional frames of an exchange named between the request and the response.
const maxHeads = 6

// json paints the box with the frames of the selected exchange.
func (p *Pane) json(c *app.Canvas) {
	m, ok := p.messages.Message(p.lead)
	if !ok {
		c.Box(nil, nil, false)
		return
	}
	title := []paint.Span{{Style: c.Pal.Muted, Text: m.ID + " "}, {Style: c.Pal.TextBold, Text: cmp.Or(m.Name, m.Method)}}
	var note []paint.Span
	info, _ := p.store.Row(p.lead)
	response, responded := p.messages.Message(info.Pair)
	if responded {
		note = []paint.Span{{Style: c.Pal.Muted, Text: phrase.Took(response.Took)}}
	}
	var between []sequence.Message
	for _, row := range p.exchange {
		if m, ok := p.messages.Message(row); ok && row != p.lead && row != info.Pair && len(between) < maxHeads {
			between = append(between, m)
		}
	}
	in := c.Box(title, note, false)
	c, hints := in.Over(in.H - 1)
	request := p.body(p.lead)
	room := c.H - len(between) - 2
	if responded {
		room -= min(p.body(info.Pair).Lines(c.H), max(room/2, room-request.Lines(c.H)))
	}
	p.frame(c, &m, request, max(room, 3))
	for i := range between {
		c.Line(func(r *paint.Row) { p.head(c.Pal, r, &between[i], c.Pal.Folded) })
	}
	if responded && c.Left() > 1 {
		p.frame(c, &response, p.body(info.Pair), c.Left()-1)
	}
	d := doc.On(hints)
	d.Keys(1, doc.Key{ID: "frame.open", Label: "frame"})
	d.Paint()
}

// head writes the line above a frame: its direction, its kind, its number and size.
func (p *Pane) head(pal *paint.Palette, r *paint.Row, m *sequence.Message, sign string) {
	r.Gap(1)
	r.Right(paint.Span{Style: pal.Muted, Text: "#" + strconv.Itoa(int(m.Row)+1) + " " + pal.Separator + " " + phrase.Size(int64(m.Size)) + " " + sign})
	r.Spans(frames.Arrow(pal, m.Kind, m.Dir))
	r.Gap(1)
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
func (p *Pane) frame(c *app.Canvas, m *sequence.Message, v *jsonview.View, most int) {
	c.Line(func(r *paint.Row) { p.head(c.Pal, r, m, c.Pal.Unfolded) })
	n := v.Lines(maxDocument)
	if n <= most {
		c.Rows(v.Head(c.Pal, c.JS, c.W, n)...)
		return
	}
	c.Rows(v.Head(c.Pal, c.JS, c.W, most-1)...)
	c.Say(1, c.Pal.Muted, c.Pal.Ellipsis+" "+phrase.Count(n-most+1, "more line"))
}
