package inspector

import (
	"testing"

	"mcptea/demo"
)

// A theme with a background has it in every cell, also under and beside a window.
func TestTheme_BackgroundInEveryCell(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 36}} {
		drive(t, size[0], size[1], demo.Options{}, func(d *driver) {
			for d.model.Pal.Theme.Background == "" {
				d.press("<ctrl+y>")
			}
			for _, keys := range []string{"", "1", "9", "?", "<esc>:"} {
				d.press(keys)
				if x, y, ok := d.term.withoutBackground(size[0], size[1]); ok {
					t.Errorf("%q: the cell %d,%d has no background", keys, x, y)
				}
			}
		})
	}
}

// withoutBackground finds a cell that has the background of the terminal.
func (t *emulated) withoutBackground(w, h int) (x, y int, found bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for y := range h {
		for x := range w {
			if c := t.emu.CellAt(x, y); c == nil || c.Style.Bg == nil {
				return x, y, true
			}
		}
	}
	return 0, 0, false
}

// The theme switch has all themes, those for the background of the terminal first, and each can be read on it.
func TestTheme_SwitchHasAll(t *testing.T) {
	drive(t, 80, 24, demo.Options{}, func(d *driver) {
		seen := map[string]bool{}
		for n := range 20 {
			d.press("<ctrl+y>")
			theme := d.model.Pal.Theme
			seen[theme.Name] = true
			if theme.Background == "" && theme.Colored() && !theme.Dark {
				t.Errorf("%s on a dark terminal", theme.Name)
			}
			if n < 5 && !theme.Dark {
				t.Errorf("%s is number %d on a dark terminal", theme.Name, n+1)
			}
		}
		if len(seen) < 12 || !seen["light"] || !seen["dark"] {
			t.Errorf("the switch has %v", seen)
		}
	})
}

// A theme is found by its name in the list of commands, and the message names what keeps it.
func TestTheme_ByName(t *testing.T) {
	drive(t, 80, 24, demo.Options{}, func(d *driver) {
		d.press("<ctrl+p>nord<enter>")
		d.sees("Used until mcptea ends", "gruvbox-dark", "for light terminals")
		d.press("<end><up><enter>")
		name := d.model.Pal.Theme.Name
		d.press("<esc>")
		d.sees("9 Traffic")
		if name == "dark" {
			t.Error("the theme has not changed")
		}
	})
}
