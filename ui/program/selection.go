package program

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/internal/words/display"
	"mcptea/ui/app"
	"mcptea/ui/paint"
)

// selection is text that the user selects with the mouse, within one part of the screen: a press, a drag and
// a release, or several clicks. A click is done when the button is released without a drag.
type selection struct {
	press  tea.Mouse
	at     time.Time // time of the press
	clicks int       // number of clicks in a row on the same cell
	down   bool      // the button is held since the press

	on       bool // text is selected
	held     bool // a drag is in progress: the screen does not change
	block    app.Rect
	from, to cell     // start of the selection and position of the mouse, both inclusive
	rows     []string // the screen as painted
	scrolled int      // number of rows that the text has moved up since the press; negative for down
	scrolls  int      // the direction in which it moves now: 1 for more below, -1 for more above

	copying *paint.Palette // palette for painting rows to be copied
	copied  *paint.Copy
	marked  []string       // the screen, painted so
	lines   map[int]string // rows of the block that the drag has passed, after it has scrolled: by row plus scrolled
}

// cell is a cell of the screen.
type cell struct{ x, y int }

// copyOf returns a row of the screen for copying: the new one if its visible text is unchanged, else the old
// one.
func (s *selection) copyOf(y int) string {
	if y < len(s.marked) && paint.SameText(s.marked[y], s.rows[y]) {
		return s.marked[y]
	}
	return s.rows[y]
}

// span returns the selected columns of a row. w is 0 if there are none.
func (s *selection) span(y int) (x, w int) {
	from, to := s.from, s.to
	if to.y < from.y || to.y == from.y && to.x < from.x {
		from, to = to, from
	}
	if y < from.y || y > to.y {
		return 0, 0
	}
	x, end := s.block.X, s.block.X+s.block.W
	if y == from.y {
		x = from.x
	}
	if y == to.y {
		end = to.x + 1
	}
	return x, end - x
}

// keep keeps rows of the screen, which may scroll out of sight.
func (s *selection) keep(first, end int) {
	if s.lines == nil {
		s.lines = map[int]string{}
	}
	for y := first; y < end; y++ {
		if _, known := s.lines[y+s.scrolled]; !known { // a row of the program may be over the text now
			s.lines[y+s.scrolled] = s.copyOf(y)
		}
	}
}

// moved returns the rows of a block that have scrolled, and by how many rows. Rows before and after them, such
// as a heading, have not changed. n is 0 if nothing has moved in the direction.
func moved(before, after []string, b app.Rect, direction int) (first, end, n int) {
	was, is := make([]string, b.H), make([]string, b.H)
	first, end = b.H, 0
	for i := range b.H {
		// The cells at the edges have signs: the row with the cursor, more above and below.
		was[i], is[i] = paint.Cells(before[b.Y+i], b.X+1, b.W-2), paint.Cells(after[b.Y+i], b.X+1, b.W-2)
		if was[i] != is[i] && !slices.Equal(strings.Fields(was[i]), strings.Fields(is[i])) { // columns may have become wider
			first, end = min(first, i), i+1
		}
	}
	const most = 4 // rows that an item of a list has
	best := 0.0
	for k := range min(end-first, most+1) {
		same := 0.0
		for i := first; i+k < end; i++ {
			if direction > 0 {
				same += likeness(was[i+k], is[i])
			} else {
				same += likeness(was[i], is[i+k])
			}
		}
		// Few rows are alike by chance more often than many.
		if same /= float64(end-first-k) * (1 + float64(k)/10); same > best {
			best, n = same, k
		}
	}
	return b.Y + first, b.Y + end, n
}

// likeness returns the similarity of two rows, from 0 to 1. Columns may change their widths when another row
// becomes visible.
func likeness(a, b string) float64 {
	if a == b {
		return 1
	}
	words, others := strings.Fields(a), strings.Fields(b)
	common := 0
	for _, word := range words {
		if slices.Contains(others, word) {
			common++
		}
	}
	like := float64(common) / float64(max(len(words), len(others)))
	return like * like
}

// over shows the selection in painted rows. Cells that have changed in the meantime are no longer selected.
func (s *selection) over(rows []string) []string {
	if !s.on {
		return rows
	}
	shown := slices.Clone(rows)
	for y := range rows {
		x, w := s.span(y)
		if w <= 0 {
			continue
		}
		if y >= len(s.rows) || paint.Cells(rows[y], x, w) != paint.Cells(s.rows[y], x, w) {
			s.on = false
			return rows
		}
		end := max(display.Width(strings.TrimRight(paint.Cells(rows[y], 0, x+w), " ")), x+1)
		shown[y] = paint.Marked(rows[y], x, min(w, end-x))
	}
	return shown
}
