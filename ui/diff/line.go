package diff

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/offer/diff"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
)

type (
	// Line is a line of a view.
	Line = diff.Line
	// Result is the result of a comparison.
	Result = diff.Report
)

// Between returns the lines of a unified view of two JSON values. ok is false for invalid JSON.
func Between(old, now []byte) ([]Line, bool) {
	rows, err := diff.Rows(old, now, diff.Options{})
	return Lines(rows), err == nil
}

// Differs reports a line that is not on both sides.
func Differs(l Line) bool { return l.Kind != diff.Same }

// Start returns the first line to show: a little before the first difference.
func Start(lines []Line) int { return max(0, slices.IndexFunc(lines, Differs)-2) }

// Show adds lines of a unified view to a document, starting with [Start].
func Show(d *doc.Doc, lines []Line) *doc.Block {
	if !slices.ContainsFunc(lines, Differs) {
		return d.Text(d.Pal.Muted, "Only the formatting has changed: spaces, escapes, or the order of members.", 2)
	}
	if first := Start(lines); first > 0 {
		d.Row(paint.Span{Style: d.Pal.Muted, Text: "  " + d.Pal.Ellipsis})
		lines = lines[first:]
	}
	return d.Lines(len(lines), func(r *paint.Row, i int) { paintUnified(r, d.Pal, &d.JS, &lines[i]) })
}

// Rest adds lines of a unified view to a document, which take the rows that are left.
func Rest(d *doc.Doc, scroll *doc.Scroll, lines []Line) {
	d.Rest(len(lines), func(c *app.Canvas) {
		scroll.Lines(c, len(lines), func(r *paint.Row, i int) { paintUnified(r, c.Pal, &c.JS, &lines[i]) })
	})
}

// Skipped returns the text of a row that replaces equal values.
func Skipped(n int) string {
	return phrase.Count(n, "equal value")
}

// paintUnified writes a line of a unified view into the rest of a row.
func paintUnified(r *paint.Row, p *paint.Palette, js *paint.JSONStyles, l *Line) {
	pair := cmp.Or(l.Change, &l.Row)
	switch l.Kind {
	case diff.Removed:
		changed(r, p, js, pair, 0, r.Left())
	case diff.Added:
		changed(r, p, js, pair, 1, r.Left())
	default:
		same(r, p, js, &l.Row, 0, r.Left())
	}
}

// changed writes the old or the new side of a row that differs into w cells.
func changed(r *paint.Row, p *paint.Palette, js *paint.JSONStyles, row *diff.Row, side, w int) {
	texts, from, to := [2]string{row.Old, row.New}, 0, [2]int{}
	if row.Kind == diff.Changed {
		from, to[0], to[1] = Differing(row.Old, row.New)
	}
	if side == 0 {
		r.Put(p.Error.On(p.Removed), p.Minus+" ")
		line(r, p, js, p.Removed, p.RemovedPart, texts[0], from, to[0], w-2)
		return
	}
	r.Put(p.OK.On(p.Added), "+ ")
	line(r, p, js, p.Added, p.AddedPart, texts[1], from, to[1], w-2)
}

// half writes one side of a row into w cells.
func half(r *paint.Row, p *paint.Palette, js *paint.JSONStyles, row *diff.Row, side, w int) {
	switch row.Kind {
	case [2]diff.Kind{diff.Added, diff.Removed}[side]: // absent on this side
		r.Fill(p.Faint, "/", w)
	case diff.Added, diff.Removed, diff.Changed:
		changed(r, p, js, row, side, w)
	default:
		same(r, p, js, row, side, w)
	}
}

func same(r *paint.Row, p *paint.Palette, js *paint.JSONStyles, row *diff.Row, side, w int) {
	end := r.Used() + w
	if row.Skipped > 0 {
		r.Put(p.Muted, p.Cut("  "+p.Folded+" "+Skipped(row.Skipped), w))
	} else {
		r.Gap(2)
		line(r, p, js, paint.Style{}, paint.Style{}, [2]string{row.Old, row.New}[side], 0, 0, w-2)
	}
	r.To(end)
}

// line writes untrusted text into w cells on a background, with a part on a different background. The start is
// left out if the part would not fit.
func line(r *paint.Row, p *paint.Palette, js *paint.JSONStyles, ground, part paint.Style, text string, from, to, w int) {
	end := r.Used() + max(w, 0)
	if from < to && display.Width(text) > w && display.Width(text[:from]) > w*2/3 {
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

// Differing returns the position where two texts start to differ, and the position where the equal
// rest starts in each. It never cuts a character.
func Differing[T ~string | ~[]byte](a, b T) (from, toA, toB int) {
	middle := func(s T, i int) bool { return i < len(s) && s[i]&0xc0 == 0x80 }
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

// Lines returns the lines of a unified view of rows.
func Lines(rows []diff.Row) []Line { return diff.Unified(diff.LinesOf(rows)) }

// textOf returns a line of the unified view as text.
func textOf(l *Line) string {
	sign, text := " ", l.Old
	switch {
	case l.Heading != "":
		sign, text = "", l.Heading
	case l.Skipped > 0:
		text = phrase.Signs("… ") + Skipped(l.Skipped)
	case l.Kind == diff.Removed:
		sign = "-"
	case l.Kind == diff.Added:
		sign, text = "+", l.New
	}
	return sign + display.Sanitize(text) + "\n"
}
