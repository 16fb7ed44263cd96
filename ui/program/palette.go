package program

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
	"mcptea/ui/textfield"
	"mcptea/ui/widget/list"
)

// Palette is the window that lists all commands with their keys, those that work here
// first; it finds one by its words and runs it.
type Palette struct {
	p        *Program
	own      []keys.Command
	entries  []entry // one for each id and sentence, in the order of the window
	input    textfield.Input
	typing   bool // a text field had the focus when it was opened: a letter is text there
	inside   bool // a window is below it, in which it finds commands alone
	hereOnly bool

	shown []int // indexes of entries that pass the filter
	list  list.List[int]
}

// entry is a command that the window can run.
type entry struct {
	*keys.Command
	section string
	rank    int    // 0 here, 1 everywhere, 2 elsewhere
	show    func() // gives the focus to the pane
}

// palette opens the list of all commands.
func (p *Program) palette() { p.over(NewPalette(p)) }

// NewPalette returns the list of the commands that work now; it is not open yet.
func NewPalette(p *Program) *Palette {
	o := &Palette{p: p, typing: p.Painted.Field() != nil, inside: p.Window() != nil}
	o.own = o.commands()
	o.list.Items = list.Items[int]{
		Len: func() int { return len(o.shown) }, Key: func(i int) int { return o.shown[i] },
		Height: func(i int) int {
			if o.heading(i) != "" {
				return 2
			}
			return 1
		},
		Row: o.row,
	}
	seen := map[[2]string]bool{} // panes have their own commands of one id
	add := func(list []keys.Command, section string, rank int, show func()) {
		for i := range list {
			if is := [2]string{list[i].ID, list[i].Help}; !seen[is] {
				seen[is] = true
				o.entries = append(o.entries, entry{&list[i], section, rank, show})
			}
		}
	}
	if d := p.Window(); d != nil {
		add(d.Commands(), p.section(), 0, nil)
	} else {
		add(p.Screen.Focused().Commands(), p.section(), 0, nil)
		add(p.Screen.Commands(), Everywhere, 1, nil)
	}
	add(p.Own, Everywhere, 1, nil)
	add(p.Motions(), Everywhere, 1, nil)
	if p.Window() == nil {
		for _, at := range p.Screen.Routes() {
			for _, s := range at.Sections() {
				add(s.Commands, s.Name, 2, at.Show)
			}
		}
	}
	o.filter()
	return o
}

// commands are those of the window.
func (o *Palette) commands() []keys.Command {
	return []keys.Command{
		{ID: "dialog.accept", Keys: keys.On("enter"), Label: "run", Help: "Run or choose the selected entry", Footer: 10, Run: o.accept},
		{ID: "dialog.scope", Keys: keys.On("tab"), Label: "this pane only", Help: "List the commands of this pane only, or of all", Footer: 15, Run: func() { o.hereOnly = !o.hereOnly; o.filter() }},
	}
}

// filter finds the entries that match all words.
func (o *Palette) filter() {
	words := strings.Fields(strings.ToLower(o.input.Value()))
	o.shown = o.shown[:0]
	for i := range o.entries {
		e := &o.entries[i]
		if o.hereOnly && e.rank == 2 || slices.ContainsFunc(words, func(w string) bool { return !e.matches(&o.p.Keys, w) }) {
			continue
		}
		o.shown = append(o.shown, i)
	}
	if len(words) > 0 { // what is called so comes before what has the words in its help
		slices.SortStableFunc(o.shown, func(a, b int) int { return o.entries[a].score(words) - o.entries[b].score(words) })
	}
	if o.goesTo() != nil {
		o.shown = o.shown[:0]
	}
	o.list.Refresh()
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

// goesTo is where the words lead to; nil if they name no place.
func (o *Palette) goesTo() *Destination {
	named, ok := o.p.Screen.(goer)
	text := strings.TrimSpace(o.input.Value())
	if !ok || text == "" || o.inside {
		return nil
	}
	return named.Destination(text)
}

// accept closes the window and runs what is selected: in its pane, which gets the focus.
func (o *Palette) accept() {
	if to := o.goesTo(); to != nil {
		o.p.Close(o)
		to.Show()
		return
	}
	e := o.selected()
	if e == nil {
		return
	}
	o.p.Close(o)
	if e.Why() == "" && e.show != nil {
		e.show()
	}
	o.p.carryOut(e.Command)
}

// selected is the selected entry; nil without one.
func (o *Palette) selected() *entry {
	if i := o.list.Index(); i >= 0 {
		return &o.entries[o.shown[i]]
	}
	return nil
}

// Shown are the commands that match what was typed, in the order of the window.
func (o *Palette) Shown() (list []*keys.Command) {
	for _, i := range o.shown {
		list = append(list, o.entries[i].Command)
	}
	return list
}

// Commands implements [app.Pane].
func (o *Palette) Commands() []keys.Command { return o.own }

// Refresh implements [app.Pane].
func (o *Palette) Refresh(app.Tick) bool { return false }

// Size implements [app.Dialog].
func (o *Palette) Size(_ *app.Screen, w, h int) (int, int) { return min(w-4, 96), min(h-2, 26) }

// Motion implements [app.Pane]. Back clears the words first.
func (o *Palette) Motion(m keys.Motion) bool {
	if m == keys.Back && !o.input.Empty() {
		o.input.SetValue("")
		o.filter()
		return true
	}
	return keys.Scroll(&o.list, m)
}

// Key implements [app.Field].
func (o *Palette) Key(k tea.KeyPressMsg) bool {
	if opens := append(o.p.Keys.Of(o.p.Find("help")), o.p.Keys.Of(o.p.Find("commands"))...); slices.Contains(opens, k.String()) && (k.Text == "" || o.input.Empty()) {
		return o.p.Close(o) // a key that opens it
	}
	before := o.input.Version()
	taken := o.input.Key(k)
	if o.input.Version() != before {
		o.filter()
		o.list.First(0)
	}
	return taken
}

// Paste implements [app.Field].
func (o *Palette) Paste(text string) {
	o.input.Insert(text)
	o.filter()
}

// heading is what stands over an entry that begins a section; empty for the others.
func (o *Palette) heading(i int) string {
	e := &o.entries[o.shown[i]]
	if i > 0 {
		if before := &o.entries[o.shown[i-1]]; before.section == e.section && before.rank == e.rank {
			return ""
		}
	}
	return phrase.Capital(e.section)
}

// Paint implements [app.Pane].
func (o *Palette) Paint(c *app.Canvas, _ bool) {
	count := strconv.Itoa(len(o.shown)) + " of " + strconv.Itoa(len(o.entries))
	d := doc.On(c.Box([]paint.Span{{Style: c.Pal.TextBold, Text: "Commands"}}, []paint.Span{{Style: c.Pal.Muted, Text: count}}, true))
	d.Lines(1, func(r *paint.Row, _ int) {
		r.Put(d.Pal.Accent, d.Pal.Prompt+" ")
		text, x := o.input.Visible(d.W - 5)
		d.Field(o, r.Used()+x, 0)
		r.Put(d.Pal.Text, text)
		if text == "" {
			r.Put(d.Pal.Muted, "name, key, or what it does"+paint.If(o.inside, "", "; 120, 14:28:14 or +3s goes to a frame"))
		}
	})
	rule := func() { d.Add(1, func(int) { d.Rows(paint.Rule(d.Pal, d.W)) }) }
	rule()
	switch to := o.goesTo(); {
	case to != nil:
		d.Row(paint.Span{Style: d.Pal.Accent, Text: d.Pal.Bar + "  "}, paint.Span{Style: d.Pal.Strong, Text: to.Text})
		d.Fill()
	case len(o.shown) == 0:
		d.Row(paint.Span{Style: d.Pal.Muted, Text: "No command matches. " + o.p.Name("back") + " clears the words."})
		d.Fill()
	default:
		d.List(&o.list, o.accept)
	}
	rule()
	d.Lines(1, func(r *paint.Row, _ int) { o.describe(r) })
	d.Paint()
}

// row is an entry, under the heading of its section; one that does nothing now is dim.
func (o *Palette) row(r *paint.Row, p *paint.Palette, i, row int, selected bool) {
	e, w := &o.entries[o.shown[i]], r.Used()+r.Left()
	if heading := o.heading(i); heading != "" && row == 0 {
		r.Start(w, paint.Style{})
		r.Put(p.Muted, " "+heading)
		return
	}
	const idWidth, keyWidth = 22, 11
	text, id := p.Text, ""
	if w >= 80 {
		id = e.ID
	}
	if e.Why() != "" {
		text = p.Muted
	}
	if selected {
		text = p.Strong
	}
	r.Right(paint.Span{Text: "  "}, paint.Span{Style: p.AccentBold, Text: o.p.Keys.Name(e.Command, o.typing && e.rank < 2)}, paint.Span{Text: " "})
	r.Gap(2)
	r.Cell(text, e.Help, min(display.Width(e.Help), r.Left()-display.Width(id)-2)) // a long one moves the id
	r.Gap(2)
	if id != "" {
		r.To(w - idWidth - keyWidth - 1)
		r.Put(p.Muted, id)
	}
}

// describe says where the selected command works, or why it does nothing now.
func (o *Palette) describe(r *paint.Row) {
	e, pal := o.selected(), o.p.Pal
	if e == nil {
		return
	}
	var names []string
	for _, k := range o.p.Keys.Of(e.Command) {
		names = append(names, keys.KeyName(k))
	}
	if len(names) == 0 {
		names = []string{"none"}
	}
	r.Put(pal.Muted, "key ")
	r.Put(pal.Text, strings.Join(names, " or "))
	if why := e.Why(); why != "" {
		r.Gap(3)
		r.Put(pal.Warn, why)
		return
	}
	r.Put(pal.Muted, "   works ")
	r.Put(pal.Text, [...]string{"here", Everywhere, "in: " + e.section}[e.rank])
	r.Put(pal.Muted, "   id ")
	r.Put(pal.Text, e.ID)
}
