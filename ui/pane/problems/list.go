package problems

import (
	"strconv"

	"mcptea/session"
	"mcptea/session/lint"
	"mcptea/ui/paint"
	"mcptea/ui/severity"
)

// sideBySide is the width from which list and finding stand next to each other.
const sideBySide = 100

// Paint paints the pane: exactly h rows of w cells.
func (p *Pane) Paint(pal *paint.Palette, js paint.JSONStyles, w, h int, focused bool) []string {
	p.area.list, p.area.sheet = rect{}, rect{}
	l, ok := p.selected()
	switch {
	case !ok:
		return p.listBox(pal, w, h, focused)
	case w < sideBySide:
		lh := min(p.wanted()+2, max(h*2/5, 6), h)
		list := p.listBox(pal, w, lh, focused)
		return append(list, p.sheetBox(pal, js, l, 0, lh, w, h-lh)...)
	}
	lw := min(max(w*2/5, 44), 76)
	return paint.JoinSide(p.listBox(pal, lw, h, focused), p.sheetBox(pal, js, l, lw, 0, w-lw, h))
}

// wanted is how many rows the whole list takes.
func (p *Pane) wanted() int {
	n := 0
	if p.input.Shown() {
		n++
	}
	for _, l := range p.lines {
		n += l.height()
	}
	return n
}

// height is how many rows a line takes: a rule has a second one for what it
// says.
func (l line) height() int {
	if l.f < 0 {
		return 2
	}
	return 1
}

func (p *Pane) listBox(pal *paint.Palette, w, h int, focused bool) []string {
	st := pal.Text
	if focused {
		st = pal.TextBold
	}
	title := []paint.Span{{Style: st, Text: "Problems"}}
	if p.least != lint.Info {
		title = append(title, paint.Span{Style: pal.Accent, Text: "  " + map[lint.Severity]string{lint.Warn: "warnings and worse", lint.Error: "errors"}[p.least]})
	}
	inner, place := max(w-2, 0), max(h-2, 0)
	var body []string
	if p.input.Shown() {
		body = append(body, p.filterLine(pal, inner))
	}
	p.area.list = rect{1, 1 + len(body), inner, max(place-len(body), 0)}
	if len(p.lines) == 0 {
		body = append(body, p.empty(pal, inner)...)
	} else {
		body = append(body, p.list1(pal, inner, p.area.list.h, focused)...)
	}
	return paint.Box(pal, w, h, focused, title, p.note(pal), body)
}

// note says how much there is, or how far behind the rules are.
func (p *Pane) note(pal *paint.Palette) []paint.Span {
	if n := p.found.Behind; n > 0 {
		return []paint.Span{{Style: pal.Warn, Text: "behind by " + frames(n)}}
	}
	var spans []paint.Span
	for s, n := range []int{p.found.Errors, p.found.Warnings, p.found.Infos} {
		if n == 0 {
			continue
		}
		if len(spans) > 0 {
			spans = append(spans, paint.Span{Text: "  "})
		}
		s := lint.Severity(s)
		spans = append(spans, paint.Span{Style: severity.Style(pal, s), Text: severity.Sign(pal, s) + " " + paint.HumanCount(n)})
	}
	return spans
}

func frames(n int) string {
	if n == 1 {
		return "1 frame"
	}
	return paint.HumanCount(n) + " frames"
}

func (p *Pane) filterLine(pal *paint.Palette, w int) string {
	r := pal.Row()
	r.Start(w, paint.Style{})
	r.Gap(1)
	p.input.Put(r, pal, pal.Text, max(r.Left()-3, 1))
	return r.String()
}

func (p *Pane) empty(pal *paint.Palette, w int) []string {
	text := "Nothing is wrong so far: each frame is held against the rules of MCP as it crosses the wire, and what breaks one will stand here."
	switch {
	case p.filtering():
		text = "No problem passes the filter; esc shows all of them."
	case p.found.Behind > 0:
		text = "Nothing is wrong so far, but not all frames have been looked at yet."
	}
	r := pal.Row()
	var out []string
	for _, part := range paint.Wrap(text, max(w-3, 1)) {
		r.Start(w, paint.Style{})
		r.Gap(1)
		r.Put(pal.Muted, part)
		out = append(out, r.String())
	}
	return out
}

// list1 paints the lines that fit, the selected one among them.
func (p *Pane) list1(pal *paint.Palette, w, h int, focused bool) []string {
	p.top = min(p.top, p.cursor)
	used := 0
	for i := p.cursor; i >= p.top; i-- {
		if used += p.lines[i].height(); used > h {
			p.top = min(i+1, p.cursor)
			break
		}
	}
	for p.top > 0 { // no room stays empty at the end
		rest := p.lines[p.top-1].height()
		for _, l := range p.lines[p.top:] {
			if rest += l.height(); rest > h {
				break
			}
		}
		if rest > h {
			break
		}
		p.top--
	}
	p.rows = p.rows[:0]
	var out []string
	r := pal.Row()
	for i := p.top; i < len(p.lines) && len(out) < h; i++ {
		for _, row := range p.line(r, pal, w, i, focused) {
			if len(out) < h {
				out, p.rows = append(out, row), append(p.rows, i)
			}
		}
	}
	return out
}

func (p *Pane) line(r *paint.Row, pal *paint.Palette, w, i int, focused bool) []string {
	l := p.lines[i]
	base, bar, mark := paint.Style{}, pal.Muted, " "
	if i == p.cursor {
		base, mark = pal.Selected, pal.Bar
	}
	if focused {
		bar = pal.Accent
	}
	begin := func() {
		r.Start(w, base)
		r.Put(bar, mark)
	}
	if l.f >= 0 {
		begin()
		p.single(r, pal, l)
		return []string{r.String()}
	}
	begin()
	p.head(r, pal, l.g)
	first := r.String()
	begin()
	p.says(r, pal, l.g)
	return []string{first, r.String()}
}

// head is the first row of a rule: which it is and how often it has fired.
func (p *Pane) head(r *paint.Row, pal *paint.Palette, g *session.Group) {
	sign, name, slug := severity.Style(pal, g.Rule.Severity), severity.Bold(pal, g.Rule.Severity), pal.TextBold
	right := []paint.Span{{Style: pal.Muted, Text: g.Newest.Fault.String()}}
	if g.Count > 1 {
		right = append(right, paint.Span{Style: pal.Text, Text: "  " + times(pal, g.Count)})
	}
	if g.Muted {
		sign, name, slug = pal.Muted, pal.Muted, pal.Muted
		right = []paint.Span{{Style: pal.Muted, Text: "muted  " + times(pal, g.Count)}}
	}
	r.Right(append(right, paint.Span{Text: " "})...)
	fold := pal.Folded
	if p.open[g.Rule.ID] {
		fold = pal.Unfolded
	}
	r.Put(pal.Muted, fold+" ")
	r.Put(sign, severity.Sign(pal, g.Rule.Severity)+" ")
	r.Put(name, g.Rule.ID+" ")
	r.Put(slug, g.Rule.Slug)
}

// says is the second row of a rule: what it says of the newest frame.
func (p *Pane) says(r *paint.Row, pal *paint.Palette, g *session.Group) {
	text, at := pal.Text, pal.Muted
	if g.Muted {
		text, at = pal.Muted, pal.Muted
	}
	r.Right(paint.Span{Style: at, Text: clock(g.Newest) + " "})
	r.Gap(4)
	r.Foreign(text, g.Newest.Message)
}

// single is a row for one finding: the frame and the place in it.
func (p *Pane) single(r *paint.Row, pal *paint.Palette, l line) {
	f := l.finding()
	number, text, at := pal.Muted, pal.Text, pal.Muted
	if l.g.Muted {
		number, text, at = pal.Muted, pal.Muted, pal.Muted
	}
	r.Right(paint.Span{Style: at, Text: clock(*f) + " "})
	r.Gap(4)
	if f.Row < 0 {
		r.Foreign(text, f.Message)
		return
	}
	r.Put(number, "#"+strconv.Itoa(int(f.Row)+1)+" ")
	p.frame(r, pal, f.Row, text)
	r.Gap(1)
	r.Put(pal.Value, tail(pal, f.Where(), r.Left()))
}

func clock(f lint.Finding) string { return paint.HumanClock(f.Time)[:len("15:04:05")] }

func times(pal *paint.Palette, n int) string { return pal.Times + paint.HumanCount(n) }
