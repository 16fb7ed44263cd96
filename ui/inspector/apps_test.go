package inspector

import (
	"testing"

	"mcptea/demo"
	"mcptea/internal/test/raced"
)

var _ = raced.Also(TestApps_Key, TestApps_None)

// The key opens the app of a tool that has one, from the list, the form and the result; it opens
// content of the result of another tool.
func TestApps_Key(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.tool("weather")
		d.press("Berlin")
		d.press("<alt+o>")
		d.sees("the app of weather")
		d.command("call.send")
		d.settle()
		d.command("result")
		d.press("o")
		d.sees("the app of weather")
	})
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.tool("echo")
		d.press("hello")
		d.command("call.send")
		d.settle()
		d.command("result")
		d.press("o")
		d.lacks("the app of")
		d.sees("Open only what you trust")
	})
}

// The tab says how an app is opened while none is.
func TestApps_None(t *testing.T) {
	drive(t, 80, 24, demo.Options{}, func(d *driver) {
		d.press("A")
		d.sees("No app is open.", "mcptea app TOOL TARGET")
		for _, key := range []string{"<enter>", "r", "o", "x", "y", "<f4>"} {
			d.press(key)
		}
		d.sees("No app is open.")
	})
}
