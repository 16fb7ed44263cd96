package ui

import (
	"slices"
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

// overlay is the window that is open, if its commands are in the table.
func (m *model) overlay() overlay {
	if o, ok := m.window().(*oldWindow); ok {
		return o.overlay
	}
	return nil
}

// show opens a window in the place of others; nil closes them.
func (m *model) show(o overlay) {
	if o == nil {
		for m.window() != nil {
			m.Close(m.window())
		}
		return
	}
	m.Open(&oldWindow{overlay: o, p: m.program, act: m.act, run: func(c *command.Command) { m.do(m.runAnywhere(*c)) }})
}

// oldPane is a pane whose commands are in the table, as a pane of the program.
type oldPane struct {
	region
	m    *model
	at   rect // of the last painting
	made map[command.Context][]keys.Command
}

// unwrap is the pane itself.
func unwrap(p app.Pane) any {
	if o, ok := p.(*oldPane); ok {
		return o.region
	}
	return p
}

func (o *oldPane) Commands() []keys.Command {
	context := o.Context()
	if o.made[context] == nil {
		if o.made == nil {
			o.made = map[command.Context][]keys.Command{}
		}
		o.made[context] = o.m.oldCommands(context)
	}
	list := o.made[context]
	if p, ok := o.region.(advisor); ok {
		if ids := p.Advice(); ids != nil { // these, in this order
			list = slices.Clone(list)
			for i := range list {
				list[i].Footer = 1 + slices.Index(ids, command.ID(list[i].ID))
			}
			for at, id := range ids {
				if c := named(string(id), o.m.commands()); c != nil && named(string(id), list) == nil {
					advised := *c
					advised.Footer = 1 + at
					list = append(list, advised)
				}
			}
		}
	}
	if p, ok := o.region.(limited); ok { // the last row leaves them out
		list = slices.Clone(list)
		for i := range list {
			if !p.Works(command.ID(list[i].ID)) {
				list[i].Footer = 0
			}
		}
	}
	return list
}

// advised reports whether the pane says which commands help now.
func (o *oldPane) advised() bool {
	p, ok := o.region.(advisor)
	return ok && p.Advice() != nil
}

// oldCommands are the commands of a context of the table.
func (m *model) oldCommands(context command.Context) (list []keys.Command) {
	for _, c := range command.All() {
		if c.Context != context || context == command.Global {
			continue
		}
		k := keys.Command{ID: string(c.ID), Keys: c.Binding.Keys(), Label: c.Label(), Help: c.Help, Words: c.Synonyms, Footer: c.Footer, Run: func() { m.do(m.runAnywhere(c)) }}
		list = append(list, k)
	}
	return list
}

func (o *oldPane) Motion(m keys.Motion) bool {
	for _, id := range []command.ID{command.Down, command.Up, command.PageDown, command.PageUp, command.HalfDown, command.HalfUp, command.Top, command.Bottom, command.Back, command.NextPane, command.PreviousPane} {
		if is, _ := command.MotionOf(id); is != m {
			continue
		}
		if m == keys.Next || m == keys.Previous {
			return false
		}
		a := o.Do(id)
		if _, leaves := a.(action.Leave); leaves {
			return false
		}
		o.m.do(o.m.act(a))
	}
	return true
}

func (o *oldPane) Refresh(t app.Tick) bool {
	if p, ok := o.region.(tabPane); ok {
		p.Refresh(t.State, o.m.pending, t.Now, t.Spin)
		return p.Busy()
	}
	return false
}

func (o *oldPane) Paint(c *app.Canvas, focused bool) {
	c.Rows(o.region.Paint(c.Pal, c.JS, c.W, c.H, focused)...)
	if o.Typing() && focused {
		x, y, ok := o.Cursor()
		if !ok {
			x, y = -1<<20, 0
		}
		if command.HasText(o.Context()) {
			c.Field(oldField{o}, x, y)
		} else {
			c.Field(oldLine{oldField{o}}, x, y)
		}
	} else if x, y, ok := o.Cursor(); ok && focused {
		c.Field(oldField{o}, x, y)
	}
	c.Click(0, 0, c.W, c.H, func(x, y int) {
		switch p := o.region.(type) {
		case interface{ Click(x, y int) action.Action }:
			o.m.do(o.m.act(p.Click(x, y)))
		case interface{ Press(x, y int) action.Action }:
			o.m.do(o.m.act(p.Press(x, y)))
		}
	})
	c.Wheel(func(n int) {
		x, y := o.m.mouse[0]-o.at.x, o.m.mouse[1]-o.at.y
		switch p := o.region.(type) {
		case interface{ Scroll(x, y, n int) }:
			p.Scroll(x, y, n)
		case interface{ Scroll(y, n int) }:
			p.Scroll(y, n)
		case interface{ Scroll(n int) }:
			p.Scroll(n)
		}
	})
}

// oldField is the text that is typed in such a pane; oldLine is that of a filter.
type oldField struct{ o *oldPane }

func (f oldField) Key(k tea.KeyPressMsg) bool {
	if !f.o.Typing() {
		return false
	}
	a, taken := f.o.Type(k)
	f.o.m.do(f.o.m.act(a))
	return taken || a != nil
}

func (f oldField) Paste(text string) { f.o.region.Paste(text) }

type oldLine struct{ oldField }

func (l oldLine) End(keep bool) {
	k := tea.KeyPressMsg{Code: tea.KeyEscape}
	if keep {
		k = tea.KeyPressMsg{Code: tea.KeyEnter}
	}
	l.Key(k)
}

// oldPlaces are the contexts of the table that the list of commands leads to.
func (m *model) oldPlaces() (all []listed) {
	if m.contexts != nil {
		return m.contexts
	}
	moved := command.AdoptedContexts()
	for _, c := range command.Contexts {
		if command.InPalette(c) && c != command.Global && !slices.Contains(moved, c) {
			all = append(all, listed{sections: []keys.Section{{Name: string(c), Commands: m.oldCommands(c)}}, show: func() {}})
		}
	}
	m.contexts = all
	return all
}

// context is the context of the pane with the focus.
func (m *model) context() command.Context { return command.Context(m.section()) }

// doOld has a pane of the table carry a command out.
func (m *model) doOld(id command.ID) action.Action {
	if o, ok := m.focused().(*oldPane); ok {
		return o.Do(id)
	}
	if is, ok := command.MotionOf(id); ok {
		m.move(is)
	} else {
		m.Run(string(id))
	}
	return nil
}

// advisor is a pane that may know better than the table which commands help now.
type advisor interface {
	// Advice lists them, most important first; nil leaves it to the table.
	Advice() []command.ID
}

// limited is a pane some of whose commands do nothing at times.
type limited interface{ Works(id command.ID) bool }

// run carries out a command of the pane with the focus.
func (m *model) run(cmd command.Command) tea.Cmd {
	if p, ok := m.focused().(*oldPane); ok {
		return m.act(p.Do(cmd.ID))
	}
	return nil
}

// act carries out what the pane of the logs asks for.
func (m *model) act(a action.Action) tea.Cmd {
	switch a := a.(type) {
	case action.Flash:
		m.program.say(flash{a.Text, a.Wrong, a.Stay})
	case action.SelectFrame:
		m.selectFrame(a.Row)
	case action.Leave:
		m.leave(keys.Back)
	}
	return nil
}

// deliver gives an event to the panes.
func (m *model) deliver(e action.Event) {
	for _, t := range m.tabs {
		if h, ok := unwrap(t.pane).(interface{ Handle(e action.Event) }); ok {
			h.Handle(e)
		}
	}
}
