package list

import (
	"unicode/utf8"

	"mcptea/ui/paint"
)

// Rows paints the list: exactly h rows of w cells, the filter first.
func (l *List) Rows(p *paint.Palette, w, h int, focused bool) []string {
	if h <= 0 {
		return nil
	}
	out := make([]string, 0, h)
	r := p.Row()
	if l.bar = h > 2; l.bar {
		out = append(out, l.filterRow(r, p, w))
	}
	if len(l.shown) > 0 {
		out = append(out, l.Paint(p, w, h-len(out), focused)...)
	} else {
		r.Start(w, paint.Style{})
		r.Gap(1)
		r.Put(p.Muted, l.emptyText())
		out = append(out, r.String())
	}
	for len(out) < h {
		r.Start(w, paint.Style{})
		out = append(out, r.String())
	}
	return out
}

func (l *List) emptyText() string {
	if len(l.items) > 0 {
		return "No matches; esc clears it"
	}
	return l.Empty
}

func (l *List) filterRow(r *paint.Row, p *paint.Palette, w int) string {
	r.Start(w, paint.Style{})
	r.Gap(1)
	if !l.filter.Shown() {
		r.Put(p.Accent, "/ ")
		r.Put(p.Muted, "filter")
		return r.String()
	}
	if !l.filter.Empty() {
		st := p.Muted
		if len(l.shown) == 0 {
			st = p.Error
		}
		r.Right(paint.Span{Style: st, Text: paint.HumanCount(len(l.shown)) + " "})
	}
	l.filter.Put(r, p, p.Strong, r.Left()-2)
	return r.String()
}

// Cursor is the cell of the text cursor in the rows last painted; ok while the
// filter is being typed.
func (l *List) Cursor() (x, y int, ok bool) {
	x, ok = l.filter.CursorX()
	return x, 0, ok && l.bar
}

// itemHeight is the number of rows of an item: one more with a line after it.
func (l *List) itemHeight(i int) int {
	if l.items[l.shown[i]].Last && l.filter.Empty() {
		return 2
	}
	return 1
}

func (l *List) itemRow(r *paint.Row, p *paint.Palette, i, line int, selected bool) {
	if line > 0 {
		w := r.Left() + r.Used()
		r.Start(w, paint.Style{})
		r.Gap(1)
		r.Fill(p.Border, p.Horizontal, w-2)
		return
	}
	it := &l.items[l.shown[i]]
	if l.signs {
		r.Cell(it.SignStyle, it.Sign, 2)
	}
	st := it.Style
	if selected && st == (paint.Style{}) {
		st = p.Strong
	}
	if it.Note != "" {
		note := it.NoteStyle
		if note == (paint.Style{}) {
			note = p.Muted
		}
		r.Right(paint.Span{Style: note, Text: p.Cut(paint.Sanitize(it.Note), (r.Left()+1)/2) + " "})
	} else {
		r.Right(paint.Span{Text: " "})
	}
	var hits []int
	if i < len(l.hits) {
		hits = l.hits[i]
	}
	if len(hits) == 0 {
		r.Put(st, it.Name)
		return
	}
	marked(r, st, st.On(p.Match).Underline(), it.Name, hits)
}

// marked writes a name with the matching bytes in another style.
func marked(r *paint.Row, st, hit paint.Style, name string, hits []int) {
	at := 0
	for _, h := range hits {
		if h < at || h >= len(name) || !utf8.RuneStart(name[h]) {
			continue
		}
		_, n := utf8.DecodeRuneInString(name[h:])
		r.Put(st, name[at:h])
		r.Put(hit, name[h:h+n])
		at = h + n
	}
	r.Put(st, name[at:])
}
