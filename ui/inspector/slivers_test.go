package inspector

import (
	"strings"
	"testing"

	"mcptea/demo"
)

// A window leaves the screen behind it at least three columns at each side, or none.
func TestWindow_NoSlivers(t *testing.T) {
	for w, whole := range map[int]bool{80: true, 200: false} {
		drive(t, w, 24, demo.Options{}, func(d *driver) {
			d.press("<ctrl+p>")
			rows := strings.Split(d.term.screen(), "\n")
			found := false
			for _, row := range rows {
				found = found || strings.HasPrefix(row, "╭─ Find")
			}
			if found != whole {
				t.Errorf("%d columns:\n%s", w, d.term.screen())
			}
		})
	}
}
