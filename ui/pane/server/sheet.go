package server

import (
	"strings"

	"mcptea/ui/paint"
)

const (
	labelWidth = 12 // of a fact
	gutter     = 3  // between two columns
)

// sheet is a column of lines that are painted when they are looked at.
type sheet struct {
	pal    *paint.Palette
	w      int
	quiet  bool // for reading elsewhere: keys are not named
	key    func(id string) string
	room   int // rows of the window
	blocks []block
	lines  int
}

// block is a number of lines that one function draws.
type block struct {
	n    int
	draw func(r *paint.Row, i int)
}

// page is a sheet and, if there are any, two columns under it.
type page struct{ top, left, right *sheet }

func (pg page) height() int {
	if pg.left == nil {
		return pg.top.lines
	}
	return pg.top.lines + max(pg.left.lines, pg.right.lines)
}

// row paints a line of the page behind a margin.
func (pg page) row(r *paint.Row, i, margin int) string {
	row := strings.Repeat(" ", margin)
	if i < pg.top.lines || pg.left == nil {
		return row + pg.top.row(r, i)
	}
	i -= pg.top.lines
	return row + pg.left.row(r, i) + strings.Repeat(" ", gutter) + pg.right.row(r, i)
}

func (s *sheet) row(r *paint.Row, i int) string {
	r.Start(s.w, paint.Style{})
	for _, b := range s.blocks {
		if i < b.n {
			b.draw(r, i)
			break
		}
		i -= b.n
	}
	return r.String()
}

func (s *sheet) many(n int, draw func(r *paint.Row, i int)) {
	if n > 0 {
		s.blocks = append(s.blocks, block{n, draw})
		s.lines += n
	}
}

func (s *sheet) line(draw func(r *paint.Row)) {
	s.many(1, func(r *paint.Row, _ int) { draw(r) })
}

func (s *sheet) blank() { s.line(func(*paint.Row) {}) }

// heading starts a section, with a remark behind its name.
func (s *sheet) heading(name, remark string) {
	if s.lines > 0 {
		s.blank()
	}
	s.line(func(r *paint.Row) {
		r.Put(s.pal.TextBold, name)
		r.Gap(3)
		r.Put(s.pal.Muted, remark)
	})
}

// column starts a sheet of the same kind.
func (s *sheet) column(w int) *sheet {
	return &sheet{pal: s.pal, w: w, quiet: s.quiet, key: s.key, room: s.room}
}

// add puts the lines of another sheet of the same width below.
func (s *sheet) add(other *sheet) {
	s.blocks = append(s.blocks, other.blocks...)
	s.lines += other.lines
}

// text writes a text, wrapped. It may be foreign.
func (s *sheet) text(st paint.Style, text string) { s.wrapped("", 0, st, text, 0) }

// most writes a text in at most n rows; in a report, whole.
func (s *sheet) most(st paint.Style, text string, n int) { s.wrapped("", 0, st, text, n) }

// fact writes a label and a text, wrapped beside it. The text may be foreign.
func (s *sheet) fact(label string, st paint.Style, text string) {
	w := labelWidth
	if s.w < 3*w {
		w = len(label) + 1
	}
	s.wrapped(label, w, st, text, 0)
}

// indented writes a text, wrapped, under the details of a checklist.
func (s *sheet) indented(by int, st paint.Style, text string) {
	if s.w < 2*by {
		by = 5
	}
	s.wrapped("", by, st, text, 0)
}

// wrapped writes a text behind a margin with a label, in at most n rows; 0 is all of it, as
// in a report.
func (s *sheet) wrapped(label string, margin int, st paint.Style, text string, n int) {
	lines := paint.Wrap(text, max(1, s.w-margin))
	if n > 0 && !s.quiet {
		lines = s.pal.WrapMost(text, max(1, s.w-margin), n)
	}
	s.many(len(lines), func(r *paint.Row, i int) {
		if i == 0 {
			r.Put(s.pal.Muted, label)
		}
		r.To(margin)
		r.Put(st, lines[i])
	})
}

// hint is a command and what it does here.
type hint struct{ id, label string }

// keys names commands with their keys.
func (s *sheet) keys(hints ...hint) {
	if s.quiet {
		return
	}
	s.line(func(r *paint.Row) {
		for i, h := range hints {
			if i > 0 {
				r.Gap(3)
			}
			r.Put(s.pal.AccentBold, s.key(h.id))
			r.Gap(1)
			r.Put(s.pal.Muted, h.label)
		}
	})
}

// wrapping remembers a long text in lines.
type wrapping struct {
	text  string
	w     int
	lines []string
}

func (c *wrapping) of(text string, w int) []string {
	if c.w != w || c.text != text {
		*c = wrapping{text, w, paint.Wrap(text, w)}
	}
	return c.lines
}
