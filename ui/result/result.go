// Package result shows the content of a response: text as text, JSON as JSON, pictures and sound as facts,
// errors as errors, and on request the result exactly as sent.
//
// A [Body] is one text in its two forms. It depends on the result types of the protocol, but has no keys and no
// calls. Decoding happens once, when it is made; painting costs what is visible. A [Pane] has the bodies of one
// response: rendered or raw, searched, folded, written, piped or opened, with opened content on top.
//
// Tests: ui/parts/result_test.go
package result

import (
	"context"
	"time"

	"mcptea/client"
	"mcptea/internal/words/phrase"
	"mcptea/ui/app"

	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// maxDecoded is the size, in bytes, up to which a response is decoded in Update.
const maxDecoded = 256 << 10

// A View is the pane.
type View struct {
	Focus func() // a click on the result; nil does nothing
	// Rests returns why enter does nothing if there is no link. If nil, enter shows the frame.
	Rests func() string
	// Keep stores the filter for the next call, or removes it if it is "". It may be nil.
	Keep func(filter string)
	// Command copies the shell command that prints the filtered result. It may be nil.
	Command func(filter string)

	app      app.App
	row      func() int32  // row of the response's frame, negative if there is no frame
	below    *Body         // nil while decoding
	start    func() string // initial text of a filter; nil while decoding
	layers   []*layer
	query    *query // or nil
	commands []keys.Command
	tick     app.Tick
}

// New returns the pane of a response, or of the reason for its absence. row is the row
// of its frame.
func New(a app.App, method string, r client.Response, err error, row func() int32) *View {
	return newView(a, len(r.Frame), row, func() *Body { return NewBody(method, r, err) })
}

// OfFrame returns the pane of a whole frame with a response. It starts with the raw form.
func OfFrame(a app.App, method string, r client.Response, row func() int32) *View {
	return newView(a, len(r.Frame), row, func() *Body { return BodyOfFrame(method, r) })
}

func newView(a app.App, size int, row func() int32, decode func() *Body) *View {
	v := &View{app: a, row: row}
	v.commands = Commands(func() *View { return v })
	if size <= maxDecoded {
		v.below = v.started(decode())
		v.start = func() string { return startOf(v.below.JSON()) }
		return v
	}
	a.Go(func(context.Context) func() {
		decoded := decode()
		start := startOf(decoded.JSON())
		return func() {
			v.start = func() string { return start }
			if v.below = v.started(decoded); v.query != nil {
				v.query.run()
			}
		}
	})
	return v
}

// started lets a view start its work.
func (v *View) started(c *Body) *Body {
	c.Start(v.app.Go)
	return c
}

// IsRendered reports whether the response itself is visible in its rendered form.
func (v *View) IsRendered() bool {
	top := v.Top()
	return top != nil && top == v.below && !top.Raw()
}

// enter follows a link, or shows the frame.
func (v *View) enter(c *Body) {
	switch links := c.Links(); {
	case len(links) > 0 && !c.Raw():
		v.app.Follow(links, v)
	case v.row() < 0:
		v.app.Say("The frame is not in Traffic.")
	default:
		v.app.ShowFrame(v.row())
	}
}

// Commands implements [app.Pane].
func (v *View) Commands() []keys.Command { return v.commands }

// Motion implements [app.Pane].
func (v *View) Motion(m keys.Motion) bool {
	c := v.Top()
	if m == keys.Back {
		return c != nil && c.Search().Drop() || v.pop() || v.dropQuery()
	}
	return c != nil && keys.Scroll(c.Window(), m)
}

// BackLeaves reports whether the back key leaves the view: it has no search, layer or filter that would be left
// first.
func (v *View) BackLeaves() bool {
	c := v.Top()
	return (c == nil || c.Search().Value() == "") && len(v.layers) == 0 && v.query == nil
}

// Refresh implements [app.Pane].
func (v *View) Refresh(t app.Tick) bool {
	v.tick = t
	top := v.Top()
	return top == nil || top.Busy() || v.query != nil && v.query.work.Busy()
}

// Paint implements [app.Pane].
func (v *View) Paint(c *app.Canvas, focused bool) {
	top := v.Top()
	c.ClickText(0, 0, c.W, c.H, func(int, int) { v.clicked() })
	if title, wait := v.Title(); title != "" || top == nil {
		v.above(c, title, wait)
	}
	if v.query != nil && len(v.layers) == 0 {
		v.query.paint(c, focused)
	}
	if top == nil {
		return
	}
	body, x, w := c.Below(), 1, max(c.W-2, 1)
	if top.Raw() {
		x, w = 0, c.W // a tree has its own margin
	}
	for _, row := range top.Rows(c.Pal, c.JS, w, body.H, focused) {
		body.Line(func(r *paint.Row) {
			r.Gap(x)
			r.Painted(row, w)
		})
	}
	body.Wheel(top.Window().Scroll)
	body.ClickText(0, 0, body.W, body.H, func(cx, y int) {
		v.clicked()
		if tree := top.Tree(); tree != nil {
			tree.Click(cx, y)
		} else if said := top.Click(cx-x, y); said != "" {
			v.app.Say(said)
		}
	})
	if cx, cy, ok := top.Cursor(); ok && focused {
		body.Field(top.Search(), x+cx, cy)
	}
}

// above writes the name of the top layer, or what the layer is waiting for.
func (v *View) above(c *app.Canvas, title string, wait time.Duration) {
	c.Line(func(r *paint.Row) {
		back := " result "
		if v.Top() == nil {
			back = " cancel "
			r.Gap(1)
			r.Put(c.Pal.Warn, paint.Spinner(c.Pal, v.tick.Spin)+" ")
		}
		if title == "" {
			r.Put(c.Pal.Muted, "decoding")
			return
		}
		r.Right(paint.Span{Style: c.Pal.AccentBold, Text: c.Names.Name("back")}, paint.Span{Style: c.Pal.Muted, Text: back})
		if wait > 0 {
			r.Put(c.Pal.Muted, phrase.Took(wait)+"  ")
		} else {
			r.Gap(1)
		}
		r.Put(c.Pal.Value, title)
	})
}

func (v *View) clicked() {
	if v.Focus != nil {
		v.Focus()
	}
}
