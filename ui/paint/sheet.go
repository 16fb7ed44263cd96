package paint

import (
	"slices"
	"strings"
)

// Sheet collects the rows inside a box, from top to bottom. Each row is W cells
// wide and begins with one blank cell. The caller keeps to H rows; [Box] cuts
// off the rest. A Sheet is not safe for concurrent use.
type Sheet struct {
	Pal  *Palette
	W, H int
	// Margin is the width of the labels of facts.
	Margin int
	Rows   []string
	R      *Row // scratch row, reused for each line
}

// NewSheet returns an empty sheet; a negative size counts as 0.
func NewSheet(pal *Palette, w, h int) Sheet {
	return Sheet{Pal: pal, W: max(w, 0), H: max(h, 0), R: pal.Row()}
}

// Left returns the number of rows that still fit.
func (s *Sheet) Left() int { return s.H - len(s.Rows) }

// Line appends a row; cells that write does not fill stay blank.
func (s *Sheet) Line(write func(r *Row)) {
	s.R.Start(s.W, Style{})
	s.R.Gap(1)
	write(s.R)
	s.Rows = append(s.Rows, s.R.String())
}

// Blank appends an empty row.
func (s *Sheet) Blank() { s.Line(func(*Row) {}) }

// Text appends untrusted text, wrapped to at most n rows.
func (s *Sheet) Text(st Style, text string, n int) {
	if text == "" {
		return
	}
	for _, line := range s.Pal.WrapMost(text, max(s.W-2, 1), n) {
		s.Line(func(r *Row) { r.Put(st, line) })
	}
}

// Fact appends a row with a label in the margin.
func (s *Sheet) Fact(label string, write func(r *Row)) {
	s.Line(func(r *Row) {
		r.Cell(s.Pal.Muted, label, s.Margin)
		write(r)
	})
}

// FactText appends untrusted text with a label in the margin, wrapped to at most n
// rows.
func (s *Sheet) FactText(label string, st Style, text string, n int) {
	for _, line := range s.Pal.WrapMost(text, max(s.W-2-s.Margin, 1), n) {
		s.Fact(label, func(r *Row) { r.Put(st, line) })
		label = ""
	}
}

// Rule appends a line across with a title in it.
func (s *Sheet) Rule(title ...Span) {
	s.Line(func(r *Row) {
		w := r.Left() - 1
		r.Painted(Rule(s.Pal, w, title...), w)
	})
}

// Hint is a key and what it does.
type Hint struct{ Key, Label string }

// Hints appends keys with what they do, in as many rows as that takes but at most
// n. Hints without a key are left out.
func (s *Sheet) Hints(n int, hints ...Hint) {
	hints = slices.DeleteFunc(slices.Clone(hints), func(h Hint) bool { return h.Key == "" })
	for ; len(hints) > 0 && n > 0; n-- {
		s.Line(func(r *Row) {
			for first := true; len(hints) > 0; first = false {
				h := hints[0]
				if !first && r.Left() < Width(h.Key)+Width(h.Label)+2 {
					return
				}
				r.Put(s.Pal.AccentBold, h.Key)
				r.Put(s.Pal.Muted, " "+h.Label)
				r.Gap(min(3, r.Left()))
				hints = hints[1:]
			}
		})
	}
}

// WrapMost wraps text to at most n lines, as [WrapFirst] does, and ends the last
// one with an ellipsis if there are more.
func (p *Palette) WrapMost(text string, w, n int) []string {
	if n <= 0 {
		return nil
	}
	lines := WrapFirst(text, w, n+1)
	if len(lines) > n {
		last := p.Cut(lines[n-1], max(w-2, 1))
		lines = append(lines[:n-1], strings.TrimSuffix(last, p.Ellipsis)+p.Ellipsis)
	}
	return lines
}
