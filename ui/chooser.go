package ui

import (
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/widget/masterdetail"
)

// chooser is a window with a list of which one entry is chosen.
type chooser struct {
	title, text string
	verb        string // of the key that chooses
	load        func() []chooserEntry
	// choose returns what choosing an entry does, and whether the window stays.
	choose func(i int) (do action.Action, stay bool)
	remove func(i int) // deletes an entry; nil when that is not possible

	entries []chooserEntry
	list    masterdetail.List[string]
	top     int // row of the list in the window
}

// chooserEntry is an entry of a chooser. Its texts are untrusted.
type chooserEntry struct {
	key     string // unique
	group   string // a heading in the first column, shown where it changes
	name    string
	summary string
	current bool // it is in force
}

var _ worker = (*chooser)(nil)

// open loads the entries and selects the first one that is in force.
func (o *chooser) open() *chooser {
	o.list.Items = masterdetail.Items[string]{
		Len: func() int { return len(o.entries) },
		Key: func(i int) string { return o.entries[i].key },
		Row: o.row,
	}
	o.entries = o.load()
	o.list.Refresh()
	o.list.SelectIndex(0)
	return o
}

func (o *chooser) row(r *paint.Row, p *paint.Palette, i, _ int, selected bool) {
	e := o.entries[i]
	groups, names := 0, 8
	for _, e := range o.entries {
		groups = max(groups, paint.Width(e.group))
		names = max(names, min(paint.Width(paint.Sanitize(e.name)), 24))
	}
	if groups > 0 {
		group := e.group
		if i > 0 && o.entries[i-1].group == group {
			group = ""
		}
		r.Cell(p.Muted, group, groups+2)
	}
	mark, st := " ", p.Text
	if e.current {
		mark = p.Dot
	}
	if selected {
		st = p.Strong
	}
	r.Put(p.OK, mark+" ")
	r.Cell(st, e.name, names)
	r.Gap(2)
	r.Put(p.Muted, e.summary)
}

func (o *chooser) size(w, h int) (int, int) {
	w = min(w-4, 96)
	return w, min(h-2, len(paint.Wrap(o.text, max(1, w-4)))+max(len(o.entries), 1)+4)
}

func (o *chooser) scroll(n int)                { o.list.Move(n) }
func (o *chooser) close()                      {}
func (o *chooser) cursor() (x, y int, ok bool) { return 0, 0, false }
func (o *chooser) refresh(time.Time, int) bool { return false }

var _ clicker = (*chooser)(nil)

func (o *chooser) click(_, y int) (*command.Command, bool) {
	o.list.Click(y - o.top)
	return nil, false
}

func (o *chooser) key(k tea.KeyPressMsg) (*command.Command, bool) {
	c, _ := command.Lookup(command.Dialog, k.String())
	return nil, c.ID == command.Dismiss
}

// do implements [worker].
func (o *chooser) do(k tea.KeyPressMsg) (action.Action, bool) {
	c, _ := command.Lookup(command.Dialog, k.String())
	i := o.list.Index()
	remove, _ := command.In(command.Dialog, command.RemoveEntry)
	switch {
	case key.Matches(k, remove.Binding) && o.remove != nil && i >= 0:
		o.remove(i)
	case c.ID == command.Accept && i >= 0:
		a, stay := o.choose(i)
		if !stay {
			return action.Accepted{Action: a}, true
		}
		o.entries = o.load()
		return a, true
	case c.Context != command.Dialog || !command.ApplyScroll(&o.list, c.ID):
		return nil, false
	}
	o.entries = o.load()
	o.list.Refresh()
	return nil, true
}

func (o *chooser) paint(p *paint.Palette, w, h int) []string {
	o.entries = o.load() // it may have changed since
	s := paint.NewSheet(p, w-2, h-2)
	s.Text(p.Muted, o.text, 4)
	s.Blank()
	o.top = 1 + len(s.Rows)
	s.Rows = append(s.Rows, o.list.Paint(p, w-2, max(s.Left()-1, 0), true)...)
	for s.Left() > 1 {
		s.Blank()
	}
	hints := []paint.Hint{{Key: command.KeyIn(command.Dialog, command.Accept, true), Label: o.verb}}
	if o.remove != nil {
		hints = append(hints, paint.Hint{Key: command.KeyIn(command.Dialog, command.RemoveEntry, true), Label: "delete"})
	}
	s.Hints(1, append(hints, paint.Hint{Key: command.KeyOf(command.Dismiss), Label: "close"})...)
	return paint.Box(p, w, h, true, []paint.Span{{Style: p.TextBold, Text: o.title}}, nil, s.Rows)
}
