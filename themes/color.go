package themes

import (
	"math"
	"strconv"
	"strings"

	"github.com/lucasb-eyer/go-colorful"
)

// RGB splits "#rrggbb". ok is false for anything else.
func RGB(hex string) (r, g, b uint8, ok bool) {
	if len(hex) != 7 || hex[0] != '#' {
		return 0, 0, 0, false
	}
	n, err := strconv.ParseUint(hex[1:], 16, 24)
	if err != nil || hex[1] == '+' {
		return 0, 0, 0, false
	}
	return uint8(n >> 16), uint8(n >> 8), uint8(n), true //nolint:gosec // one byte of n each
}

// The minimum contrast of text, and of borders and large text (WCAG 2.2 AA, 1.4.3
// and 1.4.11).
const (
	minText   = 4.5
	minBorder = 3.0
)

// contrast returns the contrast ratio of two colors (WCAG 2.2), from 1 to 21.
func contrast(a, b string) float64 {
	la, lb := luminance(a), luminance(b)
	return (math.Max(la, lb) + 0.05) / (math.Min(la, lb) + 0.05)
}

func luminance(color string) float64 {
	r, g, b := parse(color).LinearRgb()
	return 0.2126*r + 0.7152*g + 0.0722*b
}

// parse reads "#rrggbb" or a color "@N" of xterm; others are black.
func parse(color string) colorful.Color {
	if index, ok := strings.CutPrefix(color, "@"); ok {
		n, err := strconv.ParseUint(index, 10, 8)
		if err != nil {
			return colorful.Color{}
		}
		return indexed(int(n))
	}
	r, g, b, _ := RGB(color)
	return colorful.Color{R: float64(r) / 255, G: float64(g) / 255, B: float64(b) / 255}
}

// indexed returns one of the 256 colors of xterm.
func indexed(n int) colorful.Color {
	switch {
	case n < 16:
		return parse(basic[n])
	case n < 232:
		level := func(v int) float64 { return float64(min(v, 1)*55+40*v) / 255 }
		n -= 16
		return colorful.Color{R: level(n / 36), G: level(n / 6 % 6), B: level(n % 6)}
	}
	gray := float64(8+10*(n-232)) / 255
	return colorful.Color{R: gray, G: gray, B: gray}
}

// Mix returns a color mixed with a share of another color.
func Mix(color, other string, share float64) (r, g, b uint8) {
	return parse(color).BlendRgb(parse(other), share).RGB255()
}

// basic are the first 16 colors of xterm.
var basic = [16]string{
	"#000000", "#cd0000", "#00cd00", "#cdcd00", "#0000ee", "#cd00cd", "#00cdcd", "#e5e5e5",
	"#7f7f7f", "#ff0000", "#00ff00", "#ffff00", "#5c5cff", "#ff00ff", "#00ffff", "#ffffff",
}
