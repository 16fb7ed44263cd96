package form

import (
	"sort"

	"mcptea/ui/paint"
)

// maxGridRows is how many rows of options are shown at a time.
const maxGridRows = 8

// cell is where one option of Choices stands.
type cell struct{ x, y, w int }

// grid is where the options of Choices stand, for one width.
type grid struct {
	w     int
	cells []cell
	lines int
	top   int // lines scrolled off
}

// lay puts options side by side and goes to the next line when one is full. The
// options of a field never change, so that it is done once for a width.
func (fd *field) lay(w int) *grid {
	g := &fd.grid
	if g.w == w && len(g.cells) == len(fd.Options) {
		return g
	}
	g.w, g.cells = w, make([]cell, len(fd.Options))
	x, y := 0, 0
	for i, o := range fd.Options {
		n := min(4+paint.Width(paint.Sanitize(o)), w)
		if x > 0 && x+n > w {
			x, y = 0, y+1
		}
		g.cells[i] = cell{x, y, n}
		x += n + 2
	}
	g.lines = y + 1
	return g
}

// first is the first option on a line.
func (g *grid) first(line int) int {
	return sort.Search(len(g.cells), func(i int) bool { return g.cells[i].y >= line })
}

// follow scrolls as little as it takes to show an option, and gives the lines
// to show.
func (g *grid) follow(option int) (from, to int) {
	if len(g.cells) > 0 {
		line := g.cells[option].y
		g.top = min(max(g.top, line-maxGridRows+1), line)
	}
	g.top = max(min(g.top, g.lines-maxGridRows), 0)
	return g.top, min(g.top+maxGridRows, g.lines)
}

func (f *Form) choicesRows(r *paint.Row, p *paint.Palette, fd *field, focused bool) []string {
	left, _ := f.layout.input(fd)
	g := fd.lay(max(f.layout.w-left-1, 8))
	from, to := g.follow(fd.at)
	var out []string
	f.head(r, p, fd, focused)
	if f.layout.narrow {
		out = append(out, r.String())
		r.Start(f.layout.w, paint.Style{})
	}
	line := from
	for i := g.first(from); i < len(g.cells) && g.cells[i].y < to; i++ {
		c := g.cells[i]
		if c.y != line {
			out = append(out, r.String())
			r.Start(f.layout.w, paint.Style{})
			line = c.y
		}
		r.To(left + c.x)
		ground := p.Field
		if focused && i == fd.at {
			ground = p.Text.Reverse()
		}
		mark := p.Off
		if fd.on[i] {
			mark = p.On
		}
		r.Cell(ground, mark+" "+fd.Options[i], c.w)
	}
	out = append(out, r.String())
	if g.lines > maxGridRows {
		r.Start(f.layout.w, paint.Style{})
		r.To(left)
		r.Put(p.Muted, "option "+paint.HumanCount(fd.at+1)+" of "+paint.HumanCount(len(fd.Options)))
		out = append(out, r.String())
	}
	return out
}

func (f *Form) clickOption(fd *field, x, y int) {
	left, _ := f.layout.input(fd)
	g := fd.lay(max(f.layout.w-left-1, 8))
	for i := g.first(y + g.top); i < len(g.cells) && g.cells[i].y == y+g.top && y < maxGridRows; i++ {
		if c := g.cells[i]; x >= c.x && x < c.x+c.w {
			fd.at = i
			f.flip(fd, i)
		}
	}
}

// flip turns an option on or off.
func (f *Form) flip(fd *field, option int) {
	fd.on[option] = !fd.on[option]
	fd.changes++
	f.version++
}
