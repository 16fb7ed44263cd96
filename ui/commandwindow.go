package ui

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"mcptea/internal/phrase"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/widget/input"
)

// commandWindow lists all commands with their keys, those that work here first;
// it finds one by words of its texts and runs it.
type commandWindow struct {
	here     command.Context
	entries  []command.Command // one for each id, in the order of the window
	input    input.Input
	hereOnly bool
	// placeFor returns the frame that the words name, if they do; nil without a session.
	placeFor func(text string) (place, bool)

	shown  []int // indexes of entries that pass the filter
	place  int   // of the selected one, within shown
	top    int   // first painted line
	height int   // painted lines
	at     [2]int
}

func newCommandWindow(here command.Context) *commandWindow {
	return newCommandWindowOf(here, func(c command.Command) bool {
		// Without a session only those of the start screen work.
		return c.Context == here || here != command.Start && c.Context.InPalette()
	})
}

// newCommandWindowOf returns the window over the commands that are offered.
func newCommandWindowOf(here command.Context, offered func(command.Command) bool) *commandWindow {
	o := &commandWindow{here: here}
	all := slices.DeleteFunc(command.All(), func(c command.Command) bool { return !offered(c) })
	slices.SortStableFunc(all, func(a, b command.Command) int { return o.rank(a) - o.rank(b) })
	seen := map[command.ID]bool{}
	for _, c := range all {
		if !seen[c.ID] {
			seen[c.ID] = true
			o.entries = append(o.entries, c)
		}
	}
	o.filter()
	return o
}

// rank puts the commands of the pane with the focus first.
func (o *commandWindow) rank(c command.Command) int {
	switch c.Context {
	case o.here:
		return 0
	case command.Global:
		return 1
	}
	return 2
}

// filter finds the entries that match all words. Those that match by label or
// id come before those that match by other texts, within their group.
func (o *commandWindow) filter() {
	words := strings.Fields(strings.ToLower(o.input.Value()))
	o.shown = o.shown[:0]
	if o.goesTo() != nil {
		o.place = 0
		return
	}
	for i, c := range o.entries {
		if o.hereOnly && o.rank(c) == 2 {
			continue
		}
		if !slices.ContainsFunc(words, func(w string) bool { return !c.Matches(w) }) {
			o.shown = append(o.shown, i)
		}
	}
	o.place = min(o.place, max(0, len(o.shown)-1))
}

// goesTo is the frame that the words name; nil if they do not name one.
func (o *commandWindow) goesTo() *place {
	text := strings.TrimSpace(o.input.Value())
	if o.placeFor == nil || text == "" {
		return nil
	}
	if at, ok := o.placeFor(text); ok {
		return &at
	}
	return nil
}

// do implements [worker].
func (o *commandWindow) do(k tea.KeyPressMsg) (action.Action, bool) {
	c, _ := command.Lookup(command.Dialog, k.String())
	if at := o.goesTo(); at != nil && c.Context == command.Dialog && c.ID == command.Accept {
		return action.Accepted{Action: action.SelectFrame{Row: at.row}}, true
	}
	return nil, false
}

// refresh implements [worker].
func (o *commandWindow) refresh(time.Time, int) bool { return false }

// close implements [worker].
func (o *commandWindow) close() {}

func (o *commandWindow) size(w, h int) (int, int)    { return min(w-4, 96), min(h-2, 26) }
func (o *commandWindow) cursor() (x, y int, ok bool) { return o.at[0], o.at[1], true }

func (o *commandWindow) selected() (command.Command, bool) {
	if len(o.shown) == 0 {
		return command.Command{}, false
	}
	return o.entries[o.shown[o.place]], true
}

// line is a painted line of the list: a heading, or an entry.
type commandLine struct {
	heading string
	entry   int // within shown, when heading is empty
}

func (o *commandWindow) lines() []commandLine {
	var lines []commandLine
	var group command.Context
	for i, n := range o.shown {
		c := o.entries[n].Context
		if c != group {
			group = c
			title := phrase.Capital(string(c))
			if c == o.here {
				title = "Here: " + string(c)
			}
			lines = append(lines, commandLine{heading: title})
		}
		lines = append(lines, commandLine{entry: i})
	}
	return lines
}

func (o *commandWindow) paint(p *paint.Palette, w, h int) []string {
	inner := w - 2
	r := p.Row()
	body := make([]string, 0, h-2)
	r.Start(inner, paint.Style{})
	r.Put(p.Accent, " "+p.Prompt+" ")
	text, x := o.input.Visible(inner - 5)
	o.at = [2]int{1 + r.Used() + x, 1}
	r.Put(p.Text, text)
	if text == "" {
		r.Put(p.Muted, "name, key, or what it does; 120, 14:28:14 or +3s goes to a frame")
	}
	body = append(body, r.String(), paint.Rule(p, inner))
	o.height = h - 2 - 2 - 3
	lines := o.lines()
	o.follow(lines)
	for i := range o.height {
		r.Start(inner, paint.Style{})
		switch n := o.top + i; {
		case n < len(lines) && lines[n].heading != "":
			r.Put(p.Muted, " "+lines[n].heading)
		case n < len(lines):
			o.row(p, r, inner, lines[n].entry)
		case len(lines) == 0 && i == 0 && o.goesTo() != nil:
			r.Put(p.Accent, p.Bar+"  ")
			r.Put(p.Strong, o.goesTo().text)
		case len(lines) == 0 && i == 0:
			r.Put(p.Muted, " No command matches. esc clears the words.")
		}
		body = append(body, r.String())
	}
	body = append(body, paint.Rule(p, inner), o.description(p, r, inner), o.hints(p, r, inner))
	title := []paint.Span{{Style: p.TextBold, Text: "Commands"}}
	note := []paint.Span{{Style: p.Muted, Text: strconv.Itoa(len(o.shown)) + " of " + strconv.Itoa(len(o.entries))}}
	return paint.Box(p, w, h, true, title, note, body)
}

// follow scrolls so that the selected entry and its heading are in sight.
func (o *commandWindow) follow(lines []commandLine) {
	at := slices.IndexFunc(lines, func(l commandLine) bool { return l.heading == "" && l.entry == o.place })
	first := max(0, at)
	if first > 0 && lines[first-1].heading != "" {
		first--
	}
	o.top = max(0, min(o.top, first, len(lines)-1), at-o.height+1)
}

func (o *commandWindow) row(p *paint.Palette, r *paint.Row, w, i int) {
	c := o.entries[o.shown[i]]
	base, mark := paint.Style{}, "   "
	if i == o.place {
		base, mark = p.Selected, p.Bar+"  "
	}
	r.Start(w, base)
	const keyWidth = 11
	right := keyWidth + 1
	if w >= 80 {
		right += 22
	}
	r.Put(p.Accent, mark)
	text := p.Text
	if i == o.place {
		text = p.Strong
	}
	r.Cell(text, c.Help, w-right-r.Used()-1)
	r.To(w - right)
	if w >= 80 {
		r.Cell(p.Muted, string(c.ID), 22)
	}
	r.CellRight(p.AccentBold, c.Key(false), keyWidth)
}

// description says where the selected command works.
func (o *commandWindow) description(p *paint.Palette, r *paint.Row, w int) string {
	r.Start(w, paint.Style{})
	c, ok := o.selected()
	if !ok {
		return r.String()
	}
	r.Gap(1)
	var keys []string
	for _, k := range c.Binding.Keys() {
		keys = append(keys, command.KeyName(k))
	}
	if len(keys) == 0 {
		keys = []string{"none"}
	}
	r.Put(p.Muted, "key ")
	r.Put(p.Text, strings.Join(keys, " or "))
	r.Put(p.Muted, "   works ")
	switch c.Context {
	case o.here:
		r.Put(p.Text, "here")
	case command.Global:
		r.Put(p.Text, "everywhere")
	default:
		r.Put(p.Text, "in: "+string(c.Context))
	}
	r.Put(p.Muted, "   id ")
	r.Put(p.Text, string(c.ID))
	return r.String()
}

func (o *commandWindow) hints(p *paint.Palette, r *paint.Row, w int) string {
	r.Start(w, paint.Style{})
	r.Gap(1)
	scope := "this pane only"
	if o.hereOnly {
		scope = "all panes"
	}
	hint := func(label string, ids ...command.ID) {
		for _, id := range ids {
			r.Put(p.AccentBold, command.KeyIn(command.Dialog, id, true)+" ")
		}
		r.Put(p.Muted, label+"   ")
	}
	hint("run", command.Accept)
	hint("select", command.Up, command.Down)
	hint(scope, command.ToggleScope)
	hint("close", command.Dismiss)
	return r.String()
}

func (o *commandWindow) move(n int) { o.place = max(0, min(o.place+n, len(o.shown)-1)) }

func (o *commandWindow) scroll(n int) { o.move(n) }

func (o *commandWindow) paste(text string) {
	o.input.Insert(text)
	o.filter()
}

// click selects the entry in a row of the window, or runs the selected one.
func (o *commandWindow) click(_, y int) (run *command.Command, done bool) {
	lines := o.lines()
	n := o.top + y - 3
	if y < 3 || n >= len(lines) || y-3 >= o.height || lines[n].heading != "" {
		return nil, false
	}
	if lines[n].entry == o.place {
		c, _ := o.selected()
		return &c, true
	}
	o.place = lines[n].entry
	return nil, false
}

func (o *commandWindow) key(k tea.KeyPressMsg) (run *command.Command, done bool) {
	c, _ := command.Lookup(command.Dialog, k.String())
	if c.Context != command.Dialog {
		if help, _ := command.Named(command.Help); o.input.Empty() && key.Matches(k, help.Binding) {
			return nil, true // the key that opened it
		}
		if before := o.input.Version(); o.input.Key(k) && o.input.Version() != before {
			o.place = 0
			o.filter()
		}
		return nil, false
	}
	switch c.ID {
	case command.Dismiss:
		if o.input.Empty() {
			return nil, true
		}
		o.input.SetValue("")
	case command.Accept:
		c, ok := o.selected()
		return &c, ok
	case command.ToggleScope:
		o.hereOnly = !o.hereOnly
	default:
		by, _ := command.Steps(c.ID, max(1, o.height-1), max(1, o.height/2), len(o.shown))
		o.move(by)
	}
	o.filter()
	return nil, false
}
