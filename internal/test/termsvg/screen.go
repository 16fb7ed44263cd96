package termsvg

import (
	"image"
	"image/color"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// RGB is an opaque color, 0xRRGGBB.
type RGB uint32

// Style is the style of a cell, with all colors resolved: reverse video and faint text are already in
// Foreground and Background.
type Style struct {
	Foreground, Background RGB

	Bold, Italic, Underline, Strike bool
}

// Cell is one column of one row. The text of a wide character is in its first cell;
// Text of the others is empty.
type Cell struct {
	Text  string
	Width int // columns that Text covers; 0 in the rest of a wide character
	Style Style
}

// Screen is a copy of the content of a terminal.
type Screen struct {
	Width, Height int          // size in cells
	Cells         []Cell       // row by row
	Cursor        *image.Point // cursor, or nil if it is hidden
	Background    RGB          // background of the terminal, around and under the cells
}

// Capture copies the screen of an emulator. The cursor is hidden: the emulator does
// not say whether it is visible.
func Capture(e *vt.Emulator) Screen {
	foreground, background := rgb(e.ForegroundColor(), 0xe0e0e0), rgb(e.BackgroundColor(), 0x101014)
	s := Screen{Width: e.Width(), Height: e.Height(), Background: background}
	s.Cells = make([]Cell, s.Width*s.Height)
	for y := range s.Height {
		for x := range s.Width {
			c := e.CellAt(x, y)
			if c == nil {
				s.Cells[y*s.Width+x] = Cell{" ", 1, Style{Foreground: foreground, Background: background}}
				continue
			}
			cell := Cell{c.Content, c.Width, style(c.Style, foreground, background)}
			if st := &cell.Style; c.Content == " " && !st.Underline && !st.Strike { // a blank does not show its text color
				st.Foreground, st.Bold, st.Italic = foreground, false, false
			}
			s.Cells[y*s.Width+x] = cell
		}
	}
	return s
}

func style(s uv.Style, foreground, background RGB) Style {
	st := Style{
		Foreground: rgb(s.Fg, foreground), Background: rgb(s.Bg, background),
		Bold: s.Attrs&uv.AttrBold != 0, Italic: s.Attrs&uv.AttrItalic != 0,
		Underline: s.Underline != ansi.UnderlineNone, Strike: s.Attrs&uv.AttrStrikethrough != 0,
	}
	if s.Attrs&uv.AttrReverse != 0 {
		st.Foreground, st.Background = st.Background, st.Foreground
	}
	if s.Attrs&uv.AttrFaint != 0 {
		st.Foreground = mix(st.Foreground, st.Background)
	}
	if s.Attrs&uv.AttrConceal != 0 {
		st.Foreground = st.Background
	}
	return st
}

// rgb converts a color, or returns otherwise if c is nil.
func rgb(c color.Color, otherwise RGB) RGB {
	if c == nil {
		return otherwise
	}
	r, g, b, _ := c.RGBA()
	return RGB(r>>8<<16 | g>>8<<8 | b>>8)
}

// mix returns the color halfway between two.
func mix(a, b RGB) RGB {
	var m RGB
	for _, shift := range []uint{16, 8, 0} {
		m |= ((a>>shift&0xff + b>>shift&0xff) / 2) << shift
	}
	return m
}

// Replace replaces a text wherever it is within one row, cell by cell. Both texts
// have one cell for each character and the same length; it panics otherwise.
func (s Screen) Replace(old, text string) {
	from, to := []rune(old), []rune(text)
	if len(from) != len(to) {
		panic("termsvg: the replacement has another length")
	}
	for i := 0; i+len(from) <= len(s.Cells); i++ {
		if i%s.Width+len(from) > s.Width || !s.has(i, from) {
			continue
		}
		for n, r := range to {
			s.Cells[i+n].Text = string(r)
		}
	}
}

func (s Screen) has(i int, text []rune) bool {
	for n, r := range text {
		if s.Cells[i+n].Text != string(r) {
			return false
		}
	}
	return true
}

// Row returns the cells of a row.
func (s Screen) Row(y int) []Cell { return s.Cells[y*s.Width : (y+1)*s.Width] }

// Text returns the characters of the screen, with trailing spaces removed from each
// row.
func (s Screen) Text() string {
	var b strings.Builder
	for y := range s.Height {
		var row strings.Builder
		for _, c := range s.Row(y) {
			row.WriteString(c.Text)
		}
		b.WriteString(strings.TrimRight(row.String(), " "))
		b.WriteByte('\n')
	}
	return b.String()
}
