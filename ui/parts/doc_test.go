package parts_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"mcptea/themes"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// names has keys for some commands.
type names map[string]string

func (n names) Works(string) bool     { return true }
func (n names) Name(id string) string { return n[id] }
func (names) Run(string)              {}

func (n names) In(func() [][]keys.Command, bool) keys.Names { return n }

// rows are those of a document as plain text, and their widths are checked.
func rows(t *testing.T, w int, write func(d *doc.Doc)) string {
	t.Helper()
	s := &app.Screen{Pal: paint.NewPalette(themes.ForBackground(true), false), Names: names{"cancel": "x", "refresh": "ctrl+r", "copy": "y"}}
	d := doc.On(s.Begin(w, 0))
	write(d)
	all := s.Paint(on{d}, w, d.Wants(), false)
	for i, row := range all {
		if got := ansi.StringWidth(row); got != w {
			t.Errorf("%q is %d cells wide, want %d", ansi.Strip(row), got, w)
		}
		all[i] = strings.TrimRight(ansi.Strip(row), " ")
	}
	return strings.Join(all, "\n")
}

// on is the pane of a document.
type on struct{ *doc.Doc }

func (on) Commands() []keys.Command { return nil }
func (on) Motion(keys.Motion) bool  { return false }
func (on) Refresh(app.Tick) bool    { return false }
func (o on) Paint(c *app.Canvas, _ bool) {
	o.Canvas = c
	o.Doc.Paint()
}

func TestDoc_FactTextWrapsBesideTheLabel(t *testing.T) {
	got := rows(t, 20, func(d *doc.Doc) {
		d.Margin = 6
		d.FactText("spec", paint.Style{}, "one two three four five six", 2)
	})
	if got != " spec  one two\n       three four…" {
		t.Errorf("got\n%s", got)
	}
}

func TestDoc_SignIsBesideTheFirstRow(t *testing.T) {
	got := rows(t, 14, func(d *doc.Doc) { d.Sign(paint.Span{Text: "! "}, paint.Style{}, "one two three", 3) })
	if got != " ! one two\n   three" {
		t.Errorf("got\n%s", got)
	}
}

func TestDoc_KeysWrapAndThoseWithoutAKeyAreLeftOut(t *testing.T) {
	list := []doc.Key{{ID: "cancel", Label: "cancel"}, {ID: "none", Label: "no key"}, {ID: "refresh", Label: "refresh"}, {ID: "copy", Label: "copy"}}
	for n, want := range map[int]string{5: " x cancel   ctrl+r refresh\n y copy", 1: " x cancel   ctrl+r refresh"} {
		if got := rows(t, 28, func(d *doc.Doc) { d.Keys(n, slices.Clone(list)...) }); got != want {
			t.Errorf("in %d rows:\n%s", n, got)
		}
	}
}

func TestDoc_Rule(t *testing.T) {
	if got := rows(t, 20, func(d *doc.Doc) { d.Rule(paint.Span{Text: "history"}) }); got != " ── history ───────" {
		t.Errorf("got %q", got)
	}
}

func TestDoc_RowEnd(t *testing.T) {
	if got := rows(t, 20, func(d *doc.Doc) { d.RowEnd([]paint.Span{{Text: "end"}}, paint.Span{Text: "begin \x1b[31m and more"}) }); got != " begin ␛[31m an… end" {
		t.Errorf("got %q", got)
	}
}
