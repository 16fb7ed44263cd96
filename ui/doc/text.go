package doc

import (
	"mcptea/internal/words/display"
	"mcptea/ui/paint"
)

// Text adds text that wants at most n rows. If rows are left over, it gets more.
func (d *Doc) Text(st paint.Style, text string, n int) *Block {
	return d.wrapped(paint.Span{}, st, text, n, 0)
}

// Sign is like Text, but after a sign.
func (d *Doc) Sign(sign paint.Span, st paint.Style, text string, n int) *Block {
	return d.wrapped(sign, st, text, n, display.Width(sign.Text))
}

// TextOf adds text that has exactly n rows, so that later blocks keep their positions.
func (d *Doc) TextOf(n int, st paint.Style, text string) {
	lines := d.Pal.WrapMost(text, max(d.W-2, 1), n)
	d.Add(n, func(n int) {
		joints := d.joints(text, max(d.W-2, 1))
		d.Write(min(n, len(lines)), func(r *paint.Row, i int) {
			r.Put(st, lines[i])
			if i+1 < min(n, len(lines), len(joints)) {
				r.Joint(joints[i+1])
			}
		})
	})
}

// joints returns the separators between the rows of a text that is painted for copying; see [display.Joints].
func (d *Doc) joints(text string, w int) []string {
	if !d.Pal.IsCopying() {
		return nil
	}
	return display.Joints(text, w)
}

// FactText is like Text, but with a label in the margin.
func (d *Doc) FactText(label string, st paint.Style, text string, n int) *Block {
	return d.wrapped(paint.Span{Style: d.Pal.Muted, Text: label}, st, text, n, d.Margin)
}

// FactLink is like FactText, but the text is a link to an address. The address must come from the program itself,
// because a terminal may open it on a click.
func (d *Doc) FactLink(label, address, text string, n int) *Block {
	if text == "" {
		return &Block{}
	}
	return d.growing(text, max(d.W-2-d.Margin, 1), n, func(r *paint.Row, i int, line string) {
		if i == 0 {
			r.Cell(d.Pal.Muted, label, d.Margin)
		}
		r.To(1 + d.Margin)
		r.Link(d.Pal.Link, address, line)
	})
}

func (d *Doc) wrapped(label paint.Span, st paint.Style, text string, most, margin int) *Block {
	if text == "" {
		return &Block{}
	}
	return d.growing(text, max(d.W-2-margin, 1), most, func(r *paint.Row, i int, line string) {
		if i == 0 {
			r.Cell(label.Style, label.Text, margin)
		}
		r.To(1 + margin)
		r.Put(st, line)
	})
}

// Growing adds rows with a text of w cells and writes each of its lines with its number: at most most lines, at
// least one even without text, and more if rows are left over. If it gets fewer rows, the last line ends with
// an ellipsis.
func (d *Doc) Growing(text string, w, most int, write func(r *paint.Row, i int, line string)) *Block {
	return d.growing(text, max(w, 1), most, write)
}

func (d *Doc) growing(text string, w, most int, write func(r *paint.Row, i int, line string)) *Block {
	lines := d.Pal.WrapMost(text, w, max(most, min(d.Left(), maxGrown)))
	b := d.Add(min(len(lines), most), func(n int) {
		if n < len(lines) {
			lines = d.Pal.WrapMost(text, w, n)
		}
		joints := d.joints(text, w)
		d.Write(n, func(r *paint.Row, i int) {
			write(r, i, lines[i])
			if i+1 < min(n, len(joints)) {
				r.Joint(joints[i+1])
			}
		})
	})
	b.whole = len(lines)
	return b
}

// maxGrown bounds the rows that are laid out of a text beyond the rows that the text wants. It is
// about a screen.
const maxGrown = 100

// Flow puts pieces into rows of w cells, two blanks between them.
func Flow(pieces [][]paint.Span, w int) (rows [][]paint.Span) {
	const gap = "  "
	used := 0
	for _, piece := range pieces {
		n := paint.SpansWidth(piece)
		if len(rows) == 0 || used+len(gap)+n > w {
			rows, used = append(rows, piece), n
			continue
		}
		last := &rows[len(rows)-1]
		*last = append(append(*last, paint.Span{Text: gap}), piece...)
		used += len(gap) + n
	}
	return rows
}
