package page

import "cmp"

// border is the one between list and detail, as it was painted last.
type border struct {
	at, of int     // cells before it, and of both; of is 0 without it
	share  float64 // of the list, as the user has set it; 0 for where it usually is
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
		b.share = 0
	default:
		b.move(b.at + n)
	}
	return true
}

func (b *border) move(at int) { b.share = float64(at) / float64(max(b.of, 1)) }

// place is where the border is between list and detail in so many cells; usual is its place where the
// user has not moved it.
func (b *border) place(usual, of int) int {
	b.of, b.at = of, usual
	if b.share > 0 {
		b.at = min(max(int(b.share*float64(of)+0.5), leastPart), max(of-leastPart, leastPart))
	}
	return b.at
}

// The parts of a page: leastDetail is what a detail of text keeps, in cells. mostShare is what a list of
// names has at most, in percent, and textsShare where that shows texts in full that would be cut, on
// pages that have leastDetail beside it.
const leastDetail, mostShare, textsShare = 44, 52, 64

// listWidth is the width of the list beside a detail. It follows from the width of the page and from
// what all items are called alone: neither the focus nor the selected item, a filter or a result moves
// the border. A list of names has so much of the page at most that a detail has room, and no texts about
// its items where they would have no room.
func (p *Page[T, K]) listWidth(w int) int {
	most, mostTexts := min(w*mostShare/100, w-leastDetail), w*textsShare/100
	if mostTexts > w-leastDetail {
		mostTexts = most
	}
	cells, known := p.measured(most, mostTexts)
	if !known {
		return max(min(w*cmp.Or(p.Layout.Share, 50)/100, w-leastDetail), min(p.Layout.Min, most))
	}
	return max(cells, p.Layout.Min)
}

// measured is how many cells a list takes whose columns know how wide they are: with the texts about its items
// where they have room, else with its names and what comes and goes beside them. It has most cells, and up to
// mostTexts where texts end in them. It reports false for a list that does not know.
func (p *Page[T, K]) measured(most, mostTexts int) (cells int, known bool) {
	const border = 2
	names, beside, optional, about, least := border+p.list.Before(), 0, 0, 0, 0
	var ends func(least, most int) int
	for i := range p.Columns {
		switch c := &p.Columns[i]; {
		case c.Cells == nil:
			beside += c.Width + 2
		case c.Yields:
			about, least, ends, known = c.Cells(), c.MinWidth(), c.Ends, true
		case c.Cells() > 0 && c.From > 0:
			optional += c.Cells() + 2
		case c.Cells() > 0:
			names, known = names+c.Cells()+2, true
		}
	}
	cells = min(names+beside, most)
	if about > 0 {
		whole := min(names+2+about, most)
		if whole+optional <= most {
			whole += optional
		}
		switch room := whole - names - 2; {
		case room < min(least, about):
		case room < about && ends != nil && mostTexts > most:
			cells = max(cells, names+2+ends(room, mostTexts-names-2))
		default:
			cells = max(cells, whole)
		}
	}
	return cells, known
}
