package paint

import (
	"strconv"
	"strings"

	"mcptea/themes"
)

const reset = "\x1b[m"

// Style is how a segment of a row looks. It is a small comparable value whose
// escape sequence was made once, when the theme was loaded. The zero Style
// takes everything from the row's base.
type Style struct {
	pre   string // "\x1b[0;…": foreground and attributes, without the closing m
	under string // ";…": what lies under the text: background, or reverse in a theme without colours
	lined bool   // pre shows on blanks too
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
func (s Style) Underline() Style {
	s = s.with("4")
	s.lined = true
	return s
}

// Reverse gives the style with foreground and background swapped, which is how
// a cursor is drawn. It allocates; make it once.
func (s Style) Reverse() Style {
	s = s.with("7")
	s.lined = true
	return s
}

func (s Style) with(param string) Style {
	if s.pre == "" {
		s.pre = "\x1b[0"
	}
	if !strings.Contains(s.pre+";", ";"+param+";") {
		s.pre += ";" + param
	}
	return s
}

// Render wraps s, which must be trusted text. Rows are cheaper for more than
// one segment.
func (s Style) Render(text string) string {
	return string(append(append(s.appendTo(nil), text...), reset...))
}

func (s Style) appendTo(dst []byte) []byte {
	if s.pre == "" {
		dst = append(dst, "\x1b[0"...)
	} else {
		dst = append(dst, s.pre...)
	}
	dst = append(dst, s.under...)
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
	return Style{pre: b.String(), lined: r.Underline || r.Reverse}
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
	return Style{pre: text.pre, under: under}
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
