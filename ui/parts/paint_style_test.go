package parts_test

import (
	"reflect"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"

	"mcptea/themes"
	"mcptea/ui/paint"
)

// sequenceOf is the escape sequence that a text in a style begins with.
func sequenceOf(st paint.Style) string {
	before, _, _ := strings.Cut(st.Render("\x00"), "\x00")
	return before
}

// A role is painted in the colors and with the attributes that Lip Gloss renders it with,
// whatever the number of colors.
func TestPaint_Compile_AsLipGlossRenders(t *testing.T) {
	for _, e := range (*themes.Catalog)(nil).All() {
		for _, colors := range []int{1 << 24, 256, 16} {
			theme := e.Limit(colors)
			for f, v := range reflect.ValueOf(theme).Fields() {
				r, isRole := v.Interface().(themes.Role)
				if !isRole {
					continue
				}
				theme := theme
				theme.Muted, theme.Muted.Italic = r, true
				text := lipgloss.NewStyle().Bold(r.Bold).Faint(r.Faint).Underline(r.Underline).Reverse(r.Reverse).Foreground(lipgloss.Color(strings.TrimPrefix(r.Color, "@"))).Strikethrough(true).Italic(true)
				want := strings.Replace(text.Render("x"), "\x1b[", "\x1b[0;", 1)
				if got := paint.NewPalette(theme, false).Gone.Render("x"); got != want {
					t.Errorf("%s, %d colors: %s is %q, want %q", e.Name, colors, f.Name, got, want)
				}
			}
		}
	}
}

// A style without anything of its own is the terminal's, and not what lies below.
func TestPaint_Compile_Default(t *testing.T) {
	p := paintPalette()
	r := p.Row()
	r.Start(4, p.Error)
	theme := themes.ForBackground(true)
	theme.Muted = themes.Role{}
	r.Put(paint.NewPalette(theme, false).Muted, "ab")
	if got, want := r.String(), "\x1b[0mab"; !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q first", got, want)
	}
}

// What is found in a list, and a field whose text will be replaced, are told apart in each
// theme, also in one without colors.
func TestPaint_Palette_GroundsOfMatchAndField(t *testing.T) {
	for _, name := range []string{"dark", "light", "monochrome"} {
		for _, colors := range []int{1 << 24, 16} {
			p := paint.NewPalette(load(t, name).Limit(colors), false)
			looks := map[string]bool{}
			for _, st := range []paint.Style{p.Text, p.Text.On(p.Field), p.Text.On(p.Chosen)} {
				looks[st.Render("x")] = true
			}
			if len(looks) != 3 || p.Text.On(p.MatchLine).Render("x") == p.Text.Render("x") {
				t.Errorf("%s, %d colors: a field looks like text, or chosen like typed: %v", name, colors, looks)
			}
		}
	}
}

// The letters that a filter of names has hit stay underlined, also where they are the words
// that are found in the row.
func TestPaint_Row_FindKeepsHits(t *testing.T) {
	p := paintPalette()
	r := p.Row()
	for _, base := range []paint.Style{{}, p.Selected} {
		r.Start(12, base)
		r.Find([]string{"l"})
		r.Put(p.Text.On(p.MatchLine), "l")
		r.Put(p.Text, "ong tail")
		row := r.String()
		if hit := sequenceOf(p.Text.On(p.MatchLine)); !strings.Contains(row, hit+"l") {
			t.Errorf("the hit has another style: %q", row)
		}
		if found := sequenceOf(p.Text.On(p.Match)); !strings.Contains(row, found+"l") {
			t.Errorf("the word is not marked: %q", row)
		}
	}
}
