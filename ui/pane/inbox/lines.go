package inbox

import (
	"slices"

	"mcptea/session/failure"
	"mcptea/ui/app"
	"mcptea/ui/paint"
)

// line is a part of a request as it is shown: a label in the margin and a text of
// any length, both untrusted. The zero line is an empty row.
type line struct {
	label, text string
	style       style
	from, to    int // bytes of the text to highlight
}

// style is how a line looks.
type style uint8

const (
	plain style = iota
	muted
	strong
	user      // label of a message with this role
	assistant // likewise
	warning
	code // JSON
)

const (
	marginWidth = 11
	// maxRows bounds the rows of one line, and maxAllRows those of a request.
	maxRows    = 400
	maxAllRows = 8000
)

// cutOff ends what is not shown in full.
const cutOff = "cut off here; the frame has all of it"

func (t style) text(pal *paint.Palette) paint.Style {
	switch t {
	case muted:
		return pal.Muted
	case strong:
		return pal.Strong
	case warning:
		return pal.Warn
	}
	return pal.Text
}

func (t style) label(pal *paint.Palette) paint.Style {
	switch t {
	case user:
		return pal.Value
	case assistant:
		return pal.OK
	}
	return pal.Muted
}

// pageLines show a URL with its host highlighted, and warnings about it.
func pageLines(raw string) []line {
	page := failure.PageOf(raw)
	lines := []line{{label: "url", text: raw, from: page.From, to: page.To}}
	if page.Host != "" {
		lines = append(lines, line{label: "host", text: page.Host, style: strong})
	}
	for _, text := range page.Warnings {
		lines = append(lines, line{text: text, style: warning})
	}
	return append(lines, line{text: "Nothing is opened from here.", style: muted})
}

// paintLines paints lines into rows of w cells.
func paintLines(c *app.Canvas, lines []line, w int) (rows []string) {
	margin := 0
	if slices.ContainsFunc(lines, func(l line) bool { return l.label != "" }) {
		margin = marginWidth
	}
	r := c.Pal.Row()
	add := func(l *line, i int, write func()) {
		r.Start(w, paint.Style{})
		r.Gap(1)
		if margin > 0 && i == 0 {
			r.Cell(l.style.label(c.Pal), l.label, margin-2)
		}
		r.To(1 + margin)
		write()
		rows = append(rows, r.String())
	}
	for _, l := range lines {
		if len(rows) > maxAllRows {
			add(&line{}, 0, func() { r.Put(c.Pal.Muted, cutOff) })
			break
		}
		for i, part := range l.wrapped(c.Pal, max(w-margin-2, 1)) {
			add(&l, i, func() {
				switch {
				case i == maxRows:
					r.Put(c.Pal.Muted, cutOff)
				case l.style == code:
					c.JS.Put(r, []byte(part))
				case l.to > l.from:
					from, to := min(l.from, len(part)), min(l.to, len(part))
					r.Put(c.Pal.Text, part[:from])
					r.Put(c.Pal.AccentBold, part[from:to])
					r.Put(c.Pal.Text, part[to:])
					l.from, l.to = l.from-from, l.to-to
				default:
					r.Put(l.style.text(c.Pal), part)
				}
			})
		}
	}
	return rows
}

// wrapped is the text in rows of w cells, with one more than maxRows when it is cut off. A
// text with a part to highlight is broken at any character, so that nothing of it is
// hidden.
func (l *line) wrapped(pal *paint.Palette, w int) (rows []string) {
	switch {
	case l.style == warning:
		return paint.WrapFirst(pal.WarnMark+" "+l.text, w, maxRows+1)
	case l.to <= l.from:
		return paint.WrapFirst(l.text, w, maxRows+1)
	}
	before, part := paint.Sanitize(l.text[:l.from]), paint.Sanitize(l.text[l.from:l.to])
	rest := before + part + paint.Sanitize(l.text[l.to:])
	l.from, l.to = len(before), len(before)+len(part)
	for rest != "" && len(rows) <= maxRows {
		n := 0
		for room := w; n < len(rest); {
			next := paint.NextCluster(rest[n:])
			if room -= paint.Width(rest[n : n+next]); room < 0 {
				break
			}
			n += next
		}
		if n == 0 {
			break // no character fits
		}
		rows, rest = append(rows, rest[:n]), rest[n:]
	}
	return rows
}

// marked marks the first and the last of rows where there are more above or below.
func marked(pal *paint.Palette, rows []string, above, below bool) []string {
	mark := func(i int, glyph string) {
		if w := paint.Width(rows[i]); w > 2 {
			rows[i] = paint.Slice(rows[i], 0, w-2) + pal.Accent.Render(glyph) + " "
		}
	}
	if above && len(rows) > 0 {
		mark(0, pal.Up)
	}
	if below && len(rows) > 0 {
		mark(len(rows)-1, pal.Down)
	}
	return rows
}
