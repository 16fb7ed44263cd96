package comparison

import (
	"mcptea/session/compare"
	"mcptea/ui/paint"
)

// cells returns the texts of a row. Values that are too long for a column are
// letters there; values has the meaning of the letters.
func (s *sheet) cells(row compare.Row) (texts []string, styles []paint.Style, values []string) {
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
		if len(distinct[i]) > 0 && paint.Width(paint.Sanitize(text)) >= s.cell {
			fits = false
		}
	}
	if !fits && len(distinct) > 1 {
		values = compare.Shorten(distinct, 2*max(1, s.w-valueIndent), s.p.Ellipsis)
		s.withLetter = true
	}
	for i, c := range row.Cells {
		text, style := s.cellText(c), s.p.Text
		switch {
		case c.State != compare.Present:
			style = s.p.Muted
		case values != nil:
			text, style = letter(classes[i]), s.p.AccentBold
		case fits && len(c.Value) > 0 && short[classes[i]] != "{}":
			text = short[classes[i]]
		}
		if c.State == compare.Present && c.Undefined {
			text, style = text+"!", s.p.WarnBold
			s.undefined = true
		}
		texts, styles = append(texts, text), append(styles, style)
	}
	return texts, styles, values
}

// cellText is the text of a cell without its value.
func (s *sheet) cellText(c compare.Cell) string {
	switch {
	case c.State == compare.Present:
		return "yes"
	case c.State == compare.Missing && !c.Undefined:
		s.missing = true
		return s.none()
	}
	return ""
}

func letter(class int) string { return string(rune('A' + class)) }

const valueIndent = 9

// values adds the meaning of the letters, at most two lines each.
func (s *sheet) values(values []string) {
	for i, v := range values {
		for n, text := range paint.WrapFirst(v, max(1, s.w-valueIndent), 2) {
			s.line(func(r *paint.Row) {
				r.Gap(valueIndent - 3)
				if n == 0 {
					r.Put(s.p.AccentBold, letter(i))
				}
				r.To(valueIndent)
				r.Put(s.p.Value, text)
			})
		}
	}
}
