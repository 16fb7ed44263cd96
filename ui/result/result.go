// Package result is the pane of one response: rendered or raw, searched, folded, written,
// piped or opened, with what was opened from it on top.
package result

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/client"
	"mcptea/ui/app"
	"mcptea/ui/command"
	"mcptea/ui/content"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// maxDecoded is the size in bytes up to which a response is decoded in Update.
const maxDecoded = 256 << 10

// View is the pane.
type View struct {
	content.Layers
	app      app.App
	frame    func() // shows the frame of the response
	mark     func()
	below    *content.View // nil while it is decoded
	commands []keys.Command
	tick     app.Tick
}

// New returns the pane of a response, or of the reason for its absence. row is the row
// of its frame.
func New(a app.App, method string, r client.Response, err error, row func() int32) *View {
	v := &View{app: a}
	at := func(do func(int32)) func() {
		return func() {
			if n := row(); n >= 0 {
				do(n)
				return
			}
			a.Say("The frame is not in Traffic.")
		}
	}
	v.frame, v.mark = at(a.ShowFrame), at(a.MarkFrame)
	v.commands = v.list()
	if len(r.Frame) <= maxDecoded {
		v.below = content.New(method, r, err)
		return v
	}
	a.Go(func(context.Context) func() {
		decoded := content.New(method, r, err)
		return func() { v.below = decoded }
	})
	return v
}

// Top is the view on show; nil while it is waited for.
func (v *View) Top() *content.View { return v.Layers.Top(v.below) }

// list makes the commands.
func (v *View) list() []keys.Command {
	do := func(id, on, label, help, words string, footer int, run func(v *content.View)) keys.Command {
		return keys.Command{
			ID: id, Keys: keys.On(on), Label: label, Help: help, Words: words, Footer: footer,
			Run: func() { run(v.Top()) },
			Off: func() string {
				if v.Top() == nil {
					return "The result is not here yet."
				}
				return ""
			},
		}
	}
	use := func(how app.Use) func(*content.View) {
		return func(c *content.View) {
			items, likely := c.Items()
			v.app.Use(how, items, likely, v)
		}
	}
	return []keys.Command{
		do("result.raw", "v", "raw", "Switch between rendered and raw", "json shown", 10, func(c *content.View) {
			if !c.Switch() {
				v.app.Say("No response, so there is no JSON.")
			}
		}),
		do("copy.result", "y", "copy", "Copy the result", "yank clipboard", 12, func(c *content.View) {
			text, raw := c.Whole()
			v.app.Copy(text, raw, "result")
		}),
		do("search", "/", "search", "Search the result", "find", 13, (*content.View).StartSearch),
		do("search.next", "n", "next match", "Go to the next match", "search", 0, func(c *content.View) { c.SearchNext(1) }),
		do("search.previous", "N", "previous match", "Go to the previous match", "search", 0, func(c *content.View) { c.SearchNext(-1) }),
		do("result.frame", "enter alt+o", "frame", "Show the frame of the result", "wire", 14, func(c *content.View) {
			if links := c.Links(); len(links) > 0 && !c.Raw() {
				v.app.Follow(links, v)
				return
			}
			v.frame()
		}),
		do("result.write", "w", "write", "Write a text, a blob or the whole result to a file, byte for byte", "save file export download", 15, use(app.Write)),
		do("result.pipe", "|", "pipe", "Send the content through a command of the shell and show what it prints", "filter shell jq", 17, use(app.Pipe)),
		do("result.open", "o", "open", "Open the content with the program of the system; asks first", "view external browser image", 18, use(app.Open)),
		do("mark", "m", "mark", "Mark the frame of the response, to compare it or to export it; or unmark it", "select remember bookmark", 0, func(*content.View) { v.mark() }),
		do("result.section-next", "}", "next section", "Go to the next content of the result, to fold it", "block heading", 0, func(c *content.View) { c.NextSection(1) }),
		do("result.section-previous", "{", "previous section", "Go to the previous content of the result", "block heading", 0, func(c *content.View) { c.NextSection(-1) }),
		do("result.wrap", "z", "wrap", "Wrap long lines, or cut them", "fold long lines", 0, func(c *content.View) {
			if c.ToggleWrap() {
				v.app.Say("Long lines are wrapped.")
				return
			}
			v.app.Say("Long lines are cut.")
		}),
		do("result.left", "< shift+left", "left", "Move to the left in a table, or in lines that are not wrapped", "scroll columns", 0, func(c *content.View) { c.ScrollSide(-1) }),
		do("result.right", "> shift+right", "right", "Move to the right in a table, or in lines that are not wrapped", "scroll columns", 0, func(c *content.View) { c.ScrollSide(1) }),
		do("fold.toggle", "space", "fold", "Fold or unfold", "collapse expand", 0, func(c *content.View) { c.Toggle() }),
		do("fold.close", "h", "fold", "Fold, or go to the parent", "collapse", 0, (*content.View).Fold),
		do("fold.open", "l", "unfold", "Unfold, or go to the first child", "expand", 0, (*content.View).Unfold),
		do("fold.open-all", "+ =", "unfold all", "Unfold all", "expand", 0, (*content.View).UnfoldAll),
		do("fold.close-all", "-", "fold all", "Fold all", "collapse", 0, func(c *content.View) { c.FoldDepth(2) }),
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
	if _, wait := v.Title(); wait > 0 || top == nil {
		c.Line(func(r *paint.Row) {
			text := " decoding"
			if wait > 0 {
				text = " " + paint.HumanDuration(wait)
			}
			r.Gap(1)
			r.Put(c.Pal.Warn, paint.Spinner(c.Pal, v.tick.Spin))
			r.Put(c.Pal.Muted, text)
		})
		return
	}
	x, w := 1, max(c.W-2, 1)
	if top.Raw() {
		x, w = 0, c.W // a tree has a margin of its own
	}
	for _, row := range top.Rows(c.Pal, c.JS, w, c.H, focused) {
		c.Line(func(r *paint.Row) {
			r.Gap(x)
			r.Painted(row, w)
		})
	}
	c.Wheel(top.Scroll)
	if cx, cy, ok := top.Cursor(); ok && focused {
		c.Field(search{top}, x+cx, cy)
	}
}

// search is the field of a search.
type search struct{ v *content.View }

func (s search) Key(k tea.KeyPressMsg) bool { return s.v.Type(k, command.FilterKeys()) }
func (s search) Paste(text string)          { s.v.Paste(text) }
