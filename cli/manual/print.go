package manual

import (
	"path"
	"strings"

	"mcptea/cli/app"
	"mcptea/internal/lazyregexp"
	"mcptea/themes"
	"mcptea/ui/markdown"
	"mcptea/ui/paint"
)

// printed holds the colors of pages: as for other help, in the 16 colors of the terminal, which fit any
// background.
var printed = themes.Theme{
	Strong: themes.Role{Bold: true}, Muted: themes.Role{Faint: true}, Faint: themes.Role{Faint: true},
	Accent: themes.Role{Color: "@6"}, Value: themes.Role{Color: "@6"}, Asked: themes.Role{Color: "@5"},
	OK: themes.Role{Color: "@2"}, Warn: themes.Role{Color: "@3"}, Error: themes.Role{Color: "@1"},
}

// Print prints the page of a topic, wrapped at a width in cells. Lines of code stay whole, so
// that they can be copied.
func Print(out *app.Screen, t Topic, width int) error {
	doc := markdown.ParsePage(forTerminal(page(t.Name), out.Colors))
	pal := paint.NewPalette(printed, out.ASCII)
	high := paint.NewHighlighter(pal)
	var b strings.Builder
	for i := range doc.Len() {
		w := width
		if doc.IsCode(i) {
			w = maxCode
		}
		for _, spans := range doc.Rows(pal, high, i, w) {
			b.WriteString(painted(out, spans) + "\n")
		}
	}
	_, err := out.Write([]byte(b.String()))
	return err
}

// maxCode is the maximum width of a line of code, in cells.
const maxCode = 1 << 12

// painted returns a row in the style of the stream, without trailing blanks.
func painted(out *app.Screen, spans []paint.Span) string {
	var plain, b strings.Builder
	for _, s := range spans {
		plain.WriteString(s.Text)
	}
	left := len(strings.TrimRight(plain.String(), " "))
	for _, s := range spans {
		text := s.Text[:min(len(s.Text), left)]
		left -= len(text)
		switch {
		case text == "":
		case out.Colors && s.Style != (paint.Style{}):
			b.WriteString(s.Style.Render(text))
		default:
			b.WriteString(text)
		}
	}
	return b.String()
}

// link is a link or an image of a page, whose text may be code.
var link = lazyregexp.New("(!?)\\[([^\\]\n]+)\\]\\(([^)\\s]+)\\)")

// forTerminal returns the text of a page without pictures, which a terminal does not show. Without colors, code
// blocks have no language. A link to another page names its topic.
func forTerminal(text string, colors bool) string {
	var b strings.Builder
	code := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "```") {
			if code = !code; code && !colors {
				line = "```\n"
			}
		}
		switch {
		case code:
			b.WriteString(line)
		case strings.HasPrefix(line, "!["):
		default:
			b.WriteString(link().ReplaceAllStringFunc(line, linked))
		}
	}
	return b.String()
}

// linked returns the text that a terminal shows instead of a link.
func linked(whole string) string {
	m := link().FindStringSubmatch(whole)
	text, to := m[2], m[3]
	if strings.Contains(to, "://") {
		return whole
	}
	file, _, _ := strings.Cut(to, "#")
	name, isPage := strings.CutSuffix(file, ".md")
	switch {
	case !isPage || path.Base(file) != file || !has(name): // a link within this page, or to a page that the program does not have
		return text
	case text == file:
		return "`mcptea help " + name + "`"
	}
	return text + " (`mcptea help " + name + "`)"
}
