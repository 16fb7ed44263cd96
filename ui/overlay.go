package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/widget/help"
	"mcptea/ui/widget/list"
)

// overlay is a window over the screen that takes all keys.
type overlay interface {
	// size is what the window wants, border included, of a screen.
	size(w, h int) (int, int)
	paint(p *paint.Palette, w, h int) []string
	cursor() (x, y int, ok bool)
	// key reports what to run, and whether the window closes.
	key(k tea.KeyPressMsg) (run *command.Command, done bool)
	scroll(n int)
}

// worker is an overlay that does something of its own: its keys come to
// actions, and it has a clock.
type worker interface {
	overlay
	// do reports what a key is to do, and whether it was taken.
	do(k tea.KeyPressMsg) (command.Action, bool)
	// refresh takes note of the time and reports whether it goes on moving.
	refresh(now time.Time, spin int) bool
	// close ends the work.
	close()
}

// overlayOn lays the window over the painted screen.
func (m *model) overlayOn(rows []string) []string {
	w, h := m.overlay.size(m.w, m.h)
	w, h = min(w, m.w), min(h, m.h)
	x, y := (m.w-w)/2, max(1, (m.h-h)/3)
	window := m.overlay.paint(m.pal, w, h)
	if cx, cy, ok := m.overlay.cursor(); ok {
		m.cursor = tea.NewCursor(x+cx, y+cy)
		m.cursor.Shape = tea.CursorBar
	}
	base := lipgloss.NewLayer(strings.Join(m.pal.Under(rows), "\n"))
	top := lipgloss.NewLayer(strings.Join(m.pal.Under(window), "\n")).X(x).Y(y).Z(1)
	return strings.Split(lipgloss.NewCompositor(base, top).Render(), "\n")
}

func (m *model) overlayKey(k tea.KeyPressMsg) tea.Cmd {
	worker, works := m.overlay.(worker)
	if works {
		if a, taken := worker.do(k); taken {
			return m.act(a)
		}
	}
	run, done := m.overlay.key(k)
	if done {
		if works {
			worker.close()
		}
		m.overlay = nil
	}
	if run == nil {
		return nil
	}
	if run.Name == command.Quit || run.Name == command.Interrupt {
		return tea.Quit
	}
	return m.run(*run)
}

// helpWindow shows the keys: those that work here first.
type helpWindow struct {
	help *help.Help
	last [2]int
}

func newHelp(here command.Context) *helpWindow {
	var entries []help.Entry
	add := func(c command.Command) {
		if len(c.Keys) == 0 {
			return
		}
		names := make([]string, len(c.Keys))
		for i, k := range c.Keys {
			names[i] = command.KeyName(k)
		}
		entries = append(entries, help.Entry{Keys: strings.Join(names, "  "), What: c.Help, Group: string(c.Context)})
	}
	all := command.All()
	order := slices.Compact([]command.Context{here, command.Global})
	for _, c := range all {
		if !slices.Contains(order, c.Context) {
			order = append(order, c.Context)
		}
	}
	for _, context := range order {
		for _, c := range all {
			if c.Context == context {
				add(c)
			}
		}
	}
	return &helpWindow{help: help.New(entries)}
}

func (o *helpWindow) size(w, h int) (int, int) { return min(w-2, 120), h - 3 }
func (o *helpWindow) scroll(n int)             { o.help.Scroll(n) }

func (o *helpWindow) paint(p *paint.Palette, w, h int) []string {
	body := o.help.Rows(p, w-4, h-2)
	for i := range body {
		body[i] = " " + body[i] + " "
	}
	x, y := o.help.Cursor()
	o.last = [2]int{x + 2, y + 1}
	return paint.Box(p, w, h, true, []paint.Span{{Style: p.TextBold, Text: "Keys"}},
		[]paint.Span{{Style: p.Muted, Text: "type to find   esc closes"}}, body)
}

func (o *helpWindow) cursor() (x, y int, ok bool) { return o.last[0], o.last[1], true }

func (o *helpWindow) key(k tea.KeyPressMsg) (*command.Command, bool) {
	switch k.String() {
	case "ctrl+c", "f1", "enter":
		return nil, true
	case "?":
		if o.help.Filter() == "" {
			return nil, true
		}
	}
	return nil, !o.help.Key(k) && k.String() == "esc"
}

// paletteWindow finds a command by its name. Those of other places are listed
// too, so that nobody gets a similar one in place of what they typed.
type paletteWindow struct {
	list     list.List
	here     command.Context
	commands map[string]command.Command
	last     [2]int
}

func newPalette(p *paint.Palette, here command.Context) *paletteWindow {
	o := &paletteWindow{here: here, commands: make(map[string]command.Command)}
	var items, elsewhere []list.Item
	for _, c := range command.All() {
		name := string(c.Name)
		if _, listed := o.commands[name]; listed {
			continue // the same command in several places
		}
		if mine, ok := command.In(here, c.Name); ok {
			c = mine
		}
		o.commands[name] = c
		key := ""
		if len(c.Keys) > 0 {
			key = "   " + command.KeyName(c.Keys[0])
		}
		if o.offered(c) {
			items = append(items, list.Item{Key: name, Name: name, Note: c.Help + key})
		} else {
			elsewhere = append(elsewhere, list.Item{Key: name, Name: name, Note: "in: " + string(c.Context) + key, Style: p.Muted})
		}
	}
	o.list.Empty = "no command has this name"
	o.list.SetItems(append(items, elsewhere...))
	o.list.StartTyping()
	return o
}

// offered reports whether a command works here.
func (o *paletteWindow) offered(c command.Command) bool {
	return c.Context == o.here || c.Context == command.Global
}

func (o *paletteWindow) size(w, h int) (int, int) { return min(w-4, 90), min(h-4, 20) }
func (o *paletteWindow) scroll(n int)             { o.list.Scroll(n) }

func (o *paletteWindow) paint(p *paint.Palette, w, h int) []string {
	body := o.list.Rows(p, w-2, h-2, true)
	if x, y, ok := o.list.Cursor(); ok {
		o.last = [2]int{x + 1, y + 1}
	}
	return paint.Box(p, w, h, true, []paint.Span{{Style: p.TextBold, Text: "Commands"}},
		[]paint.Span{{Style: p.Muted, Text: "enter runs   esc closes"}}, body)
}

func (o *paletteWindow) cursor() (x, y int, ok bool) { return o.last[0], o.last[1], true }

func (o *paletteWindow) key(k tea.KeyPressMsg) (*command.Command, bool) {
	switch k.String() {
	case "esc", "ctrl+c", "ctrl+p":
		return nil, true
	case "enter":
		item, ok := o.list.Selected()
		if !ok {
			return nil, true
		}
		c := o.commands[item.Key]
		if !o.offered(c) {
			return nil, false // its row says where it works
		}
		return &c, true
	case "down", "ctrl+n":
		o.list.Move(1)
	case "up", "ctrl+k":
		o.list.Move(-1)
	default:
		o.list.Key(k)
	}
	return nil, false
}

// question asks before leaving.
type question struct {
	waiting   int
	interrupt bool
}

func newQuestion(waiting int, interrupt bool) *question { return &question{waiting, interrupt} }

func (o *question) size(int, int) (int, int)    { return 58, 5 }
func (o *question) scroll(int)                  {}
func (o *question) cursor() (x, y int, ok bool) { return 0, 0, false }

func (o *question) paint(p *paint.Palette, w, h int) []string {
	var r paint.Row
	text := "1 request is in flight."
	if o.waiting > 1 {
		text = fmt.Sprintf("%d requests are in flight.", o.waiting)
	}
	r.Start(w-2, paint.Style{})
	r.Gap(2)
	r.Put(p.Text, text)
	first := r.String()
	r.Start(w-2, paint.Style{})
	r.Gap(2)
	key := "q"
	if o.interrupt {
		key = "ctrl+c"
	}
	r.Put(p.AccentBold, key)
	r.Put(p.Muted, " leaves and ends the server   ")
	r.Put(p.AccentBold, "esc")
	r.Put(p.Muted, " stays")
	return paint.Box(p, w, h, true, []paint.Span{{Style: p.TextBold, Text: "Leave?"}}, nil, []string{first, "", r.String()})
}

func (o *question) key(k tea.KeyPressMsg) (*command.Command, bool) {
	switch k.String() {
	case "q", "y", "enter", "ctrl+c":
		c, _ := command.Named(command.Quit)
		return &c, true
	}
	return nil, true
}
