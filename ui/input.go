package ui

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcptea/ui/app"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// lists are the commands that keys run now: those of the newest window or of the pane with
// the focus, then those of the program.
func (p *program) lists() [][]keys.Command {
	if d := p.window(); d != nil {
		if _, alone := d.(app.Alone); alone {
			return [][]keys.Command{d.Commands()}
		}
		return [][]keys.Command{d.Commands(), p.everywhere()}
	}
	return [][]keys.Command{p.screen.focused().Commands(), p.screen.commands(), p.everywhere()}
}

// key sends a key where it belongs: to the text that is being typed, or to the command
// that it means.
func (p *program) key(k tea.KeyPressMsg) {
	name := k.String()
	p.typing = p.window() == nil && p.painted.Field() != nil && k.Text != ""
	if p.tooSmall() {
		if p.keys.Lookup(name, p.quitting()) != nil {
			p.do(tea.Quit)
		}
		return
	}
	if f := p.painted.Field(); f != nil && p.keys.Lookup(name, p.quitting()[1:]) == nil {
		if p.typed(f, k, name) || len(k.Text) > 0 || keys.IsText(name) {
			return // text, or an operation on it, is never a command
		}
	}
	if c := p.keys.Lookup(name, append(p.lists(), p.motions())...); c != nil {
		p.carryOut(c)
	}
}

// typed has a field take a key. What ends the typing of a line comes first.
func (p *program) typed(f app.Field, k tea.KeyPressMsg, name string) bool {
	if c, ok := f.(app.Completer); ok && c.Choose(k) {
		return true
	}
	if line, ok := f.(app.Line); ok {
		apply := slices.Contains(p.keys.Of(&keys.Apply), name)
		if apply || slices.Contains(p.keys.Of(&keys.Clear), name) {
			line.End(apply)
			return true
		}
	}
	return f.Key(k)
}

// move moves what has the keys.
func (p *program) move(m keys.Motion) {
	if d := p.window(); d != nil {
		if !d.Motion(m) && m == keys.Back {
			p.Close(d)
		}
		return
	}
	if !p.screen.focused().Motion(m) && m >= keys.Back {
		p.screen.leave(m)
	}
}

// carryOut runs a command, or says why it does nothing now.
func (p *program) carryOut(c *keys.Command) {
	if why := c.Why(); why != "" {
		p.Say(why)
		return
	}
	c.Run()
}

// paste gives a text to the field with the focus; without one it is the screen's.
func (p *program) paste(text string) {
	switch f := p.painted.Field(); {
	case p.tooSmall():
	case f != nil:
		f.Paste(text)
	case p.window() == nil:
		p.screen.paste(text)
	}
}

// click gives the focus to what is under the mouse, and the click.
func (p *program) click(at tea.Mouse) {
	if at.Button != tea.MouseLeft || p.tooSmall() {
		return
	}
	if p.window() == nil && at.Y < p.h-1 {
		p.screen.press(at.X, at.Y)
	}
	p.painted.Click(at.X, at.Y)
}

// everywhere are the commands of the program on every screen, made once.
func (p *program) everywhere() []keys.Command {
	if p.own == nil {
		p.own = []keys.Command{
			{ID: "quit", Verb: keys.Quit, Label: "quit", Help: "Quit; asks first while requests are pending", Words: "exit leave", Footer: 95, Run: func() { p.screen.quit(false) }},
			{ID: "interrupt", Keys: keys.On("ctrl+c"), Label: "quit", Help: "Close the window that is open, or quit from anywhere; a second time without asking", Words: "exit", Run: p.interrupt},
			{ID: "help", Keys: keys.On("? f1"), Label: "keys", Help: "Show the keys that matter; again for all of them", Words: "help shortcuts hotkeys bindings", Footer: 90, Run: p.help},
			{ID: "commands", Keys: keys.On("ctrl+p : f2"), Label: "commands", Help: "Find a command by its words and run it", Words: "palette search", Footer: 92, Run: p.palette},
			{ID: "theme.next", Keys: keys.On("ctrl+y"), Label: "theme", Help: "Use the next theme", Words: "color colour dark light", Run: p.changeTheme},
			{ID: "suspend", Keys: keys.On("ctrl+z"), Label: "suspend", Help: "Suspend mcptea; fg in the shell brings it back", Words: "background job shell stop", Run: func() { p.do(tea.Suspend) }},
		}
	}
	return p.own
}

// quitting are the commands that end the program, that of every text field last.
func (p *program) quitting() []keys.Command { return p.everywhere()[:2] }

// interrupt closes the window that is open, or quits.
func (p *program) interrupt() {
	if p.window() != nil {
		p.move(keys.Back)
		return
	}
	p.screen.quit(true)
}

func (p *program) changeTheme() {
	p.Say("theme " + p.nextTheme(p.options))
	p.retheme()
}

// keyGap separates two keys of the last row.
const keyGap = 3

// lastRow is a message for a while, otherwise the keys that work with the present focus,
// most important first. A click on one runs it.
func (p *program) lastRow(c *app.Canvas) string {
	r := p.pal.Row()
	r.Start(p.w, paint.Style{})
	r.Gap(1)
	if p.flash.text != "" {
		st := p.pal.Text
		if p.flash.wrong {
			st = p.pal.Warn
			r.Put(st, p.pal.WarnMark+" ")
		}
		r.Put(st, p.flash.text)
		return r.String()
	}
	hints, right := p.hints()
	put := func(h keyHint, at int) {
		r.Put(p.pal.AccentBold, h.key)
		r.Put(p.pal.Muted, " "+h.label)
		c.Click(at, p.h-1, h.width(), 1, func(int, int) { h.run() })
	}
	end := p.w - 1
	if right.key != "" {
		end -= right.width()
	}
	for _, h := range hints {
		// One that does not fit leaves its place to the next.
		if h.key != "" && r.Used()+h.width()+keyGap <= end {
			put(h, r.Used())
			r.Gap(keyGap)
		}
	}
	if right.key != "" {
		r.To(end)
		put(right, end)
	}
	return r.String()
}

// keyHint is a key that the last row names.
type keyHint struct {
	key, label string
	run        func()
}

func (h *keyHint) width() int { return paint.Width(h.key) + 1 + paint.Width(h.label) }

// hints are the keys that work now, and the one at the right: it leads to all others.
func (p *program) hints() (hints []keyHint, right keyHint) {
	typing, d := p.painted.Field() != nil, p.window()
	of := func(c *keys.Command, run func()) keyHint { return keyHint{p.keys.Name(c, typing), c.Does(), run} }
	_, alone := d.(app.Alone)
	if !alone {
		help := p.find("help")
		right = of(help, func() { p.carryOut(help) })
	}
	if l, ok := p.painted.Field().(app.Line); ok {
		return []keyHint{of(&keys.Apply, func() { l.End(true) }), of(&keys.Clear, func() { l.End(false) })}, right
	}
	var list []*keys.Command
	for _, commands := range p.lists() {
		for i := range commands {
			c := &commands[i]
			if c.Footer > 0 && (d == nil || c.Footer < everywhereFooter) && c.ID != "help" && p.runs(c) {
				list = append(list, c)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *keys.Command) int { return cmp.Compare(a.Footer, b.Footer) })
	for _, c := range list {
		hints = append(hints, of(c, func() { p.carryOut(c) }))
	}
	if d != nil && !alone {
		shut := of(p.find("back"), func() { p.move(keys.Back) })
		shut.label = "close"
		if named, ok := d.(interface{ Closes() string }); ok {
			shut.label = named.Closes()
		}
		hints = append(hints, shut)
	}
	return hints, right
}

// runs reports whether the first key of a command runs it now.
func (p *program) runs(c *keys.Command) bool {
	names := p.keys.Of(c)
	return len(names) > 0 && c.Why() == "" && p.keys.Lookup(names[0], p.lists()...).ID == c.ID
}

// everywhereFooter is from where on commands of the program are in the last row.
const everywhereFooter = 80
