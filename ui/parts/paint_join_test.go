package parts_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"mcptea/themes"
	"mcptea/ui/paint"
)

// Boxes beside each other share one line, whatever is in them and wherever others begin.
func TestJoinBoxes(t *testing.T) {
	for _, tt := range []struct {
		name  string
		ascii bool
		want  string
	}{
		{"lines", false, "╭───────┬──────╮\n│a │ b +│c | d │\n│       ├──────╯\n│茶     ├──────╮\n╰───────┴──────╯"},
		{"ascii", true, "+-------+------+\n|a | b +|c | d |\n|       +------+\n|茶     +------+\n+-------+------+"},
	} {
		pal := paint.NewPalette(themes.ForBackground(true), tt.ascii)
		bar := strings.Trim(pal.Lines.Left, " ")
		left := paint.Box(pal, 9, 5, true, nil, nil, []string{"a " + bar + " b +", "", "茶"})
		right := append(paint.Box(pal, 8, 3, false, nil, nil, []string{"c | d"}), paint.Box(pal, 8, 2, false, nil, nil, nil)...)
		for _, stands := range []bool{true, false} {
			rows := paint.JoinBoxes(left, right, stands)
			if got := ansi.Strip(strings.Join(rows, "\n")); got != tt.want {
				t.Errorf("%s, %v:\n%s", tt.name, stands, got)
			}
			border := paint.If(stands, pal.BorderFocus, pal.Border).Render(pal.Lines.Left)
			if joint := paint.Slice(rows[1], 8, 1); !strings.Contains(joint, border) {
				t.Errorf("%s, %v: the line is %q, not %q", tt.name, stands, joint, border)
			}
		}
	}
}

// Rows that are no boxes keep their width.
func TestJoinBoxes_WithoutBoxes(t *testing.T) {
	rows := paint.JoinBoxes([]string{"left ", ""}, []string{" right", "x"}, false)
	if got := ansi.Strip(rows[0]); got != "left right" {
		t.Errorf("%q", got)
	}
}

// A row without a box keeps the border of the box beside it, also where the text has a character of one.
func TestJoinBoxes_RowBesideABox(t *testing.T) {
	for left, want := range map[string]string{"one  ": "one ╰──╯", "a│b  ": "a│b ╰──╯", "╰───╯": "╰───┴──╯"} {
		if rows := paint.JoinBoxes([]string{left}, []string{"╰──╯"}, true); ansi.Strip(rows[0]) != want {
			t.Errorf("%q beside a box is %q, want %q", left, ansi.Strip(rows[0]), want)
		}
	}
}
