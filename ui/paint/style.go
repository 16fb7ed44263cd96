package paint

import (
	"image/color"
	"strings"
	"unique"

	"charm.land/lipgloss/v2"

	"mcptea/themes"
)

const reset = "\x1b[m"

// Style is the appearance of a segment of a row. It is a Lip Gloss style that was compiled to a
// small comparable value when the theme was loaded, with its escape sequence. The zero Style takes
// everything from the base of the row.
type Style struct {
	pen   unique.Handle[pen]
	under unique.Handle[string] // background parameters, such as ";48;5;1", or reverse in a theme without colors
}

// If returns then if cond is true, else otherwise.
func If[T any](cond bool, then, otherwise T) T {
	if cond {
		return then
	}
	return otherwise
}

// pen holds the foreground and the attributes of a style.
type pen struct {
	pre   string // "\x1b[0;…", without the closing m
	lined bool   // the pen is visible on blanks, too
}

// The handles of the zero Style refer to no value.
var (
	basePen   unique.Handle[pen]
	baseUnder unique.Handle[string]
)

// ink returns the pen, or its zero value if the style has none.
func (s Style) ink() pen {
	if s.pen == basePen {
		return pen{}
	}
	return s.pen.Value()
}

// over returns the style with a background. If the background is empty, the style uses the
// background of the base.
func (s Style) over(under lipgloss.Style) Style {
	s.under = baseUnder
	if p := params(under); p != "" {
		s.under = unique.Make(p)
	}
	return s
}

// On returns the style with the background of another style.
func (s Style) On(ground Style) Style {
	s.under = ground.under
	return s
}

// Render returns text in the style. The text must be trusted. A Row is cheaper for more than one
// segment.
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

// compile makes a style from a Lip Gloss style. It makes the escape sequence only once.
func compile(look lipgloss.Style) Style {
	return Style{pen: unique.Make(pen{"\x1b[0" + params(look), look.GetUnderline() || look.GetReverse() || look.GetStrikethrough()})}
}

// params returns the parameters in the escape sequence of a Lip Gloss style, each after a
// semicolon.
func params(look lipgloss.Style) string {
	sequence, _, ok := strings.Cut(look.Render("x"), "mx")
	if !ok {
		return ""
	}
	return ";" + strings.TrimPrefix(sequence, "\x1b[")
}

// styleOf returns a role of a theme as a style of Lip Gloss.
func styleOf(r themes.Role) lipgloss.Style {
	return lipgloss.NewStyle().Bold(r.Bold).Faint(r.Faint).Italic(r.Italic).Underline(r.Underline).Reverse(r.Reverse).Foreground(colorOf(r.Color))
}

// ground returns a background role as a Lip Gloss style whose color and attributes are under all
// text. If the role is reverse video without a color, the text color of the theme is used
// everywhere: segments with their own colors would look like patches.
func ground(r themes.Role, t themes.Theme) lipgloss.Style {
	under := styleOf(r).UnsetForeground()
	switch {
	case r.Color != "":
		return under.Background(colorOf(r.Color))
	case r.Reverse:
		return under.Foreground(colorOf(t.Text.Color))
	}
	return under
}

// colorOf returns a color of a theme: "#rrggbb", "@n" for a color of the terminal's palette, or none.
func colorOf(c string) color.Color { return lipgloss.Color(strings.TrimPrefix(c, "@")) }
