package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/ui/action"
	"mcptea/ui/app"
	"mcptea/ui/command"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// overlay is a window over the screen that takes all keys and has its commands in the
// table.
type overlay interface {
	// size is what the window wants, border included, of a screen.
	size(w, h int) (int, int)
	paint(p *paint.Palette, w, h int) []string
	cursor() (x, y int, ok bool)
	// key reports what to run, and whether the window closes.
	key(k tea.KeyPressMsg) (run *command.Command, done bool)
	scroll(n int)
}

// paster is an overlay with a text field.
type paster interface{ paste(text string) }

// clicker is an overlay that takes a click at a cell of its window.
type clicker interface {
	click(x, y int) (run *command.Command, done bool)
}

// worker is an overlay that does something of its own: its keys come to
// actions, and it has a clock.
type worker interface {
	overlay
	// do reports what a key is to do, and whether it was taken.
	do(k tea.KeyPressMsg) (action.Action, bool)
	// refresh takes note of the time and reports whether it goes on moving.
	refresh(now time.Time, spin int) bool
	// close ends the work.
	close()
}

// oldWindow is an overlay as a window of the program.
type oldWindow struct {
	overlay
	p   *program
	act func(action.Action) tea.Cmd
	run func(*command.Command)
}

func (o *oldWindow) Commands() []keys.Command { return nil }
func (o *oldWindow) Size(w, h int) (int, int) { return o.size(w, h) }

func (o *oldWindow) Motion(m keys.Motion) bool {
	if m == keys.Back {
		return o.Key(tea.KeyPressMsg{Code: tea.KeyEscape})
	}
	return true
}

func (o *oldWindow) Refresh(t app.Tick) bool {
	w, works := o.overlay.(worker)
	return works && w.refresh(t.Now, t.Spin)
}

func (o *oldWindow) Paint(c *app.Canvas, _ bool) {
	c.Rows(o.paint(c.Pal, c.W, c.H)...)
	x, y, ok := o.cursor()
	if !ok {
		x, y = -c.W, 0 // without a cursor
	}
	c.Field(o, x, y)
	c.Click(0, 0, c.W, c.H, func(x, y int) {
		if w, clicks := o.overlay.(clicker); clicks {
			o.done(w.click(x, y))
		}
	})
	c.Wheel(o.scroll)
}

func (o *oldWindow) Key(k tea.KeyPressMsg) bool {
	if w, works := o.overlay.(worker); works {
		if a, taken := w.do(k); taken {
			o.p.do(o.act(a))
			return true
		}
	}
	o.done(o.key(k))
	return true
}

func (o *oldWindow) Paste(text string) {
	if w, ok := o.overlay.(paster); ok {
		w.paste(text)
	}
}

func (o *oldWindow) done(run *command.Command, done bool) {
	if done {
		o.p.Close(o)
	}
	if run != nil {
		o.run(run)
	}
}

// Close implements [app.Closer].
func (o *oldWindow) Close() {
	if w, works := o.overlay.(worker); works {
		w.close()
	}
}
