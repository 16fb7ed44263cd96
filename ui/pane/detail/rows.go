package detail

import (
	"strconv"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/record/store"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/frames"
	"mcptea/ui/paint"
)

// Paint implements [app.Pane].
func (p *Pane) Paint(c *app.Canvas, focused bool) {
	if p.shown() == store.None {
		c.Box([]paint.Span{{Style: c.Pal.TextBold, Text: "Detail"}}, nil, focused).Say(2, c.Pal.Muted, "select a frame in the traffic to see it here")
		return
	}
	title := append([]paint.Span{{Style: c.Pal.Muted, Text: "#" + strconv.Itoa(int(p.row)+1) + " "}}, p.headline(c.Pal)...)
	list, names, shown := p.modes()
	views := c.Pal.Choice(names, shown)
	const around = 8 // number of cells around the title and the views
	whole := paint.SpansWidth(title)+paint.SpansWidth(views)+around <= c.W
	if !whole { // the title distinguishes the frames
		names = names[shown : shown+1]
		views = c.Pal.Choice(names, 0)
	}
	c.Click(0, 0, c.W, 1, func(x, _ int) {
		switch i := paint.ChoiceAt(names, x, c.W); {
		case i < 0:
		case whole:
			p.setMode(list[i])
		default:
			p.NextView()
		}
	})
	if p.beside = p.hasBeside(c.W); p.beside {
		p.halves(c, views, focused)
		return
	}
	in := c.Box(title, views, focused)
	body, foot := in.Over(in.H - 1)
	switch {
	case p.err != nil:
		body.Say(2, c.Pal.Muted, p.err.Error())
	case p.view == nil:
		body.Say(2, c.Pal.Muted, "reading "+phrase.Size(int64(p.info.Size))+phrase.Signs(" …"))
	default:
		p.frame(body, focused)
	}
	foot.Line(func(r *paint.Row) { p.foot(c.Pal, r) })
	if x, typing := p.query.CursorX(); typing {
		foot.Field(&p.query, x, 0)
	}
}

// frame paints the frame, and the remarks below it.
func (p *Pane) frame(c *app.Canvas, focused bool) {
	view := p.remarks(c)
	if p.mode != Tree || p.isRaw() {
		p.raw(view)
		return
	}
	view.Rows(p.tree.Rows(c.Pal, c.JS, view.W, view.H, focused, p.between(c.Pal, view.W))...)
	view.ClickText(0, 0, view.W, view.H, p.tree.Click)
	view.Wheel(p.tree.Scroll)
}

// remarks paints the remarks about the frame at the bottom of a canvas. It returns the canvas above
// them.
func (p *Pane) remarks(c *app.Canvas) *app.Canvas {
	all := p.findings()
	p.mark(c.Pal, all)
	about, wrong, _ := p.app.CardOf(p.row, p.mode == HTTP)
	card, d := doc.On(c), doc.On(c)
	p.card(card, about, wrong, c.H+1)
	d.Blank()
	p.userNote(d)
	p.facts(d, all, c.H+1-card.Wants())
	p.card(d, about, wrong, c.H+1)
	d.Fit(max(c.H*2/3, shortCard))
	rows := d.Wants()
	if rows == 1 {
		rows = 0
	}
	view, below := c.Over(max(1, c.H-rows))
	d.Canvas = below
	d.Paint()
	return view
}

// besideWidth is the minimum width at which request and response are side by side, in cells.
const besideWidth = 100

// hasBeside reports whether request and response are side by side in w cells. They are side by side
// as trees, and as bytes if both were read completely.
func (p *Pane) hasBeside(w int) bool {
	if w < besideWidth || p.view == nil || p.other == nil || p.other.view == nil || p.err != nil {
		return false
	}
	switch p.mode {
	case Tree:
		return !p.isRaw() && p.other.view.Doc().Len() > 0
	case Bytes, Text:
		other, _ := p.app.Store().Row(p.other.row)
		return len(p.other.body) == int(other.Size)
	}
	return false
}

// hasCursor reports whether the cursor is in a half. Half 0 is the request.
func (p *Pane) hasCursor(half int) bool {
	if p.mode == Tree {
		return half == p.tree.In()
	}
	return (half == 1) == p.info.IsAnswer()
}

// halves paints the request and the response side by side.
func (p *Pane) halves(c *app.Canvas, views []paint.Span, focused bool) {
	left, right := c.Neighbors(c.W / 2)
	p.half(left, 0, nil, focused)
	p.half(right, 1, views, focused)
}

// half paints one of the halves in its box.
func (p *Pane) half(c *app.Canvas, i int, views []paint.Span, focused bool) {
	q, has := p, p.hasCursor(i)
	if !has {
		other := *p // a copy that is used only for painting
		other.loaded, other.marked = *p.other, nil
		other.info, _ = p.app.Store().Row(other.row)
		q = &other
	}
	in := c.Box(q.halfTitle(c.Pal, i), views, focused && has)
	c.Foot([]paint.Span{{Style: c.Pal.Muted, Text: p.halfFoot(q, in.W, focused && has)}})
	if has && p.query.Shown() {
		body, last := in.Over(in.H - 1)
		last.Line(func(r *paint.Row) {
			r.Gap(1)
			p.query.Put(r, c.Pal)
		})
		if x, typing := p.query.CursorX(); typing {
			last.Field(&p.query, x, 0)
		}
		in = body
	}
	view := q.remarks(in)
	switch {
	case p.mode == Tree:
		view.Rows(p.tree.Column(i, c.Pal, c.JS, view.W, view.H, focused)...)
		view.ClickText(0, 0, view.W, view.H, func(x, y int) { p.tree.ClickColumn(i, x, y) })
		view.Wheel(func(n int) { p.tree.ScrollColumn(i, n) })
	case has:
		p.raw(view)
	default:
		hex := p.other.bytes(p.mode)
		view.Rows(hex.Rows(c.Pal, view.W, view.H)...)
		view.Wheel(hex.Move)
	}
}

// halfTitle returns the title of a half. The title of a response has the duration.
func (p *Pane) halfTitle(pal *paint.Palette, i int) []paint.Span {
	title := append([]paint.Span{frames.Arrow(pal, p.info.Kind, p.info.Dir), {Style: pal.Muted, Text: " #" + strconv.Itoa(int(p.row)+1) + " "}}, p.headline(pal)...)
	if i == 0 {
		return title
	}
	first, _ := p.app.Store().Row(p.info.Pair)
	return append(title[:3], paint.Span{Style: pal.Muted, Text: "  " + phrase.Took(time.Duration(max(p.info.Time-first.Time, 0)))})
}

// halfFoot returns the path at the cursor, and when the frame in a half was sent or received.
func (p *Pane) halfFoot(q *Pane, w int, cursor bool) string {
	when := q.when()
	path := display.Sanitize(p.tree.View().Path())
	if !cursor || path == "$" || p.mode != Tree {
		return when
	}
	return display.Cut(path, max(w-len(when)-8, 8)) + "  " + when
}

// raw paints the frame in a view other than the tree.
func (p *Pane) raw(c *app.Canvas) {
	d := doc.On(c)
	switch {
	case p.mode == Sides:
		p.changed(d)
		p.both.Paint(d)
	case p.mode == HTTP:
		p.http(d)
		p.text.Paint(d)
	case p.info.Kind == store.KindProcess:
		d.Text(c.Pal.Text, string(p.body), doc.All)
		p.text.Paint(d)
	default:
		c.Rows(p.hex.Rows(c.Pal, c.W, c.H)...)
		c.Wheel(p.hex.Move)
	}
}

// between returns the line above the lower frame in the tree.
func (p *Pane) between(pal *paint.Palette, w int) string {
	if p.other == nil {
		return ""
	}
	response, other := p.info, p.info
	row := p.info.Pair
	if o, _ := p.app.Store().Row(p.other.row); p.info.IsAnswer() {
		row, other = p.row, o
	} else {
		response = o
	}
	return paint.Rule(pal, w, frames.Arrow(pal, response.Kind, response.Dir), paint.Span{Style: pal.TextBold, Text: " response"},
		paint.Span{Style: pal.Muted, Text: " #" + strconv.Itoa(int(row)+1) + "  " + phrase.Took(time.Duration(max(response.Time-other.Time, 0)))})
}

func (p *Pane) headline(pal *paint.Palette) []paint.Span {
	s := p.app.Store()
	method := display.Sanitize(s.Method(p.info.Method))
	st, kind := pal.TextBold, p.info.Kind.String()
	switch {
	case p.info.Kind == store.KindProcess:
		kind = "process"
	case p.info.Kind == store.KindExchange:
		kind = "HTTP"
	case p.info.Kind == store.KindDelivery:
		kind = "delivery"
	case p.info.IsEvent():
		kind = "event"
	case p.info.Flags&store.ToolError != 0:
		st, kind = pal.WarnBold, "tool error"
	case p.info.IsError():
		st = pal.ErrorBold
	case p.info.Kind == jsonrpc.Response:
		st, kind = pal.OKBold, "result"
	}
	spans := paint.Spans{{Style: st, Text: kind}}
	spans.If(p.info.IsAnswer() && p.info.Pair != store.None, pal.Muted, " of #"+strconv.Itoa(int(p.info.Pair)+1))
	spans.If(method != "", pal.Text, " "+method)
	return spans
}

// isRaw reports whether the tree shows bytes, because the frame is not JSON.
func (p *Pane) isRaw() bool {
	return p.view.Doc().Len() == 0 || p.info.Fault == jsonrpc.FaultNotJSON && p.info.Flaws&jsonrpc.FlawBOM == 0 && p.notObject()
}

// notObject reports whether the tree would be empty, because the bytes do not begin like a message.
func (p *Pane) notObject() bool {
	text := strings.TrimSpace(string(p.body[:min(len(p.body), 64)]))
	return text == "" || text[0] != '{' && text[0] != '['
}
