package termsvg

import (
	"fmt"
	"html"
	"image"
	"strings"
)

// margin is the space around the cells.
const margin = 10

// cursorColor is the color of the cursor, which is drawn over its cell.
const cursorColor = "#ffffff"

// Still draws one screen. The title is for screen readers.
func Still(s Screen, title string) []byte {
	var c classes
	var body strings.Builder
	for y := range s.Height {
		place(&body, c.row(s.Row(y), s.Background), y, "")
	}
	if s.Cursor != nil {
		body.WriteString(cursor(*s.Cursor, ""))
	}
	return document(s, title, c.css(), body.String())
}

// place moves a drawn row to its place. The attributes are added to its group.
func place(b *strings.Builder, row string, y int, attributes string) {
	if row == "" {
		return
	}
	fmt.Fprintf(b, `<g transform="translate(0 %d)"%s>%s</g>`+"\n", y*cellHeight, attributes, row)
}

func cursor(at image.Point, attributes string) string {
	return fmt.Sprintf(`<path%s d="M%d %dh%dv%dh-%dz" fill="%s" opacity=".6"/>`+"\n", attributes, at.X*cellWidth, at.Y*cellHeight, cellWidth, cellHeight, cellWidth, cursorColor)
}

// document surrounds the rows with the window: background, rounded corners, and a
// margin.
func document(s Screen, title, css, body string) []byte {
	width, height := s.Width*cellWidth+2*margin, s.Height*cellHeight+2*margin
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="%d %d %d %d" width="%d" height="%d" role="img" xml:space="preserve">`+"\n",
		-margin, -margin, width, height, width, height)
	fmt.Fprintf(&b, "<title>%s</title>\n", html.EscapeString(title))
	fmt.Fprintf(&b, "<style>text{font:%gpx ui-monospace,\"SF Mono\",Menlo,\"DejaVu Sans Mono\",Consolas,\"Liberation Mono\",monospace;white-space:pre}%s</style>\n", fontSize, css)
	fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" rx="8" fill="#%06x"/>`+"\n", -margin, -margin, width, height, s.Background)
	b.WriteString(body)
	b.WriteString("</svg>\n")
	return []byte(b.String())
}
