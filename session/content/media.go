package content

import (
	"bytes"
	"image"
	_ "image/gif"  // what servers send as pictures
	_ "image/jpeg" // the same
	_ "image/png"  // the same
	"strconv"
	"strings"
)

// imageFormat is the format and the size in pixels of an image, from its header.
func imageFormat(data []byte) string {
	cfg, format, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return "not a PNG, JPEG or GIF"
	}
	return strings.ToUpper(format) + " " + strconv.Itoa(cfg.Width) + "×" + strconv.Itoa(cfg.Height)
}
