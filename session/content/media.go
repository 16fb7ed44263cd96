package content

import (
	"bytes"
	"encoding/binary"
	"image"
	_ "image/gif"  // what servers send as pictures
	_ "image/jpeg" // the same
	_ "image/png"  // the same
	"strconv"
	"strings"
	"time"
)

// imageFormat is the format and the size in pixels of an image, from its header.
func imageFormat(data []byte) string {
	cfg, format, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return "not a PNG, JPEG or GIF"
	}
	return strings.ToUpper(format) + " " + strconv.Itoa(cfg.Width) + "×" + strconv.Itoa(cfg.Height)
}

// wavLength reads how long the sound of a WAV file lasts.
func wavLength(data []byte) (time.Duration, bool) {
	if len(data) < 44 || string(data[:4]) != "RIFF" || string(data[8:12]) != "WAVE" {
		return 0, false
	}
	var rate uint32 // bytes a second
	for at := 12; at+8 <= len(data); {
		id, size := string(data[at:at+4]), binary.LittleEndian.Uint32(data[at+4:])
		switch {
		case id == "fmt " && at+20 <= len(data):
			rate = binary.LittleEndian.Uint32(data[at+16:])
		case id == "data" && rate > 0:
			return time.Duration(float64(size) / float64(rate) * float64(time.Second)), true
		}
		at += 8 + int(size) + int(size&1)
	}
	return 0, false
}
