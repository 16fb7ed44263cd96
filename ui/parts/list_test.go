package parts_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"mcptea/themes"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
	"mcptea/ui/widget"
)

var listPalette = paint.NewPalette(themes.ForBackground(true), true)

// fixture is a list of words, each as many rows high as its height says.
type fixture struct {
	*testing.T
	List    widget.List[string]
	words   []string
	heights map[string]int
	painted int // items that were painted
}

func listOpen(t *testing.T, words ...string) *fixture {
	f := &fixture{T: t, words: words, heights: map[string]int{}}
	f.List.Items = widget.Items[string]{
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

func (f *fixture) selected() string {
	if i := f.List.Index(); i >= 0 {
		return f.words[i]
	}
	return ""
}

func (f *fixture) list(h int) string {
	rows := f.List.Paint(listPalette, 20, h, true)
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

func TestList_Refresh_KeepsSelection(t *testing.T) {
	f := listOpen(t, "a", "b", "c", "d")
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

func TestList_Refresh_KeepsRowsOnScreen(t *testing.T) {
	f := listOpen(t, "a", "b", "c", "d", "e", "f")
	f.List.Move(3)
	before := f.list(2)
	f.words = slices.Insert(f.words, 0, "x", "y")
	f.List.Refresh()
	f.expect("after insertion above", f.list(2), before)
	f.List.Move(1)
	f.list(2)
	f.List.Move(-1) // the selected item is now the first row of the screen
	f.expect("before the second insertion", f.list(2), ">d.0 e.0")
	f.words = slices.Insert(f.words, 0, "v", "w")
	f.List.Refresh()
	f.expect("after insertion above the first row", f.list(2), ">d.0 e.0")
}

func TestList_Move_StopsAtEnds(t *testing.T) {
	f := listOpen(t, "a", "b", "c")
	f.List.Move(-5)
	f.expect("up", f.selected(), "a")
	f.List.End()
	f.expect("end", f.selected(), "c")
	f.List.Move(1)
	f.expect("down", f.selected(), "c")
	f.List.Home()
	f.expect("home", f.selected(), "a")
}

func TestList_Paint_ItemsOfSeveralRows(t *testing.T) {
	f := listOpen(t, "a", "b", "c", "d")
	f.heights["b"], f.heights["c"] = 3, 2
	f.expect("at the top", f.list(4), ">a.0 b.0 b.1 b.2")
	f.List.Move(2)
	f.expect("at c", f.list(4), ">c.0 >c.1 d.0")
	f.List.End()
	f.expect("at the end", f.list(4), "c.0 c.1 >d.0")
}

func TestList_Paint_SpacedWhereAllFit(t *testing.T) {
	f := listOpen(t, "a", "b")
	f.List.Spaced = true
	f.expect("with room", f.list(3), ">a.0  b.0")
	f.expect("without", f.list(2), ">a.0 b.0")
}

func TestList_Paint_VisibleItemsOnly(t *testing.T) {
	words := make([]string, 100_000)
	for i := range words {
		words[i] = fmt.Sprint(i)
	}
	f := listOpen(t, words...)
	f.List.End()
	f.painted = 0
	f.list(10)
	if f.painted != 10 {
		t.Errorf("%d rows were painted, want 10", f.painted)
	}
	keys.Scroll(&f.List, keys.PageUp)
	f.expect("a page up", f.selected(), "99990")
}

// The cursor stays among the items on the screen when the wheel scrolls, at both ends.
func TestList_Scroll_KeepsTheCursorOnTheScreen(t *testing.T) {
	f := listOpen(t, "a", "b", "c", "d", "e", "f")
	f.list(3)
	f.List.Scroll(2)
	f.expect("after scrolling down", f.list(3), ">c.0 d.0 e.0")
	f.List.Scroll(9)
	f.expect("at the end", f.list(3), ">d.0 e.0 f.0")
	f.List.Move(2)
	f.list(3)
	f.List.Scroll(-2)
	f.expect("after scrolling up", f.list(3), "b.0 c.0 >d.0")
	if !f.List.Pinned() {
		t.Error("the item that the user has scrolled to is not pinned")
	}
}
