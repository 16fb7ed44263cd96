package parts_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"mcptea/themes"
	"mcptea/ui/paint"
	"mcptea/ui/widget"
)

// A list outside of a page has columns, headings over items, and rows without columns; one without items is empty.
func TestList_Rows(t *testing.T) {
	var items []string
	var l widget.Rows[string, string]
	l.Init(func() int { return len(items) }, func(i int) string { return items[i] }, func(it string) string { return it },
		widget.Column[string]{Width: 12, Cell: func(it string, pal *paint.Palette) []paint.Span { return []paint.Span{{Style: pal.Text, Text: it}} }},
		widget.Column[string]{Cell: func(it string, pal *paint.Palette) []paint.Span {
			return []paint.Span{{Style: pal.Muted, Text: strings.Repeat(it, 4)}}
		}},
	)
	l.Above = func(it string) string { return paint.If(it == "bee", "insects", "") }
	l.Across = func(it string) func(r *paint.Row, pal *paint.Palette, selected bool) {
		if it != "all" {
			return nil
		}
		return func(r *paint.Row, pal *paint.Palette, _ bool) { r.Put(pal.Text, "the whole row") }
	}
	pal := paint.NewPalette(themes.ForBackground(true), false)
	if rows := l.Paint(pal, 20, 5, true); len(rows) != 0 {
		t.Errorf("without items: %q", rows)
	}
	items = []string{"ant", "bee", "all"}
	l.Refresh()
	var got []string
	for _, row := range l.Paint(pal, 20, 5, false) {
		got = append(got, strings.TrimRight(ansi.Strip(row), " "))
	}
	want := []string{pal.Bar + "ant  antantantant", " insects", " bee  beebeebeebee", " the whole row"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q, want %q", got, want)
	}
	if hit, _ := l.Click(1); !hit || l.Index() != 1 {
		t.Errorf("a click on the heading selects %d", l.Index())
	}
	for _, row := range l.Paint(pal, 9, 2, false) { // a narrow one, which measures again
		if w := ansi.StringWidth(row); w != 9 {
			t.Errorf("%q has %d cells", row, w)
		}
	}
}
