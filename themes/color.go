package themes

import (
	"math"
	"strconv"
	"strings"
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

// contrast is the contrast ratio of two colors (WCAG 2.2), from 1 to 21.
func contrast(a, b string) float64 {
	la, lb := luminance(a), luminance(b)
	return (math.Max(la, lb) + 0.05) / (math.Min(la, lb) + 0.05)
}

func luminance(color string) float64 {
	r, g, b := components(color)
	linear := func(c uint8) float64 {
		v := float64(c) / 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}

// components are those of "#rrggbb" or of a color "@N" of xterm.
func components(color string) (r, g, b uint8) {
	if index, ok := strings.CutPrefix(color, "@"); ok {
		n, _ := strconv.Atoi(index)
		color = xterm(n)
	}
	r, g, b, _ = RGB(color)
	return r, g, b
}

// basic are the first 16 colors of xterm.
var basic = [16]string{
	"#000000", "#cd0000", "#00cd00", "#cdcd00", "#0000ee", "#cd00cd", "#00cdcd", "#e5e5e5",
	"#7f7f7f", "#ff0000", "#00ff00", "#ffff00", "#5c5cff", "#ff00ff", "#00ffff", "#ffffff",
}

// xterm is color n of the 256 colors of xterm: 16 basic ones, a cube, and grays.
func xterm(n int) string {
	switch {
	case n < 0 || n > 255:
		return "#000000"
	case n < 16:
		return basic[n]
	case n < 232:
		level := func(v int) int {
			if v == 0 {
				return 0
			}
			return 55 + 40*v
		}
		n -= 16
		return hexOf(level(n/36), level(n/6%6), level(n%6))
	}
	gray := 8 + 10*(n-232)
	return hexOf(gray, gray, gray)
}

func hexOf(r, g, b int) string {
	return "#" + strconv.FormatInt(int64(1<<24|r<<16|g<<8|b), 16)[1:]
}

// distance is how different two colors look: the redmean approximation.
func distance(a, b string) float64 {
	ar, ag, ab := components(a)
	br, bg, bb := components(b)
	mean := (float64(ar) + float64(br)) / 2
	dr, dg, db := float64(ar)-float64(br), float64(ag)-float64(bg), float64(ab)-float64(bb)
	return (2+mean/256)*dr*dr + 4*dg*dg + (2+(255-mean)/256)*db*db
}
