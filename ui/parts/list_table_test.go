package parts_test

import (
	"slices"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"mcptea/themes"
	"mcptea/ui/paint"
	"mcptea/ui/widget"
)

// What the cells of a list do not show is copied with them.
func TestTable_Copy_WhatWasCut(t *testing.T) {
	const text = "Brews a pot; it takes a while until the water boils"
	pal, notes := paint.NewPalette(themes.ForBackground(true), true).Copying()
	for phrase, shown := range map[bool]string{false: " Brews a pot; it t~  x ", true: " Brews a pot         x "} {
		table := widget.Table[string]{Columns: []widget.Column[string]{
			{Phrase: phrase, Cell: func(it string, pal *paint.Palette) []paint.Span {
				return []paint.Span{{Style: pal.Text, Text: it}}
			}},
			{Width: 1, Cell: func(string, *paint.Palette) []paint.Span { return []paint.Span{{Text: "x"}} }},
		}}
		table.Measure(pal, slices.Values([]string{text}))
		table.Share(23)
		r := pal.Row()
		r.Start(23, paint.Style{})
		r.Gap(1)
		table.Row(r, pal, text, 0, false)
		row := r.String()
		if got := ansi.Strip(row); got != shown {
			t.Errorf("phrase %t: %q, want %q", phrase, got, shown)
		}
		if got, _, _ := notes.Text(row, 1, 18); got != text {
			t.Errorf("phrase %t: %q is copied", phrase, got)
		}
	}
}

// An item of two rows has columns of the same widths in both, and a text goes on in the blanks before one that is
// flush right.
func TestTable_Row_TwoLines(t *testing.T) {
	pal := paint.NewPalette(themes.ForBackground(true), true)
	cell := func(text string) func(string, *paint.Palette) []paint.Span {
		return func(string, *paint.Palette) []paint.Span { return []paint.Span{{Text: text}} }
	}
	table := widget.Table[string]{Columns: []widget.Column[string]{
		{Cell: cell("a name that is long"), Below: cell("below it is more text")},
		{Width: 9, Right: true, Cell: cell("completed"), Below: cell("3 s")},
	}}
	table.Measure(pal, slices.Values([]string{"item"}))
	table.Share(29)
	r := pal.Row()
	for line, want := range []string{" a name that is ~  completed ", " below it is more text   3 s "} {
		r.Start(29, paint.Style{})
		r.Gap(1)
		table.Row(r, pal, "item", line, false)
		if got := ansi.Strip(r.String()); got != want {
			t.Errorf("line %d: %q, want %q", line, got, want)
		}
	}
}
