// Package page implements a pane with a list, a filter, and the selected item in full. List and
// detail are side by side, or one above the other. On narrow screens, the detail has the page alone
// while it has the focus.
// Tests: ui/parts/page*_test.go
package page

import (
	"mcptea/record/filter"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
	"mcptea/ui/widget"
)

// A Spec describes the items of a page. Its functions must be cheap: they are called for the
// visible items, and for all items during a search.
type Spec[T any, K comparable] struct {
	Noun  string // noun for an item, as in "No task is selected."
	Title func() []paint.Span
	Note  func(pal *paint.Palette) []paint.Span
	Len   func() int
	At    func(i int) T
	Key   func(it T) K // identifies an item; the selection stays with the key
	// Parent returns the key of the item to select when an item no longer exists. If nil, the
	// neighbor is selected.
	Parent func(k K) K
	// Columns lists the cells of an item, after a sign that takes one cell. If nil, the list has no
	// signs. The list is first sorted by the column in Sorted; see [Page.Sort].
	Columns []widget.Column[T]
	Sign    func(it T, pal *paint.Palette) paint.Span
	Sorted  string
	// Across returns a function that writes the whole row of an item without columns, such as the
	// name of a group. It returns nil for an item with columns. Across may be nil if all items have
	// columns.
	Across func(it T) func(r *paint.Row, pal *paint.Palette, selected bool)
	// Height returns the number of rows of an item. If nil, the columns determine it. Above returns
	// a heading for a row above an item. Ruled reports whether there is a line under an item. Both
	// may be nil.
	Height func(it T) int
	Above  func(it T) string
	Ruled  func(it T) bool
	// Match returns a function that reports whether an item matches the words of the filter. It is
	// nil if the page has no filter. Items are examined within a time budget at each Refresh.
	Match func(words string) func(it T) bool
	// Passes replaces Match if the filter has a Language. It calls match for each frame of an item
	// and reports whether the item passes. Values returns the values of a property.
	Language filter.Language
	Passes   func(it T, match func(*filter.Frame) bool) bool
	Values   func(property string) []string
	// Rank replaces Match for a page with few items. It returns the items that pass, best first.
	// The best one is selected.
	Rank   func(words string) []int32
	Syntax string // syntax of the filter, shown while it is empty
	// Growing reports whether items are only appended, and only [Page.Forget] removes items. Then
	// the filter examines each item once. If the selected item does not pass, the next item that
	// passes is selected.
	Growing bool
	// If Follow is set, the newest item is selected until the user selects another one. Moving to the newest
	// item enables it again.
	Follow bool
	Empty  func(d *doc.Doc)
	Missed string // text that is added to the message that no item passes
	// Older returns a text that says where the items are that [Page.Forget] has dropped.
	Older func() string
	// Detail returns the pane that paints the selected item in full, with its box. The pane can
	// have the focus if it has commands.
	Detail func(it T) app.Pane
	// Needs returns the number of rows that the detail needs, with its border, at a width of w
	// cells. h is the maximum. Needs may be nil.
	Needs func(it T, s *app.Screen, w, h int) int
	Open  func(it T) // called after a click on the selected item
	Finds bool       // enter opens the selected item while the filter has the focus
	// Stay reports whether an item stays selected that the user did not select. Otherwise the first
	// item is selected until the user selects one.
	Stay func(it T) bool
	// Foot adds content under the list if there is room. It may be nil.
	Foot func(d *doc.Doc)
	// Heading reports whether an item is a heading, which is not selected first. It may be nil.
	Heading func(it T) bool
	Spaced  bool // an empty row between the items if all fit
	// Inner is the place of the detail's commands, if it has any.
	Inner  keys.Section
	Layout Layout
}

// Layout determines how list and detail share the width of the page.
type Layout struct {
	// Beside is the minimum width of the page at which the detail is next to the list.
	Beside int
	// Alone is the width of the page below which the focused detail takes the whole page.
	Alone int
	// Height is the maximum height of a list above its detail, in percent of the page. If 0, it is
	// a third. If the detail reports its needs, the list gets the rest.
	Height int
	// Fixed keeps the border at Height, whatever the detail needs.
	Fixed bool
	// Texts reports that the rows are sentences. A list next to its detail then gets half of the
	// width. If the page is higher than wide, the detail is below the list.
	Texts bool
}

// A Page is the pane. Set its Spec with Init.
type Page[T any, K comparable] struct {
	Spec[T, K]
	app.Place // place of the list

	list   widget.Rows[T, K]
	inside bool // the detail has the focus
	filter filtering[T, K]

	// The sizes below only grow while the size of the page stays the same, so that nothing moves
	// while the user reads. The columns of the list do the same.
	high   int // height of the detail under the list
	pageW  int // width of the page for which the sizes apply
	border border
	spin   int
}

// Init makes the page.
func (p *Page[T, K]) Init(s Spec[T, K]) {
	p.Spec = s
	p.filter.line.Language, p.filter.line.Values = s.Language, s.Values
	p.list.Init(p.len, p.at, s.Key, s.Columns...)
	p.list.Spaced, p.list.Sign, p.list.Sorted = s.Spaced, s.Sign, s.Sorted
	p.list.Across, p.list.Height, p.list.Above = s.Across, s.Height, s.Above
	p.list.Ruled = s.Ruled
	row := p.list.Items.Row
	p.list.Items.Row = func(r *paint.Row, pal *paint.Palette, i, line int, selected bool) {
		r.Find(p.filter.line.Marks())
		row(r, pal, i, line, selected)
	}
}

// Do returns a command for the selected item. The command is off if no item is selected, or if a
// function in off returns a reason.
func (p *Page[T, K]) Do(c keys.Command, run func(it T), off ...func(it T) string) keys.Command {
	c.Run = func() {
		if it, ok := p.Selected(); ok {
			run(it)
		}
	}
	c.Off = func() string {
		it, ok := p.Selected()
		if !ok {
			return "No " + p.Noun + " is selected."
		}
		return keys.First(it, off)
	}
	return c
}

// len returns the number of items that pass the filter, and at returns one of them.
func (p *Page[T, K]) len() int {
	if p.filter.match != nil {
		return len(p.filter.found.Passed)
	}
	return p.Len()
}

func (p *Page[T, K]) at(i int) T { return p.At(p.indexAt(i)) }

// indexAt returns the index among all items of a passing item.
func (p *Page[T, K]) indexAt(i int) int {
	if p.filter.match != nil {
		return int(p.filter.found.Passed[i])
	}
	return i
}

// Count returns the number of items that pass the filter.
func (p *Page[T, K]) Count() int { return p.len() }

// Selected returns the selected item.
func (p *Page[T, K]) Selected() (it T, ok bool) {
	if i := p.list.Index(); i >= 0 {
		return p.at(i), true
	}
	return it, false
}

// Select selects the item with a key, on behalf of the user.
func (p *Page[T, K]) Select(k K) bool {
	p.filter.wants = false
	p.list.Pin(true)
	return p.list.Select(k)
}

// Seek selects the next item for which is returns true, or the previous one if step is -1. It wraps
// around. It returns false if there is none.
func (p *Page[T, K]) Seek(step int, is func(it T) bool) bool {
	n := p.len()
	for k := 1; k < n; k++ {
		if it := p.at(((p.list.Index()+k*step)%n + n) % n); is(it) {
			return p.Select(p.Key(it))
		}
	}
	return false
}

// Keep keeps the selected item selected when items change, as if the user had selected it.
// [Page.Free] ends this.
func (p *Page[T, K]) Keep() { p.list.Pin(true) }

// Free ends [Page.Keep] and the selection by the user. The page may then select another item, such
// as the newest one.
func (p *Page[T, K]) Free() { p.list.Pin(false) }

// Inside reports whether the detail has the focus.
func (p *Page[T, K]) Inside() bool { return p.inside }

// Enter moves the focus to the detail, if the detail can have it.
func (p *Page[T, K]) Enter() {
	if d := p.current(); d != nil && len(d.Commands()) > 0 {
		p.inside = true
	}
}

// Leave moves the focus back to the list.
func (p *Page[T, K]) Leave() { p.inside = false }

// current returns the detail of the selected item, or nil.
func (p *Page[T, K]) current() app.Pane {
	if it, ok := p.Selected(); ok && p.Detail != nil {
		return p.Detail(it)
	}
	return nil
}

// Commands implements [app.Pane].
func (p *Page[T, K]) Commands() []keys.Command {
	if d := p.current(); p.inside && d != nil {
		return d.Commands()
	}
	return p.Own
}

// Neighbor implements [app.Neighbored]. It returns the commands of the detail while the list has
// the focus.
func (p *Page[T, K]) Neighbor() []keys.Command {
	if d := p.current(); d != nil && !p.inside {
		return d.Commands()
	}
	return nil
}

// Sections implements [app.Part].
func (p *Page[T, K]) Sections() []keys.Section {
	if p.Inner.Name == "" {
		return p.Place.Sections()
	}
	return append(p.Place.Sections(), p.Inner)
}

// Section implements [app.Part].
func (p *Page[T, K]) Section() string {
	if p.inside && p.Inner.Name != "" {
		return p.Inner.Name
	}
	return p.Name
}

// Changed filters the items again and finds the selected one. The caller must call it after items
// have changed.
func (p *Page[T, K]) Changed() {
	k, had := p.list.Key()
	pinned := p.list.Pinned()
	if p.filter.match != nil && !p.Growing {
		p.filter.again(k, had && pinned && p.Rank == nil)
	}
	p.scan()
	found := p.list.Refresh()
	switch it, ok := p.Selected(); {
	case !ok:
		p.inside = false
	case p.Follow:
		p.follow(pinned && !found)
	case !found && had && (pinned || p.inside) && p.Parent != nil && p.list.Select(p.Parent(k)):
		p.list.Pin(true)
	case !found:
		p.inside = false
		if !pinned {
			p.selectFirst()
		}
	case !pinned && !p.inside && (p.Stay == nil || !p.Stay(it)):
		p.selectFirst()
	}
}

// selectFirst selects the first item that is not a heading, unless the user has selected one.
func (p *Page[T, K]) selectFirst() {
	first := 0
	for i := range p.len() {
		if p.Heading == nil || !p.Heading(p.at(i)) {
			first = i
			break
		}
	}
	p.list.SelectFirst(first)
}

// Refresh implements [app.Pane]. The pane that contains the page calls Changed first.
func (p *Page[T, K]) Refresh(t app.Tick) (busy bool) {
	p.spin = t.Spin
	busy = p.count()
	if p.Growing && p.filter.match != nil || p.filter.found.Next < p.filter.end {
		busy = p.scan() || busy
		p.list.Refresh()
		p.follow(false)
	}
	if d := p.current(); d != nil {
		busy = d.Refresh(t) || busy
	}
	return busy
}

// Motion implements [app.Pane].
func (p *Page[T, K]) Motion(m keys.Motion) bool {
	d := p.current()
	switch {
	case p.inside && d != nil && d.Motion(m):
	case p.inside && (m == keys.Back || m == keys.Previous):
		p.inside = false
	case m == keys.Next && !p.inside && d != nil && len(d.Commands()) > 0:
		p.inside = true
	case m == keys.Back:
		return p.ClearFilter()
	case m == keys.Next || m == keys.Previous || p.inside || !keys.Scroll(&p.list, m):
		return false
	default:
		p.moved()
	}
	return true
}

// beside reports whether the detail is next to the list.
func (l *Layout) beside(w, h int) bool { return w >= l.Beside && !(l.Texts && 3*h > w) }

// listRows returns the number of rows that the list needs, with its border, up to about h.
func (p *Page[T, K]) listRows(h int) int {
	rows := 2 + p.filter.rows(p, h) + p.list.Rows(h)
	if p.list.Named() {
		rows++
	}
	return rows
}

// Wants returns the number of rows that the list needs in w cells, at most h. If Needs is set, it
// includes the detail.
func (p *Page[T, K]) Wants(s *app.Screen, w, h int) (rows int) {
	p.list.MeasureNear(s.Pal, h)
	rows = p.listRows(h)
	l := &p.Layout
	it, ok := p.Selected()
	switch {
	case !ok || p.Needs == nil:
		return rows
	case w < l.Alone && p.inside:
		return p.Needs(it, s, w, h)
	case !l.beside(w, h):
		return rows + p.Needs(it, s, w, h)
	}
	return max(rows, p.Needs(it, s, w-p.Layout.listWidth(w), h))
}
