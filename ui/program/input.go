package program

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"mcptea/themes"
	"mcptea/ui/app"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// wheelLines is the number of lines that the wheel scrolls, everywhere.
const wheelLines = 3

// turned returns the number of lines that a wheel event scrolls down. It is 0 for a sideways wheel.
func turned(at tea.Mouse) int {
	switch at.Button {
	case tea.MouseWheelUp:
		return -wheelLines
	case tea.MouseWheelDown:
		return wheelLines
	}
	return 0
}

// key sends a key to its recipient: the text that is being typed, or the command of the key.
func (p *Program) key(k tea.KeyPressMsg) {
	name := k.String()
	p.Typing = p.Window() == nil && p.Painted.Field() != nil && k.Text != ""
	if p.tooSmall() {
		if p.Keys.Lookup(name, p.quitting()[1:]) != nil { // displayed instead of done: q may have to ask, which is impossible then
			p.Do(tea.Quit)
		}
		return
	}
	if f := p.Painted.Field(); f != nil && p.Keys.Lookup(name, p.quitting()[1:]) == nil {
		// Text, or an operation on it, is never a command. But a digit leads to a tab from a
		// row that takes no text, such as a choice.
		p.typedAt = time.Now()
		if p.typed(f, k, name) || (len(k.Text) > 0 || keys.IsText(name)) && !isDigit(name) {
			return
		}
	}
	if !p.typedOn(name) {
		p.command(name)
	}
}

// typingPause is the time without a key after which a letter is a command again.
const typingPause = 250 * time.Millisecond

// typedOn reports whether a letter probably continues a text whose field has just lost the focus. Then commands
// that send, end or restart something are not run, and a message tells so.
func (p *Program) typedOn(name string) bool {
	now := time.Now()
	if p.Painted.Field() != nil || now.Sub(p.typedAt) >= typingPause {
		return false
	}
	p.typedAt = now
	c := p.Keys.Lookup(name, p.lists()...)
	if c == nil || name != string(c.Verb) || !slices.Contains([]keys.Verb{keys.Again, keys.End, keys.Pin, keys.Restart}, c.Verb) {
		return false
	}
	p.Say(name + " came too soon after a text: press it again to " + c.Does() + ".")
	return true
}

// press runs the meaning of a key that is not text. A click on the key does the same.
func (p *Program) press(name string) {
	if name == keepKey && p.selected() {
		p.Painted.Field().Key(tea.KeyPressMsg{Code: tea.KeyRight})
	} else if line, ok := p.Painted.Field().(app.Line); !ok || !p.ends(line, name) {
		p.command(name)
	}
}

// keepKey moves the cursor in a field whose text is selected, which keeps the text.
const keepKey = "right"

// selected reports whether typing replaces the text of a field.
func (p *Program) selected() bool {
	f, ok := p.Painted.Field().(app.Selecting)
	return ok && f.Selected()
}

// command carries out the command that a key means.
func (p *Program) command(name string) {
	if c := p.Keys.Lookup(name, append(p.lists(), p.Motions())...); c != nil {
		p.carryOut(c)
	} else if asks, alone := p.Window().(app.Alone); alone {
		asks.Stray()
	} else {
		if why := p.worksIn(name); why != "" {
			p.Say(why)
		} else if isOfCommands(name) {
			p.Say(keys.KeyName(name) + " does nothing here. " + p.Name("help") + " lists the keys.")
		}
	}
}

// isOfCommands reports whether a command could have a key: a character, a function key, or a chord. Terminals
// report others, too, such as keys for the volume.
func isOfCommands(name string) bool {
	number, function := strings.CutPrefix(name, "f")
	_, err := strconv.Atoi(number)
	return utf8.RuneCountInString(name) == 1 || function && err == nil || strings.HasPrefix(name, "ctrl+") || strings.HasPrefix(name, "alt+")
}

func isDigit(key string) bool { return len(key) == 1 && key[0] >= '0' && key[0] <= '9' }

// typed passes a key to a field. Keys that end the typing of a line come first.
func (p *Program) typed(f app.Field, k tea.KeyPressMsg, name string) bool {
	if c, ok := f.(app.Completer); ok && c.Choose(k) {
		return true
	}
	if line, ok := f.(app.Line); ok && p.ends(line, name) {
		return true
	}
	return f.Key(k)
}

// ends ends the typing of a line, and reports whether the key does that.
func (p *Program) ends(line app.Line, name string) bool {
	apply := slices.Contains(p.Keys.Of(&keys.Apply), name)
	if apply || slices.Contains(p.Keys.Of(&keys.Clear), name) {
		line.End(apply)
		return true
	}
	return false
}

// paste passes a text to the focused field, or to the screen if there is no such field.
func (p *Program) paste(text string) {
	switch f := p.Painted.Field(); {
	case p.tooSmall():
	case f != nil:
		f.Paste(text)
	case p.Window() == nil:
		p.Screen.Paste(text)
	}
}

// click focuses the part under the mouse, and passes the click to it.
func (p *Program) click(at tea.Mouse) {
	if p.Window() == nil && at.Y < p.H-1 {
		p.Screen.Press(at.X, at.Y)
	}
	p.Painted.Click(at.X, at.Y)
}

// ownCommands returns the commands that the program has on every screen.
func (p *Program) ownCommands() []keys.Command {
	return []keys.Command{
		{ID: "quit", Verb: keys.Quit, Label: "quit", Now: p.quits, Help: "Close the open window, or quit the session in front; the last session ends mcptea; asks first while requests are pending", Words: "exit leave close disconnect stop end", Footer: 95, Run: func() { p.closeOrQuit(false) }},
		{ID: "interrupt", Keys: keys.On("ctrl+c"), Label: "quit", Now: p.interrupts, Footer: 22, Help: "Close the window that is open, or quit from anywhere; a second time without asking", Words: "exit", Run: func() { p.closeOrQuit(true) }},
		{ID: "help", Keys: keys.On("? f1"), Label: "keys", Help: "Show the keys that matter; again for all of them", Words: "help shortcuts hotkeys bindings keyboard keybindings manual documentation guide cheatsheet", Footer: 90, Run: p.help},
		{ID: "commands", Keys: keys.On("ctrl+p : f2"), Label: "commands", Help: "Find a command, tool, resource, prompt, finding or frame", Words: "palette search find anything goto jump", Footer: 92, Run: p.palette},
		{ID: "theme.choose", Label: "choose theme", Help: "Choose a theme by its name", Words: "color colour dark light appearance " + strings.Join(themes.Embedded(), " "), Run: p.chooseTheme},
		{ID: "theme.next", Keys: keys.On("ctrl+y"), Label: "theme", Help: "Use the next theme", Words: "color colour dark light settings preferences options configuration appearance mode", Run: p.changeTheme},
		{ID: "mouse", Label: "mouse", Help: "Leave the mouse to the terminal, to select text there, or take it back", Words: "click wheel copy settings", Run: p.toggleMouse},
		{ID: "suspend", Keys: keys.On("ctrl+z"), Label: "suspend", Help: "Suspend mcptea; fg in the shell brings it back", Words: "background job shell stop", Run: func() { p.Do(tea.Suspend) }},
	}
}

// quitting returns the commands that end the program. The one of every text field is last.
func (p *Program) quitting() []keys.Command { return p.Own[:2] }

// closeOrQuit closes the window that is open, or quits.
func (p *Program) closeOrQuit(interrupt bool) {
	if d := p.Window(); d != nil {
		p.Close(d)
		return
	}
	p.Screen.Quit(interrupt)
}

// quits returns the label of the key that quits.
func (p *Program) quits() string {
	return paint.If(len(p.Around.Sessions()) > 1, "end session", "quit")
}

// interrupts names, in the last row, the key that quits from anywhere, if a text field takes the other one, and
// esc does not leave the field.
func (p *Program) interrupts() string {
	taken := p.taken()
	if taken == nil || !taken(string(keys.Quit)) || p.Window() != nil {
		return ""
	}
	if c := p.Keys.Lookup("esc", p.lists()...); c != nil && c.Now != nil && c.Now() == "" { // esc leads nowhere
		return "quit"
	}
	return ""
}

// movingCommands returns the commands of motions, and those that end a line.
func (p *Program) movingCommands() (all []keys.Command) {
	for i := range keys.Motions {
		m := &keys.Motions[i]
		c := m.Command
		c.Run = func() { p.move(m.Motion) }
		all = append(all, c)
	}
	accept := keys.Command{ID: "dialog.accept", Keys: keys.On("enter"), Label: "accept", Run: func() {}}
	shut := keys.Command{ID: "dialog.close", Keys: keys.On("esc"), Label: "close", Run: func() { p.move(keys.Back) }}
	return append(all, keys.Apply, keys.Clear, accept, shut)
}

// toggleMouse leaves the mouse to the terminal, or takes it back.
func (p *Program) toggleMouse() {
	p.noMouse = !p.noMouse
	p.Say(paint.If(p.noMouse, "The terminal has the mouse: text can be selected.", "mcptea has the mouse."))
}
