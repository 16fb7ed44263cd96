package paint

import "mcptea/themes"

// Palette is a theme made ready to paint with: one Style for each role, and
// the glyphs. It is read-only once made and may be shared between goroutines.
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

	// Grounds: a row's base, or Style.On for a single segment.
	Selected, Header, Field, Match Style

	// Parts.
	Progress, ProgressRest Style // bar cells
	Border, BorderFocus    Style
	Cursor                 Style // the cell under a text cursor
}

// NewPalette makes a palette. ascii restricts the glyphs to ASCII.
func NewPalette(t themes.Theme, ascii bool) *Palette {
	p := &Palette{
		Theme:  t,
		Glyphs: unicodeGlyphs,

		Text:     foreground(t.Text),
		Strong:   foreground(t.Strong),
		Muted:    foreground(t.Muted),
		Faint:    foreground(t.Faint),
		Accent:   foreground(t.Accent),
		OK:       foreground(t.OK),
		Warn:     foreground(t.Warn),
		Error:    foreground(t.Error),
		Out:      foreground(t.Out),
		In:       foreground(t.In),
		Asked:    foreground(t.Asked),
		Value:    foreground(t.Value),
		Progress: foreground(t.Progress),
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

	p.Selected = ground(t.Selected, p.Text)
	p.Header = ground(t.Header, p.Text)
	p.Field = ground(t.Field, typed(t))
	p.Match = ground(t.Match, Style{})

	p.ProgressRest = p.Faint
	p.Border = p.Faint
	p.BorderFocus = p.Accent
	p.Cursor = p.Text.Reverse()
	return p
}

// typed is the strong colour without its weight: what is typed into a field.
func typed(t themes.Theme) Style {
	r := t.Strong
	r.Bold = false
	return foreground(r)
}

// Row makes a row that cuts with the palette's ellipsis.
func (p *Palette) Row() *Row { return &Row{tail: p.Ellipsis} }

// Cut is [Cut] with the palette's ellipsis.
func (p *Palette) Cut(s string, w int) string { return cut(s, w, p.Ellipsis) }

// Label sanitizes untrusted text and cuts it to w cells. It looks at no more of
// the text than can fit.
func (p *Palette) Label(s string, w int) string {
	return p.Cut(Sanitize(head(s, max(w, 0)*16+64)), w)
}
