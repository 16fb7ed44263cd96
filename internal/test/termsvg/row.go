package termsvg

import (
	"fmt"
	"html"
	"slices"
	"strings"
	"unicode/utf8"
)

// classes are the styles of a picture: declarations of CSS, and the name that each
// was given when it first occurred.
type classes struct {
	names map[string]string
	all   []string // declarations, in the order of their names
}

// of returns the name of the class with a declaration.
func (c *classes) of(declaration string) string {
	if name, ok := c.names[declaration]; ok {
		return name
	}
	if c.names == nil {
		c.names = map[string]string{}
	}
	name := className(len(c.all))
	c.names[declaration] = name
	c.all = append(c.all, declaration)
	return name
}

// className returns a, b, …, z, aa, ab, …
func className(n int) string {
	name := ""
	for n++; n > 0; n = (n - 1) / 26 {
		name = string(rune('a'+(n-1)%26)) + name
	}
	return name
}

// css returns the rules of all classes.
func (c *classes) css() string {
	var b strings.Builder
	for n, declaration := range c.all {
		fmt.Fprintf(&b, ".%s{%s}", className(n), declaration)
	}
	return b.String()
}

// layers collects paths by class, in the order in which the classes occur.
type layers struct {
	order []string
	paths map[string]*strings.Builder
}

func (l *layers) add(class, path string) {
	if l.paths == nil {
		l.paths = map[string]*strings.Builder{}
	}
	if l.paths[class] == nil {
		l.paths[class] = &strings.Builder{}
		l.order = append(l.order, class)
	}
	l.paths[class].WriteString(path)
}

func (l *layers) write(b *strings.Builder) {
	for _, class := range l.order {
		fmt.Fprintf(b, `<path class="%s" d="%s"/>`, class, l.paths[class])
	}
}

// row draws cells as row 0 of a picture with a background: backgrounds first, then
// lines and blocks, then text. It is empty for a blank row.
func (c *classes) row(cells []Cell, background RGB) string {
	var b strings.Builder
	c.backgrounds(cells, background).write(&b)
	c.glyphs(cells).write(&b)
	c.text(&b, cells)
	return b.String()
}

func (c *classes) backgrounds(cells []Cell, background RGB) *layers {
	l := &layers{}
	for x := 0; x < len(cells); {
		from, fill := x, cells[x].Style.Background
		for x < len(cells) && cells[x].Style.Background == fill {
			x++
		}
		if fill != background {
			width := (x - from) * cellWidth
			l.add(c.of(fmt.Sprintf("fill:#%06x;shape-rendering:crispEdges", fill)), fmt.Sprintf("M%d 0h%dv%dh-%dz", from*cellWidth, width, cellHeight, width))
		}
	}
	return l
}

func (c *classes) glyphs(cells []Cell) *layers {
	l := &layers{}
	for x := 0; x < len(cells); x++ {
		cell := cells[x]
		g, ok := drawn(cell.Text, x)
		switch {
		case !ok:
		case g.fill != "":
			declaration := fmt.Sprintf("fill:#%06x", cell.Style.Foreground)
			if g.opacity < 100 {
				declaration += fmt.Sprintf(";opacity:.%02d", g.opacity)
			}
			l.add(c.of(declaration), g.fill)
		default:
			// A run of horizontal lines is one line.
			from := x
			for g.stroke == (arms{left: true, right: true}).path(from*cellWidth) && x+1 < len(cells) && cells[x+1] == cell {
				x++
			}
			if x > from {
				g.stroke = fmt.Sprintf("M%d %dh%d", from*cellWidth, cellHeight/2, (x-from+1)*cellWidth)
			}
			width := 1
			if g.heavy {
				width = 3
			}
			l.add(c.of(fmt.Sprintf("fill:none;stroke:#%06x;stroke-width:%d", cell.Style.Foreground, width)), g.stroke)
		}
	}
	return l
}

// gap is the number of spaces that end a run of text: as many take more bytes than
// a second run.
const gap = 5

func (c *classes) text(b *strings.Builder, cells []Cell) {
	for x := 0; x < len(cells); {
		n := run(cells[x:])
		if n == 0 {
			x++
			continue
		}
		var text strings.Builder
		for _, cell := range cells[x : x+n] {
			text.WriteString(cell.Text)
		}
		class := c.of(declaration(cells[x].Style))
		fmt.Fprintf(b, `<text class="%s" x="%d" y="%d"`, class, x*cellWidth, baseline)
		if n > 1 {
			fmt.Fprintf(b, ` textLength="%d"`, n*cellWidth)
		}
		fmt.Fprintf(b, ">%s</text>", html.EscapeString(text.String()))
		x += n
	}
}

// run returns how many cells at the start are one run of text; 0 when the first has
// nothing to write. A character outside of ASCII is a run of its own: it may be from
// another font, with another width.
func run(cells []Cell) int {
	first := cells[0]
	if !written(first) {
		return 0
	}
	if !ascii(first.Text) {
		return max(1, first.Width)
	}
	n, blank := 1, 0
	for i := 1; i < len(cells) && blank < gap; i++ {
		cell := cells[i]
		switch {
		case cell.Text == " " && !cell.Style.Underline && !cell.Style.Strike && !first.Style.Underline && !first.Style.Strike:
			blank++
			continue
		case !written(cell) || !ascii(cell.Text) || !declarationsMatch(cell.Style, first.Style):
			return n
		}
		n, blank = i+1, 0
	}
	return n
}

// written reports whether a cell has a character for the font.
func written(c Cell) bool {
	if _, ok := drawn(c.Text, 0); ok || c.Width == 0 {
		return false
	}
	return strings.TrimSpace(c.Text) != "" || c.Text != "" && (c.Style.Underline || c.Style.Strike)
}

func ascii(text string) bool {
	return !slices.ContainsFunc([]byte(text), func(b byte) bool { return b >= utf8.RuneSelf })
}

// declarationsMatch reports whether the text of two styles looks the same.
func declarationsMatch(a, b Style) bool {
	a.Background, b.Background = 0, 0
	return a == b
}

func declaration(s Style) string {
	d := fmt.Sprintf("fill:#%06x", s.Foreground)
	if s.Bold {
		d += ";font-weight:700"
	}
	if s.Italic {
		d += ";font-style:italic"
	}
	switch {
	case s.Underline && s.Strike:
		d += ";text-decoration:underline line-through"
	case s.Underline:
		d += ";text-decoration:underline"
	case s.Strike:
		d += ";text-decoration:line-through"
	}
	return d
}
