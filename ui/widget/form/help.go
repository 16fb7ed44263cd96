package form

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"mcptea/ui/paint"
)

const (
	besideRows = 3 // of help beside a field, when the facts take no more
	underRows  = 1 // the same under it
	factsRows  = 3 // at most
)

// left is the cell where the help of a field starts.
func (l layout) left(fd *field) int {
	x := l.label + l.kind + 3
	switch {
	case l.narrow:
		return 2
	case fd.Kind == Long || fd.Kind == Choices:
		return x
	}
	return x + l.field + 2
}

// help gives the help of a field in rows. Where there is no room for all of it,
// what it means is cut before what it may hold.
func (l layout) help(fd *field) []string {
	known := fd.Facts
	if l.narrow && l.factsBesideLabel(fd) {
		known = ""
	}
	all := strings.Trim(joined(fd.Help, known), ", ")
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
	facts := paint.WrapFirst(known, w, factsRows)
	if known == "" {
		facts = nil
	}
	if fd.Help == "" {
		return facts
	}
	return append(clip(w, fd.Help, max(most-len(facts), 1)), facts...)
}

// joined are the facts behind the help: a sentence of their own when that is one.
func joined(help, facts string) string {
	if facts == "" || !strings.HasSuffix(help, ".") {
		return help + ", " + facts
	}
	first, size := utf8.DecodeRuneInString(facts)
	return help + " " + string(unicode.ToUpper(first)) + facts[size:] + "."
}

// factsBesideLabel reports whether a narrow form has room for the facts in the
// row of the label.
func (l layout) factsBesideLabel(fd *field) bool {
	used := paint.Width(paint.Sanitize(fd.label()+fd.Type+fd.Facts)) + len(", ") + len(notSent) + 8
	return used <= l.w
}

// about is what a narrow form says beside the label: the type, and the facts
// where there is room.
func (l layout) about(p *paint.Palette, fd *field) string {
	if fd.Facts != "" && l.factsBesideLabel(fd) {
		return paint.Sanitize(strings.Trim(fd.Type+", "+fd.Facts, ", "))
	}
	return p.Cut(paint.Sanitize(fd.Type), l.w/3)
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
