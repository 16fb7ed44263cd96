package help

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"mcptea/themes"
	"mcptea/ui/internal/press"
	"mcptea/ui/paint"
)

var palette = paint.NewPalette(themes.ForBackground(true), false)

func sample() *Help {
	return New([]Entry{
		{"j down", "next row", "Move"},
		{"k up", "row before", "Move"},
		{"g home", "first row", "Move"},
		{"G end", "last row", "Move"},
		{"ctrl+d", "half a screen down", "Move"},
		{"ctrl+u", "half a screen up", "Move"},
		{"1–8", "go to a tab", "Places"},
		{"\\", "zoom the traffic", "Places"},
		{"esc", "one step back", "Places"},
		{"r", "resend the frame", "Frames"},
		{"e", "edit and resend", "Frames"},
		{"d", "compare two", "Frames"},
		{"y", "copy", "Frames"},
		{"ctrl+p :", "all commands by name, with a palette that finds them", "Program"},
		{"?", "these keys", "Program"},
		{"q ctrl+c", "quit", "Program"},
	})
}

func text(t *testing.T, h *Help, w, n int) string {
	t.Helper()
	rows := h.Rows(palette, w, n)
	if len(rows) != n {
		t.Errorf("%d rows, want %d", len(rows), n)
	}
	for i, r := range rows {
		if ansi.StringWidth(r) != w {
			t.Errorf("row %d is %d cells", i, ansi.StringWidth(r))
		}
		rows[i] = strings.TrimRight(ansi.Strip(r), " ")
	}
	return strings.Join(rows, "\n") + "\n--\n"
}

func TestRows(t *testing.T) {
	h := sample()
	golden.RequireEqual(t, text(t, h, 120, 10)+text(t, h, 76, 15)+text(t, h, 40, 10)+text(t, h, 20, 5))
}

func TestFilterAndScroll(t *testing.T) {
	h := sample()
	for _, k := range []string{"r", "o", "w"} {
		h.Key(press.Key(k))
	}
	out := text(t, h, 40, 7)
	if x, y := h.Cursor(); x != 6 || y != 0 {
		t.Errorf("cursor at %d,%d", x, y)
	}
	h.SetFilter("nothing like it")
	out += text(t, h, 40, 3)
	if !h.Key(press.Key("esc")) || h.Filter() != "" || h.Key(press.Key("esc")) {
		t.Error("esc")
	}
	text(t, h, 40, 8)
	h.Key(press.Key("pgdown"))
	h.Key(press.Key("pgdown"))
	h.Key(press.Key("pgdown"))
	golden.RequireEqual(t, out+text(t, h, 40, 8))
}
