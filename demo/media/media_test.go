package media

import (
	"bytes"
	"image/png"
	"testing"
)

func TestPictureIsAPicture(t *testing.T) {
	img, err := png.Decode(bytes.NewReader(Picture(32)))
	if err != nil || img.Bounds().Dx() != 32 {
		t.Errorf("%v, %v", img.Bounds(), err)
	}
	if img.At(0, 0) == img.At(13, 20) {
		t.Error("the cup cannot be told from the background")
	}
}

func TestToneIsAWholeWAVFile(t *testing.T) {
	wav := Tone(440, 100)
	if len(wav) != 44+2*800 || string(wav[:4]) != "RIFF" || string(wav[8:16]) != "WAVEfmt " || string(wav[36:40]) != "data" {
		t.Errorf("%d bytes, %q", len(wav), wav[:44])
	}
}
