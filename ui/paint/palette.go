package paint

import (
	"fmt"
	"image"
	"strings"

	"mcptea/themes"
)

// Pictures draws images with the graphics of the terminal.
type Pictures interface {
	// Rows returns rows of cells, as large as the image fits into w by h cells, and their
	// width; nil while the image cannot be drawn so.
	Rows(img image.Image, w, h int) (rows []string, width int)
}

// Palette is a theme made ready to paint with: one Style for each role, and
// the glyphs. It is read-only once painted with and may be shared between goroutines.
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

	// Text that is laid out, such as Markdown.
	Title, Emphasis, Link Style

	// Grounds: a row's base, or Style.On for a single segment.
	Selected, Header, Field, Match Style
	// Grounds of lines that differ, and of what differs in them; empty where the
	// terminal has too few colors: signs tell it too.
	Removed, RemovedPart, Added, AddedPart Style

	// Parts.
	Border, BorderFocus Style
	Cursor              Style // the cell under a text cursor

	// Source has texts that are Markdown shown as their source.
	Source bool
	// Pictures draws with the graphics of the terminal; nil without them.
	Pictures Pictures

	under string // parameters of the colors of the theme's background and text, or empty
}

// NewPalette makes a palette. ascii restricts the glyphs to ASCII.
func NewPalette(t themes.Theme, ascii bool) *Palette {
	p := &Palette{
		Theme:  t,
		Glyphs: unicodeGlyphs,

		Text:   foreground(t.Text),
		Strong: foreground(t.Strong),
		Muted:  foreground(t.Muted),
		Faint:  foreground(t.Faint),
		Accent: foreground(t.Accent),
		OK:     foreground(t.OK),
		Warn:   foreground(t.Warn),
		Error:  foreground(t.Error),
		Out:    foreground(t.Out),
		In:     foreground(t.In),
		Asked:  foreground(t.Asked),
		Value:  foreground(t.Value),
	}
	if ascii {
		p.Glyphs = asciiGlyphs
	}
	p.TextBold = p.Text.Bold()
	p.AccentBold = p.Accent.Bold()
	p.OKBold = p.OK.Bold()
	p.WarnBold = p.Warn.Bold()
	p.ErrorBold = p.Error.Bold()
	p.AskedBold = p.Asked.Bold()
	p.Title = p.AccentBold.Underline()
	p.Emphasis = p.Text.Italic()
	p.Link = p.Accent.Underline()

	p.Selected = ground(t.Selected, p.Text, t)
	p.Header = ground(t.Header, p.Text, t)
	p.Field = ground(t.Field, typed(t), t)
	p.Match = ground(t.Match, Style{}, t)
	p.Removed, p.RemovedPart = tint(t, t.Error, 0.15, 0, 0), tint(t, t.Error, 0.33, 52, 224)
	p.Added, p.AddedPart = tint(t, t.OK, 0.11, 0, 0), tint(t, t.OK, 0.28, 22, 194)

	p.Border = p.Faint
	p.BorderFocus = p.Accent
	p.Cursor = p.Text.Reverse()
	if background, ok := colour("48", t.Background); ok {
		text, _ := colour("38", t.Text.Color)
		p.under = text + background
	}
	return p
}

// tint is a ground that has a share of the color of a role, and is else the background
// of the theme. With 256 colors it is one of them, none for 0; with fewer there is no
// ground.
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
		return Style{}.over(fmt.Sprintf(";48;5;%d", dark))
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
	return Style{}.over(fmt.Sprintf(";48;2;%d;%d;%d", red, green, blue))
}

// MarkHidden marks the first and the last of painted rows where there are more above or
// below.
func (p *Palette) MarkHidden(rows []string, above, below bool) []string {
	mark := func(i int, glyph string) {
		if w := Width(rows[i]); w > 2 {
			rows[i] = Slice(rows[i], 0, w-2) + p.Accent.Render(glyph) + " "
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

// Under paints the theme's background under rows, where they have none; it returns
// the rows themselves for a theme that leaves the background to the terminal. Each
// sequence of a painted row begins with a reset, which the colors are put behind, once:
// a row that has them already, as those of a window do, stays as it is. The decoder of
// the renderer cannot read more than 32 parameters in a sequence.
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
			case strings.HasPrefix(row, "0") && strings.HasPrefix(row[1:], p.under): // painted under before
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

// typed is the strong colour without its weight: what is typed into a field.
func typed(t themes.Theme) Style {
	r := t.Strong
	r.Bold = false
	return foreground(r)
}

// Row makes a row that cuts with the palette's ellipsis.
func (p *Palette) Row() *Row { return &Row{tail: p.Ellipsis, match: p.Match} }

// Cut is [Cut] with the palette's ellipsis.
func (p *Palette) Cut(s string, w int) string { return cut(s, w, p.Ellipsis) }

// Label sanitizes untrusted text and cuts it to w cells. It looks at no more of
// the text than can fit.
func (p *Palette) Label(s string, w int) string {
	return p.Cut(Sanitize(head(s, max(w, 0)*16+64)), w)
}
