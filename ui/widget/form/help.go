package form

import (
	"strings"

	"mcptea/ui/paint"
)

const (
	besideRows = 3 // of help beside a field, when the facts take no more
	underRows  = 2 // the same under it
	factsRows  = 3 // at most
)

// left is the cell where the help of a field starts.
func (l layout) left(fd *field) int {
	x := l.label + l.kind + 3
	switch {
	case fd.Kind == Long:
		return x
	case l.narrow:
		return 2
	case fd.Kind == Choices:
		return x
	}
	return x + l.field + 2
}

// help gives the help of a field in rows. Where there is no room for all of it,
// what it means is cut before what it may hold.
func (l layout) help(fd *field) []string {
	all := strings.Trim(fd.Help+", "+fd.Facts, ", ")
	if all == "" {
		return nil
	}
	w := max(l.w-l.left(fd)-1, 1)
	most := besideRows
	if l.narrow {
		most = underRows
	}
	lines := paint.WrapFirst(all, w, most+1)
	if len(lines) <= most {
		return lines
	}
	facts := paint.WrapFirst(fd.Facts, w, factsRows)
	if fd.Facts == "" {
		facts = nil
	}
	if fd.Help == "" {
		return facts
	}
	return append(clip(w, fd.Help, max(most-len(facts), 1)), facts...)
}

// clip wraps text into at most n rows, with a mark where it is cut.
func clip(w int, text string, n int) []string {
	lines := paint.WrapFirst(text, w, n+1)
	if len(lines) > n {
		lines = lines[:n]
		lines[n-1] = strings.TrimSuffix(paint.Cut(lines[n-1], w-1), ellipsis()) + ellipsis()
	}
	return lines
}

// ellipsis is the mark that paint puts where it cuts.
func ellipsis() string { return paint.Cut("..", 1) }
