package paint

import (
	"strconv"
	"strings"
	"unique"

	"mcptea/themes"
)

const reset = "\x1b[m"

// Style is how a segment of a row looks. It is a small comparable value whose
// escape sequence was made once, when the theme was loaded. The zero Style
// takes everything from the row's base.
type Style struct {
	pen   unique.Handle[pen]
	under unique.Handle[string] // ";…": what lies under the text: background, or reverse in a theme without colours
}

// pen is foreground and attributes.
type pen struct {
	pre   string // "\x1b[0;…", without the closing m
	lined bool   // it shows on blanks too
}

// The handles of the zero Style, whose values cannot be asked for.
var (
	basePen   unique.Handle[pen]
	baseUnder unique.Handle[string]
)

// ink is the pen; the zero value without one of its own.
func (s Style) ink() pen {
	if s.pen == basePen {
		return pen{}
	}
	return s.pen.Value()
}

// over gives a style with what lies under it; empty for what the base has.
func (s Style) over(under string) Style {
	if s.under = baseUnder; under != "" {
		s.under = unique.Make(under)
	}
	return s
}

// On gives the style with what lies under the other one.
func (s Style) On(ground Style) Style {
	s.under = ground.under
	return s
}

// Bold gives the style in bold. It allocates; make it once.
func (s Style) Bold() Style { return s.with("1") }

// Italic gives the style in italics. It allocates; make it once.
func (s Style) Italic() Style { return s.with("3") }

// Strike gives the style crossed out. It allocates; make it once.
func (s Style) Strike() Style { return s.with("9") }

// Underline gives the style underlined. It allocates; make it once.
func (s Style) Underline() Style { return s.with("4").onBlanks() }

// Reverse gives the style with foreground and background swapped, which is how
// a cursor is drawn. It allocates; make it once.
func (s Style) Reverse() Style { return s.with("7").onBlanks() }

func (s Style) onBlanks() Style {
	s.pen = unique.Make(pen{s.ink().pre, true})
	return s
}

func (s Style) with(param string) Style {
	ink := s.ink()
	if ink.pre == "" {
		ink.pre = "\x1b[0"
	}
	if !strings.Contains(ink.pre+";", ";"+param+";") {
		ink.pre += ";" + param
	}
	s.pen = unique.Make(ink)
	return s
}

// Render wraps s, which must be trusted text. Rows are cheaper for more than
// one segment.
func (s Style) Render(text string) string {
	return string(append(append(s.appendTo(nil), text...), reset...))
}

func (s Style) appendTo(dst []byte) []byte {
	if s.pen == basePen {
		dst = append(dst, "\x1b[0"...)
	} else {
		dst = append(dst, s.pen.Value().pre...)
	}
	if s.under != baseUnder {
		dst = append(dst, s.under.Value()...)
	}
	return append(dst, 'm')
}

// foreground makes the style of a text role.
func foreground(r themes.Role) Style {
	var b strings.Builder
	b.WriteString("\x1b[0")
	b.WriteString(attributes(r))
	if c, ok := colour("38", r.Color); ok {
		b.WriteString(c)
	}
	return Style{pen: unique.Make(pen{b.String(), r.Underline || r.Reverse})}
}

// ground makes the style of a background role: its color and attributes are under
// whatever is written over it. Reverse video without a color has the color of the
// theme's text everywhere: segments in their own colors would become patches.
func ground(r themes.Role, text Style, theme themes.Theme) Style {
	under := attributes(r)
	if c, ok := colour("48", r.Color); ok {
		under += c
	} else if c, ok := colour("38", theme.Text.Color); ok && r.Reverse {
		under += c
	}
	if ink := text.ink(); ink.lined {
		text.pen = unique.Make(pen{ink.pre, false})
	}
	return text.over(under)
}

func attributes(r themes.Role) string {
	var b strings.Builder
	for _, a := range []struct {
		on    bool
		param string
	}{{r.Bold, ";1"}, {r.Faint, ";2"}, {r.Italic, ";3"}, {r.Underline, ";4"}, {r.Reverse, ";7"}} {
		if a.on {
			b.WriteString(a.param)
		}
	}
	return b.String()
}

func colour(plane, hex string) (string, bool) {
	if index, ok := strings.CutPrefix(hex, "@"); ok {
		return ";" + plane + ";5;" + index, true
	}
	r, g, b, ok := themes.RGB(hex)
	if !ok {
		return "", false
	}
	return ";" + plane + ";2;" + strconv.Itoa(int(r)) + ";" + strconv.Itoa(int(g)) + ";" + strconv.Itoa(int(b)), true
}
