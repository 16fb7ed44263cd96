// Package panetest tests a pane without the program: it presses keys as the program does, and records the
// requests of the pane to the program.
package panetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"mcptea/internal/shell"
	"mcptea/internal/test/press"
	"mcptea/offer/content"
	"mcptea/record/stderr"
	"mcptea/session/explain/card"
	"mcptea/themes"
	"mcptea/ui/app"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// Program is instead of the program around one pane.
type Program struct {
	T      *testing.T
	Pane   app.Pane
	Screen app.Screen
	Map    keys.Map
	W, H   int // size of the screen before each key; initially 120 by 36
	// Recorded is set if there is no server, as for a recording.
	Recorded bool
	// Asked lists the pane's requests to the program, such as "say: Copied.".
	Asked []string

	// Edited is called with the result of the text editor that the pane opened last.
	Edited func(text string)

	// Hold keeps work back until Finish.
	Hold bool

	below app.Pane // a dialog
	held  []func(context.Context) func()
}

// New returns a program without a pane yet.
func New(t *testing.T) *Program {
	theme := themes.ForBackground(true)
	p := &Program{T: t, W: 120, H: 36}
	p.Screen = app.Screen{Pal: paint.NewPalette(theme, false), JS: paint.NewJSONStyles(theme), Names: p}
	return p
}

// Press presses keys, and returns the pane's last request to the program: "" for none, "off: …" for a command
// that is currently unavailable, "leave" for a motion that the pane did not handle.
func (p *Program) Press(names ...string) (asked string) {
	p.T.Helper()
	for _, name := range names {
		before := len(p.Asked)
		p.press(name)
		asked = ""
		if len(p.Asked) > before {
			asked = p.Asked[len(p.Asked)-1]
		}
	}
	return asked
}

func (p *Program) press(name string) {
	p.Screen.Paint(p.Pane, p.W, p.H, true) // a field is known only after painting
	if f := p.Screen.Field(); f != nil {
		if c, ok := f.(app.Completer); ok && c.Choose(press.Key(name)) {
			return
		}
		if line, ok := f.(app.Line); ok && (name == "enter" || name == "esc") {
			line.End(name == "enter")
			return
		}
		if f.Key(press.Key(name)) {
			return
		}
	}
	if c := p.Map.Lookup(name, p.Pane.Commands()); c != nil {
		p.run(c)
		return
	}
	for i := range keys.Motions { // keys of the program
		if m := &keys.Motions[i]; slices.Contains(m.All(), name) && !p.Pane.Motion(m.Motion) {
			p.ask("leave")
		}
	}
}

// Type types text into the field that has the keys.
func (p *Program) Type(text string) {
	p.T.Helper()
	for _, r := range text {
		name := string(r)
		if r == ' ' {
			name = "space"
		}
		p.press(name)
	}
}

// Run implements [keys.Names]: it runs a command of the pane.
func (p *Program) Run(id string) {
	list := p.Pane.Commands()
	i := slices.IndexFunc(list, func(c keys.Command) bool { return c.ID == id })
	if i < 0 {
		p.T.Errorf("no command %s", id)
		return
	}
	p.run(&list[i])
}

func (p *Program) run(c *keys.Command) {
	if why := c.Why(); why != "" {
		p.ask("off: %s", why)
		return
	}
	c.Run()
}

// Name implements [keys.Names].
func (p *Program) Name(id string) string {
	if p.Pane == nil {
		return p.other(id)
	}
	taken := app.Taken(p.Screen.Field())
	for _, c := range p.Pane.Commands() {
		if c.ID != id {
			continue
		}
		for _, k := range p.Map.Of(&c) {
			if taken == nil || !taken(k) {
				return k
			}
		}
	}
	for i := range keys.Motions {
		if m := &keys.Motions[i]; m.ID == id {
			return p.Map.Name(&m.Command, taken)
		}
	}
	return p.other(id)
}

// Works implements [keys.Names]: what is not of the pane does.
func (p *Program) Works(id string) bool {
	if p.Pane == nil {
		return true
	}
	for _, c := range p.Pane.Commands() {
		if c.ID == id {
			return c.Why() == ""
		}
	}
	return true
}

// In implements [keys.Names]: the commands of the pane are found anyway.
func (p *Program) In(func() [][]keys.Command, bool) keys.Names { return p }

// other names a command that is not of the pane.
func (p *Program) other(id string) string {
	c := others[id]
	return p.Map.Name(&c, app.Taken(p.Screen.Field()))
}

// others are commands of the program, and of other panes, that panes name.
var others = map[string]keys.Command{
	"dialog.accept": {Keys: keys.On("enter")}, "dialog.close": {Keys: keys.On("esc")}, "commands": {Keys: keys.On("ctrl+p")},
	"restart": {Verb: keys.Restart}, "compose": {Verb: keys.Compose}, "breakpoint": {Verb: keys.Breakpoint}, "export": {Verb: keys.Export}, "pins": {Verb: keys.Pins},
	"tab.server": {Keys: keys.On("1 alt+1")}, "tab.tools": {Keys: keys.On("2 alt+2")}, "tab.inbox": {Keys: keys.On("5 alt+5")}, "tab.logs": {Keys: keys.On("6 alt+6")},
	"tab.problems": {Keys: keys.On("8 alt+8")}, "tab.traffic": {Keys: keys.On("9 alt+9")}, "tab.intercept": {Verb: keys.Held},
}

// Paint returns the pane as plain text, h rows of w cells without control characters.
func (p *Program) Paint(w, h int, focused bool) string {
	p.T.Helper()
	rows := p.Screen.Paint(p.Pane, w, h, focused)
	if len(rows) != h {
		p.T.Errorf("%dx%d: %d rows", w, h, len(rows))
	}
	for i, row := range rows {
		if got := ansi.StringWidth(row); got != w {
			p.T.Errorf("%dx%d: row %d has %d cells: %q", w, h, i, got, ansi.Strip(row))
		}
		rows[i] = ansi.Strip(row)
		if strings.ContainsAny(rows[i], "\x1b\r\x07\u202e\u200b") {
			p.T.Errorf("row %d has control characters: %q", i, rows[i])
		}
	}
	return strings.Join(rows, "\n") + "\n"
}

// Sees fails for each of the texts that the pane does not show at the present size.
func (p *Program) Sees(texts ...string) {
	p.T.Helper()
	screen := p.Paint(p.W, p.H, true)
	for _, text := range texts {
		if !strings.Contains(screen, text) {
			p.T.Errorf("the screen lacks %q:\n%s", text, screen)
		}
	}
}

func (p *Program) ask(format string, args ...any) {
	p.Asked = append(p.Asked, fmt.Sprintf(format, args...))
}

// Key implements [app.App].
func (p *Program) Key(id string) string { return p.Name(id) }

// Say implements [app.App].
func (p *Program) Say(text string) { p.ask("say: %s", text) }

// Fail implements [app.App].
func (p *Program) Fail(text string) { p.ask("fail: %s", text) }

// News implements [app.App].
func (p *Program) News(text string) { p.ask("news: %s", text) }

// Copy implements [app.App].
func (p *Program) Copy(text string, raw []byte, what string) {
	p.ask("copy %s: %s%s", what, text, raw)
}

// ShowFrame implements [app.App].
func (p *Program) ShowFrame(row int32) { p.ask("show frame %d", row) }

// MarkFrame implements [app.App].
func (p *Program) MarkFrame(row int32) { p.ask("mark frame %d", row) }

// ShowTab implements [app.App].
func (p *Program) ShowTab(name string) { p.ask("show %s", name) }

// OpenSource implements [app.App].
func (p *Program) OpenSource(at stderr.Source) {
	p.ask("open %s:%d%s", at.File, at.Line, strings.TrimSuffix(" after a question about "+at.Ran, " after a question about "))
}

// OpenPage implements [app.App].
func (p *Program) OpenPage(url string) { p.ask("open %s", url) }

// EditText implements [app.App].
func (p *Program) EditText(text, suffix string, done func(string)) {
	p.ask("edit %s: %s", suffix, text)
	p.Edited = done
}

// Compose implements [app.App].
func (p *Program) Compose(method, params string) { p.ask("compose %s %s", method, params) }

// ComposeFrame implements [app.App].
func (p *Program) ComposeFrame(frame []byte) { p.ask("compose frame %s", frame) }

// OnlineFrame implements [app.App].
func (p *Program) OnlineFrame(frame []byte, do func()) { p.Online("Send "+string(frame), do) }

// OnlineRequest implements [app.App].
func (p *Program) OnlineRequest(method string, params []byte, do func()) {
	p.Online("Send "+method+" "+string(params), do)
}

// CopyCommand implements [app.App].
func (p *Program) CopyCommand(line *shell.Line) {
	text, err := line.For(shell.POSIX)
	if err != nil {
		p.T.Error(err)
	}
	p.ask("copy command: %s", text)
}

// Explain implements [app.App].
func (p *Program) Explain(c card.Card) { p.ask("explain %s", c.Key) }

// ShowPlace implements [app.App].
func (p *Program) ShowPlace(row int32, path string, offset int) {
	p.ask("show place %d %s %d", row, path, offset)
}

// Use implements [app.App].
func (p *Program) Use(how app.Use, items []content.Item, _ int, _ app.Receiver) {
	p.ask("use %d of %d", how, len(items))
}

// Follow implements [app.App].
func (p *Program) Follow(links []content.Item, _ app.Receiver) { p.ask("follow %d", len(links)) }

// Online implements [app.App].
func (p *Program) Online(what string, do func()) {
	if p.Recorded {
		p.ask("needs a server: %s", what)
		return
	}
	do()
}

// Open implements [app.App]: the dialog receives the keys.
func (p *Program) Open(d app.Dialog) { p.below, p.Pane = p.Pane, d }

// Close implements [app.App].
func (p *Program) Close(d app.Dialog) bool {
	open := p.Pane == app.Pane(d)
	if open {
		p.Pane = p.below
	}
	return open
}

// Go runs the work immediately, or in Finish if it is held back.
func (p *Program) Go(work func(context.Context) func()) {
	p.held = append(p.held, work)
	if !p.Hold {
		p.Finish()
	}
}

// Finish runs the work that was held back.
func (p *Program) Finish() {
	for len(p.held) > 0 {
		work := p.held[0]
		p.held = p.held[1:]
		if done := work(p.T.Context()); done != nil {
			done()
		}
	}
}
