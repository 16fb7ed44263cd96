package page

// A border is the border between list and detail, where it was last painted.
type border struct {
	at, of int      // cells before the border, cells of both parts; of is 0 without a border
	share  float64  // share of the list, if the list is above its detail and the user has moved the border, or 0
	common *float64 // share of all lists that are next to a detail, if this is one of them
}

// leastPart is the minimum size that a part keeps when the user moves the border.
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

// set returns the variable with the share that the user sets.
func (b *border) set() *float64 {
	if b.common != nil {
		return b.common
	}
	return &b.share
}

// place returns the position of the border between list and detail. of is the number of cells of
// both. usual is the position if the user has not moved the border.
func (b *border) place(usual, of int) int {
	b.of, b.at = of, usual
	if share := *b.set(); share > 0 {
		b.at = min(max(int(share*float64(of)+0.5), leastPart), max(of-leastPart, leastPart))
	}
	return b.at
}

// leastList is the minimum width of a list that is next to its detail, in cells. It has room for a
// name and its outcome.
const leastList = 30

// listWidth returns the width of a list that is next to its detail. It is a third for names, the
// same on all pages, and half for sentences, which a third would cut. Items, focus, filter and
// results do not move the border.
func (l *Layout) listWidth(w int) int {
	if l.Texts {
		return w / 2
	}
	return min(max(w/3, leastList), w/2)
}
