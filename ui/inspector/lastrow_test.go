package inspector

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mcptea/ui/keys"
)

// The last row and the page of keys name what the key map says; while a text is typed, no key
// of it is text.
func TestKeyMap_IsWhatTheScreenNames(t *testing.T) {
	driveServer(t, 200, 36, weather(nil), func(d *driver) {
		d.tool("forecast")
		for _, typing := range []bool{true, false} {
			last := d.footer()
			for _, b := range d.model.ShortHelp() {
				hint := b.Help().Key + " " + b.Help().Desc
				if b.Enabled() && !strings.Contains(last, hint) {
					t.Errorf("typing %v: %q is not in %q", typing, hint, last)
				}
				for _, k := range b.Keys() {
					if typing && keys.IsText(k) {
						t.Errorf("%q is text", k)
					}
				}
			}
			d.press("<esc>")
		}
		full := d.model.FullHelp()
		d.press("?")
		for _, group := range full[:len(full)-1] {
			for _, b := range group {
				if b.Enabled() {
					d.sees(b.Help().Key + "  " + b.Help().Desc)
				}
			}
		}
	})
}

// A click on a key of the last row does what the key does, also the one that ends a line.
func TestKeyMap_Click(t *testing.T) {
	driveServer(t, 120, 36, weather(nil), func(d *driver) {
		d.command(tabTraffic)
		d.press("/xyzzy")
		at := strings.Index(d.footer(), "esc clear")
		if at < 0 {
			t.Fatalf("%q", d.footer())
		}
		d.program.Send(tea.MouseClickMsg{X: len([]rune(d.footer()[:at])), Y: 35, Button: tea.MouseLeft})
		d.settle()
		d.lacks("xyzzy")
		d.lacks("esc clear")
	})
}
