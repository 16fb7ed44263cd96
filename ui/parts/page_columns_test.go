package parts_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"mcptea/themes"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/page"
	"mcptea/ui/paint"
	"mcptea/ui/widget"
)

// Columns are as wide as what they show: none is empty, and what is cut is in the widest.
func TestPage_Columns_AsWideAsTheirContent(t *testing.T) {
	rows := [][]string{{"a", "", "127.0.0.1:3001/mcp"}, {"bb", "", "127.0.0.1:3002/mcp"}, {"a long name that is cut", "", "x"}}
	var p page.Page[[]string, string]
	column := func(n int, name string) widget.Column[[]string] {
		return widget.Column[[]string]{Name: name, Cell: func(it []string, pal *paint.Palette) []paint.Span {
			return []paint.Span{{Style: pal.Text, Text: it[n]}}
		}}
	}
	n := 2
	p.Init(page.Spec[[]string, string]{
		Title: func() []paint.Span { return []paint.Span{{Text: "t"}} },
		Note:  func(*paint.Palette) []paint.Span { return nil },
		Len:   func() int { return n }, At: func(i int) []string { return rows[i] }, Key: func(r []string) string { return r[0] },
		Columns: []widget.Column[[]string]{column(0, "name"), column(1, "nothing"), column(2, "at")},
		Empty:   func(*doc.Doc) {},
	})
	screen := app.Screen{Pal: paint.NewPalette(themes.ForBackground(true), true)}
	shown := func(w int) string {
		p.Changed()
		return ansi.Strip(strings.Join(screen.Paint(&p, w, 7, true), "\n"))
	}
	if got := shown(40); !strings.Contains(got, "bb                127.0.0.1:3002/mcp") || strings.Contains(got, "nothing") {
		t.Errorf("the first column has what is left, and the empty one is left out:\n%s", got)
	}
	if n = 3; !strings.Contains(shown(40), "a long name that~") || !strings.Contains(shown(40), "127.0.0.1:3002/m~") {
		t.Errorf("the widest column gives way:\n%s", shown(40))
	}
	before := shown(60)
	if n = 2; strings.Index(shown(60), "127") != strings.Index(before, "127") {
		t.Errorf("a column moves while it is read:\n%s\n%s", before, shown(60))
	}
}

// A column that yields gives way before a wider one, and goes when little is left of it.
func TestPage_Columns_Yielding(t *testing.T) {
	var p page.Page[string, string]
	cell := func(text string) func(string, *paint.Palette) []paint.Span {
		return func(_ string, pal *paint.Palette) []paint.Span { return []paint.Span{{Style: pal.Text, Text: text}} }
	}
	p.Init(page.Spec[string, string]{
		Title: func() []paint.Span { return []paint.Span{{Text: "t"}} },
		Note:  func(*paint.Palette) []paint.Span { return nil },
		Len:   func() int { return 1 }, At: func(int) string { return "" }, Key: func(s string) string { return s },
		Columns: []widget.Column[string]{{Name: "name", Cell: cell("a name of twenty-four c.")}, {Name: "calls", Yields: true, Cell: cell("add, search, weather")}, {Name: "at", Cell: cell("now")}},
		Empty:   func(*doc.Doc) {},
	})
	p.Changed()
	screen := app.Screen{Pal: paint.NewPalette(themes.ForBackground(true), true)}
	for w, want := range map[int]string{
		60: "a name of twenty-four c.       add, search, weather  now",
		50: "a name of twenty-four c.  add, search, w~  now",
		44: "a name of twenty-four c.             now",
		30: "a name of twenty-fou~  now",
	} {
		if got := ansi.Strip(strings.Join(screen.Paint(&p, w, 7, true), "\n")); !strings.Contains(got, want) {
			t.Errorf("%d cells: no %q in\n%s", w, want, got)
		}
	}
}

// A text continues in the cells after it while they are empty.
func TestPage_Columns_TextGoesOnInEmptyCells(t *testing.T) {
	fx := open(2)
	fx.Columns = []widget.Column[int]{
		{Cell: func(int, *paint.Palette) []paint.Span { return []paint.Span{{Text: "a text of twenty-nine letters"}} }},
		{Width: 9, Cell: func(i int, _ *paint.Palette) []paint.Span {
			return []paint.Span{{Text: []string{"", "123456789"}[i]}}
		}},
	}
	fx.Init(fx.Spec)
	if got := fx.screen(); !strings.Contains(got, "twenty-nine letters ") || !strings.Contains(got, "twenty-nine le~  123456789") {
		t.Error(got)
	}
	// So does one in a column of a bounded width, also where the column after it is left out.
	columns := fx.Columns
	columns[0].Width, columns[0].Name = 30, "what"
	columns[1].Cell = func(int, *paint.Palette) []paint.Span { return nil }
	fx = open(2)
	fx.Columns = columns
	fx.Init(fx.Spec)
	if got := fx.screen(); !strings.Contains(got, "twenty-nine letters ") {
		t.Errorf("a text is cut beside empty cells:\n%s", got)
	}
}

// A page that follows shows the newest item until the user goes to another one; items that are
// forgotten move no row.
func TestPage_Follow_NewestUntilTheUserMoves(t *testing.T) {
	fx, first := open(30), 0
	fx.Page.Follow, fx.Page.Len, fx.Page.At = true, func() int { return fx.n - first }, func(i int) int { return first + i }
	grow := func(by, forget int) {
		fx.n += by
		first += forget
		fx.Forget(forget)
		fx.Changed()
		fx.looked()
	}
	expect := func(what string, item int, follows bool) {
		t.Helper()
		if got, _ := fx.Selected(); got != item || fx.Following() != follows {
			t.Errorf("%s: %d is selected, follows %v", what, got, fx.Following())
		}
	}
	grow(10, 0)
	expect("more items", 39, true)
	rows := func() string { return fx.screen()[:strings.LastIndex(fx.screen(), "\n")] }
	fx.screen()
	fx.Motion(keys.Up)
	before := rows()
	grow(10, 20)
	expect("after a move, and the oldest are forgotten", 38, false)
	if got := rows(); got != before {
		t.Errorf("the rows move:\n%s\n%s", before, got)
	}
	fx.typed("4") // 40 to 49
	fx.looked()
	expect("the next one that passes", 40, false)
	grow(95, 15)
	expect("with more items and fewer", 40, false)
	if fx.Count() != 24 { // 40 to 49, 54, 64, 74, 84, 94, 104, 114, 124, 134, 140 to 144
		t.Errorf("%d pass", fx.Count())
	}
	fx.end(true)
	fx.Motion(keys.Back)
	expect("what the filter has found stays", 40, false)
	grow(0, 30)
	expect("the selected one is forgotten", 65, false)
	fx.Motion(keys.Bottom)
	expect("at the end", 144, true)
	fx.ToggleFollow()
	grow(1, 0)
	expect("no longer followed", 144, false)
	fx.ToggleFollow()
	expect("followed again", 145, true)
	fx.screen()
	if fx.Screen.Click(5, 6); fx.Following() {
		t.Error("a click on an item follows")
	}
}
