package inspector

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"mcptea/demo"
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

// At a wide screen the list, form and schema of a small server have half of it, beside another session
// and after a visit to another tab: what a tab wants does not depend on what it has.
func TestSpace_SmallServerHasHalfOfAWideScreen(t *testing.T) {
	const name = "get_weather_forecast_for_a_very_long_name_of_a_place"
	one := tracking("0.9.2", "tools/list", `{"tools":[{"name":"`+name+`","inputSchema":{"type":"object","properties":{"city":{"type":"string"}}}}]}`, name, `{"content":[{"type":"text","text":"mild"}]}`)
	driveSession(t, 200, 60, one, func(d *driver) {
		wide := func(when string) {
			t.Helper()
			d.sees("city  string", "schema", `"properties": {`, name+" ─")
			if w := d.model.layout.tab.w; w < 100 {
				t.Errorf("%s: the tab has %d of 200 columns:\n%s", when, w, d.term.screen())
			}
		}
		d.press("2")
		wide("alone")
		d.press("6")
		d.press("2")
		wide("after another tab")
		d.opened("notes", tracking("0.9.3"))
		d.press("S")
		wide("beside another session")
		d.press("<enter>")
		wide("in the form")
		d.press("Oslo<enter>")
		d.sees("mild")
		if w := d.model.layout.tab.w; w < 100 {
			t.Errorf("with a result: the tab has %d of 200 columns:\n%s", w, d.term.screen())
		}
	})
}

// A wide screen shows of the log what a small one shows, and the text that says that there are no messages
// in whole words.
func TestSpace_WideLogsShowNoLess(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 36}, {200, 60}} {
		drive(t, size[0], size[1], demo.Options{}, func(d *driver) {
			d.press("6")
			d.sees("No log messages yet.", "(notifications/message)")
			d.call("log", `{"message":"hello"}`)
			d.sees("time ", "from ", "level ", "hello")
			if !regexp.MustCompile(`\d\d:\d\d:\d\d\.\d{3}  server +info`).MatchString(d.term.screen()) {
				t.Errorf("at %v the time is missing:\n%s", size, d.term.screen())
			}
		})
	}
}
