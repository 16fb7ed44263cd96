package result

import (
	"strings"

	"mcptea/internal/words/display"
	"mcptea/ui/paint"
)

// keepRows bounds the painted rows that are kept, because a window that moves by one row needs almost the same
// rows again.
const keepRows = 512

// paper holds what blocks are painted with: a size and the styles.
type paper struct {
	pal  *paint.Palette
	js   paint.JSONStyles
	w, h int  // size of the window
	x    int  // first visible column of rows that are wider than the window
	cut  bool // text is not wrapped
	most int  // the widest row that was painted
	high *paint.Highlighter
	r    *paint.Row

	known map[position][]string
}

// use sets the size and the styles for painting.
func (p *paper) use(pal *paint.Palette, js paint.JSONStyles, w, h, x int, cut bool) {
	if p.x != x || p.cut != cut || p.pal != pal || p.js != js || p.w != w || p.h != h {
		clear(p.known)
	}
	if p.pal != pal {
		p.high = paint.NewHighlighter(pal)
		p.r = pal.Row()
	}
	p.pal, p.js, p.w, p.h, p.x, p.cut = pal, js, max(w, 1), h, x, cut
}

// rows paints one line of one block. There is always at least one row.
func (p *paper) rows(blocks []block, at position) []string {
	at.row = 0
	if rows, ok := p.known[at]; ok {
		return rows
	}
	rows := blocks[at.block].paint(p, at.line)
	if len(rows) == 0 {
		p.r.Start(p.w, paint.Style{})
		rows = []string{p.r.String()}
	}
	if p.known == nil || len(p.known) >= keepRows {
		p.known = make(map[position][]string)
	}
	p.known[at] = rows
	return rows
}

// wide paints a row of any width. The window shows a part of it.
func (p *paper) wide(width int, write func(r *paint.Row)) []string {
	p.most = max(p.most, width)
	p.r.Start(max(width, p.w), paint.Style{})
	write(p.r)
	row := p.r.String()
	if width <= p.w && p.x == 0 {
		return []string{row}
	}
	all := row
	row = paint.Slice(row, p.x, p.w)
	if width > p.x+p.w && p.w > 2 {
		row = paint.Slice(row, 0, p.w-1) + p.pal.Muted.Render(p.pal.Ellipsis)
		if p.pal.IsCopying() {
			row += p.pal.CutOff(paint.Cells(all, p.x+p.w-1, width))
		}
	}
	return []string{row}
}

// wrapped paints text of a server in one style, in as many rows as it takes.
func (p *paper) wrapped(st paint.Style, text string, left int) []string {
	if p.cut {
		text = display.Sanitize(strings.ReplaceAll(text, "\t", "    "))
		return p.wide(left+display.Width(text), func(r *paint.Row) {
			r.Gap(left)
			r.Put(st, text)
		})
	}
	var rows, joints []string
	if p.pal.IsCopying() {
		joints = display.Joints(text, max(p.w-left, 1))
	}
	for i, line := range display.Wrap(text, max(p.w-left, 1)) {
		p.r.Start(p.w, paint.Style{})
		p.r.Gap(left)
		p.r.Put(st, line)
		if i+1 < len(joints) {
			p.r.Joint(joints[i+1])
		}
		rows = append(rows, p.r.String())
	}
	return rows
}

// spans paints spans in as many rows as they take.
func (p *paper) spans(spans []paint.Span) []string {
	if p.cut {
		return p.wide(paint.SpansWidth(spans), func(r *paint.Row) { r.Spans(spans...) })
	}
	var rows []string
	p.r.Start(p.w, paint.Style{})
	for _, s := range spans {
		for s.Text != "" {
			first, rest := splitAt(s.Text, p.r.Left())
			if first == "" && p.r.Used() == 0 { // wider than the row
				n, _ := display.Step(s.Text, 0)
				first, rest = s.Text[:n], s.Text[n:]
			}
			p.r.Put(s.Style, first)
			if s.Text = rest; rest != "" {
				p.r.Joint("")
				rows = append(rows, p.r.String())
				p.r.Start(p.w, paint.Style{})
			}
		}
	}
	return append(rows, p.r.String())
}
