package jsonview

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"mcptea/themes"
	"mcptea/ui/paint"
)

// stackOf is a stack of two lists of numbers, the upper from 0 on, the lower from 100 on.
func stackOf(upper, lower int, first bool) *Stack {
	list := func(from, n int) *View {
		var parts []string
		for i := range n {
			parts = append(parts, fmt.Sprint(from+i))
		}
		doc, _ := Parse([]byte("[" + strings.Join(parts, ",") + "]"))
		return NewView(doc)
	}
	var s Stack
	if first {
		s.Show(list(100, lower), list(0, upper), true)
	} else {
		s.Show(list(0, upper), list(100, lower), false)
	}
	return &s
}

// shown is the painted window in words, and the path of the cursor.
func shown(t *testing.T, s *Stack, h int) string {
	t.Helper()
	theme := themes.ForBackground(true)
	rows := s.Rows(paint.NewPalette(theme, false), paint.NewJSONStyles(theme), 30, h, true, "=")
	if len(rows) != h {
		t.Errorf("%d rows, want %d", len(rows), h)
	}
	marked := 0
	for i, row := range rows {
		text := ansi.Strip(row)
		if strings.HasPrefix(text, "▌") {
			marked++
		}
		rows[i] = strings.Trim(text, " ▌▾")
	}
	if marked != 1 {
		t.Errorf("%d cursors in %d rows: %q (cursor %v from %v)", marked, h, rows, s.cursor(), s.top)
	}
	return strings.Join(rows, " ") + " @" + s.View().Path()
}

func TestStack_OneScroll(t *testing.T) {
	s := stackOf(3, 4, false)
	for _, step := range []struct {
		do   func()
		want string
	}{
		{func() {}, "[ 0 1 2 ] = [ 100 @$"},
		{func() { s.Move(4) }, "[ 0 1 2 ] = [ 100 @$"},
		{func() { s.Move(2) }, "[ 0 1 2 ] = [ 100 @$[0]"},
		{func() { s.Move(1) }, "0 1 2 ] = [ 100 101 @$[1]"},
		{func() { s.Move(-5) }, "0 1 2 ] = [ 100 101 @$[1]"},
		{func() { s.Move(-9) }, "[ 0 1 2 ] = [ 100 @$"},
		{s.End, "] = [ 100 101 102 103 ] @$"},
		{s.Home, "[ 0 1 2 ] = [ 100 @$"},
		{func() { s.Scroll(2) }, "1 2 ] = [ 100 101 102 @$[1]"},
		{func() { s.Scroll(-9) }, "[ 0 1 2 ] = [ 100 @$[1]"},
		{func() { s.Cross() }, "] = [ 100 101 102 103 ] @$"},
		{func() { s.Move(-6) }, "] = [ 100 101 102 103 ] @$"},
	} {
		step.do()
		if got := shown(t, s, 8); got != step.want {
			t.Errorf("%q, want %q", got, step.want)
		}
	}
}

func TestStack_Click(t *testing.T) {
	s := stackOf(3, 4, false)
	shown(t, s, 20)
	s.Click(5, 7)
	if got := shown(t, s, 20); s.in == 0 || !strings.HasSuffix(got, "@$[0]") {
		t.Error(got)
	}
	s.Click(5, 5) // the line between
	s.Click(5, 2)
	if got := shown(t, s, 20); s.in == 1 || !strings.HasSuffix(got, "@$[1]") {
		t.Error(got)
	}
}

// All windows and moves show one cursor and fill the window.
func TestStack_AnySize(t *testing.T) {
	for h := 1; h < 16; h++ {
		for _, first := range []bool{false, true} {
			s := stackOf(h%5, 7, first)
			for _, n := range []int{1, 1, 3, -2, 9, -1, -1, -4, -9, 2} {
				shown(t, s, h)
				s.Move(n)
				shown(t, s, h)
				s.Scroll(-n)
				shown(t, s, h)
				s.Turn(n * max(s.Screen()-1, 1))
				if n == -1 {
					s.View().FoldDepth(0) // the list is a row
					shown(t, s, h)
					s.Scroll(n)
					shown(t, s, h)
					s.View().UnfoldAll()
				}
			}
		}
	}
}

// A window that grows shows more of the upper document.
func TestStack_Grows(t *testing.T) {
	s := stackOf(3, 4, true)
	for _, c := range []struct {
		h    int
		want string
	}{{4, "[ 100 101 102 @$"}, {8, "] = [ 100 101 102 103 ] @$"}, {10, "1 2 ] = [ 100 101 102 103 ] @$"}, {13, "[ 0 1 2 ] = [ 100 101 102 103 ]  @$"}} {
		if got := shown(t, s, c.h); got != c.want {
			t.Errorf("%d rows: %q, want %q", c.h, got, c.want)
		}
	}
}
