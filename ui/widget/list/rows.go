package list

import (
	"unicode/utf8"

	"mcptea/ui/paint"
)

// Rows paints the window: exactly h rows of w cells, the filter first.
func (l *List) Rows(p *paint.Palette, w, h int, focused bool) []string {
	if h <= 0 {
		return nil
	}
	out := make([]string, 0, h)
	r := p.Row()
	if l.bar = h > 2; l.bar {
		out = append(out, l.filterRow(r, p, w))
	}
	l.height = h - len(out)
	l.follow()
	for i := range l.height {
		n := l.top + i
		switch {
		case n < len(l.shown):
			l.item(r, p, w, n, focused)
		case i == 0:
			r.Start(w, paint.Style{})
			r.Gap(1)
			r.Put(p.Muted, l.nothing())
		default:
			r.Start(w, paint.Style{})
		}
		out = append(out, r.String())
	}
	return out
}

func (l *List) nothing() string {
	if len(l.items) > 0 {
		return "nothing matches; esc clears the filter"
	}
	return l.Empty
}

func (l *List) follow() {
	l.top = min(l.top, max(len(l.shown)-l.height, 0))
	l.top = min(l.top, l.cursor)
	l.top = max(l.top, l.cursor-l.height+1)
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

// Cursor is the cell of the text cursor in the rows last painted; ok when the
// filter is being typed.
func (l *List) Cursor() (x, y int, ok bool) {
	x, ok = l.filter.CursorX()
	return x, 0, ok && l.bar
}

func (l *List) item(r *paint.Row, p *paint.Palette, w, n int, focused bool) {
	it := &l.items[l.shown[n]]
	st := it.Style
	if n == l.cursor {
		r.Start(w, p.Selected)
		bar := p.Muted
		if focused {
			bar = p.Accent
		}
		r.Put(bar, p.Bar)
		if st == (paint.Style{}) {
			st = p.Strong
		}
	} else {
		r.Start(w, p.Text)
		r.Gap(1)
	}
	if it.Note != "" {
		note := it.NoteStyle
		if note == (paint.Style{}) {
			note = p.Muted
		}
		r.Right(paint.Span{Style: note, Text: p.Cut(paint.Sanitize(it.Note), w/2) + " "})
	} else {
		r.Right(paint.Span{Text: " "})
	}
	var hits []int
	if n < len(l.hits) {
		hits = l.hits[n]
	}
	if len(hits) == 0 {
		r.Foreign(st, it.Name)
		return
	}
	marked(r, st, st.On(p.Match).Underline(), it.Name, hits)
}

// marked writes a name with the bytes that matched in another style.
func marked(r *paint.Row, st, hit paint.Style, name string, hits []int) {
	at := 0
	for _, h := range hits {
		if h < at || h >= len(name) || !utf8.RuneStart(name[h]) {
			continue
		}
		_, n := utf8.DecodeRuneInString(name[h:])
		r.Foreign(st, name[at:h])
		r.Foreign(hit, name[h:h+n])
		at = h + n
	}
	r.Foreign(st, name[at:])
}
