package start

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/widget/input"
	"mcptea/ui/widget/masterdetail"
)

// Pane is the list of what can be opened, with its line. It is not safe for concurrent
// use.
type Pane struct {
	input  input.Input
	groups []Group // the first has the entry of the typed line
	list   masterdetail.List[string]
	lines  []line
	read   map[int]bool // the groups that were set; nothing is selected before all were

	// typed is the text whose meaning is in the first group. A line is opened only when
	// that is the text in the field: waiting says that the user has asked for it before.
	typed   string
	waiting bool

	// whole shows the selected entry alone, because its command did not fit; top is its
	// first visible row.
	whole bool
	top   int
	cut   bool // the command did not fit in the last painting

	nameWidth, whereWidth int // of the columns, at the last painting
	listAt, detailAt      masterdetail.Rect
	cursor                [2]int
}

// line is a row of the list: the title of a group, or an entry of it.
type line struct {
	group *Group
	entry *Entry // nil for the title
}

// New returns a pane with room for n groups, which are set by [Pane.SetGroup].
func New(n int) *Pane {
	p := &Pane{groups: make([]Group, n+1), read: map[int]bool{}}
	p.groups[0].Title = "Typed"
	p.list.Items = masterdetail.Items[string]{Len: func() int { return len(p.lines) }, Key: p.key, Row: p.row}
	return p
}

func (p *Pane) key(i int) string {
	l := p.lines[i]
	if l.entry == nil {
		return l.group.Title
	}
	return l.group.Title + "\x00" + l.entry.Key
}

// SetGroup replaces a group; the first is 0. The selection stays.
func (p *Pane) SetGroup(i int, g Group) {
	p.groups[i+1], p.read[i] = g, true
	p.filter()
	if !p.list.Refresh() || !p.list.Pinned() && len(p.read) == len(p.groups)-1 {
		p.selectFirst()
	}
}

// Text is the line in the field.
func (p *Pane) Text() string { return strings.TrimSpace(p.input.Value()) }

// SetTyped sets what a typed line opens; nil if it is no target. It returns the action
// for which the user has waited.
func (p *Pane) SetTyped(text string, e *Entry) action.Action {
	if text != p.Text() {
		return nil // the line has changed since
	}
	p.typed, p.groups[0].Entries = text, nil
	if e != nil {
		p.groups[0].Entries = []Entry{*e}
	}
	p.filter()
	p.selectFirst()
	if p.waiting {
		return p.open()
	}
	return nil
}

// filter lists the groups and entries that contain the words of the line. What the line
// itself opens is listed if it can be opened, or if nothing else matches.
func (p *Pane) filter() {
	p.lines = p.lines[:0]
	words := strings.Fields(strings.ToLower(p.Text()))
	for i := range p.groups[1:] {
		g := &p.groups[i+1]
		title := true
		for j := range g.Entries {
			e := &g.Entries[j]
			if !e.matches(g.Title, words) {
				continue
			}
			if title {
				p.lines = append(p.lines, line{group: g})
				title = false
			}
			p.lines = append(p.lines, line{g, e})
		}
	}
	typed := &p.groups[0]
	if len(typed.Entries) == 0 || typed.Entries[0].Args == nil && len(p.lines) > 0 {
		return
	}
	lines := []line{{group: typed}, {typed, &typed.Entries[0]}}
	if strings.ContainsAny(p.Text(), " /:") {
		p.lines = append(lines, p.lines...)
		return
	}
	p.lines = append(p.lines, lines...) // a single word is a word to look for
}

// selectFirst selects the first entry, when all are known.
func (p *Pane) selectFirst() {
	p.toTop(0)
	p.list.Pin(false)
	if len(p.read) == len(p.groups)-1 || p.Text() != "" {
		p.skipTitle(1)
	}
	p.whole = false
}

// toTop selects a line near the first, and scrolls to the first.
func (p *Pane) toTop(i int) {
	p.list.Scroll(-len(p.lines))
	p.list.SelectIndex(i)
}

// skipTitle moves the cursor from the title of a group to an entry beside it.
func (p *Pane) skipTitle(step int) {
	at := p.list.Index()
	if at < 0 || p.lines[at].entry != nil {
		return
	}
	if at+step < 0 || at+step >= len(p.lines) {
		step = -step
	}
	p.list.SelectIndex(at + step)
}

func (p *Pane) selected() *Entry {
	if i := p.list.Index(); i >= 0 {
		return p.lines[i].entry
	}
	return nil
}

// Context is the context of its commands.
func (p *Pane) Context() command.Context { return command.Start }

// Typing is always true: the line has the keys that are text.
func (p *Pane) Typing() bool { return true }

// Type takes a key that edits the line.
func (p *Pane) Type(k tea.KeyPressMsg) bool {
	before := p.input.Version()
	if !p.input.Key(k) {
		return false
	}
	p.edited(before)
	return true
}

// Paste inserts text into the line.
func (p *Pane) Paste(text string) {
	before := p.input.Version()
	p.input.Insert(text)
	p.edited(before)
}

func (p *Pane) edited(before int) {
	p.waiting = false
	if p.input.Version() == before {
		return
	}
	p.groups[0].Entries = nil // of the text before
	if p.Text() == "" {
		p.typed = ""
	}
	p.filter()
	p.list.Refresh()
	p.selectFirst()
}

// Do carries out a command.
func (p *Pane) Do(id command.ID) action.Action {
	e := p.selected()
	switch id {
	case command.OpenTarget:
		return p.open()
	case command.ClearLine:
		if p.whole {
			p.whole = false
			return nil
		}
		before := p.input.Version()
		p.input.SetValue("")
		p.edited(before)
	case command.ShowWhole:
		p.whole, p.top = !p.whole && e != nil, 0
	case command.EditConfiguration:
		if e == nil || e.File == "" {
			return action.Flash{Text: "This entry is not in a configuration file."}
		}
		return action.OpenFile{Path: e.File, Line: e.Line}
	case command.RecordWithTap:
		if e == nil || e.Tap == nil {
			return action.Flash{Text: "This entry cannot be recorded with a tap."}
		}
		return action.RunArguments{Args: e.Tap}
	case command.CopyCommand:
		if e == nil || e.Command == "" {
			return action.Flash{Text: "This entry has no command."}
		}
		return action.Copy{Text: e.Command, What: "command"}
	default:
		p.move(id)
	}
	return nil
}

func (p *Pane) move(id command.ID) {
	if p.whole {
		by, _ := command.Steps(id, max(p.detailAt.H-1, 1), max(p.detailAt.H/2, 1), 1<<20)
		p.top += by
		return
	}
	step := 1
	if id == command.Up || id == command.PageUp {
		step = -1
	}
	if command.ApplyScroll(&p.list, id) {
		p.skipTitle(step)
		if p.list.Index() == 1 {
			p.toTop(1) // with the title of its group
		}
	}
}

// open returns the arguments that open the selected entry. An entry whose command does
// not fit is shown whole first.
func (p *Pane) open() action.Action {
	if p.Text() != p.typed {
		p.waiting = true // what the line means is not known yet
		return nil
	}
	p.waiting = false
	e := p.selected()
	switch {
	case e == nil:
		return action.Flash{Text: "Nothing is selected."}
	case e.Args == nil && len(e.Problems) > 0:
		return action.Flash{Text: "It cannot be opened: " + e.Problems[0].Text, Wrong: true}
	case e.Args == nil:
		return action.Flash{Text: "It cannot be opened.", Wrong: true}
	case p.cut && !p.whole:
		p.whole, p.top = true, 0
		return nil
	}
	return action.RunArguments{Args: e.Args, Dir: e.Dir}
}

// Click selects the entry at a cell, and opens the one that was selected before.
func (p *Pane) Click(x, y int) action.Action {
	if !p.listAt.Has(x, y) {
		return nil
	}
	before := p.list.Index()
	hit, again := p.list.Click(y - p.listAt.Y)
	switch {
	case !hit:
	case p.selected() == nil:
		p.list.SelectIndex(before)
	case again:
		return p.open()
	}
	return nil
}

// Scroll moves the selection, or the entry that is shown whole.
func (p *Pane) Scroll(n int) {
	id := command.Down
	if n < 0 {
		id = command.Up
	}
	for range max(n, -n) {
		p.move(id)
	}
}

// Cursor is the cell of the text cursor in the last painting.
func (p *Pane) Cursor() (x, y int, ok bool) { return p.cursor[0], p.cursor[1], true }
