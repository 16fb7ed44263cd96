package paint

import (
	"image/color"
	"strings"
	"unique"

	"charm.land/lipgloss/v2"

	"mcptea/themes"
)

const reset = "\x1b[m"

// Style is how a segment of a row looks: a style of Lip Gloss, compiled to a small
// comparable value whose escape sequence was made once, when the theme was loaded. The
// zero Style takes everything from the row's base.
type Style struct {
	pen   unique.Handle[pen]
	under unique.Handle[string] // ";…": what lies under the text: background, or reverse in a theme without colours
}

// If is one of two styles, signs or words.
func If[T any](cond bool, then, otherwise T) T {
	if cond {
		return then
	}
	return otherwise
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

// over gives the style with what lies under it; an empty look is what the base has.
func (s Style) over(under lipgloss.Style) Style {
	s.under = baseUnder
	if p := params(under); p != "" {
		s.under = unique.Make(p)
	}
	return s
}

// On gives the style with what lies under the other one.
func (s Style) On(ground Style) Style {
	s.under = ground.under
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

// compile makes a style of a look: its escape sequence is made here, once.
func compile(look lipgloss.Style) Style {
	return Style{pen: unique.Make(pen{"\x1b[0" + params(look), look.GetUnderline() || look.GetReverse() || look.GetStrikethrough()})}
}

// params are the parameters of the escape sequence of a look, each behind a semicolon.
func params(look lipgloss.Style) string {
	sequence, _, ok := strings.Cut(look.Render("x"), "mx")
	if !ok {
		return ""
	}
	return ";" + strings.TrimPrefix(sequence, "\x1b[")
}

// look is a role of a theme as a style of Lip Gloss.
func look(r themes.Role) lipgloss.Style {
	return lipgloss.NewStyle().Bold(r.Bold).Faint(r.Faint).Italic(r.Italic).Underline(r.Underline).Reverse(r.Reverse).Foreground(colorOf(r.Color))
}

// ground is a background role as a style of Lip Gloss: its color and attributes are under
// whatever is written over it. Reverse video without a color has the color of the
// theme's text everywhere: segments in their own colors would become patches.
func ground(r themes.Role, t themes.Theme) lipgloss.Style {
	under := look(r).UnsetForeground()
	switch {
	case r.Color != "":
		return under.Background(colorOf(r.Color))
	case r.Reverse:
		return under.Foreground(colorOf(t.Text.Color))
	}
	return under
}

// colorOf is a color of a theme: "#rrggbb", "@n" for a color of the terminal's palette,
// or none.
func colorOf(c string) color.Color { return lipgloss.Color(strings.TrimPrefix(c, "@")) }
