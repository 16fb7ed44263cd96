package dialog

import (
	"mcptea/internal/words/display"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
	"mcptea/ui/widget"
)

// Choose is a window with a list from which the user chooses one entry.
type Choose struct {
	Title, Text string
	Verb        string // label of the key that chooses
	Width       int    // width in cells, or 0 for the usual width
	Switches    bool   // entries are switches: each has a box instead of a dot
	Len         func() int
	Entry       func(i int) Entry
	// Accept acts on the chosen entry. The window is closed before, unless Stays returns true; a nil Stays
	// never does.
	Accept func(i int)
	Stays  func(i int) bool
	Remove func(i int) // deletes an entry, or nil if that is impossible
}

// An Entry is an entry of a list. Its texts may be untrusted.
type Entry struct {
	Key     string // unique
	Group   string // heading in the first column, shown if it differs from the previous one
	Name    string
	Summary string
	Current bool   // the entry is the current choice
	Note    string // text at the end of its row
}

type chooser struct {
	window
	Choose
	app     app.Program
	entries []Entry
	list    widget.Rows[int, string] // rows by the indices of the entries
}

// Open opens the window.
func (c Choose) Open(a app.Program) {
	o := &chooser{Choose: c, app: a}
	o.window = window{title: c.Title, width: c.Width, list: &o.list, compose: o.write}
	o.list.Init(func() int { return len(o.entries) }, func(i int) int { return i }, func(i int) string { return o.entries[i].Key },
		widget.Column[int]{Width: maxName, Cell: o.group},
		widget.Column[int]{Width: maxName, Cell: o.name},
		widget.Column[int]{Cell: func(i int, p *paint.Palette) []paint.Span {
			return []paint.Span{{Style: p.Muted, Text: o.entries[i].Summary}}
		}},
		widget.Column[int]{Right: true, Cell: func(i int, p *paint.Palette) []paint.Span {
			return []paint.Span{{Style: p.Value, Text: o.entries[i].Note}}
		}},
	)
	o.commands = []keys.Command{accept(c.Verb, o.accept)}
	if c.Switches {
		o.commands = append(o.commands, keys.Command{ID: "dialog.switch", Keys: keys.On("space"), Label: c.Verb, Help: "Switch the selected entry on or off", Run: o.accept})
	}
	if c.Remove != nil {
		o.commands = append(o.commands, keys.Command{ID: "remove", Keys: keys.On("alt+x"), Label: "delete", Help: "Delete the selected entry", Footer: 12, Run: o.remove})
	}
	o.load()
	o.list.SelectIndex(0)
	a.Open(o)
}

// load reads the entries again, since they may have changed.
func (o *chooser) load() {
	o.entries = make([]Entry, o.Len())
	for i := range o.entries {
		o.entries[i] = o.Entry(i)
	}
	o.list.Refresh()
}

func (o *chooser) accept() {
	i := o.list.Index()
	switch {
	case i < 0:
	case o.entries[i].Current && !o.Switches && o.Stays != nil && o.Stays(i):
		o.app.Say(display.Sanitize(o.entries[i].Name) + " is in force already.")
	case o.Stays != nil && o.Stays(i):
		o.Accept(i)
		o.load()
	default:
		o.app.Close(o)
		o.Accept(i)
	}
}

func (o *chooser) remove() {
	if i := o.list.Index(); i >= 0 {
		o.Remove(i)
		o.load()
	}
}

func (o *chooser) write(d *doc.Doc) {
	o.load()
	d.Text(d.Pal.Muted, o.Text, 4)
	d.Gap()
	d.List(&o.list, nil)
	hints := []doc.Key{{ID: "dialog.accept", Label: o.Verb}}
	if o.Remove != nil {
		hints = append(hints, doc.Key{ID: "remove", Label: "delete"})
	}
	d.Keys(1, append(hints, closes(o))...)
}

// maxName bounds the mark and the name of an entry, in cells.
const maxName = 26

// group returns the heading of an entry if it differs from the previous one.
func (o *chooser) group(i int, p *paint.Palette) []paint.Span {
	group := o.entries[i].Group
	if i > 0 && o.entries[i-1].Group == group {
		group = ""
	}
	return []paint.Span{{Style: p.Muted, Text: group}}
}

// name returns the name of an entry, after the mark of the current choice.
func (o *chooser) name(i int, p *paint.Palette) []paint.Span {
	e := &o.entries[i]
	mark := paint.Span{Style: p.OK, Text: " "}
	switch {
	case o.Switches && e.Current:
		mark = paint.Span{Style: p.WarnBold, Text: p.On}
	case o.Switches:
		mark = paint.Span{Style: p.Muted, Text: p.Off}
	case e.Current:
		mark.Text = p.Dot
	}
	mark.Text += " "
	return []paint.Span{mark, {Style: p.Text, Text: e.Name}}
}
