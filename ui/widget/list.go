package widget

import "mcptea/ui/paint"

// Items defines the items of a list. The functions are called for visible items, and while an item is searched;
// they must be cheap.
type Items[K comparable] struct {
	Len func() int
	// Key identifies an item while the list changes.
	Key func(i int) K
	// Height is the number of rows of an item; nil means 1.
	Height func(i int) int
	// Row writes one row of an item, 0-based. The cell of the cursor mark has already been written.
	Row func(r *paint.Row, pal *paint.Palette, i, row int, selected bool)
}

// List is a scrolling list with a cursor. Call Refresh after the items have
// changed. It is not safe for concurrent use.
type List[K comparable] struct {
	Items Items[K]
	// Spaced inserts an empty row between the items if all of them fit.
	Spaced bool

	cursor int
	key    K    // key of the selected item
	valid  bool // key is set
	pinned bool
	away   bool // the visible part stays where ScrollAway moved it, even without the cursor

	top     int   // first visible item
	painted []int // the item in each row of the last painting, or -1
	visible int   // items in them
}

// Len returns the number of items.
func (l *List[K]) Len() int { return l.Items.Len() }

// Key returns the key of the selected item, or false if there are no items.
func (l *List[K]) Key() (K, bool) { return l.key, l.valid }

// Index returns the index of the selected item, or -1.
func (l *List[K]) Index() int {
	if l.cursor >= l.Len() {
		return -1
	}
	return l.cursor
}

// Pinned reports whether the user has selected the item: the program then selects
// no other.
func (l *List[K]) Pinned() bool { return l.pinned }

// Pin sets what Pinned reports.
func (l *List[K]) Pin(on bool) { l.pinned = on }

// Refresh moves the cursor to the current index of the selected item. It returns false if that item is gone or
// nothing was selected; the cursor then keeps its index.
func (l *List[K]) Refresh() bool {
	n := l.Len()
	if l.valid {
		// Most changes are near: search at growing distances on both sides.
		for d := 0; d <= max(l.cursor, n-1-l.cursor); d++ {
			for _, i := range []int{l.cursor + d, l.cursor - d} {
				if i >= 0 && i < n && l.Items.Key(i) == l.key {
					l.top += i - l.cursor // keep the rows on the screen in place
					l.cursor = i
					return true
				}
			}
		}
	}
	l.pinned = false
	l.SelectIndex(l.cursor)
	return false
}

// SelectIndex selects the item at a place, or the nearest one.
func (l *List[K]) SelectIndex(i int) {
	l.away = false
	l.cursor = max(0, min(i, l.Len()-1))
	if l.valid = l.Len() > 0; l.valid {
		l.key = l.Items.Key(l.cursor)
	}
}

// SelectFirst selects an item by index and scrolls to the start of the list. It is for the first items, which
// are visible there.
func (l *List[K]) SelectFirst(i int) {
	l.top = 0
	l.SelectIndex(i)
}

// Select selects the item with a key. It returns false if there is no such item.
func (l *List[K]) Select(key K) bool {
	for i := range l.Len() {
		if l.Items.Key(i) == key {
			l.SelectIndex(i)
			return true
		}
	}
	return false
}

// Move moves the cursor by n items, on behalf of the user.
func (l *List[K]) Move(n int) {
	l.SelectIndex(l.cursor + n)
	l.pinned = true
}

// Scroll moves the visible part by n items and keeps the cursor in it.
func (l *List[K]) Scroll(n int) {
	l.top = max(0, min(l.top+n, l.Len()-l.visible))
	l.SelectIndex(max(l.top, min(l.cursor, l.top+l.visible-1)))
	l.pinned = true
}

// ScrollAway moves the visible part by n items and keeps the selection. The cursor may be out of sight until an
// item is selected, or until Return.
func (l *List[K]) ScrollAway(n int) {
	l.top = max(0, min(l.top+n, l.Len()-l.visible))
	l.away = true
}

// Return makes the next painting show the cursor.
func (l *List[K]) Return() { l.away = false }

// Screen returns the number of items painted last.
func (l *List[K]) Screen() int { return l.visible }

// Home moves to the first item.
func (l *List[K]) Home() { l.Move(-l.Len()) }

// End moves to the last item.
func (l *List[K]) End() { l.Move(l.Len()) }

func (l *List[K]) height(i int) int {
	if l.Items.Height == nil {
		return 1
	}
	return l.Items.Height(i)
}

// Rows returns the number of rows of all items, at most limit.
func (l *List[K]) Rows(limit int) int {
	n := 0
	for i := 0; i < l.Len() && n < limit; i++ {
		n += l.height(i)
	}
	return min(n, limit)
}

// Paint paints the items that fit into h rows of w cells.
func (l *List[K]) Paint(pal *paint.Palette, w, h int, focused bool) []string {
	l.painted, l.visible = l.painted[:0], 0
	if w <= 0 || h <= 0 || l.Len() == 0 {
		return nil
	}
	gap := 0
	if n := l.Len(); l.Spaced && n <= h && l.Rows(h+1)+n-1 <= h {
		gap = 1
	}
	l.scroll(h, gap)
	var out []string
	r := pal.Row()
	for i := l.top; i < l.Len() && len(out) < h; i++ {
		if i > l.top && gap > 0 {
			out, l.painted = append(out, ""), append(l.painted, -1)
		}
		l.visible++
		for row := 0; row < l.height(i) && len(out) < h; row++ {
			r.StartSelected(pal, w, i == l.cursor, focused)
			l.Items.Row(r, pal, i, row, i == l.cursor)
			out, l.painted = append(out, r.String()), append(l.painted, i)
		}
	}
	return out
}

// Hidden returns the numbers of items above and below those painted last.
func (l *List[K]) Hidden() (above, below int) { return min(l.top, l.Len()), max(l.Below(), 0) }

// Below returns the number of items below those painted last.
func (l *List[K]) Below() int { return l.Len() - l.top - l.visible }

// scroll chooses the first visible item. The selected item is visible unless the list was scrolled away from
// it, and no row stays empty while there are items above.
func (l *List[K]) scroll(h, gap int) {
	if !l.away {
		l.showCursor(h, gap)
	}
	l.top = max(0, min(l.top, l.Len()-1))
	used := -gap
	for i := l.top; i < l.Len() && used <= h; i++ {
		used += l.height(i) + gap
	}
	for l.top > 0 {
		if used += l.height(l.top-1) + gap; used > h {
			return
		}
		l.top--
	}
}

// showCursor changes the first visible item as little as possible so that the selected one is visible.
func (l *List[K]) showCursor(h, gap int) {
	l.top = max(0, min(l.top, l.cursor))
	used := -gap
	for i := l.cursor; i >= l.top; i-- {
		if used += l.height(i) + gap; used > h {
			l.top = min(i+1, l.cursor)
			break
		}
	}
}

// Click selects the item in a row of the last painting. It reports whether there
// is one, and whether that was selected before.
func (l *List[K]) Click(row int) (hit, again bool) {
	if row < 0 || row >= len(l.painted) || l.painted[row] < 0 || l.painted[row] >= l.Len() {
		return false, false
	}
	i := l.painted[row]
	again = i == l.cursor
	l.Move(i - l.cursor)
	return true, again
}
