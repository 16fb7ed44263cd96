package termsvg

import (
	"fmt"
	"strings"
)

// The size of a cell in units of the picture, and the place of the text in it. The
// size of the font makes its characters as wide as a cell: an em is 1/0.602 of the
// advance of most monospaced fonts.
const (
	cellWidth  = 10
	cellHeight = 20
	baseline   = 15
	fontSize   = 16.6
)

// arms are the lines from the middle of a cell to its left, upper, right and lower
// edge.
type arms struct{ left, up, right, down bool }

// lines are the box-drawing characters made of arms of one weight.
var lines = map[string]arms{
	"─": {true, false, true, false}, "│": {false, true, false, true},
	"┌": {false, false, true, true}, "┐": {true, false, false, true},
	"└": {false, true, true, false}, "┘": {true, true, false, false},
	"├": {false, true, true, true}, "┤": {true, true, false, true},
	"┬": {true, false, true, true}, "┴": {true, true, true, false},
	"┼": {true, true, true, true},
	"╴": {true, false, false, false}, "╵": {false, true, false, false},
	"╶": {false, false, true, false}, "╷": {false, false, false, true},
}

// heavy maps the heavy characters to the light ones with the same arms.
var heavy = map[string]string{
	"━": "─", "┃": "│", "┏": "┌", "┓": "┐", "┗": "└", "┛": "┘", "┣": "├", "┫": "┤", "┳": "┬", "┻": "┴", "╋": "┼",
	"╸": "╴", "╹": "╵", "╺": "╶", "╻": "╷",
}

// arcs are the rounded corners, as paths from the middle of an edge.
var arcs = map[string]string{
	"╭": "M%d %dv-5q0-5 5-5", "╮": "M%d %dv-5q0-5-5-5",
	"╰": "M%d %dv5q0 5 5 5", "╯": "M%d %dv5q0 5-5 5",
}

// blocks are the block elements as rectangles: x, y, width and height in eighths of
// a cell.
var blocks = map[string][][4]int{
	"▀": {{0, 0, 8, 4}}, "▁": {{0, 7, 8, 1}}, "▂": {{0, 6, 8, 2}}, "▃": {{0, 5, 8, 3}}, "▄": {{0, 4, 8, 4}},
	"▅": {{0, 3, 8, 5}}, "▆": {{0, 2, 8, 6}}, "▇": {{0, 1, 8, 7}}, "█": {{0, 0, 8, 8}},
	"▉": {{0, 0, 7, 8}}, "▊": {{0, 0, 6, 8}}, "▋": {{0, 0, 5, 8}}, "▌": {{0, 0, 4, 8}}, "▍": {{0, 0, 3, 8}},
	"▎": {{0, 0, 2, 8}}, "▏": {{0, 0, 1, 8}}, "▐": {{4, 0, 4, 8}}, "▔": {{0, 0, 8, 1}}, "▕": {{7, 0, 1, 8}},
	"▖": {{0, 4, 4, 4}}, "▗": {{4, 4, 4, 4}}, "▘": {{0, 0, 4, 4}}, "▝": {{4, 0, 4, 4}},
	"▚": {{0, 0, 4, 4}, {4, 4, 4, 4}}, "▞": {{4, 0, 4, 4}, {0, 4, 4, 4}},
	"▙": {{0, 0, 4, 8}, {4, 4, 4, 4}}, "▛": {{0, 0, 8, 4}, {0, 4, 4, 4}},
	"▜": {{0, 0, 8, 4}, {4, 4, 4, 4}}, "▟": {{4, 0, 4, 8}, {0, 4, 4, 4}},
}

// shades are the shaded blocks and their part of the foreground, in percent.
var shades = map[string]int{"░": 25, "▒": 50, "▓": 75}

// glyph is a character that is drawn and not written.
type glyph struct {
	stroke  string // path of lines
	fill    string // path of areas
	opacity int    // opacity of fill, in percent
	heavy   bool   // bold stroke
}

// drawn returns how a character is drawn in column x of row 0. ok is false for one
// that is written in the font.
func drawn(text string, x int) (g glyph, ok bool) {
	x *= cellWidth
	light, isHeavy := heavy[text]
	if isHeavy {
		text = light
	}
	if a, ok := lines[text]; ok {
		return glyph{stroke: a.path(x), heavy: isHeavy}, true
	}
	if arc, ok := arcs[text]; ok {
		y := cellHeight // the lower corners start at the top of the cell
		if text == "╰" || text == "╯" {
			y = 0
		}
		return glyph{stroke: fmt.Sprintf(arc, x+cellWidth/2, y)}, true
	}
	if all, ok := blocks[text]; ok {
		return glyph{fill: rectangles(all, x), opacity: 100}, true
	}
	if percent, ok := shades[text]; ok {
		return glyph{fill: rectangles([][4]int{{0, 0, 8, 8}}, x), opacity: percent}, true
	}
	if r := []rune(text); len(r) == 1 && r[0] >= 0x2800 && r[0] <= 0x28ff {
		return glyph{fill: braille(r[0]-0x2800, x), opacity: 100}, true
	}
	return glyph{}, false
}

func (a arms) path(x int) string {
	middle, center := x+cellWidth/2, cellHeight/2
	var b strings.Builder
	switch {
	case a.left && a.right:
		fmt.Fprintf(&b, "M%d %dh%d", x, center, cellWidth)
	case a.left:
		fmt.Fprintf(&b, "M%d %dh%d", x, center, cellWidth/2)
	case a.right:
		fmt.Fprintf(&b, "M%d %dh%d", middle, center, cellWidth/2)
	}
	switch {
	case a.up && a.down:
		fmt.Fprintf(&b, "M%d 0v%d", middle, cellHeight)
	case a.up:
		fmt.Fprintf(&b, "M%d 0v%d", middle, center)
	case a.down:
		fmt.Fprintf(&b, "M%d %dv%d", middle, center, center)
	}
	return b.String()
}

func rectangles(all [][4]int, x int) string {
	var b strings.Builder
	for _, r := range all {
		left, top := float64(x)+float64(r[0]*cellWidth)/8, float64(r[1]*cellHeight)/8
		width, height := float64(r[2]*cellWidth)/8, float64(r[3]*cellHeight)/8
		fmt.Fprintf(&b, "M%g %gh%gv%gh-%gz", left, top, width, height, width)
	}
	return b.String()
}

// braille draws the dots of a pattern as squares; bit n of dots is dot n+1.
func braille(dots rune, x int) string {
	places := [8][2]int{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}, {0, 3}, {1, 3}}
	var b strings.Builder
	for n, p := range places {
		if dots>>n&1 != 0 {
			fmt.Fprintf(&b, "M%d %dh2v2h-2z", x+2+4*p[0], 3+4*p[1])
		}
	}
	return b.String()
}
