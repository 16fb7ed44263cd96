package result

import (
	"bytes"
	"image"
	"image/color"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

const (
	maxPixels    = 16 << 20 // larger pictures are not decoded, only measured
	pixelsAtOnce = 64 << 10 // larger ones are decoded on another goroutine
	maxKept      = 1024     // pixels of width and height that are kept for graphics
	maxSmall     = 240      // the same for half blocks
	minRows      = 12       // rows that a picture may always take, even in a low window
)

// imagePart is an image, once it is decoded.
type imagePart struct {
	data  []byte
	image *decodedImage
}

type decodedImage struct {
	large *picture // for the graphics of the terminal; nil if the image is invalid
	small *picture // for half blocks
	err   error
}

// newImage decodes an image; a large one is decoded when the view is started. It returns nil if the image is
// too large or its format is unknown.
func newImage(data []byte) block {
	cfg, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil || cfg.Width <= 0 || cfg.Height <= 0 || cfg.Width > maxPixels/cfg.Height {
		return nil
	}
	p := &imagePart{data: data}
	if cfg.Width*cfg.Height <= pixelsAtOnce {
		p.image = decodeImage(data)
	}
	return p
}

func decodeImage(data []byte) *decodedImage {
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return &decodedImage{err: err}
	}
	large := shrink(img, maxKept, maxKept)
	return &decodedImage{large: large, small: shrink(large, maxSmall, maxSmall)}
}

func (*imagePart) lines() int      { return 1 }
func (*imagePart) whole() string   { return "" }
func (*imagePart) line(int) string { return "" }

func (p *imagePart) paint(on *paper, _ int) []string {
	switch {
	case p.image == nil:
		return on.wrapped(on.pal.Muted, "decoding the image", 0)
	case p.image.err != nil:
		return note{what: "The image cannot be decoded: " + p.image.err.Error(), warn: true}.paint(on, 0)
	}
	if on.pal.Pictures != nil {
		if rows, w := on.pal.Pictures.Rows(p.image.large, on.w, max(on.h-2, minRows)); rows != nil {
			for i, row := range rows {
				on.r.Start(on.w, on.pal.Text)
				on.r.Painted(row, w)
				rows[i] = on.r.String()
			}
			return rows
		}
	}
	return p.image.small.blocks(on)
}

// picture is a small picture drawn with half blocks: two pixels a cell, as many as
// there is room for.
type picture struct {
	w, h int // pixels; h is even
	rgb  [][3]uint8
}

// ColorModel implements [image.Image].
func (*picture) ColorModel() color.Model { return color.RGBAModel }

// Bounds implements [image.Image].
func (p *picture) Bounds() image.Rectangle { return image.Rect(0, 0, p.w, p.h) }

// At implements [image.Image].
func (p *picture) At(x, y int) color.Color {
	c := p.rgb[y*p.w+x]
	return color.RGBA{c[0], c[1], c[2], 0xff}
}

// shrink averages the pixels of an image into one that is at most w wide and h high.
func shrink(img image.Image, w, h int) *picture {
	b := img.Bounds()
	scale := max(float64(b.Dx())/float64(w), float64(b.Dy())/float64(h), 1)
	p := &picture{w: max(int(float64(b.Dx())/scale), 1), h: max(int(float64(b.Dy())/scale), 1)}
	for y := range p.h {
		for x := range p.w {
			x0, x1 := b.Min.X+int(float64(x)*scale), b.Min.X+int(float64(x+1)*scale)
			y0, y1 := b.Min.Y+int(float64(y)*scale), b.Min.Y+int(float64(y+1)*scale)
			p.rgb = append(p.rgb, average(img, x0, y0, max(x1, x0+1), max(y1, y0+1)))
		}
	}
	if p.h%2 == 1 {
		p.rgb = append(p.rgb, make([][3]uint8, p.w)...)
		p.h++
	}
	return p
}

func average(img image.Image, x0, y0, x1, y1 int) [3]uint8 {
	var sum [3]uint64
	var n uint64
	for y := y0; y < y1; y++ {
		for x := x0; x < x1; x++ {
			r, g, b, _ := img.At(x, y).RGBA()
			sum[0], sum[1], sum[2] = sum[0]+uint64(r), sum[1]+uint64(g), sum[2]+uint64(b)
			n++
		}
	}
	return [3]uint8{uint8(sum[0] / n >> 8), uint8(sum[1] / n >> 8), uint8(sum[2] / n >> 8)}
}

// blocks paints the picture with half blocks.
func (p *picture) blocks(on *paper) []string {
	if on.pal.BarDone == "#" || !on.pal.Theme.Colored() {
		return nil
	}
	fits := shrink(p, on.w, 2*max(on.h-2, minRows))
	var rows []string
	for i := range fits.h / 2 {
		on.r.Start(on.w, on.pal.Text)
		on.r.Painted(fits.row(i), fits.w)
		rows = append(rows, on.r.String())
	}
	return rows
}

// row writes a row of cells with the upper pixel as foreground and the lower
// one as background.
func (p *picture) row(i int) string {
	var b strings.Builder
	for x := range p.w {
		b.WriteString(ansi.NewStyle().ForegroundColor(p.At(x, 2*i)).BackgroundColor(p.At(x, 2*i+1)).String() + "▀")
	}
	return b.String() + ansi.ResetStyle
}
