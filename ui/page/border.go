package page

// A border is the border between list and detail, as last painted.
type border struct {
	at, of int      // cells before the border, and of both parts together; of is 0 without a border
	share  float64  // share of the list above its detail, as set by the user; 0 for the default
	common *float64 // common share of all lists next to a detail, if this is one of them
}

// leastPart is the minimum size of a part when the user moves its border.
const leastPart = 12

// MoveBorder implements [app.Bordered].
func (p *Page[T, K]) MoveBorder(n int) bool {
	b := &p.border
	switch {
	case b.of == 0:
		return false
	case n == 0:
		*b.set() = 0
	default:
		b.move(b.at + n)
	}
	return true
}

func (b *border) move(at int) { *b.set() = float64(at) / float64(max(b.of, 1)) }

// set returns the share that the user sets.
func (b *border) set() *float64 {
	if b.common != nil {
		return b.common
	}
	return &b.share
}

// place returns the position of the border between list and detail in of cells. usual is the default position.
func (b *border) place(usual, of int) int {
	b.of, b.at = of, usual
	if share := *b.set(); share > 0 {
		b.at = min(max(int(share*float64(of)+0.5), leastPart), max(of-leastPart, leastPart))
	}
	return b.at
}

// leastList is the minimum width of a list next to its detail, in cells: a name and its outcome.
const leastList = 30

// listWidth returns the width of a list next to its detail: for names a third, the same on all pages; for
// sentences, which that would cut, half. Items, focus, filter and results do not move the border.
func (l *Layout) listWidth(w int) int {
	if l.Texts {
		return w / 2
	}
	return min(max(w/3, leastList), w/2)
}
