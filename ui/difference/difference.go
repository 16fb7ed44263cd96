// Package difference paints lines of values that differ: those of package
// session/diff, one below the other or side by side.
package difference

import (
	"strings"
	"unicode/utf8"

	"mcptea/session/diff"
	"mcptea/ui/paint"
)

// Skipped is the text of a row in the place of equal values.
func Skipped(n int) string {
	return paint.Plural(n, "equal value")
}

// Unified writes a row of a unified view into the rest of a row. pair is the row of the
// other side of a change, which shows what differs in the line; nil without one.
func Unified(r *paint.Row, p *paint.Palette, js *paint.JSONStyles, row, pair *diff.Row) {
	switch {
	case row.Skipped > 0:
		r.Put(p.Muted, "  "+p.Folded+" "+Skipped(row.Skipped))
	case row.Kind == diff.Removed:
		other := ""
		if pair != nil {
			other = pair.New
		}
		removed(r, p, js, row.Old, other, pair != nil, r.Left())
	case row.Kind == diff.Added:
		other := ""
		if pair != nil {
			other = pair.Old
		}
		added(r, p, js, row.New, other, pair != nil, r.Left())
	default:
		r.Gap(2)
		line(r, p, js, paint.Style{}, paint.Style{}, row.Old, 0, 0, r.Left())
	}
}

func removed(r *paint.Row, p *paint.Palette, js *paint.JSONStyles, text, other string, changed bool, w int) {
	from, to := 0, 0
	if changed {
		from, to, _ = Differing(text, other)
	}
	r.Put(p.Error.On(p.Removed), p.Minus+" ")
	line(r, p, js, p.Removed, p.RemovedPart, text, from, to, w-2)
}

func added(r *paint.Row, p *paint.Palette, js *paint.JSONStyles, text, other string, changed bool, w int) {
	from, to := 0, 0
	if changed {
		from, _, to = Differing(other, text)
	}
	r.Put(p.OK.On(p.Added), "+ ")
	line(r, p, js, p.Added, p.AddedPart, text, from, to, w-2)
}

// Old writes the left side of a row into w cells.
func Old(r *paint.Row, p *paint.Palette, js *paint.JSONStyles, row *diff.Row, w int) {
	switch row.Kind {
	case diff.Added:
		r.Fill(p.Faint, "/", w)
	case diff.Removed, diff.Changed:
		removed(r, p, js, row.Old, row.New, row.Kind == diff.Changed, w)
	default:
		same(r, p, js, row, row.Old, w)
	}
}

// New writes the right side of a row into w cells.
func New(r *paint.Row, p *paint.Palette, js *paint.JSONStyles, row *diff.Row, w int) {
	switch row.Kind {
	case diff.Removed:
		r.Fill(p.Faint, "/", w)
	case diff.Added, diff.Changed:
		added(r, p, js, row.New, row.Old, row.Kind == diff.Changed, w)
	default:
		same(r, p, js, row, row.New, w)
	}
}

func same(r *paint.Row, p *paint.Palette, js *paint.JSONStyles, row *diff.Row, text string, w int) {
	end := r.Used() + w
	if row.Skipped > 0 {
		r.Put(p.Muted, p.Cut("  "+p.Folded+" "+Skipped(row.Skipped), w))
	} else {
		r.Gap(2)
		line(r, p, js, paint.Style{}, paint.Style{}, text, 0, 0, w-2)
	}
	r.To(end)
}

// line writes untrusted text into w cells on a ground, with a part on another one. The
// beginning is left out where the part would not fit.
func line(r *paint.Row, p *paint.Palette, js *paint.JSONStyles, ground, part paint.Style, text string, from, to, w int) {
	end := r.Used() + max(w, 0)
	if from < to && paint.Width(text) > w && paint.Width(text[:from]) > w*2/3 {
		cut := from
		for n := 0; cut > 0 && n < w/3; n++ {
			_, size := utf8.DecodeLastRuneInString(text[:cut])
			cut -= size
		}
		r.Put(p.Muted.On(ground), p.Ellipsis)
		text, from, to = text[cut:], from-cut, to-cut
	}
	inString := false
	for at := 0; at < len(text) && r.Used() < end; {
		n, st, open := js.Token(text[at:], inString)
		inString = open
		for stop := at + n; at < stop && r.Used() < end; {
			next, under := stop, ground
			switch {
			case at < from:
				next = min(next, from)
			case at < to:
				next, under = min(next, to), part
			}
			r.Put(st.On(under), p.Label(text[at:next], end-r.Used()))
			at = next
		}
	}
	r.GapOn(ground, max(0, end-r.Used()))
}

// Differing returns where two texts begin to differ, and where the rest is equal again
// in each. The bytes are not in the middle of a character.
func Differing(a, b string) (from, toA, toB int) {
	middle := func(s string, i int) bool { return i < len(s) && s[i]&0xc0 == 0x80 }
	for from < len(a) && from < len(b) && a[from] == b[from] {
		from++
	}
	for from > 0 && (middle(a, from) || middle(b, from)) {
		from--
	}
	toA, toB = len(a), len(b)
	for toA > from && toB > from && a[toA-1] == b[toB-1] {
		toA--
		toB--
	}
	for middle(a, toA) || middle(b, toB) {
		toA++
		toB++
	}
	return from, toA, toB
}

// Lines returns the rows of a unified view, and for each row of a change its other side;
// nil for others.
func Lines(rows []diff.Row) (lines []diff.Row, pairs []*diff.Row) {
	for i := 0; i < len(rows); {
		if rows[i].Kind != diff.Changed {
			lines, pairs = append(lines, rows[i]), append(pairs, nil)
			i++
			continue
		}
		from := i
		for i < len(rows) && rows[i].Kind == diff.Changed {
			i++
		}
		for k := from; k < i; k++ {
			lines, pairs = append(lines, diff.Row{Kind: diff.Removed, Old: rows[k].Old}), append(pairs, &rows[k])
		}
		for k := from; k < i; k++ {
			lines, pairs = append(lines, diff.Row{Kind: diff.Added, New: rows[k].New}), append(pairs, &rows[k])
		}
	}
	return lines, pairs
}

// Text is the unified view as text.
func Text(rows []diff.Row) string {
	var b strings.Builder
	for _, row := range diff.Unified(rows) {
		sign, text := " ", row.Old
		switch {
		case row.Skipped > 0:
			text = "… " + Skipped(row.Skipped)
		case row.Kind == diff.Removed:
			sign = "-"
		case row.Kind == diff.Added:
			sign, text = "+", row.New
		}
		b.WriteString(sign + paint.Sanitize(text) + "\n")
	}
	return b.String()
}
