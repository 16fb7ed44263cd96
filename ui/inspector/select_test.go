package inspector

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/demo"
)

// at is the cell where a text begins on the screen.
func (d *driver) at(text string) (x, y int) {
	d.t.Helper()
	for y, row := range strings.Split(d.term.screen(), "\n") {
		if before, _, ok := strings.Cut(row, text); ok {
			return len([]rune(before)), y
		}
	}
	d.t.Fatalf("no %q on the screen:\n%s", text, d.term.screen())
	return 0, 0
}

// The content of the panes is copied unfolded and uncut.
func TestSelect_Panes(t *testing.T) {
	drive(t, 80, 24, demo.Options{}, func(d *driver) {
		text := copiedText(d)
		x, y := d.at("Says back")
		if d.drag(x, y, x+11, y); true {
			d.settle()
		}
		if !strings.HasPrefix(*text, "Says back what you said") && !strings.HasPrefix(*text, "Says back w") {
			t.Errorf("the description of a tool: %q", *text)
		}
		// Traffic scrolls below the mouse, to its first row.
		_, y = d.at("prompts/list")
		_, top := d.at("9 Traffic ──")
		*text = ""
		d.program.Send(tea.MouseClickMsg{X: 2, Y: y + 1, Button: tea.MouseLeft})
		d.program.Send(tea.MouseMotionMsg{X: 1, Y: top - 1, Button: tea.MouseLeft})
		d.sleep(5 * time.Second)
		d.program.Send(tea.MouseReleaseMsg{X: 1, Y: top - 1, Button: tea.MouseLeft})
		d.settle()
		for _, want := range []string{"initialize", "tools/list", "resources/list", "prompts/list"} {
			if !strings.Contains(*text, want) {
				t.Errorf("Traffic lacks %s: %q", want, *text)
			}
		}
	})
}
