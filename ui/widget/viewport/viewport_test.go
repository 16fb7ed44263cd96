package viewport

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func lines(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("\x1b[1mline %d\x1b[m", i)
	}
	return all
}

func shown(v *Viewport, all []string, w, h int) string {
	rows := v.Rows(all, w, h)
	for i, r := range rows {
		rows[i] = strings.TrimSpace(ansi.Strip(r))
	}
	return strings.Join(rows, " ")
}

func TestViewport_Scrolls(t *testing.T) {
	v, all := &Viewport{}, lines(10)
	for _, tc := range []struct {
		move func()
		want string
	}{
		{func() {}, "line 0 line 1 line 2"},
		{func() { v.Move(1) }, "line 1 line 2 line 3"},
		{func() { v.Page(1) }, "line 3 line 4 line 5"},
		{v.End, "line 7 line 8 line 9"},
		{func() { v.Move(5) }, "line 7 line 8 line 9"},
		{func() { v.HalfPage(-1) }, "line 6 line 7 line 8"},
		{v.Home, "line 0 line 1 line 2"},
	} {
		if tc.move(); shown(v, all, 10, 3) != tc.want {
			t.Errorf("got %q, want %q", shown(v, all, 10, 3), tc.want)
		}
	}
	if got := v.Position(); got != "1–3 of 10" {
		t.Errorf("position %q", got)
	}
}

func TestViewport_KeepsSizeAndBounds(t *testing.T) {
	v := &Viewport{}
	v.Rows(lines(10), 10, 3)
	v.End()
	if got := shown(v, lines(4), 10, 3); got != "line 1 line 2 line 3" {
		t.Errorf("of fewer lines: %q", got)
	}
	rows := v.Rows(lines(2), 12, 5)
	if len(rows) != 5 || v.Position() != "" {
		t.Errorf("%d rows, position %q", len(rows), v.Position())
	}
	for _, r := range rows {
		if ansi.StringWidth(r) != 12 {
			t.Errorf("%q is %d cells", r, ansi.StringWidth(r))
		}
	}
}

func TestViewport_Hidden(t *testing.T) {
	v, all := &Viewport{}, lines(5)
	for _, tc := range []struct {
		move         func()
		above, below bool
	}{
		{func() {}, false, true}, {func() { v.Move(1) }, true, true}, {v.End, true, false},
	} {
		tc.move()
		v.Rows(all, 10, 3)
		if above, below := v.Hidden(); above != tc.above || below != tc.below {
			t.Errorf("hidden above %v, below %v, want %v, %v", above, below, tc.above, tc.below)
		}
	}
	v.Rows(lines(2), 10, 3)
	if above, below := v.Hidden(); above || below {
		t.Error("hidden lines of a text that fits")
	}
}
