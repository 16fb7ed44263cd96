package list

import (
	"slices"

	"github.com/sahilm/fuzzy"

	"mcptea/ui/paint"
	"mcptea/ui/widget/input"
	"mcptea/ui/widget/masterdetail"
)

// Item is one row. Name and Note are untrusted.
type Item struct {
	Key  string // unique; "" means the name is the key
	Name string
	Note string // flush right
	// Sign is a mark of one cell before the name; trusted. Where one of the items has
	// one, all names are indented.
	Sign      string
	SignStyle paint.Style
	Last      bool // a line follows the item
	Style     paint.Style
	// NoteStyle is muted when it is the zero Style.
	NoteStyle paint.Style
}

func (it *Item) key() string {
	if it.Key != "" {
		return it.Key
	}
	return it.Name
}

// rows are the rows of the items that pass the filter.
type rows = masterdetail.List[string]

// List is a list of names with a filter. Call SetItems first. It is not safe for
// concurrent use.
type List struct {
	rows
	// Empty is shown without items: what to do next. Trusted.
	Empty string

	items []Item
	signs bool    // an item has a sign
	shown []int   // indexes of the items that pass the filter, best first
	hits  [][]int // for each of them, the bytes of the name that matched
	bar   bool    // the filter row was painted

	filter input.Filter
}

// SetItems replaces the items. The selection stays with its key; when that is
// gone, the cursor stays at its place. The list keeps the slice.
func (l *List) SetItems(items []Item) {
	l.items = items
	l.signs = slices.ContainsFunc(items, func(it Item) bool { return it.Sign != "" })
	l.Items = masterdetail.Items[string]{
		Len: func() int { return len(l.shown) },
		Key: func(i int) string { return l.items[l.shown[i]].key() },
		Row: l.itemRow,
	}
	if l.signs {
		l.Items.Height = l.itemHeight
	}
	l.refilter()
	l.Refresh()
}

// Selected returns the item under the cursor.
func (l *List) Selected() (Item, bool) {
	i := l.SelectedIndex()
	if i < 0 {
		return Item{}, false
	}
	return l.items[i], true
}

// SelectedIndex is the index of the selected item among all items, or -1.
func (l *List) SelectedIndex() int {
	if len(l.shown) == 0 {
		return -1
	}
	return l.shown[l.Index()]
}

// Filter is the text of the filter.
func (l *List) Filter() string { return l.filter.Value() }

// SetFilter sets the text of the filter; "" shows all items.
func (l *List) SetFilter(s string) {
	l.filter.SetValue(s)
	l.applyFilter()
}

// applyFilter selects the best match. Without a filter the selection stays.
func (l *List) applyFilter() {
	l.refilter()
	if !l.Refresh() || !l.filter.Empty() {
		l.SelectIndex(0)
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

// Click selects the item painted in a row, counted from 0. It reports whether there
// is one; a click on the filter row opens the filter.
func (l *List) Click(row int) bool {
	if l.bar {
		if row == 0 {
			l.filter.Open()
			return false
		}
		row--
	}
	hit, _ := l.rows.Click(row)
	return hit
}
