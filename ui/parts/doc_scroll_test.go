package parts_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"mcptea/themes"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

func lines(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("\x1b[1mline %d\x1b[m", i)
	}
	return all
}

func docShown(s *doc.Scroll, all []string, h int) string {
	rows := s.Cut(all, h)
	for i, r := range rows {
		rows[i] = strings.TrimSpace(ansi.Strip(r))
	}
	return strings.Join(rows, " ")
}

func TestDoc_Scroll_Moves(t *testing.T) {
	s := &doc.Scroll{}
	for _, tc := range []struct {
		move func()
		want string
	}{
		{func() {}, "line 0 line 1 line 2"},
		{func() { s.Move(1) }, "line 1 line 2 line 3"},
		{func() { keys.Scroll(s, keys.PageDown) }, "line 3 line 4 line 5"},
		{s.End, "line 7 line 8 line 9"},
		{func() { s.Move(5) }, "line 7 line 8 line 9"},
		{func() { keys.Scroll(s, keys.HalfUp) }, "line 6 line 7 line 8"},
		{s.Home, "line 0 line 1 line 2"},
	} {
		if tc.move(); docShown(s, lines(10), 3) != tc.want {
			t.Errorf("got %q, want %q", docShown(s, lines(10), 3), tc.want)
		}
	}
	if got := s.Position(); got != "1–3 of 10" {
		t.Errorf("position %q", got)
	}
	s.End()
	if got := docShown(s, lines(4), 3); got != "line 1 line 2 line 3" {
		t.Errorf("of fewer lines: %q", got)
	}
	if got := docShown(s, lines(2), 5); got != "line 0 line 1" || s.Position() != "" {
		t.Errorf("of lines that fit: %q, position %q", got, s.Position())
	}
}

func TestDoc_Scroll_Hidden(t *testing.T) {
	s, all := &doc.Scroll{}, lines(5)
	for _, tc := range []struct {
		move         func()
		above, below bool
	}{
		{func() {}, false, true}, {func() { s.Move(1) }, true, true}, {s.End, true, false},
	} {
		tc.move()
		s.Cut(all, 3)
		if above, below := s.Hidden(); above != tc.above || below != tc.below {
			t.Errorf("hidden above %v, below %v, want %v, %v", above, below, tc.above, tc.below)
		}
	}
	s.Cut(lines(2), 3)
	if above, below := s.Hidden(); above || below {
		t.Error("hidden lines of a text that fits")
	}
}

// docPage is a pane that paints a document.
type docPage struct{ paint func(c *app.Canvas) }

func (docPage) Commands() []keys.Command      { return nil }
func (docPage) Motion(keys.Motion) bool       { return false }
func (docPage) Refresh(app.Tick) bool         { return false }
func (p docPage) Paint(c *app.Canvas, _ bool) { p.paint(c) }

func painted(t *testing.T, w, h int, do func(d *doc.Doc)) (string, *app.Screen) {
	t.Helper()
	s := &app.Screen{Pal: paint.NewPalette(themes.ForBackground(true), false)}
	rows := s.Paint(docPage{func(c *app.Canvas) { do(doc.On(c)) }}, w, h, true)
	if len(rows) != h {
		t.Errorf("%d rows, want %d", len(rows), h)
	}
	for i, row := range rows {
		if got := ansi.StringWidth(row); got != w {
			t.Errorf("row %d has %d cells", i, got)
		}
		rows[i] = strings.TrimRight(ansi.Strip(row), " ")
	}
	return strings.Join(rows, "|"), s
}

// A document scrolls: rows, texts, and columns below them; clicks find the visible part.
func TestScroll_Document(t *testing.T) {
	var s doc.Scroll
	clicked := ""
	build := func(d *doc.Doc) {
		d.Text(paint.Style{}, "one\ntwo\nthree", doc.All)
		d.Blank()
		d.Row(paint.Span{Text: "four"})
		left, right := d.Columns(6, 1)
		left.Text(paint.Style{}, "a\nb\nc", doc.All)
		right.Add(2, func(int) {
			right.Click(0, right.Next(), 4, 2, func(_, y int) { clicked = fmt.Sprint("click ", y) })
			right.Line(func(r *paint.Row) { r.Put(paint.Style{}, "x") })
			right.Line(func(r *paint.Row) { r.Put(paint.Style{}, "y") })
		})
		s.Paint(d)
	}
	for _, tc := range []struct {
		move func()
		want string
	}{
		{func() {}, " one| two| three|"},
		{func() { s.Move(1) }, " two| three|| four"},
		{func() { s.Move(3) }, " four| a     x| b     y| c"},
	} {
		tc.move()
		if got, _ := painted(t, 12, 4, build); got != tc.want {
			t.Errorf("got %q, want %q", got, tc.want)
		}
	}
	_, screen := painted(t, 12, 4, build)
	if screen.Click(7, 2); clicked != "click 1" {
		t.Errorf("got %q", clicked)
	}
	screen.Wheel(0, 0, -3)
	if got, _ := painted(t, 12, 4, build); got != " two| three|| four" {
		t.Errorf("after the wheel: %q", got)
	}
}

// Blocks give way in stages: what has a second stage keeps more until the empty rows are gone.
func TestDoc_GivesInStages(t *testing.T) {
	build := func(d *doc.Doc) {
		d.Row(paint.Span{Text: "head"})
		d.Gap()
		d.Text(paint.Style{}, "1\n2\n3\n4\n5", doc.All).Give(10, 3).Give(8, 1)
		d.Row(paint.Span{Text: "foot"})
		d.Paint()
	}
	for h, want := range map[int]string{
		8: " head|| 1| 2| 3| 4| 5| foot",
		6: " head|| 1| 2| 3…| foot",
		5: " head| 1| 2| 3…| foot",
		3: " head| 1…| foot",
		2: " head| 1…",
	} {
		if got, _ := painted(t, 20, h, build); got != want {
			t.Errorf("%d rows: got %q, want %q", h, got, want)
		}
	}
}

// A text is longer than it asks to be where the screen has rows for that, the first one first;
// what takes the rest of the screen has the rows that it wants before.
func TestDoc_TextGrowsWhereRowsAreLeft(t *testing.T) {
	build := func(d *doc.Doc) {
		d.Text(paint.Style{}, "1\n2\n3\n4", 2)
		d.FactText("", paint.Style{}, "a\nb\nc", 1)
		d.Rest(1, func(c *app.Canvas) {
			for c.Left() > 0 {
				c.Line(func(r *paint.Row) { r.Put(paint.Style{}, "rest") })
			}
		})
		d.Paint()
	}
	for h, want := range map[int]string{
		4:  " 1| 2…|          a…|rest",
		6:  " 1| 2| 3| 4|          a…|rest",
		7:  " 1| 2| 3| 4|          a|          b…|rest",
		10: " 1| 2| 3| 4|          a|          b|          c|rest|rest|rest",
	} {
		if got, _ := painted(t, 20, h, build); got != want {
			t.Errorf("%d rows: got %q, want %q", h, got, want)
		}
	}
}
