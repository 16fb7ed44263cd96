package themes

import (
	"math"
	"slices"
	"strconv"
)

// limiter chooses colors of a terminal that has few.
type limiter struct {
	dark        bool
	basic       bool     // 16 colors, else 256
	backgrounds []string // backgrounds on which text must be readable
	texts       []string // texts that must be readable on the backgrounds of roles
}

func (l *limiter) background(hex string) string {
	if !l.basic {
		return nearest(hex, nil, 0)
	}
	if l.dark {
		return "@0"
	}
	return "@15"
}

func (l *limiter) role(name string, r Role) Role {
	named := r.Indexed
	if l.basic {
		named = r.Basic
	}
	under := IsBackground(name)
	switch {
	case named != "" && named[0] == '@':
		r.Color = named
	case named != "":
		r.Color = ""
		r.attribute(named)
	case under && l.basic:
		r.Color = ""
		r.Reverse, r.Underline = name != "field", name == "field"
	case r.Color == "":
	case l.basic:
		r.Color = l.hue(name, r.Color)
	case under:
		r.Color = nearest(r.Color, l.texts, minBorder)
	case name == "faint" || name == "progress":
		r.Color = nearest(r.Color, l.backgrounds, minBorder)
	default:
		r.Color = nearest(r.Color, l.backgrounds, minText)
	}
	return r
}

// nearest returns the most similar color with at least this contrast to all others, from the 240 colors that
// terminals do not configure.
func nearest(hex string, others []string, least float64) string {
	best, difference, wanted := 15, math.Inf(1), parse(hex)
	for n := 16; n < 256; n++ {
		d := indexed(n).DistanceRiemersma(wanted)
		if d >= difference {
			continue
		}
		name := "@" + strconv.Itoa(n)
		if !slices.ContainsFunc(others, func(o string) bool { return contrast(name, o) < least }) {
			best, difference = n, d
		}
	}
	return "@" + strconv.Itoa(best)
}

// hue returns the color of a role with 16 colors. Blue (34 and 94) and, on a light background, green, yellow
// and cyan have too little contrast on many terminals.
func (l *limiter) hue(role, hex string) string {
	r, g, b := parse(hex).RGB255()
	high, low := max(r, g, b), min(r, g, b)
	gray := int(high)-int(low) < 48
	switch {
	case role == "text" || role == "strong":
		return l.byBackground("@15", "@0")
	case gray && l.dark && (role == "muted" || role == "faint"):
		return "@7"
	case gray && l.dark:
		return "@15"
	case role == "muted" || role == "faint":
		return l.byBackground("@7", "@8")
	case gray:
		return "@0"
	case r == high && b > g && b-g > (high-low)/3, r > g && b == high && r-g > (high-low)/4:
		return l.byBackground("@13", "@5")
	case r == high && g-min(g, b) > (high-low)/3:
		return l.byBackground("@11", "@5")
	case r == high:
		return l.byBackground("@9", "@1")
	case g == high && g > b && g-b > (high-low)/4:
		return l.byBackground("@10", "@0")
	}
	return l.byBackground("@14", "@0")
}

func (l *limiter) byBackground(dark, light string) string {
	if l.dark {
		return dark
	}
	return light
}
