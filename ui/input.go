package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcptea/ui/app"
	"mcptea/ui/keys"
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
	if c := p.keys.Lookup(name, p.lists()...); c != nil {
		p.carryOut(c)
		return
	}
	if m, ok := p.motion(name); ok {
		p.move(m)
	}
}

// motion is the motion that a key means.
func (p *program) motion(name string) (m keys.Motion, ok bool) {
	for i := range keys.Motions {
		if m := &keys.Motions[i]; slices.Contains(p.keys.Of(&m.Command), name) {
			return m.Motion, true
		}
	}
	return 0, false
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
			{ID: "interrupt", Keys: keys.On("ctrl+c"), Label: "quit", Help: "Quit from anywhere; a second time without asking", Words: "exit", Run: p.interrupt},
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
