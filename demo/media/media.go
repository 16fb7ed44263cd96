package media

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/png"
	"math"
)

// Picture returns a PNG of a cup of tea, size pixels wide and high; sizes below
// 8 are taken as 8.
func Picture(size int) []byte {
	size = max(size, 8)
	img := image.NewNRGBA(image.Rect(0, 0, size, size))
	for y := range size {
		for x := range size {
			img.SetNRGBA(x, y, cup(float64(x)/float64(size), float64(y)/float64(size)))
		}
	}
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		panic(err) // writing to memory does not fail
	}
	return buf.Bytes()
}

// cup is the colour of the picture at a point of the unit square.
func cup(x, y float64) color.NRGBA {
	china := color.NRGBA{0xf5, 0xf0, 0xe6, 0xff}
	body := y > 0.45 && y < 0.85 && math.Abs(x-0.42) < 0.28-0.3*math.Max(0, y-0.65)
	handle := math.Hypot(x-0.74, y-0.58)
	switch {
	case body && y < 0.52:
		return color.NRGBA{0x8a, 0x4b, 0x1f, 0xff} // the tea
	case body, handle > 0.07 && handle < 0.12 && x > 0.68:
		return china
	case y > 0.87 && y < 0.92 && x > 0.08 && x < 0.78:
		return china // the saucer
	case y < 0.4 && y > 0.1 && math.Abs(x-0.42-0.05*math.Sin(y*25)) < 0.025:
		return color.NRGBA{0xc8, 0xd6, 0xdf, 0xff} // steam
	}
	return color.NRGBA{0x2f, 0x6f, 0x6a, 0xff}
}

const sampleRate = 8000 // Hz

// Tone returns a WAV file, mono, 16 bit, 8 kHz: a sine of so many hertz that
// fades out over the given milliseconds.
func Tone(hertz float64, milliseconds int) []byte {
	n := sampleRate * max(milliseconds, 1) / 1000
	var buf bytes.Buffer
	buf.WriteString("RIFF")
	put(&buf, uint32(36+2*n))
	buf.WriteString("WAVEfmt ")
	put(&buf, uint32(16), uint16(1), uint16(1), uint32(sampleRate), uint32(2*sampleRate), uint16(2), uint16(16))
	buf.WriteString("data")
	put(&buf, uint32(2*n))
	for i := range n {
		fade := 1 - float64(i)/float64(n)
		put(&buf, int16(12000*fade*math.Sin(2*math.Pi*hertz*float64(i)/sampleRate)))
	}
	return buf.Bytes()
}

func put(buf *bytes.Buffer, values ...any) {
	for _, v := range values {
		_ = binary.Write(buf, binary.LittleEndian, v) // writing to memory does not fail
	}
}
