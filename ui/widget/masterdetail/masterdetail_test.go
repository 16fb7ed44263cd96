package masterdetail

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"mcptea/themes"
	"mcptea/ui/paint"
)

var palette = paint.NewPalette(themes.ForBackground(true), true)

// fixture is a view of words, each as many rows high as its height says.
type fixture struct {
	*testing.T
	View[string]
	words   []string
	heights map[string]int
	painted int // items that were painted
}

func open(t *testing.T, words ...string) *fixture {
	f := &fixture{T: t, words: words, heights: map[string]int{}}
	f.Layout = Layout{Beside: 40, Alone: 60, Percent: 50, Min: 10, Max: 30}
	f.List.Items = Items[string]{
		Len:    func() int { return len(f.words) },
		Key:    func(i int) string { return f.words[i] },
		Height: func(i int) int { return max(f.heights[f.words[i]], 1) },
		Row: func(r *paint.Row, _ *paint.Palette, i, row int, _ bool) {
			f.painted++
			r.Put(paint.Style{}, fmt.Sprintf("%s.%d", f.words[i], row))
		},
	}
	f.List.Refresh()
	return f
}

func (f *fixture) content() Content {
	return Content{
		Title: []paint.Span{{Text: "words"}},
		Above: func(int) []string { return []string{"above"} },
		Below: func(int) []string { return []string{"below"} },
		Empty: func(int, int) []string { return []string{"no words"} },
		Detail: func(_ Rect, focused bool) Box {
			return Box{Title: []paint.Span{{Text: "detail"}}, Rows: []string{fmt.Sprintf("of %s %v", f.selected(), focused)}}
		},
	}
}

func (f *fixture) selected() string {
	if i := f.List.Index(); i >= 0 {
		return f.words[i]
	}
	return ""
}

// screen paints the view and checks its size.
func (f *fixture) screen(w, h int) string {
	f.Helper()
	rows := f.Paint(palette, w, h, true, f.content())
	if len(rows) != h {
		f.Errorf("%dx%d: %d rows", w, h, len(rows))
	}
	for i, row := range rows {
		if got := ansi.StringWidth(row); got != w {
			f.Errorf("%dx%d: row %d is %d cells wide", w, h, i, got)
		}
		rows[i] = ansi.Strip(row)
	}
	return strings.Join(rows, "\n")
}

func (f *fixture) list(h int) string {
	rows := f.List.Paint(palette, 20, h, true)
	for i := range rows {
		rows[i] = strings.TrimSpace(ansi.Strip(rows[i]))
	}
	return strings.Join(rows, " ")
}

func (f *fixture) expect(what, got, want string) {
	f.Helper()
	if got != want {
		f.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func TestRefresh_KeepsSelection(t *testing.T) {
	f := open(t, "a", "b", "c", "d")
	f.List.Move(2)
	f.words = []string{"x", "y", "a", "b", "c"}
	if !f.List.Refresh() || f.selected() != "c" || !f.List.Pinned() {
		t.Errorf("after insertion: %q, pinned %v", f.selected(), f.List.Pinned())
	}
	f.words = []string{"x", "y", "d"}
	if f.List.Refresh() || f.selected() != "d" || f.List.Pinned() {
		t.Errorf("after removal: %q, pinned %v", f.selected(), f.List.Pinned())
	}
	f.words = nil
	if f.List.Refresh() || f.List.Index() != -1 {
		t.Error("an item of an empty list is selected")
	}
}

func TestRefresh_KeepsRowsOnScreen(t *testing.T) {
	f := open(t, "a", "b", "c", "d", "e", "f")
	f.List.Move(3)
	before := f.list(2)
	f.words = slices.Insert(f.words, 0, "x", "y")
	f.List.Refresh()
	f.expect("after insertion above", f.list(2), before)
}

func TestMove_StopsAtEnds(t *testing.T) {
	f := open(t, "a", "b", "c")
	f.List.Move(-5)
	f.expect("up", f.selected(), "a")
	f.List.End()
	f.expect("end", f.selected(), "c")
	f.List.Move(1)
	f.expect("down", f.selected(), "c")
	f.List.Home()
	f.expect("home", f.selected(), "a")
}

func TestPaint_ItemsOfSeveralRows(t *testing.T) {
	f := open(t, "a", "b", "c", "d")
	f.heights["b"], f.heights["c"] = 3, 2
	f.expect("at the top", f.list(4), ">a.0 b.0 b.1 b.2")
	f.List.Move(2)
	f.expect("at c", f.list(4), ">c.0 >c.1 d.0")
	f.List.End()
	f.expect("at the end", f.list(4), "c.0 c.1 >d.0")
}

func TestPaint_SpacedWhereAllFit(t *testing.T) {
	f := open(t, "a", "b")
	f.List.Spaced = true
	f.expect("with room", f.list(3), ">a.0  b.0")
	f.expect("without", f.list(2), ">a.0 b.0")
}

func TestPaint_VisibleItemsOnly(t *testing.T) {
	words := make([]string, 100_000)
	for i := range words {
		words[i] = fmt.Sprint(i)
	}
	f := open(t, words...)
	f.List.End()
	f.painted = 0
	f.list(10)
	if f.painted != 10 {
		t.Errorf("%d rows were painted, want 10", f.painted)
	}
	f.List.Page(-1)
	f.expect("a page up", f.selected(), "99990")
}

func TestView_Arrangements(t *testing.T) {
	f := open(t, "a", "b")
	lines := strings.Split(f.screen(60, 8), "\n")
	if !strings.Contains(lines[1], "above") || !strings.Contains(lines[1], "of a false") || !strings.Contains(lines[6], "below") {
		t.Errorf("side by side:\n%s", strings.Join(lines, "\n"))
	}
	lines = strings.Split(f.screen(30, 12), "\n")
	if !strings.Contains(lines[1], "above") || strings.Contains(lines[1], "of a") || !strings.Contains(lines[5], "of a false") {
		t.Errorf("stacked:\n%s", strings.Join(lines, "\n"))
	}
	f.Focus = InDetail
	if s := f.screen(50, 8); strings.Contains(s, "above") || !strings.Contains(s, "of a true") {
		t.Errorf("detail alone:\n%s", s)
	}
	if s := f.screen(60, 8); !strings.Contains(s, "above") || !strings.Contains(s, "of a true") {
		t.Errorf("detail with the focus:\n%s", s)
	}
	f.words = nil
	f.List.Refresh()
	if s := f.screen(60, 8); !strings.Contains(s, "no words") || strings.Contains(s, "detail") || f.Focus != InList {
		t.Errorf("empty:\n%s", s)
	}
}

func TestView_RowsBelowGiveWay(t *testing.T) {
	f := open(t, "a", "b", "c")
	if s := f.screen(60, 7); !strings.Contains(s, "below") {
		t.Errorf("with room:\n%s", s)
	}
	if s := f.screen(60, 6); strings.Contains(s, "below") || !strings.Contains(s, "c.0") {
		t.Errorf("without:\n%s", s)
	}
}

func TestView_EverySize(t *testing.T) {
	f := open(t, "a", "b", "c", "d", "e")
	f.heights["b"] = 3
	for w := range 70 {
		for h := range 20 {
			f.screen(w, h)
		}
	}
}

func TestView_Mouse(t *testing.T) {
	f := open(t, "a", "b", "c")
	f.heights["a"] = 2
	f.screen(60, 10)
	if hit := f.Click(5, 4); hit != Selected || f.selected() != "b" {
		t.Errorf("a click on b: %v, %q", hit, f.selected())
	}
	if hit := f.Click(5, 4); hit != Again {
		t.Errorf("a second click: %v", hit)
	}
	f.Focus = InDetail
	if hit := f.Click(5, 3); hit != Selected || f.selected() != "a" || f.Focus != InList {
		t.Errorf("a click on the second row of a: %v, %q", hit, f.selected())
	}
	if hit := f.Click(5, 7); hit != Nothing {
		t.Errorf("a click under the items: %v", hit)
	}
	if hit := f.Click(5, 1); hit != Nothing {
		t.Errorf("a click above the items: %v", hit)
	}
	if hit := f.Click(40, 3); hit != OnDetail || !f.Detail().Has(40, 3) {
		t.Errorf("a click on the detail: %v", hit)
	}
	if !f.Scroll(5, 4, 1) || f.selected() != "b" {
		t.Errorf("the wheel over the list: %q", f.selected())
	}
	if f.Scroll(40, 4, 3) || f.selected() != "b" {
		t.Errorf("the wheel over the detail: %q", f.selected())
	}
}
