package comparison

import (
	"mcptea/session/runs/compare"
	"mcptea/ui/paint"
)

// cells are those of a row. Values that are too long for a column are letters there; values
// has the meaning of the letters.
func (s *sheet) cells(row compare.Row) (cells []paint.Span, values []string) {
	classes := compare.Classes(row.Cells)
	var distinct [][]byte
	for i, c := range row.Cells {
		if classes[i] == len(distinct) {
			distinct = append(distinct, c.Value)
		}
	}
	short := compare.Shorten(distinct, s.w*4, s.p.Ellipsis)
	fits := true
	for i, text := range short {
		fits = fits && (len(distinct[i]) == 0 || paint.Width(paint.Sanitize(text)) < s.cell)
	}
	if !fits && len(distinct) > 1 {
		values = compare.Shorten(distinct, 2*max(1, s.w-valueIndent), s.p.Ellipsis)
		s.withLetter = true
	}
	for i, c := range row.Cells {
		cell := paint.Span{Style: s.p.Text, Text: "yes"}
		switch {
		case c.State == compare.Missing && !c.Undefined:
			s.missing = true
			cell = paint.Span{Style: s.p.Muted, Text: s.none()}
		case c.State != compare.Present:
			cell = paint.Span{}
		case values != nil:
			cell = paint.Span{Style: s.p.AccentBold, Text: letter(classes[i])}
		case fits && len(c.Value) > 0 && short[classes[i]] != "{}":
			cell.Text = short[classes[i]]
		}
		if c.State == compare.Present && c.Undefined {
			s.undefined = true
			cell = paint.Span{Style: s.p.WarnBold, Text: cell.Text + "!"}
		}
		cells = append(cells, cell)
	}
	return cells, values
}

func letter(class int) string { return string(rune('A' + class)) }

const valueIndent = 9
