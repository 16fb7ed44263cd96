package inspector

import (
	"fmt"
	"strings"
	"testing"
)

// The part with the focus gets the rows that its content wants, and keeps them while the user
// moves in it; another part with the focus gets those that it wants.
func TestSpace_FollowsTheFocus(t *testing.T) {
	var lines []string
	for i := range 40 {
		lines = append(lines, fmt.Sprintf("line %d", i))
	}
	result := `{"content":[{"type":"text","text":"` + strings.Join(lines, `\n`) + `"}]}`
	driveServer(t, 120, 40, weather(map[string]string{"tools/call": result}), func(d *driver) {
		tab := func() int { return d.model.layout.tab.h }
		d.command(tabTools)
		usual := tab()
		d.tool("forecast")
		d.press("Oslo<enter>")
		d.settle()
		long := tab()
		if long <= usual {
			t.Fatalf("%d rows for a long result, %d before", long, usual)
		}
		if h := d.model.layout.traffic.h; h < besideHeight {
			t.Errorf("%d rows are left of the traffic", h)
		}
		d.press("<esc><esc><esc>j")
		if now := tab(); now != long {
			t.Errorf("the border moves from %d to %d while the user moves in the list", long, now)
		}
		d.press("9")
		if now := tab(); now >= long {
			t.Errorf("%d rows for tools while the traffic has the focus", now)
		}
	})
}
