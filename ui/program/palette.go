package program

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcptea/internal/words/phrase"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
	"mcptea/ui/widget"
)

// palette opens the window.
func (p *Program) palette() { p.over(NewPalette(p)) }

// NewPalette returns the list of the entries that can be found now. It does not open it.
func NewPalette(p *Program) *Palette {
	o := &Palette{p: p, taken: p.taken(), inside: p.Window() != nil}
	o.screenCommands = o.commands()
	o.list.Init(o.rows, func(i int) int { return i }, func(i int) string { return o.found[i].key() },
		widget.Column[int]{Width: maxName, Cells: func() int { return max(o.names, leastName) }, Cell: o.name},
		widget.Column[int]{Cell: o.description},
		widget.Column[int]{Right: true, Cell: o.kind},
		widget.Column[int]{Right: true, Cell: func(i int, p *paint.Palette) []paint.Span {
			return []paint.Span{{Style: p.AccentBold, Text: o.keyOf(&o.found[i])}}
		}},
	)
	o.list.Sign = func(int, *paint.Palette) paint.Span { return paint.Span{Text: " "} }
	o.list.Above = o.heading
	o.list.Across = func(i int) func(r *paint.Row, p *paint.Palette, selected bool) {
		if o.folds() && i == o.rows()-1 {
			return o.folded
		}
		return nil
	}
	seen := map[[2]string]bool{} // panes have their own commands of one id
	add := func(list []keys.Command, section string, rank rank, show func()) {
		for i := range list {
			if is := [2]string{list[i].ID, list[i].Help}; !seen[is] {
				seen[is] = true
				o.entries = append(o.entries, entry{Command: &list[i], section: section, rank: rank, show: show})
			}
		}
	}
	if d := p.Window(); d != nil {
		add(d.Commands(), p.section(), here, nil)
	} else {
		add(p.Screen.Focused().Commands(), p.section(), here, nil)
		add(p.Screen.Commands(), Everywhere, everywhere, nil)
		add(p.others, Everywhere, everywhere, nil)
	}
	add(p.Own, Everywhere, everywhere, nil)
	add(p.Motions(), Everywhere, everywhere, nil)
	if p.Window() == nil {
		for _, at := range p.Screen.Routes() {
			for _, s := range at.Sections() {
				add(s.Commands, s.Name, elsewhere, at.Show)
			}
		}
		o.things = p.sources()
	}
	o.filter()
	return o
}

// commands returns the commands of the window.
func (o *Palette) commands() []keys.Command {
	return []keys.Command{
		{ID: "dialog.accept", Keys: keys.On("enter"), Label: "run or show", Help: "Run or choose the selected entry", Footer: 10, Run: o.accept},
	}
}

// accept closes the window and runs the selected command in its pane, which gets the focus.
func (o *Palette) accept() {
	e := o.selected()
	switch {
	case o.list.Index() < 0:
		return
	case e == nil:
		o.unfold = true
		return
	}
	o.p.Close(o)
	o.p.use(e.key())
	if e.Why() == "" && e.show != nil {
		e.show()
	}
	o.p.carryOut(e.Command)
}

// Shown returns the commands that match the typed text, in the order of the window. A command that leads to a
// thing has the kind of the thing as its id.
func (o *Palette) Shown() (list []*keys.Command) {
	for i := range o.found {
		list = append(list, o.found[i].Command)
	}
	return list
}

// Commands implements [app.Pane].
func (o *Palette) Commands() []keys.Command { return o.screenCommands }

// Refresh implements [app.Pane].
func (o *Palette) Refresh(app.Tick) bool { return false }

// Paint implements [app.Pane].
func (o *Palette) Paint(c *app.Canvas, _ bool) {
	count := phrase.Digits(len(o.found)) + paint.If(o.more, " found, and more", " found")
	d := doc.On(c.Box([]paint.Span{{Style: c.Pal.TextBold, Text: paint.If(o.inside, "Commands", "Find")}}, []paint.Span{{Style: c.Pal.Muted, Text: count}}, true))
	d.Lines(1, func(r *paint.Row, _ int) {
		r.Put(d.Pal.Accent, d.Pal.Prompt+" ")
		text, x := o.input.Visible(d.W - 5)
		d.Field(o, r.Used()+x, 0)
		r.Put(d.Pal.Text, text)
		if text == "" {
			_, places := o.p.Screen.(goer)
			r.Put(d.Pal.Muted, paint.If(places && !o.inside, "command, key, tool, resource, finding; #120, 14:28:14, +3s: a frame", "name, key, or what it does"))
		}
	})
	rule := func() { d.Add(1, func(int) { d.Rows(paint.Rule(d.Pal, d.W)) }) }
	rule()
	if len(o.found) == 0 {
		d.Row(paint.Span{Style: d.Pal.Muted, Text: "Nothing matches. " + keys.KeyName("ctrl+u") + " clears the words."})
		d.Fill()
	} else {
		d.List(&o.list, o.accept)
	}
	rule()
	d.Lines(1, func(r *paint.Row, _ int) { o.describe(r) })
	d.Paint()
}

// Motion implements [app.Pane]. Back closes the window, even if text was typed.
func (o *Palette) Motion(m keys.Motion) bool { return keys.Scroll(&o.list, m) }

// Key implements [app.Field]. A slash at the start begins a search, as in panes, and is not part of the words.
func (o *Palette) Key(k tea.KeyPressMsg) bool {
	if opens := append(o.p.Keys.Of(o.p.Find("help")), o.p.Keys.Of(o.p.Find("commands"))...); slices.Contains(opens, k.String()) && (k.Text == "" || o.input.Empty()) {
		return o.p.Close(o) // the key that opens the window also closes it
	}
	if k.Text == "/" && o.input.Empty() {
		return true
	}
	before := o.input.Version()
	taken := o.input.Key(k)
	if o.input.Version() != before {
		o.filter()
		o.list.SelectFirst(0)
	}
	return taken
}

// Paste implements [app.Field].
func (o *Palette) Paste(text string) {
	o.input.Insert(text)
	o.filter()
}
