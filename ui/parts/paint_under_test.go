package parts_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"mcptea/themes"
	"mcptea/ui/paint"
)

func load(t *testing.T, name string) themes.Theme {
	t.Helper()
	theme, err := (*themes.Catalog)(nil).Load(name, true)
	if err != nil {
		t.Fatal(err)
	}
	return theme
}

// colored are the parameters of a foreground and a background, of 16 colors or of more.
var colored = regexp.MustCompile(`^0;(38;|[39][0-7];).*(48;|4[0-7]|10[0-7])`)

// Every cell of a row has the background of the theme or of a role, and a
// foreground: the terminal's own may be as dark as the background.
func TestPaint_Under_EveryCell(t *testing.T) {
	for _, colors := range []int{1 << 24, 256, 16} {
		p := paint.NewPalette(load(t, "solarized-light").Limit(colors), false)
		r := p.Row()
		r.Start(40, paint.Style{})
		r.Put(paint.Style{}, "plain ")
		r.Put(p.Accent, "accent ")
		r.Put(p.Text.On(p.Selected), "selected")
		row := p.Under([]string{r.String() + "after"})[0]
		if got, want := ansi.Strip(row), ansi.Strip(r.String())+"after"; got != want {
			t.Errorf("the text is %q, want %q", got, want)
		}
		for i, part := range strings.Split(row, "\x1b[") {
			params, text, _ := strings.Cut(part, "m")
			if i == 0 || text == "" {
				continue
			}
			if !colored.MatchString(params) {
				t.Errorf("%d colors: %q is written with %q", colors, text, params)
			}
		}
	}
}

// The decoder of the renderer reads at most 32 parameters in a sequence, and ends the
// program at one more.
func TestPaint_Under_OnceHoweverOften(t *testing.T) {
	const maxParams = 32
	for _, name := range (*themes.Catalog)(nil).Names() {
		p := paint.NewPalette(load(t, name), false)
		r := p.Row()
		r.Start(40, p.Selected)
		r.Put(p.AccentBold.On(p.Selected), "selected")
		r.Put(p.Match.On(p.Selected), "match")
		row := []string{r.String()}
		for range 4 {
			row = p.Under(row)
		}
		for _, part := range strings.Split(row[0], "\x1b[") {
			if params, _, _ := strings.Cut(part, "m"); strings.Count(params, ";") >= maxParams-8 {
				t.Errorf("%s: %d parameters in %q", name, strings.Count(params, ";")+1, params)
			}
		}
	}
}

func TestPaint_Under_BackgroundOfTheTerminal(t *testing.T) {
	rows := []string{"a", "\x1b[0mb"}
	for _, name := range []string{"dark", "light", "monochrome"} {
		if got := paint.NewPalette(load(t, name), false).Under(rows); &got[0] != &rows[0] {
			t.Errorf("%s: the rows were changed to %q", name, got)
		}
	}
}

// With 16 colors a selected row is reversed, in one color.
func TestPaint_Selected_OneColorInReverse(t *testing.T) {
	p := paint.NewPalette(load(t, "dark").Limit(16), false)
	r := p.Row()
	r.Start(10, p.Selected)
	r.Put(p.Error, "red")
	if row := r.String(); !strings.Contains(row, ";7;97mred") {
		t.Errorf("%q", row)
	}
}

// What is behind a window has one color and no ground; the cells of a picture stay.
func TestDimmed_OneColor(t *testing.T) {
	pal := paint.NewPalette(themes.Theme{}, false)
	var r paint.Row
	r.Start(20, pal.Selected)
	r.Put(pal.ErrorBold, "wrong")
	r.Put(pal.OK, " right")
	row := pal.Dimmed(r.String())
	if got := ansi.Strip(row); got != ansi.Strip(r.String()) {
		t.Errorf("the text is %q", got)
	}
	if strings.Contains(row, "\x1b[1") {
		t.Errorf("it is bold: %q", row)
	}
	picture := "a \U0010EEEE"
	if got := pal.Dimmed(picture); got != picture {
		t.Errorf("a picture became %q", got)
	}
}
