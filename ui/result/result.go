// Package result is the pane of one response: rendered or raw, searched, folded, written,
// piped or opened, with what was opened from it on top.
package result

import (
	"context"
	"time"

	"mcptea/client"
	"mcptea/ui/app"
	"mcptea/ui/content"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// maxDecoded is the size in bytes up to which a response is decoded in Update.
const maxDecoded = 256 << 10

// View is the pane.
type View struct {
	content.Layers
	Focus func() // a click on the result; nil does nothing

	app      app.App
	row      func() int32  // of the frame of the response, negative without one
	below    *content.View // nil while it is decoded
	commands []keys.Command
	tick     app.Tick
}

// New returns the pane of a response, or of the reason for its absence. row is the row
// of its frame.
func New(a app.App, method string, r client.Response, err error, row func() int32) *View {
	return newView(a, len(r.Frame), row, func() *content.View { return content.New(method, r, err) })
}

// OfFrame returns the pane of a whole frame with a response, which is shown as it was sent
// at first.
func OfFrame(a app.App, method string, r client.Response, row func() int32) *View {
	return newView(a, len(r.Frame), row, func() *content.View { return content.OfFrame(method, r) })
}

func newView(a app.App, size int, row func() int32, decode func() *content.View) *View {
	v := &View{app: a, row: row}
	v.commands = v.list()
	if size <= maxDecoded {
		v.below = decode()
		return v
	}
	a.Go(func(context.Context) func() {
		decoded := decode()
		return func() { v.below = decoded }
	})
	return v
}

// Commands are those of every result, for lists of commands.
func Commands() []keys.Command { return (&View{}).list() }

// IsRendered reports whether the response itself is on show, as what it means.
func (v *View) IsRendered() bool {
	top := v.Top()
	return top != nil && top == v.below && !top.Raw()
}

// Top is the view on show; nil while it is waited for.
func (v *View) Top() *content.View { return v.Layers.Top(v.below) }

// do makes a command, which is off while there is no view, or when off says so.
func (v *View) do(c keys.Command, run func(c *content.View), off func(c *content.View) string) keys.Command {
	c.Run = func() { run(v.Top()) }
	c.Off = func() string {
		switch top := v.Top(); {
		case top == nil:
			return "The result is not here yet."
		case off != nil:
			return off(top)
		}
		return ""
	}
	return c
}

// frame makes a command about the frame of the response.
func (v *View) frame(c keys.Command, run func(row int32)) keys.Command {
	return v.do(c, func(*content.View) { run(v.row()) }, func(*content.View) string {
		if v.row() < 0 {
			return "The frame is not in Traffic."
		}
		return ""
	})
}

// use makes a command that does something with content.
func (v *View) use(c keys.Command, how app.Use) keys.Command {
	return v.do(c, func(c *content.View) {
		items, likely := c.Items()
		v.app.Use(how, items, likely, v)
	}, func(c *content.View) string {
		if items, _ := c.Items(); len(items) == 0 {
			return "There is no content: nothing was received."
		}
		return ""
	})
}

// list makes the commands.
func (v *View) list() []keys.Command {
	return append([]keys.Command{
		v.do(keys.Command{ID: "result.raw", Verb: keys.NextView, Label: "raw", Help: "Switch between rendered and raw", Words: "json shown", Footer: 10},
			func(c *content.View) { c.Switch() },
			func(c *content.View) string {
				if !c.HasJSON() {
					return "There is no JSON: no response was received."
				}
				return ""
			}),
		v.do(keys.Command{ID: "copy.result", Verb: keys.Copy, Label: "copy", Help: "Copy the result", Words: "yank clipboard", Footer: 12}, func(c *content.View) {
			text, raw := c.Whole()
			v.app.Copy(text, raw, "result")
		}, nil),
		v.do(keys.Command{ID: "search", Keys: keys.On("/"), Label: "search", Help: "Search the result", Words: "find", Footer: 13}, (*content.View).StartSearch, nil),
		v.do(keys.Command{ID: "search.next", Verb: keys.NextMatch, Label: "next match", Help: "Go to the next match", Words: "search"}, func(c *content.View) { c.SearchNext(1) }, nil),
		v.do(keys.Command{ID: "search.previous", Verb: keys.PrevMatch, Label: "previous match", Help: "Go to the previous match", Words: "search"}, func(c *content.View) { c.SearchNext(-1) }, nil),
		v.do(keys.Command{ID: "result.open-link", Keys: keys.On("enter"), Label: "link/frame", Help: "Read the linked resource, else show the frame of the result", Words: "wire link follow resource", Footer: 14}, v.enter, nil),
		v.frame(keys.Command{ID: "result.frame", Keys: keys.On("f4"), Label: "frame", Help: "Show the frame of the result", Words: "wire"}, func(row int32) { v.app.ShowFrame(row) }),
		v.use(keys.Command{ID: "result.write", Verb: keys.Write, Label: "write", Help: "Write a text, a blob or the whole result to a file, byte for byte", Words: "save file export download", Footer: 15}, app.Write),
		v.use(keys.Command{ID: "result.pipe", Keys: keys.On("|"), Label: "pipe", Help: "Send the content through a command of the shell and show what it prints", Words: "filter shell jq", Footer: 17}, app.Pipe),
		v.use(keys.Command{ID: "result.open", Verb: keys.Open, Label: "open", Help: "Open the content with the program of the system; asks first", Words: "view external browser image", Footer: 18}, app.Open),
		v.frame(keys.Command{ID: "mark", Verb: keys.Mark, Label: "mark", Help: "Mark the frame of the response, to compare it or to export it; or unmark it", Words: "select remember bookmark"}, func(row int32) { v.app.MarkFrame(row) }),
	}, v.moves()...)
}

// moves are the commands that change what is in sight.
func (v *View) moves() []keys.Command {
	return []keys.Command{
		v.do(keys.Command{ID: "result.section-next", Keys: keys.On("}"), Label: "next section", Help: "Go to the next content of the result, to fold it", Words: "block heading"}, func(c *content.View) { c.NextSection(1) }, nil),
		v.do(keys.Command{ID: "result.section-previous", Keys: keys.On("{"), Label: "previous section", Help: "Go to the previous content of the result", Words: "block heading"}, func(c *content.View) { c.NextSection(-1) }, nil),
		v.do(keys.Command{ID: "result.wrap", Verb: keys.Wrap, Label: "wrap", Help: "Wrap long lines, or cut them", Words: "fold long lines"}, func(c *content.View) {
			if c.ToggleWrap() {
				v.app.Say("Long lines are wrapped.")
				return
			}
			v.app.Say("Long lines are cut. " + v.app.Key("result.left") + " " + v.app.Key("result.right") + " move sideways.")
		}, nil),
		v.do(keys.Command{ID: "result.left", Keys: keys.On("< shift+left"), Label: "left", Help: "Move to the left in a table, or in lines that are not wrapped", Words: "scroll columns"}, func(c *content.View) { c.ScrollSide(-1) }, nil),
		v.do(keys.Command{ID: "result.right", Keys: keys.On("> shift+right"), Label: "right", Help: "Move to the right in a table, or in lines that are not wrapped", Words: "scroll columns"}, func(c *content.View) { c.ScrollSide(1) }, nil),
		v.do(keys.Command{ID: "fold.toggle", Keys: keys.On("space"), Label: "fold", Help: "Fold or unfold", Words: "collapse expand"}, func(c *content.View) { c.Toggle() }, nil),
		v.do(keys.Command{ID: "fold.close", Keys: keys.On("h"), Label: "fold", Help: "Fold, or go to the parent", Words: "collapse"}, (*content.View).Fold, nil),
		v.do(keys.Command{ID: "fold.open", Keys: keys.On("l"), Label: "unfold", Help: "Unfold, or go to the first child", Words: "expand"}, (*content.View).Unfold, nil),
		v.do(keys.Command{ID: "fold.open-all", Keys: keys.On("+ ="), Label: "unfold all", Help: "Unfold all", Words: "expand"}, (*content.View).UnfoldAll, nil),
		v.do(keys.Command{ID: "fold.close-all", Keys: keys.On("-"), Label: "fold all", Help: "Fold all", Words: "collapse"}, func(c *content.View) { c.FoldDepth(2) }, nil),
	}
}

// enter follows a link, or shows the frame.
func (v *View) enter(c *content.View) {
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
		return c != nil && c.EndSearch() || v.Pop()
	}
	return c != nil && keys.Scroll(c, m)
}

// Refresh implements [app.Pane].
func (v *View) Refresh(t app.Tick) bool {
	v.tick = t
	return v.below == nil || v.below.Busy() || v.Busy()
}

// Title names what is on show over the result, and how long it is waited for.
func (v *View) Title() (string, time.Duration) { return v.Layers.Title(v.tick.Now) }

// Paint implements [app.Pane].
func (v *View) Paint(c *app.Canvas, focused bool) {
	top := v.Top()
	c.Click(0, 0, c.W, c.H, func(int, int) { v.clicked() })
	if title, wait := v.Title(); title != "" || top == nil {
		v.above(c, title, wait)
	}
	if top == nil {
		return
	}
	body, x, w := c.Below(), 1, max(c.W-2, 1)
	if top.Raw() {
		x, w = 0, c.W // a tree has a margin of its own
	}
	for _, row := range top.Rows(c.Pal, c.JS, w, body.H, focused) {
		body.Line(func(r *paint.Row) {
			r.Gap(x)
			r.Painted(row, w)
		})
	}
	body.Wheel(top.Scroll)
	if tree := top.Tree(); tree != nil {
		body.Click(0, 0, body.W, body.H, func(x, y int) {
			v.clicked()
			tree.Click(x, y)
		})
	}
	if cx, cy, ok := top.Cursor(); ok && focused {
		body.Field(search{top}, x+cx, cy)
	}
}

// above names the layer on top, or says what is waited for.
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
			r.Put(c.Pal.Muted, paint.HumanDuration(wait)+"  ")
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

// search is the line in which the words of a search are typed.
type search struct{ *content.View }

// End implements [app.Line].
func (s search) End(keep bool) { s.EndTyping(keep) }
