package inspector

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"mcptea/demo"
)

// Neither a long result nor a motion moves the border over the traffic.
func TestSpace_ContentMovesNoBorder(t *testing.T) {
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
		if now := tab(); now != usual {
			t.Errorf("a long result moves the border from %d to %d", usual, now)
		}
		d.press("<esc><esc><esc>j")
		if now := tab(); now != usual {
			t.Errorf("a motion moves the border from %d to %d", usual, now)
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
