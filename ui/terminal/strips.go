package terminal

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/iterm2"
	"github.com/charmbracelet/x/ansi/sixel"
)

// mark names a row of a picture. It is the green and the blue part of the color of its
// cells; the red one is markRed.
type mark struct{ id, row int }

const markRed = 77

// blank is a character that differs from the screen's blanks, which would otherwise be erased instead of
// written.
const blank = "\u00a0"

// blanks returns the cells of a picture that is drawn over them.
func blanks(p *picture) []string {
	rows := make([]string, p.size.Y)
	for y := range rows {
		rows[y] = fmt.Sprintf("\x1b[0;38;2;%d;%d;%dm", markRed, p.id, y) + strings.Repeat(blank, p.size.X) + "\x1b[m"
	}
	return rows
}

// strip scales a row of cells of an image into pixels.
func strip(img image.Image, size, cell image.Point, row int) image.Image {
	b := img.Bounds()
	w, h := size.X*cell.X, size.Y*cell.Y
	made := image.NewRGBA(image.Rect(0, 0, w, cell.Y))
	for y := range cell.Y {
		from := b.Min.Y + (row*cell.Y+y)*b.Dy()/h
		for x := range w {
			made.Set(x, y, color.RGBAModel.Convert(img.At(b.Min.X+x*b.Dx()/w, from)))
		}
	}
	return made
}

func iterm2Strips(img image.Image, size, cell image.Point) []string {
	if cell == (image.Point{}) {
		cell = image.Pt(10, 20)
	}
	strips := make([]string, size.Y)
	for row := range strips {
		var data bytes.Buffer
		if png.Encode(&data, strip(img, size, cell, row)) != nil {
			continue
		}
		strips[row] = ansi.ITerm2(iterm2.File{
			Inline: true, DoNotMoveCursor: true, IgnoreAspectRatio: true, Size: int64(data.Len()),
			Width: iterm2.Cells(size.X), Height: iterm2.Cells(1), Content: []byte(base64.StdEncoding.EncodeToString(data.Bytes())),
		})
	}
	return strips
}

func sixelStrips(img image.Image, size, cell image.Point) []string {
	strips := make([]string, size.Y)
	for row := range strips {
		var data bytes.Buffer
		if new(sixel.Encoder).Encode(&data, strip(img, size, cell, row)) == nil {
			strips[row] = ansi.SixelGraphics(0, 1, 0, data.Bytes())
		}
	}
	return strips
}
