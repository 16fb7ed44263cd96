package parts_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"mcptea/internal/test/press"
	"mcptea/themes"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/page"
	"mcptea/ui/paint"
	"mcptea/ui/widget"
)

// escape is the only key that has a name.
type escape struct{}

func (escape) Works(string) bool                             { return true }
func (escape) Name(id string) string                         { return map[string]string{"back": "esc"}[id] }
func (escape) Run(string)                                    {}
func (e escape) In(func() [][]keys.Command, bool) keys.Names { return e }

// pageFixture is a page of numbers.
type pageFixture struct {
	page.Page[int, int]
	app.Screen
	n int
}

func open(n int) *pageFixture {
	fx := &pageFixture{n: n}
	fx.Screen.Pal, fx.Screen.Names = paint.NewPalette(themes.ForBackground(true), true), escape{}
	fx.Init(page.Spec[int, int]{
		Noun: "number", Title: func() []paint.Span { return []paint.Span{{Text: "Numbers"}} },
		Note: func(*paint.Palette) []paint.Span { return nil },
		Len:  func() int { return fx.n }, At: func(i int) int { return i }, Key: func(i int) int { return i }, Growing: true,
		Columns: []widget.Column[int]{
			{Width: 8, Right: true, Cell: func(i int, pal *paint.Palette) []paint.Span {
				return []paint.Span{{Style: pal.Muted, Text: fmt.Sprint(i)}}
			}},
			{Cell: func(i int, pal *paint.Palette) []paint.Span {
				return []paint.Span{{Style: pal.Text, Text: fmt.Sprintf("number %d", i)}}
			}},
		},
		Match: func(words string) func(int) bool {
			return func(i int) bool { return strings.Contains(fmt.Sprintf("number %d", i), words) }
		},
		Empty: func(d *doc.Doc) { d.Text(d.Pal.Muted, "nothing", 1) }, Missed: "Really.",
	})
	fx.Changed()
	return fx
}

func (fx *pageFixture) screen() string {
	rows := fx.Screen.Paint(&fx.Page, 40, 8, true)
	return ansi.Strip(strings.Join(rows, "\n"))
}

func (fx *pageFixture) typed(text string) {
	fx.StartFilter()
	for _, r := range text {
		fx.screen()
		fx.Screen.Field().Key(press.Key(string(r)))
	}
}

// end ends the typing of a filter, which is kept or not.
func (fx *pageFixture) end(keep bool) { fx.Screen.Field().(app.Line).End(keep) }

// renew has the page forget how wide it was.
func (fx *pageFixture) renew() {
	spec := fx.Spec
	fx.Page = page.Page[int, int]{}
	fx.Init(spec)
	fx.Changed()
}

// looked refreshes until all items were looked at.
func (fx *pageFixture) looked() (refreshes int) {
	for fx.Page.Refresh(app.Tick{}) {
		refreshes++
	}
	return refreshes
}

func TestPage_Filter_KeepsSelectionInALongList(t *testing.T) {
	fx := open(300_000)
	fx.Select(250_000)
	fx.typed("n")
	n := fx.looked() // not all of it while the key was typed
	if got, _ := fx.Selected(); got != 250_000 || n == 0 {
		t.Errorf("%d is selected after %d looks", got, n)
	}
	fx.typed("zzz")
	if s := fx.screen(); !strings.Contains(s, " filtering") {
		t.Error(s)
	}
	fx.looked()
	if s := strings.Join(strings.Fields(fx.screen()), " "); !strings.Contains(s, "No number matches the filter. esc | | clears it. Really.") {
		t.Error(s)
	}
	fx.Motion(keys.Back)
	if got, _ := fx.Selected(); got != 250_000 {
		t.Errorf("%d is selected without the filter", got)
	}
	fx.typed("9999")
	fx.looked()
	fx.Motion(keys.Top)
	if got, _ := fx.Selected(); got != 9999 || !strings.Contains(fx.screen(), "  9999  number 9999") {
		t.Errorf("%d is the first:\n%s", got, fx.screen())
	}
}

func TestPage_Mouse(t *testing.T) {
	fx := open(100)
	fx.screen()
	fx.Screen.Click(5, 3)
	if got, _ := fx.Selected(); got != 2 {
		t.Errorf("a click selects %d", got)
	}
	fx.Screen.Wheel(5, 3, 3)
	if got, _ := fx.Selected(); got != 5 {
		t.Errorf("the wheel selects %d", got)
	}
	fx.typed("42")
	fx.screen()
	fx.Screen.Click(5, 1) // the words
	if fx.Screen.Click(5, 2); fx.Page.Filtering() == false {
		t.Error("no filter")
	}
	if got, _ := fx.Selected(); got != 42 {
		t.Errorf("%d is selected", got)
	}
}

// still is a detail that can have the focus.
type still struct {
	app.Still
	commands []keys.Command
}

func (s still) Commands() []keys.Command { return s.commands }

func TestPage_Paint_Arrangements(t *testing.T) {
	fx := open(3)
	fx.Layout = page.Layout{Beside: 40, Alone: 60}
	fx.Detail = func(it int) app.Pane {
		return still{func(c *app.Canvas) {
			c.Box([]paint.Span{{Text: "detail"}}, nil, false).Line(func(r *paint.Row) { r.Put(paint.Style{}, fmt.Sprintf("of %d", it)) })
		}, []keys.Command{{ID: "a"}}}
	}
	rows := func(w, h int) []string {
		return strings.Split(ansi.Strip(strings.Join(fx.Screen.Paint(&fx.Page, w, h, true), "\n")), "\n")
	}
	if r := rows(66, 8); !strings.Contains(r[1], "number 0") || !strings.Contains(r[1], "of 0") {
		t.Errorf("side by side:\n%s", strings.Join(r, "\n"))
	}
	if r := rows(30, 18); !strings.Contains(r[1], "number 0") || strings.Contains(r[1], "of 0") || !strings.Contains(r[6], "of 0") {
		t.Errorf("stacked:\n%s", strings.Join(r, "\n"))
	}
	fx.Enter()
	if r := rows(50, 8); strings.Contains(strings.Join(r, ""), "number") || !strings.Contains(r[1], "of 0") {
		t.Errorf("detail alone:\n%s", strings.Join(r, "\n"))
	}
	if r := rows(66, 8); !strings.Contains(r[1], "number 0") || !strings.Contains(r[1], "of 0") {
		t.Errorf("detail with the focus:\n%s", strings.Join(r, "\n"))
	}
	fx.n = 0
	fx.Changed()
	if r := strings.Join(rows(60, 8), "\n"); !strings.Contains(r, "nothing") || strings.Contains(r, "detail") || fx.Inside() {
		t.Errorf("empty:\n%s", r)
	}
	fx.n = 5
	fx.Changed()
	for w := range 70 {
		for h := range 20 {
			if got := fx.Screen.Paint(&fx.Page, w, h, true); len(got) != h {
				t.Errorf("%dx%d: %d rows", w, h, len(got))
			}
		}
	}
}

// The row that leads to the filter is counted: no item is hidden while there is room.
func TestPage_ShowsAllItemsOverTheDetail(t *testing.T) {
	fx := open(7)
	fx.Layout = page.Layout{Beside: 100}
	fx.Rank = func(string) []int32 { return nil }
	fx.Detail = func(int) app.Pane { return app.Still(func(*app.Canvas) {}) }
	screen := ansi.Strip(strings.Join(fx.Screen.Paint(&fx.Page, 64, 36, true), "\n"))
	for i := range 7 {
		if want := fmt.Sprintf("number %d", i); !strings.Contains(screen, want) {
			t.Errorf("%s is not on the screen:\n%s", want, screen)
		}
	}
}

// What is typed into a filter that was left with words replaces them.
func TestPage_Filter_NewWordsReplaceTheOld(t *testing.T) {
	fx := open(100)
	fx.typed("42")
	fx.screen()
	fx.Screen.Field().Key(press.Key("enter"))
	fx.end(true)
	fx.typed("7")
	if fx.Words() != "7" {
		t.Errorf("the filter is %q", fx.Words())
	}
	fx.end(true)
	fx.StartFilter()
	fx.screen()
	fx.Screen.Field().Key(press.Key("left"))
	fx.typed("6")
	if fx.Words() != "67" {
		t.Errorf("the filter is %q", fx.Words())
	}
}

// A detail that would have fewer than five rows is left out, and the list has its place.
func TestPage_Paint_DetailNeedsFiveRows(t *testing.T) {
	for h, shown := range map[int]bool{8: false, 9: true, 10: true} { // 4 rows are the least of the list
		fx := open(30)
		fx.Layout = page.Layout{Beside: 100}
		fx.Detail = func(int) app.Pane {
			return app.Still(func(c *app.Canvas) { c.Line(func(r *paint.Row) { r.Put(paint.Style{}, "DETAIL") }) })
		}
		screen := ansi.Strip(strings.Join(fx.Screen.Paint(&fx.Page, 64, h, true), "\n"))
		if strings.Contains(screen, "DETAIL") != shown {
			t.Errorf("%d rows:\n%s", h, screen)
		}
	}
}

// Of the earlier filters the last fifty are kept, each once.
func TestPage_Filter_EarlierAreBounded(t *testing.T) {
	fx := open(1000)
	const maxEarlier = 50
	for i := range maxEarlier + 5 {
		fx.typed(fmt.Sprint(i))
		fx.end(true)
	}
	fx.typed("7") // again
	fx.end(true)
	fx.typed("x")
	fx.end(false) // not kept
	fx.StartFilter()
	fx.screen()
	for range maxEarlier {
		fx.Screen.Field().Key(press.Key("up"))
	}
	if fx.Words() != "5" {
		t.Errorf("%d back the filter is %q", maxEarlier, fx.Words())
	}
	if fx.Screen.Field().Key(press.Key("up")); fx.Words() != "5" {
		t.Errorf("beyond the first one the filter is %q", fx.Words())
	}
}

// An earlier filter that was changed is a new one: up does not replace it.
func TestPage_Filter_ChangedEarlierIsKept(t *testing.T) {
	fx := open(1000)
	for _, words := range []string{"12", "34"} {
		fx.typed(words)
		fx.end(true)
	}
	fx.typed("x")
	fx.end(false)
	fx.StartFilter()
	fx.screen()
	for _, key := range []string{"up", "5", "up"} {
		fx.Screen.Field().Key(press.Key(key))
	}
	if fx.Words() != "345" {
		t.Errorf("the filter is %q", fx.Words())
	}
}

// The border between list and detail has one place for each width: neither the focus, a selection, a
// filter nor what the detail shows moves it. A list of names has a third, one of sentences half.
func TestPage_Paint_BorderStays(t *testing.T) {
	fx := open(3)
	text := "short"
	fx.Columns[1].Cell = func(int, *paint.Palette) []paint.Span { return []paint.Span{{Text: text}} }
	fx.Detail = func(int) app.Pane {
		return app.Still(func(c *app.Canvas) {
			c.Box([]paint.Span{{Text: fmt.Sprint(c.W, " cells")}}, nil, false)
		})
	}
	shown := func(w int) string {
		return ansi.Strip(strings.Join(fx.Screen.Paint(&fx.Page, w, 8, true), "\n"))
	}
	fx.Layout = page.Layout{Beside: 40}
	for _, text = range []string{"short", strings.Repeat("longer ", 20)} {
		fx.renew()
		if got := shown(100); !strings.Contains(got, "68 cells") {
			t.Errorf("the list does not have its third with %q:\n%s", text, got)
		}
	}
	fx.Motion(keys.Down)
	fx.Motion(keys.Next)
	if got := shown(100); !strings.Contains(got, "68 cells") {
		t.Errorf("a motion has moved the border:\n%s", got)
	}
	for _, of := range []struct {
		texts     bool
		w, detail int
	}{{false, 120, 81}, {false, 80, 51}, {false, 70, 41}, {true, 120, 61}, {true, 80, 41}} {
		fx.Layout.Texts = of.texts
		fx.renew()
		if got := shown(of.w); !strings.Contains(got, fmt.Sprint(of.detail, " cells")) {
			t.Errorf("sentences %v: at %d the detail does not have %d cells:\n%s", of.texts, of.w, of.detail, got)
		}
	}
}

// A text about an item that a narrow list has no room for is in a second row, where all items have room for two; a filter
// that leaves few of them changes no heights.
func TestPage_Paint_TextsInASecondRow(t *testing.T) {
	about := "what the item is, in some words"
	for _, tc := range []struct {
		items, h int
		filter   string
		second   bool
	}{{3, 12, "", true}, {6, 12, "", false}, {6, 12, "1", false}, {3, 12, "1", true}} {
		fx := open(tc.items)
		name := fx.Columns[0].Cell
		fx.Columns = []widget.Column[int]{
			{Cells: func() int { return 12 }, Cell: name},
			{Cells: func() int { return len(about) }, Yields: true, Least: 16, Folds: 28, Cell: func(int, *paint.Palette) []paint.Span { return []paint.Span{{Text: about}} }},
		}
		fx.Layout = page.Layout{Beside: 40}
		fx.Detail = func(int) app.Pane { return app.Still(func(c *app.Canvas) { c.Box(nil, nil, false) }) }
		fx.Init(fx.Spec)
		if tc.filter != "" {
			fx.StartFilter()
			fx.screen()
			fx.typed(tc.filter)
			fx.end(true)
		}
		got := ansi.Strip(strings.Join(fx.Screen.Paint(&fx.Page, 90, tc.h, true), "\n"))
		if strings.Contains(got, "what the item is, in") != tc.second {
			t.Errorf("%d items in %d rows, filter %q:\n%s", tc.items, tc.h, tc.filter, got)
		}
	}
}

func TestPage_Seek_OtherItemsInACircle(t *testing.T) {
	fx := open(10)
	even := func(i int) bool { return i%4 == 0 }
	for _, step := range []struct{ by, want int }{{1, 4}, {1, 8}, {1, 0}, {-1, 8}, {-1, 4}} {
		if found := fx.Seek(step.by, even); !found {
			t.Error("not found")
		}
		if got, _ := fx.Selected(); got != step.want {
			t.Errorf("%d is selected after a step of %d, want %d", got, step.by, step.want)
		}
	}
	if fx.Seek(1, func(i int) bool { return i == 4 }) {
		t.Error("found the selected item")
	}
}
