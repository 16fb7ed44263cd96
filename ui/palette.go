package ui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/internal/phrase"
	"mcptea/ui/app"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
	"mcptea/ui/textfield"
)

// palette is the window that lists all commands with their keys, those that work here
// first; it finds one by its words and runs it.
type palette struct {
	p        *program
	own      []keys.Command
	entries  []entry // one for each id, in the order of the window
	input    textfield.Input
	hereOnly bool

	shown  []int // indexes of entries that pass the filter
	at     int   // the selected one, within shown
	top    int   // first painted line
	height int   // painted lines
}

// entry is a command that the window can run.
type entry struct {
	*keys.Command
	section string
	rank    int    // 0 here, 1 everywhere, 2 elsewhere
	show    func() // gives the focus to the pane
}

// everywhereName is the section of the commands of the program.
const everywhereName = "everywhere"

// palette opens the list of all commands.
func (p *program) palette() { p.over(newPalette(p)) }

func newPalette(p *program) *palette {
	o := &palette{p: p}
	o.own = o.commands()
	seen := map[string]bool{}
	add := func(list []keys.Command, section string, rank int, show func()) {
		for i := range list {
			if !seen[list[i].ID] {
				seen[list[i].ID] = true
				o.entries = append(o.entries, entry{&list[i], section, rank, show})
			}
		}
	}
	if d := p.window(); d != nil {
		add(d.Commands(), "this window", 0, nil)
	} else {
		add(p.screen.focused().Commands(), p.screen.focused().Section(), 0, nil)
		add(p.screen.commands(), everywhereName, 1, nil)
	}
	add(p.everywhere(), everywhereName, 1, nil)
	add(p.ends()[:len(keys.Motions)], everywhereName, 1, nil)
	if p.window() == nil {
		for _, at := range p.screen.places() {
			for _, s := range at.Sections() {
				add(s.Commands, s.Name, 2, at.show)
			}
		}
	}
	o.filter()
	return o
}

// commands are those of the window.
func (o *palette) commands() []keys.Command {
	return []keys.Command{
		{ID: "dialog.accept", Keys: keys.On("enter"), Label: "run", Help: "Run or choose the selected entry", Footer: 10, Run: o.accept},
		{ID: "dialog.scope", Keys: keys.On("tab"), Label: "this pane only", Help: "List the commands of this pane only, or of all", Footer: 15, Run: func() { o.hereOnly = !o.hereOnly; o.filter() }},
	}
}

// filter finds the entries that match all words.
func (o *palette) filter() {
	words := strings.Fields(strings.ToLower(o.input.Value()))
	o.shown = o.shown[:0]
	for i := range o.entries {
		e := &o.entries[i]
		if o.hereOnly && e.rank == 2 || slices.ContainsFunc(words, func(w string) bool { return !e.matches(&o.p.keys, w) }) {
			continue
		}
		o.shown = append(o.shown, i)
	}
	if len(words) > 0 { // what is called so comes before what has the words in its help
		slices.SortStableFunc(o.shown, func(a, b int) int { return o.entries[a].score(words) - o.entries[b].score(words) })
	}
	o.at = min(o.at, max(0, len(o.shown)-1))
	if o.goesTo() != nil {
		o.shown, o.at = o.shown[:0], 0
	}
}

// matches reports whether a word, in lower case, is part of one of the texts of a command.
func (e *entry) matches(m *keys.Map, word string) bool {
	for _, text := range []string{e.Label, e.Help, e.ID, e.Words, e.section} {
		if strings.Contains(strings.ToLower(text), word) {
			return true
		}
	}
	return slices.Contains(m.Of(e.Command), word)
}

// score is smaller for a command that is called by the words.
func (e *entry) score(words []string) int {
	switch name := strings.Join(words, " "); {
	case strings.HasPrefix(e.Label, name):
		return 0
	case !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(e.Label+" "+e.ID, w) }):
		return 1
	}
	return 2
}

// destination is where the words of the list of commands can lead to, such as a frame.
type destination struct {
	text string
	show func()
}

// goesTo is where the words lead to; nil if they name no place.
func (o *palette) goesTo() *destination {
	named, ok := o.p.screen.(interface {
		destination(text string) *destination
	})
	text := strings.TrimSpace(o.input.Value())
	if !ok || text == "" || o.p.window() != nil && o.p.window() != app.Dialog(o) {
		return nil
	}
	return named.destination(text)
}

// accept closes the window and runs what is selected: in its pane, which gets the focus.
func (o *palette) accept() {
	if to := o.goesTo(); to != nil {
		o.p.Close(o)
		to.show()
		return
	}
	if len(o.shown) == 0 {
		return
	}
	e := &o.entries[o.shown[o.at]]
	o.p.Close(o)
	if e.Why() == "" && e.show != nil {
		e.show()
	}
	o.p.carryOut(e.Command)
}

// Commands implements [app.Pane].
func (o *palette) Commands() []keys.Command { return o.own }

// Refresh implements [app.Pane].
func (o *palette) Refresh(app.Tick) bool { return false }

// Size implements [app.Dialog].
func (o *palette) Size(w, h int) (int, int) { return min(w-4, 96), min(h-2, 26) }

// Motion implements [app.Pane]. Back clears the words first.
func (o *palette) Motion(m keys.Motion) bool {
	switch m {
	case keys.Back:
		if o.input.Empty() {
			return false
		}
		o.input.SetValue("")
		o.filter()
		return true
	case keys.Top:
		o.at = 0
	case keys.Bottom:
		o.at = len(o.shown) - 1
	default:
		step := map[keys.Motion]int{keys.Down: 1, keys.Up: -1, keys.PageDown: o.height - 1, keys.PageUp: 1 - o.height, keys.HalfDown: o.height / 2, keys.HalfUp: -o.height / 2}
		o.at += step[m]
	}
	o.at = max(0, min(o.at, len(o.shown)-1))
	return true
}

// Key implements [app.Field].
func (o *palette) Key(k tea.KeyPressMsg) bool {
	if o.input.Empty() && k.Text != "" && slices.Contains(o.p.keys.Of(o.p.find("help")), k.String()) {
		return o.p.Close(o) // the key that opened it
	}
	before := o.input.Version()
	taken := o.input.Key(k)
	if o.input.Version() != before {
		o.at = 0
		o.filter()
	}
	return taken
}

// Paste implements [app.Field].
func (o *palette) Paste(text string) {
	o.input.Insert(text)
	o.filter()
}

// line is a painted line of the list: a heading, or an entry.
type line struct {
	heading string
	entry   int // within shown, when heading is empty
}

func (o *palette) lines() []line {
	var lines []line
	section, rank := "", -1
	for i, n := range o.shown {
		if e := &o.entries[n]; e.section != section || e.rank != rank {
			section, rank = e.section, e.rank
			title := phrase.Capital(section)
			if rank == 0 {
				title = "Here: " + section
			}
			lines = append(lines, line{heading: title})
		}
		lines = append(lines, line{entry: i})
	}
	return lines
}

// Paint implements [app.Pane].
func (o *palette) Paint(c *app.Canvas, _ bool) {
	count := strconv.Itoa(len(o.shown)) + " of " + strconv.Itoa(len(o.entries))
	in := c.Box([]paint.Span{{Style: c.Pal.TextBold, Text: "Commands"}}, []paint.Span{{Style: c.Pal.Muted, Text: count}}, true)
	in.Line(func(r *paint.Row) {
		r.Put(in.Pal.Accent, " "+in.Pal.Prompt+" ")
		text, x := o.input.Visible(in.W - 5)
		in.Field(o, r.Used()+x, 0)
		r.Put(in.Pal.Text, text)
		if text == "" {
			r.Put(in.Pal.Muted, "name, key, or what it does; 120, 14:28:14 or +3s goes to a frame")
		}
	})
	in.Rows(paint.Rule(in.Pal, in.W))
	o.height = in.H - 4
	o.list(in)
	in.Rows(paint.Rule(in.Pal, in.W))
	in.Line(o.describe)
}

// list paints the entries in sight.
func (o *palette) list(c *app.Canvas) {
	lines := o.lines()
	selected := max(0, slices.IndexFunc(lines, func(l line) bool { return l.heading == "" && l.entry == o.at }))
	first := selected
	if first > 0 && lines[first-1].heading != "" {
		first--
	}
	o.top = max(0, min(o.top, first, len(lines)-1), selected-o.height+1)
	y := c.Next()
	for n := o.top; n < o.top+o.height; n++ {
		c.Line(func(r *paint.Row) {
			switch to := o.goesTo(); {
			case n < len(lines) && lines[n].heading != "":
				r.Put(c.Pal.Muted, " "+lines[n].heading)
			case n < len(lines):
				o.row(c, r, lines[n].entry)
			case len(lines) > 0 || n > 0:
			case to != nil:
				r.Put(c.Pal.Accent, c.Pal.Bar+"  ")
				r.Put(c.Pal.Strong, to.text)
			default:
				r.Put(c.Pal.Muted, " No command matches. "+o.p.Name("back")+" clears the words.")
			}
		})
	}
	c.Click(0, y, c.W, o.height, func(_, row int) {
		if n := o.top + row; n < len(lines) && lines[n].heading == "" {
			if lines[n].entry == o.at {
				o.accept()
			}
			o.at = lines[n].entry
		}
	})
	c.Wheel(func(n int) { o.at = max(0, min(o.at+n, len(o.shown)-1)) })
}

// row is an entry; one that does nothing now is dim.
func (o *palette) row(c *app.Canvas, r *paint.Row, i int) {
	e := &o.entries[o.shown[i]]
	const keyWidth = 11
	right, base, mark, text := keyWidth+1, paint.Style{}, "   ", c.Pal.Text
	if c.W >= 80 {
		right += 22
	}
	if e.Why() != "" {
		text = c.Pal.Muted
	}
	if i == o.at {
		base, mark, text = c.Pal.Selected, c.Pal.Bar+"  ", c.Pal.Strong
	}
	r.Start(c.W, base)
	r.Put(c.Pal.Accent, mark)
	r.Cell(text, e.Help, c.W-right-r.Used()-1)
	r.To(c.W - right)
	if c.W >= 80 {
		r.Cell(c.Pal.Muted, e.ID, 22)
	}
	r.CellRight(c.Pal.AccentBold, o.p.keys.Name(e.Command, false), keyWidth)
}

// describe says where the selected command works, or why it does nothing now.
func (o *palette) describe(r *paint.Row) {
	if len(o.shown) == 0 {
		return
	}
	e, pal := &o.entries[o.shown[o.at]], o.p.pal
	var names []string
	for _, k := range o.p.keys.Of(e.Command) {
		names = append(names, keys.KeyName(k))
	}
	if len(names) == 0 {
		names = []string{"none"}
	}
	r.Gap(1)
	r.Put(pal.Muted, "key ")
	r.Put(pal.Text, strings.Join(names, " or "))
	if why := e.Why(); why != "" {
		r.Gap(3)
		r.Put(pal.Warn, why)
		return
	}
	r.Put(pal.Muted, "   works ")
	r.Put(pal.Text, [...]string{"here", everywhereName, "in: " + e.section}[e.rank])
	r.Put(pal.Muted, "   id ")
	r.Put(pal.Text, e.ID)
}

// destination is the frame that a text names: "120", "#120", "14:28:14", "+3s" or "-1m";
// nil if it names none.
func (m *model) destination(text string) *destination {
	s := m.session.Store()
	if m.snap.Rows == 0 {
		return nil
	}
	if n, err := strconv.Atoi(strings.TrimPrefix(text, "#")); err == nil && text[0] != '+' && text[0] != '-' {
		row := int32(min(max(n, 1), m.snap.Rows)) - 1
		return m.toFrame(row, fmt.Sprintf("Go to frame #%d", row+1))
	}
	base, _ := s.Row(max(m.selectedRow(), 0))
	at := time.Unix(0, base.Time)
	switch d, err := time.ParseDuration(strings.ReplaceAll(text, " ", "")); {
	case err == nil && (text[0] == '+' || text[0] == '-'):
		at = at.Add(d)
	default:
		clock, ok := parseClock(text)
		if !ok {
			return nil
		}
		year, month, day := at.Date()
		at = time.Date(year, month, day, 0, 0, 0, 0, at.Location()).Add(clock)
	}
	row := s.RowAt(at)
	return m.toFrame(row, fmt.Sprintf("Go to %s: frame #%d", paint.HumanClock(at), row+1))
}

func (m *model) toFrame(row int32, text string) *destination {
	return &destination{text, func() { m.ShowFrame(row) }}
}

// parseClock parses a time of the day, and returns how long after midnight it is.
func parseClock(text string) (time.Duration, bool) {
	for _, form := range []string{"15:04:05", "15:04"} { // a fraction of a second may follow
		if t, err := time.Parse(form, text); err == nil {
			return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute + time.Duration(t.Second())*time.Second + time.Duration(t.Nanosecond()), true
		}
	}
	return 0, false
}
