package paint

import (
	"image"
	"image/color"
	"strings"

	"charm.land/bubbles/v2/progress"
	"charm.land/lipgloss/v2"

	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/themes"
)

// Pictures draws images with the graphics protocol of the terminal.
type Pictures interface {
	// Rows returns rows of cells that display the image, and their width. The image is as large as
	// it can be in w by h cells. Rows returns nil while the image cannot be drawn.
	Rows(img image.Image, w, h int) (rows []string, width int)
}

// Palette is a theme that is ready for painting: each role as a compiled Style, and the glyphs. It
// is read-only after its first use and may be shared between goroutines.
type Palette struct {
	Theme themes.Theme
	Glyphs

	// Text.
	Text, TextBold, Strong, Muted, Faint Style
	Accent, AccentBold                   Style
	OK, OKBold                           Style
	Warn, WarnBold                       Style
	Error, ErrorBold                     Style
	Out, In                              Style
	Asked, AskedBold                     Style
	Value                                Style

	// Styles of formatted text, such as Markdown.
	Title, Emphasis, Link Style
	// removed text, invalid text, and matches of a search
	Gone, Broken, Found Style

	// Backgrounds: the base of a row, or of a single segment with Style.On.
	Selected, Header, Field, Match Style
	// Match and Field with an underline, and a field whose text will be replaced by typing
	MatchLine, FieldLine, Chosen Style
	// Backgrounds of differing lines, and of the differing parts in these lines. If the terminal
	// has too few colors, they are empty. Signs show the difference, too.
	Removed, RemovedPart, Added, AddedPart Style

	// Parts.
	Border, BorderFocus Style
	Cursor              Style // the cell under a text cursor

	// If Source is set, Markdown is shown as its source.
	Source bool
	// Pictures draws images with the graphics of the terminal, or is nil.
	Pictures Pictures

	// Dim is the palette for content beside the content that currently matters. It has no
	// backgrounds and no emphasis.
	Dim *Palette

	copy *Copy // set when painting for a copy, otherwise nil

	under string // parameters of the theme's background and text colors, or empty
	bar   progress.Model
}

// NewPalette returns the palette of a theme. If ascii is true, the glyphs are ASCII.
func NewPalette(t themes.Theme, ascii bool) *Palette {
	text, accent, glyphs := styleOf(t.Text), styleOf(t.Accent), unicodeGlyphs
	if ascii {
		glyphs = asciiGlyphs
	}
	p := &Palette{
		Theme:  t,
		Glyphs: glyphs,
		bar:    progress.New(progress.WithoutPercentage(), progress.WithFillCharacters([]rune(glyphs.BarDone)[0], []rune(glyphs.BarRest)[0])),

		Text:   compile(text),
		Strong: compile(styleOf(t.Strong)),
		Muted:  compile(styleOf(t.Muted)),
		Faint:  compile(styleOf(t.Faint)),
		Accent: compile(accent),
		OK:     compile(styleOf(t.OK)),
		Warn:   compile(styleOf(t.Warn)),
		Error:  compile(styleOf(t.Error)),
		Out:    compile(styleOf(t.Out)),
		In:     compile(styleOf(t.In)),
		Asked:  compile(styleOf(t.Asked)),
		Value:  compile(styleOf(t.Value)),

		TextBold:   compile(text.Bold(true)),
		AccentBold: compile(accent.Bold(true)),
		OKBold:     compile(styleOf(t.OK).Bold(true)),
		WarnBold:   compile(styleOf(t.Warn).Bold(true)),
		ErrorBold:  compile(styleOf(t.Error).Bold(true)),
		AskedBold:  compile(styleOf(t.Asked).Bold(true)),

		Title:    compile(accent.Bold(true).Underline(true)),
		Emphasis: compile(text.Italic(true)),
		Link:     compile(accent.Underline(true)),
		Gone:     compile(styleOf(t.Muted).Strikethrough(true)),
		Broken:   compile(styleOf(t.Error).Reverse(true)),
		Found:    compile(styleOf(t.Warn).Bold(true).Reverse(true)),
		Cursor:   compile(text.Reverse(true)),

		Match:     Style{}.over(ground(t.Match, t)),
		MatchLine: Style{}.over(ground(t.Match, t).Underline(true)),
		Chosen:    Style{}.over(ground(t.Field, t).Reverse(true)),
	}
	// Blanks on a background have no underline, whatever the text on it has.
	plain := compile(text.Underline(false).Reverse(false))
	p.Selected = plain.over(ground(t.Selected, t))
	p.Header = plain.over(ground(t.Header, t))
	typed := compile(styleOf(t.Strong).Bold(false).Underline(false).Reverse(false))
	p.Field = typed.over(ground(t.Field, t))
	p.FieldLine = typed.over(ground(t.Field, t).Underline(true))
	p.Removed, p.RemovedPart = tint(t, t.Error, 0.15, 0, 0), tint(t, t.Error, 0.33, 52, 224)
	p.Added, p.AddedPart = tint(t, t.OK, 0.11, 0, 0), tint(t, t.OK, 0.28, 22, 194)

	p.Border, p.BorderFocus = p.Faint, p.Accent
	if t.Background != "" {
		p.under = params(lipgloss.NewStyle().Foreground(colorOf(t.Text.Color)).Background(colorOf(t.Background)))
	}
	p.bar.FullColor, p.bar.EmptyColor = colorOf(t.Progress.Color), colorOf(t.Faint.Color)
	dim := *p
	dim.Text, dim.TextBold, dim.Strong, dim.Value, dim.Accent, dim.Warn = p.Muted, p.Muted, p.Muted, p.Muted, p.Muted, p.Muted
	dim.Field, dim.FieldLine, dim.Chosen = Style{}, Style{}, Style{}
	p.Dim = &dim
	return p
}

// tint returns the theme's background mixed with a fraction of a role's color. With 256 colors, it
// returns the given color, or none if that is 0. With fewer colors, it returns no background.
func tint(t themes.Theme, r themes.Role, share float64, dark, light int) Style {
	if index, ok := strings.CutPrefix(r.Color, "@"); ok {
		if len(index) < 2 || len(index) == 2 && index < "16" {
			return Style{}
		}
		if !t.Dark {
			dark = light
		}
		if dark == 0 {
			return Style{}
		}
		return Style{}.over(lipgloss.NewStyle().Background(lipgloss.ANSIColor(dark)))
	}
	under := t.Background
	if _, _, _, ok := themes.RGB(under); !ok {
		if under = "#ffffff"; t.Dark {
			under = "#161822"
		}
	}
	if _, _, _, ok := themes.RGB(r.Color); !ok {
		return Style{}
	}
	red, green, blue := themes.Mix(under, r.Color, share)
	return Style{}.over(lipgloss.NewStyle().Background(color.RGBA{red, green, blue, 255}))
}

// MoreItems returns a text with the number of items above and below the visible ones, or nil if all
// are visible.
func (p *Palette) MoreItems(above, below int) (more []Span) {
	var parts []string
	if above > 0 {
		parts = append(parts, p.Up+" "+phrase.Digits(above))
	}
	if below > 0 {
		parts = append(parts, p.Down+" "+phrase.Digits(below))
	}
	if len(parts) == 0 {
		return nil
	}
	return []Span{{Style: p.Accent, Text: strings.Join(parts, "  ") + " more"}}
}

// MarkHidden adds marks to the first and the last painted row if there are more rows above or
// below.
func (p *Palette) MarkHidden(rows []string, above, below bool) []string {
	mark := func(i int, glyph string) {
		if w := display.Width(rows[i]); w > 2 {
			rows[i] = Slice(rows[i], 0, w-2) + p.Sign(p.Accent, glyph) + " "
		}
	}
	if above && len(rows) > 0 {
		mark(0, p.Up)
	}
	if below && len(rows) > 0 {
		mark(len(rows)-1, p.Down)
	}
	return rows
}

// Under adds the theme's background to rows that have none. If the theme leaves the background to
// the terminal, it returns the rows unchanged. Each sequence of a painted row starts with a reset.
// Under inserts the colors after each reset, but only once: rows that already have them, such as
// the rows of a window, stay unchanged. This matters because the renderer reads at most 32
// parameters in a sequence.
func (p *Palette) Under(rows []string) []string {
	if p.under == "" {
		return rows
	}
	out := make([]string, len(rows))
	var b []byte
	for i, row := range rows {
		b = append(append(append(b[:0], "\x1b[0"...), p.under...), 'm')
		for {
			at := strings.Index(row, "\x1b[")
			if at < 0 {
				break
			}
			at += len("\x1b[")
			b = append(b, row[:at]...)
			row = row[at:]
			switch {
			case strings.HasPrefix(row, "0") && strings.HasPrefix(row[1:], p.under): // the row already has the colors
			case strings.HasPrefix(row, "m"):
				b = append(append(b, '0'), p.under...)
			case strings.HasPrefix(row, "0m"), strings.HasPrefix(row, "0;"):
				b = append(append(b, '0'), p.under...)
				row = row[1:]
			}
		}
		b = append(append(b, row...), reset...)
		out[i] = string(b)
	}
	return out
}

// Row makes a row that cuts with the palette's ellipsis.
func (p *Palette) Row() *Row { return &Row{tail: p.Ellipsis, match: p.Match, copy: p.copy} }

// WrapMost wraps text to at most n lines, like [display.WrapFirst]. If there are more lines, the
// last one ends with an ellipsis. A word for which there is no room is split, so that no cell stays
// empty.
func (p *Palette) WrapMost(text string, w, n int) []string {
	if n <= 0 {
		return nil
	}
	lines := display.WrapFirst(text, w, n+1)
	if len(lines) > n {
		last := lines[n-1]
		if word, _, _ := strings.Cut(lines[n], " "); display.Width(last)+1+display.Width(word) > w { // otherwise the cut is at the end of a line
			last += " " + word
		}
		last = display.CutWith(last, max(w-display.Width(p.Ellipsis), 1), p.Ellipsis)
		last = strings.TrimSuffix(last, p.Ellipsis) + p.Ellipsis
		lines = append(lines[:n-1], last)
		if p.copy != nil {
			p.copy.cut[last] = restOf(text, w, n-1, strings.TrimSuffix(last, p.Ellipsis))
		}
	}
	return lines
}

// restOf returns the rest of a text after kept, the kept part of a line. The text is wrapped to w
// cells.
func restOf(text string, w, line int, kept string) string {
	text = display.Head(text, maxRest)
	all, joints := display.Wrap(text, w), display.Joints(text, w)
	if line >= len(all) {
		return ""
	}
	var b strings.Builder
	b.WriteString(all[line])
	for i := line + 1; i < len(all); i++ {
		b.WriteString(joints[i] + all[i])
	}
	rest := b.String()
	for i := range len(kept) {
		switch n := len(rest) - len(strings.TrimLeft(rest, " ")); {
		case strings.HasPrefix(rest, kept[i:i+1]):
			rest = rest[1:]
		case kept[i] == ' ': // the text has no blank where the line ends
		case n > 0 && strings.HasPrefix(rest[n:], kept[i:i+1]): // the text has several blanks
			rest = rest[n+1:]
		default:
			return ""
		}
	}
	return rest
}

// Cut is like [Cut], but uses the palette's ellipsis.
func (p *Palette) Cut(s string, w int) string { return p.cutTo(s, display.CutWith(s, w, p.Ellipsis)) }

// Phrase is like [display.Phrase], but a copy contains the rest of the text.
func (p *Palette) Phrase(s string, w int) string {
	kept := display.Phrase(s, w)
	if rest, ok := strings.CutPrefix(s, kept); ok && p.copy != nil && rest != "" {
		p.copy.rest[kept] = rest
		return kept
	}
	return p.cutTo(s, kept)
}

// Label sanitizes untrusted text and truncates it to w cells. It reads only the part of the text
// that can be visible.
func (p *Palette) Label(s string, w int) string {
	return p.Cut(display.Sanitize(display.Head(s, If(p.copy != nil, maxRest, max(w, 0)*16+64))), w)
}
