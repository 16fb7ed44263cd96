package app

// Want is what a part of the screen wants of the cells that it shares with the part beside it: those
// of its widest line in sight, and the least that it is of use with. Borders are among them.
type Want struct{ Cells, Least int }

// Focus is which of two neighbors has the focus.
type Focus uint8

// Where the focus is.
const (
	Elsewhere Focus = iota
	OnFirst
	OnSecond
)

// most is what the part with the focus gets of n cells where its neighbor wants them, too: 70 %.
func most(n int) int { return n * 7 / 10 }

// Share is how many of n cells the first of two neighbors gets. Where both fit, it gets what it wants,
// and the second one the rest. Else the one with the focus gets what it wants, up to 70 % and as far as
// the other keeps its least; without the focus each gets its part.
func Share(n int, first, second Want, at Focus) (cells int) {
	switch {
	case first.Cells+second.Cells <= n:
		return max(first.Cells, first.Least)
	case at == OnFirst:
		cells = max(min(first.Cells, most(n)), n-second.Cells)
	case at == OnSecond:
		cells = n - max(min(second.Cells, most(n)), n-first.Cells)
	default:
		cells = n * first.Cells / (first.Cells + second.Cells)
	}
	return max(min(cells, n-second.Least), min(first.Least, n))
}
