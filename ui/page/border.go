package page

// border is the one between list and detail, as it was painted last.
type border struct {
	at, of int      // cells before it, and of both; of is 0 without it
	share  float64  // of the list over its detail, as the user has set it; 0 for where it usually is
	common *float64 // that of all lists beside a detail, where this is one of them
}

// leastPart is what a part keeps where the user moves its border.
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

// place is where the border is between list and detail in so many cells; usual is its place where the
// user has not moved it.
func (b *border) place(usual, of int) int {
	b.of, b.at = of, usual
	if share := *b.set(); share > 0 {
		b.at = min(max(int(share*float64(of)+0.5), leastPart), max(of-leastPart, leastPart))
	}
	return b.at
}

// leastList is what a list beside its detail has at least, in cells: a name and how it went.
const leastList = 30

// listWidth is the width of a list beside its detail: of names one for all pages, a third; of sentences, which a third
// would cut, half. Neither the items nor the focus, a filter or a result moves the border.
func (l *Layout) listWidth(w int) int {
	if l.Texts {
		return w / 2
	}
	return min(max(w/3, leastList), w/2)
}
