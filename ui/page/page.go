// Package page is a pane with a list, a filter and the selected item in full: side by
// side, one over the other, or on narrow screens the detail alone while it has the focus.
//
// Tests: ui/parts/page*_test.go
package page

import (
	"mcptea/session/record/filter"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
	"mcptea/ui/widget"
)

// Spec is what a page needs to know of its items. The functions must be cheap: they are
// called for the items in sight, for all of them only while one is looked for.
type Spec[T any, K comparable] struct {
	Noun  string // what an item is, for "No task is selected."
	Title func() []paint.Span
	Note  func(pal *paint.Palette) []paint.Span
	Len   func() int
	At    func(i int) T
	Key   func(it T) K // the selection follows the key
	// Parent is the key that is selected in the place of one that is gone; nil for the
	// neighbor.
	Parent func(k K) K
	// Columns are the cells of an item, after a sign of one cell; nil is a list without signs. The list is
	// sorted by the column that Sorted names at first, see [Page.Sort].
	Columns []widget.Column[T]
	Sign    func(it T, pal *paint.Palette) paint.Span
	Sorted  string
	// Across returns what writes the row of an item that has no columns, such as the name of a group; it is
	// nil for the others, and for a list of which all items have columns.
	Across func(it T) func(r *paint.Row, pal *paint.Palette, selected bool)
	// Height is the number of rows of cells of an item; nil is what the columns say. Above is a heading in a
	// row over an item, Ruled reports an item with a line under it; both may be nil.
	Height func(it T) int
	Above  func(it T) string
	Ruled  func(it T) bool
	// Match compiles the words of the filter; nil for a page without one. Items are
	// looked at within a budget of time at each Refresh.
	Match func(words string) func(it T) bool
	// Passes reports whether a filter in the Language matches an item, in the place of Match:
	// match does for what the item has to be asked about. Values are those that properties
	// have.
	Language filter.Language
	Passes   func(it T, match func(*filter.Frame) bool) bool
	Values   func(property string) []string
	// Rank lists the items that pass, best first, in the place of Match: for a page whose
	// items are few and have names. The best one is selected.
	Rank   func(words string) []int32
	Syntax string // what the filter understands, shown before words are typed
	// Growing says that items only come at the end, and go only by [Page.Forget]: the filter
	// looks at each once, and in the place of an item that does not pass the next one that
	// passes is selected.
	Growing bool
	// Follow has the newest item selected until the user selects another one, and again from
	// when the user moves to the newest one.
	Follow bool
	Empty  func(d *doc.Doc)
	Missed string // what is said beside that no item matches the filter
	// Older says where items that [Page.Forget] has dropped are found.
	Older func() string
	// Detail paints the selected item in full, its box too. It can have the focus when it
	// has commands.
	Detail func(it T) app.Pane
	// Needs is how many rows the detail wants of h, border included, at a width of w cells;
	// nil is one that does not say so.
	Needs func(it T, s *app.Screen, w, h int) int
	Open  func(it T) // a click on the selected item
	Finds bool       // enter in the filter opens the selected item
	// Stay keeps an item selected that the user did not select. Otherwise the first one is
	// selected until the user has selected one.
	Stay func(it T) bool
	// Foot adds what is shown under the list where there is room for it; nil for nothing.
	Foot func(d *doc.Doc)
	// Heading reports an item that is not the first one to be selected; nil for none.
	Heading func(it T) bool
	Spaced  bool // an empty row between the items where all of them fit
	// Inner are the commands of the detail, where it has some: those of a place of its own.
	Inner  keys.Section
	Layout Layout
}

// Layout says how list and detail share the width of the page.
type Layout struct {
	// Beside is the width from which the detail is beside the list.
	Beside int
	// Alone is the width below which the detail has the page alone while it has the
	// focus.
	Alone int
	// Height is the share of the height, in percent, that the list takes at most above
	// the detail; 0 is a third. A detail that says what it needs leaves the list the rest.
	Height int
	// Fixed says that the border over the detail is where Height has it, whatever the detail needs.
	Fixed bool
	// Texts says that the rows are sentences: the list has half of the width beside its detail, and on a page rather high
	// than wide the detail is under it.
	Texts bool
}

// Page is the pane. Set its Spec with Init.
type Page[T any, K comparable] struct {
	Spec[T, K]
	app.Place // of the list

	list   widget.Rows[T, K]
	inside bool // the detail has the focus
	filter filtering[T, K]

	// What is wanted only grows while the size stays, so that nothing moves while it is read: of the columns of the
	// list, too.
	high   int // of the detail under the list
	pageW  int // the width of the page that they are of
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
	p.list.Ruled = func(it T) bool { return p.Ruled != nil && !p.Filtering() && p.Ruled(it) }
	row := p.list.Items.Row
	p.list.Items.Row = func(r *paint.Row, pal *paint.Palette, i, line int, selected bool) {
		r.Find(p.filter.line.Marks())
		row(r, pal, i, line, selected)
	}
}

// Do makes a command about the selected item: it is off without one, or when off says so.
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

// len and at are those of the items that pass the filter.
func (p *Page[T, K]) len() int {
	if p.filter.match != nil {
		return len(p.filter.found.Passed)
	}
	return p.Len()
}

func (p *Page[T, K]) at(i int) T { return p.At(p.indexAt(i)) }

// indexAt is the index among all items of one that passes the filter.
func (p *Page[T, K]) indexAt(i int) int {
	if p.filter.match != nil {
		return int(p.filter.found.Passed[i])
	}
	return i
}

// Count is the number of items that pass the filter.
func (p *Page[T, K]) Count() int { return p.len() }

// Selected is the item under the cursor.
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

// Seek selects the next item for which is reports true: after the selected one with the step 1, before it with -1.
// After the last item it goes on at the first one. It reports false if there is no other one.
func (p *Page[T, K]) Seek(step int, is func(it T) bool) bool {
	n := p.len()
	for k := 1; k < n; k++ {
		if it := p.at(((p.list.Index()+k*step)%n + n) % n); is(it) {
			return p.Select(p.Key(it))
		}
	}
	return false
}

// Keep has the selected item stay selected when items change, as if the user had selected it. [Page.Free] ends that.
func (p *Page[T, K]) Keep() { p.list.Pin(true) }

// Free lets the page select another item than the one that the user has selected, such as the newest one.
func (p *Page[T, K]) Free() { p.list.Pin(false) }

// Inside reports whether the detail has the focus.
func (p *Page[T, K]) Inside() bool { return p.inside }

// Enter moves the focus into the detail, if that can have it.
func (p *Page[T, K]) Enter() {
	if d := p.current(); d != nil && len(d.Commands()) > 0 {
		p.inside = true
	}
}

// Leave moves the focus back to the list.
func (p *Page[T, K]) Leave() { p.inside = false }

// current is the detail of the selected item; nil without one.
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

// Neighbor implements [app.Neighbored]: the commands of the detail, while the list has the focus.
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

// Changed tells the page that its items have changed: it compares them with the filter again, and finds the selected one.
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

// selectFirst selects the first item that is no heading, as long as the user has selected
// none.
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

// Refresh implements [app.Pane]. The pane around it calls Changed first.
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

// beside reports whether the detail is beside the list.
func (l *Layout) beside(w, h int) bool { return w >= l.Beside && !(l.Texts && 3*h > w) }

// listRows is how many rows the list wants with its border, at most about so many.
func (p *Page[T, K]) listRows(h int) int {
	rows := 2 + p.filter.rows(p, h) + p.list.Rows(h)
	if p.list.Named() {
		rows++
	}
	return rows
}

// Wants returns the number of rows, at most h, that the list needs in w cells, and the detail if Needs is set.
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
