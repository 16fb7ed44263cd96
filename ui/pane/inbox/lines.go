package inbox

import (
	"mcptea/session/failure"
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

// linePainter paints lines into rows of a sheet.
type linePainter struct {
	paint.Sheet
	js paint.JSONStyles
}

// paintLines paints lines into rows of w cells. Without gaps no row is empty.
func paintLines(pal *paint.Palette, js paint.JSONStyles, lines []line, w int, gaps bool) []string {
	p := linePainter{paint.NewSheet(pal, w, 0), js}
	for _, l := range lines {
		if l.label != "" {
			p.Margin = marginWidth
		}
	}
	for _, l := range lines {
		switch {
		case len(p.Rows) > maxAllRows:
			p.row(&line{}, func(r *paint.Row) { r.Put(pal.Muted, cutOff) })
			return p.Rows
		case l != line{}:
			p.line(&l)
		case gaps:
			p.Blank()
		}
	}
	return p.Rows
}

// row appends a row. Only the first one of a line has the label.
func (p *linePainter) row(l *line, write func(r *paint.Row)) {
	p.Line(func(r *paint.Row) {
		if p.Margin > 0 {
			r.Cell(l.style.label(p.Pal), l.label, p.Margin-2)
			r.Gap(2)
		}
		write(r)
	})
	l.label = ""
}

func (p *linePainter) line(l *line) {
	if l.to > l.from {
		p.highlighted(l)
		return
	}
	text := l.text
	if l.style == warning {
		text = p.Pal.WarnMark + " " + text
	}
	for i, part := range paint.WrapFirst(text, max(p.W-p.Margin-2, 1), maxRows+1) {
		p.row(l, func(r *paint.Row) {
			switch {
			case i == maxRows:
				r.Put(p.Pal.Muted, cutOff)
			case l.style == code:
				p.js.Put(r, []byte(part))
			default:
				r.Put(l.style.text(p.Pal), part)
			}
		})
	}
}

// highlighted paints a text that is broken at any character, so that nothing of it
// is hidden, with a part of it highlighted.
func (p *linePainter) highlighted(l *line) {
	spans := []paint.Span{
		{Style: p.Pal.Text, Text: paint.Sanitize(l.text[:l.from])},
		{Style: p.Pal.AccentBold, Text: paint.Sanitize(l.text[l.from:l.to])},
		{Style: p.Pal.Text, Text: paint.Sanitize(l.text[l.to:])},
	}
	for n := 0; len(spans) > 0; n++ {
		if n == maxRows {
			p.row(l, func(r *paint.Row) { r.Put(p.Pal.Muted, cutOff) })
			return
		}
		p.row(l, func(r *paint.Row) {
			for progress := true; progress && len(spans) > 0; {
				n := fitting(spans[0].Text, r.Left()-1)
				r.Put(spans[0].Style, spans[0].Text[:n])
				if progress = n == len(spans[0].Text); progress {
					spans = spans[1:]
				} else {
					spans[0].Text = spans[0].Text[n:]
				}
			}
			if len(spans) > 0 && r.Left() >= p.W-p.Margin-2 {
				spans = nil // no character fits
			}
		})
	}
}

// fitting is the number of bytes of a text that fit into w cells.
func fitting(text string, w int) int {
	n := 0
	for n < len(text) {
		next := paint.NextCluster(text[n:])
		if w -= paint.Width(text[n : n+next]); w < 0 {
			break
		}
		n += next
	}
	return n
}
