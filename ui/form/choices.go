package form

import (
	"slices"
	"sort"
	"strings"

	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/ui/paint"
)

var toggles = []string{"true", "false"}

// options returns the options of a toggle or a choice.
func (r *row) options() []string {
	switch {
	case r.kind == toggle:
		return toggles
	case r.isUnion():
		return r.node.Options
	}
	return r.node.Labels()
}

// fits reports whether a text consists only of options.
func (r *row) fits(text string) bool {
	if r.kind != choices {
		return slices.Contains(r.options(), text)
	}
	for word := range strings.SplitSeq(text, ",") {
		if !slices.Contains(r.options(), strings.TrimSpace(word)) {
			return false
		}
	}
	return true
}

// maxGridRows is the number of rows of options that are visible at a time.
const maxGridRows = 8

// A cell is the position of one option.
type cell struct{ x, y, w int }

// A grid holds the positions of the options for one width, and the selected options.
type grid struct {
	w     int
	cells []cell
	lines int
	top   int // number of lines above the visible ones

	on map[string]bool
	of string // text from which on was made
}

// isOn returns the selected options.
func (r *row) isOn() map[string]bool {
	g, text := &r.grid, r.text()
	if g.on == nil || g.of != text {
		g.on, g.of = map[string]bool{}, text
		for word := range strings.SplitSeq(text, ",") {
			g.on[strings.TrimSpace(word)] = true
		}
	}
	return g.on
}

// flip selects an option, or deselects it.
func (f *Form) flip(r *row, option int) {
	on, options := r.isOn(), r.options()
	var then []string
	for i, o := range options {
		if on[o] != (i == option) {
			then = append(then, o)
		}
	}
	f.write(r, strings.Join(then, ", "))
}

// lay places the options next to each other, and starts a new line when one is full. It does this
// once for each width, because the options change only with the schema.
func (r *row) lay(w int) *grid {
	g, options := &r.grid, r.options()
	if g.w == w {
		return g
	}
	g.w, g.cells = w, make([]cell, len(options))
	x, y := 0, 0
	for i, o := range options {
		n := min(4+display.Width(display.Sanitize(o)), w)
		if x > 0 && x+n > w {
			x, y = 0, y+1
		}
		g.cells[i] = cell{x, y, n}
		x += n + 2
	}
	g.lines = y + 1
	return g
}

// first returns the first option on a line.
func (g *grid) first(line int) int {
	return sort.Search(len(g.cells), func(i int) bool { return g.cells[i].y >= line })
}

// follow scrolls as little as necessary to make an option visible. It returns the range of the
// visible lines.
func (g *grid) follow(option int) (from, to int) {
	if len(g.cells) > 0 {
		line := g.cells[option].y
		g.top = min(max(g.top, line-maxGridRows+1), line)
	}
	g.top = max(min(g.top, g.lines-maxGridRows), 0)
	return g.top, min(g.top+maxGridRows, g.lines)
}

func (v *view) choicesRows(w *paint.Row, p *paint.Palette, r *row, focused bool) []string {
	left, _ := v.input(r, focused)
	g, on, options := r.lay(max(v.w-left-1, 8)), r.isOn(), r.options()
	from, to := g.follow(r.at)
	var out []string
	v.head(w, p, r, focused)
	if v.stacked {
		out = append(out, w.String())
		w.Start(v.w, paint.Style{})
	}
	line := from
	for i := g.first(from); i < len(g.cells) && g.cells[i].y < to; i++ {
		c := g.cells[i]
		if c.y != line {
			out = append(out, w.String())
			w.Start(v.w, paint.Style{})
			line = c.y
		}
		w.To(left + c.x)
		ground := paint.If(focused && i == r.at, p.Cursor, p.Field)
		mark := paint.If(on[options[i]], p.On, p.Off)
		w.Cell(ground, mark+" "+options[i], c.w)
	}
	out = append(out, w.String())
	if g.lines > maxGridRows {
		w.Start(v.w, paint.Style{})
		w.To(left)
		w.Put(p.Muted, "option "+phrase.Digits(r.at+1)+" of "+phrase.Digits(len(options)))
		out = append(out, w.String())
	}
	return out
}

func (f *Form) clickOption(r *row, x, y int) {
	left, _ := f.view.input(r, true)
	g := r.lay(max(f.view.w-left-1, 8))
	for i := g.first(y + g.top); i < len(g.cells) && g.cells[i].y == y+g.top && y < maxGridRows; i++ {
		if c := g.cells[i]; x >= c.x && x < c.x+c.w {
			r.at = i
			f.flip(r, i)
		}
	}
}
