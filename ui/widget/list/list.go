package list

import (
	"github.com/sahilm/fuzzy"

	"mcptea/ui/paint"
	"mcptea/ui/widget/input"
)

// Item is one row. Name and Note need not be trusted.
type Item struct {
	Key   string // unique; "" means the name is the key
	Name  string
	Note  string // flush right
	Style paint.Style
	// NoteStyle is muted when it is the zero Style.
	NoteStyle paint.Style
}

func (it *Item) key() string {
	if it.Key != "" {
		return it.Key
	}
	return it.Name
}

// List is a window on items. The zero List is empty. It is not safe for
// concurrent use.
type List struct {
	// Empty is what shows when there is nothing: what to do next. Trusted.
	Empty string

	items  []Item
	shown  []int   // indexes of the items that pass the filter, best first
	hits   [][]int // for each of them, the bytes of the name that matched
	cursor int     // within shown
	top    int
	height int  // rows for items at the last painting
	bar    bool // the filter row was painted

	filter input.Filter
}

// SetItems replaces the items. The selection stays with its key; when that is
// gone, the cursor stays at its place. The list keeps the slice.
func (l *List) SetItems(items []Item) {
	key, had := "", false
	if it, ok := l.Selected(); ok {
		key, had = it.key(), true
	}
	l.items = items
	place := l.cursor
	l.refilter()
	l.cursor = min(place, max(len(l.shown)-1, 0))
	if had {
		l.Select(key)
	}
}

// Len is the number of items; Shown how many of them pass the filter.
func (l *List) Len() int { return len(l.items) }

// Shown is the number of items that pass the filter.
func (l *List) Shown() int { return len(l.shown) }

// Selected gives the item under the cursor.
func (l *List) Selected() (Item, bool) {
	if l.cursor >= len(l.shown) {
		return Item{}, false
	}
	return l.items[l.shown[l.cursor]], true
}

// SelectedIndex gives the place of the selected item among all items, or -1.
func (l *List) SelectedIndex() int {
	if l.cursor >= len(l.shown) {
		return -1
	}
	return l.shown[l.cursor]
}

// Select moves to the item with a key; false when it is not shown.
func (l *List) Select(key string) bool {
	for i, n := range l.shown {
		if l.items[n].key() == key {
			l.cursor = i
			return true
		}
	}
	return false
}

// Filter gives the text of the filter.
func (l *List) Filter() string { return l.filter.Value() }

// SetFilter sets the text of the filter; "" shows everything.
func (l *List) SetFilter(s string) {
	l.filter.SetValue(s)
	l.applyFilter()
}

func (l *List) applyFilter() {
	it, had := l.Selected()
	l.refilter()
	l.cursor = 0
	// Without a filter the selection stays; with one the best hit is wanted.
	if had && l.filter.Empty() {
		l.Select(it.key())
	}
}

type names []Item

func (n names) String(i int) string { return n[i].Name }
func (n names) Len() int            { return len(n) }

func (l *List) refilter() {
	l.shown, l.hits = l.shown[:0], l.hits[:0]
	if l.filter.Empty() {
		for i := range l.items {
			l.shown = append(l.shown, i)
		}
		return
	}
	for _, m := range fuzzy.FindFrom(l.filter.Value(), names(l.items)) {
		l.shown = append(l.shown, m.Index)
		l.hits = append(l.hits, m.MatchedIndexes)
	}
}

// Move moves the cursor by n items.
func (l *List) Move(n int) {
	l.cursor = min(max(l.cursor+n, 0), max(len(l.shown)-1, 0))
}

// Page moves the cursor by n screens.
func (l *List) Page(n int) { l.Move(n * max(l.height-1, 1)) }

// HalfPage moves the cursor by n half screens.
func (l *List) HalfPage(n int) { l.Move(n * max(l.height/2, 1)) }

// Home moves to the first item.
func (l *List) Home() { l.cursor = 0 }

// End moves to the last item.
func (l *List) End() { l.Move(len(l.shown)) }

// Scroll moves the window by n items and keeps the cursor inside.
func (l *List) Scroll(n int) {
	l.top = min(max(l.top+n, 0), max(len(l.shown)-l.height, 0))
	l.cursor = min(max(l.cursor, l.top), max(l.top+l.height-1, 0))
	l.Move(0)
}

// Click moves to the item painted in a row, counted from 0. It tells whether
// there is one; a click on the filter row starts to type into it.
func (l *List) Click(row int) bool {
	if l.bar {
		if row == 0 {
			l.filter.Open()
			return false
		}
		row--
	}
	n := l.top + row
	if row < 0 || n >= len(l.shown) {
		return false
	}
	l.cursor = n
	return true
}
