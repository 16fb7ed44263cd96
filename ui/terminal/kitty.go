package terminal

import (
	"fmt"
	"image"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"
)

// firstID is added to the ids of pictures: other programs may use small ones in the
// same terminal.
const firstID = 0x4d4300

// transmit sends an image to the terminal, which keeps it under an id.
func transmit(img image.Image, id int) string {
	var b strings.Builder
	options := kitty.Options{Action: kitty.Transmit, Transmission: kitty.Direct, Format: kitty.PNG, ID: firstID + id, Quiet: 2, Chunk: true}
	if kitty.EncodeGraphics(&b, img, &options) != nil {
		return ""
	}
	return b.String()
}

// put returns the sequence that makes the terminal draw a picture at its placeholders.
func put(p *picture) string {
	return ansi.KittyGraphics(nil, "a=p", "U=1", fmt.Sprintf("i=%d", firstID+p.id), "p=1",
		fmt.Sprintf("c=%d", p.size.X), fmt.Sprintf("r=%d", p.size.Y), "q=2")
}

// remove removes a picture from the terminal.
func remove(id int) string {
	return ansi.KittyGraphics(nil, "a=d", "d=I", fmt.Sprintf("i=%d", firstID+id), "q=2")
}

// placeholders returns the cells of a picture: their color is its id, and their diacritics are the row and the
// column.
func placeholders(p *picture) []string {
	rows := make([]string, p.size.Y)
	id := firstID + p.id
	for y := range rows {
		var b strings.Builder
		fmt.Fprintf(&b, "\x1b[0;38;2;%d;%d;%dm", id>>16&0xff, id>>8&0xff, id&0xff)
		for x := range p.size.X {
			b.WriteString(string([]rune{kitty.Placeholder, kitty.Diacritic(y), kitty.Diacritic(x)}))
		}
		b.WriteString("\x1b[m")
		rows[y] = b.String()
	}
	return rows
}
