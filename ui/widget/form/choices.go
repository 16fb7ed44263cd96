package form

import "mcptea/ui/paint"

// cell is where one option of Choices stands.
type cell struct{ x, y, w int }

// cells puts options side by side and goes to the next row when one is full.
func (fd *field) cells(w int) []cell {
	out := make([]cell, len(fd.Options))
	x, y := 0, 0
	for i, o := range fd.Options {
		n := min(4+paint.Width(paint.Sanitize(o)), w)
		if x > 0 && x+n > w {
			x, y = 0, y+1
		}
		out[i] = cell{x, y, n}
		x += n + 2
	}
	return out
}

func (f *Form) choicesRows(r *paint.Row, p *paint.Palette, fd *field, focused bool) []string {
	left, _ := f.layout.input(fd)
	w := max(f.layout.w-left-1, 8)
	var out []string
	f.head(r, p, fd, focused)
	line := 0
	for i, c := range fd.cells(w) {
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
		r.ForeignCell(ground, mark+" "+fd.Options[i], c.w)
	}
	out = append(out, r.String())
	return out
}

func (f *Form) clickOption(fd *field, x, y int) {
	left, _ := f.layout.input(fd)
	for i, c := range fd.cells(max(f.layout.w-left-1, 8)) {
		if c.y == y && x >= c.x && x < c.x+c.w {
			fd.at = i
			fd.on[i] = !fd.on[i]
			f.version++
		}
	}
}
