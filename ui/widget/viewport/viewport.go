// Package viewport is a window on painted lines that are more than fit. State and
// scrolling are those of the viewport of Bubbles; which keys scroll is the
// caller's business.
package viewport

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/bubbles/v2/viewport"

	"mcptea/ui/paint"
)

// Viewport is the window. The zero Viewport is at the top of nothing. It is not
// safe for concurrent use.
type Viewport struct {
	view  viewport.Model
	made  bool
	lines []string
}

func (v *Viewport) model() *viewport.Model {
	if !v.made {
		v.view, v.made = viewport.New(), true
	}
	return &v.view
}

// Rows shows the lines in h rows of w cells. The lines are painted and at most w
// cells wide. The caller keeps the slice and may reuse it.
func (v *Viewport) Rows(lines []string, w, h int) []string {
	m := v.model()
	m.SetWidth(w)
	m.SetHeight(h)
	if !slices.Equal(lines, v.lines) {
		v.lines = slices.Clone(lines)
		m.SetContentLines(slices.Clone(lines))
	}
	m.SetYOffset(m.YOffset()) // the size may have changed
	rows := make([]string, 0, h)
	if w > 0 && h > 0 {
		rows = strings.Split(m.View(), "\n")
	}
	for i := range rows {
		rows[i] = paint.Pad(rows[i], w)
	}
	return rows
}

// Position says which lines are in sight, such as "1–20 of 50"; empty when all
// of them are.
func (v *Viewport) Position() string {
	m := v.model()
	n := len(v.lines)
	if n <= m.Height() {
		return ""
	}
	top := m.YOffset()
	return fmt.Sprintf("%d–%d of %d", top+1, min(top+m.Height(), n), n)
}

// Move scrolls by n lines.
func (v *Viewport) Move(n int) { v.model().SetYOffset(v.view.YOffset() + n) }

// Page scrolls by n pages.
func (v *Viewport) Page(n int) { v.Move(n * max(1, v.view.Height()-1)) }

// HalfPage scrolls by n half pages.
func (v *Viewport) HalfPage(n int) { v.Move(n * max(1, v.view.Height()/2)) }

// Home scrolls to the first line.
func (v *Viewport) Home() { v.model().GotoTop() }

// End scrolls to the last line.
func (v *Viewport) End() { v.model().GotoBottom() }

// Hidden reports whether there are lines above and below those in sight.
func (v *Viewport) Hidden() (above, below bool) {
	m := v.model()
	return m.YOffset() > 0, m.YOffset()+m.Height() < len(v.lines)
}
