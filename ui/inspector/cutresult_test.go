package inspector

import (
	"testing"

	"mcptea/demo"
	"mcptea/internal/test/raced"
)

// Below a large result the hosts are named that do not give all of it to a model; below a small one nothing is.
func TestResult_CutByHosts(t *testing.T) {
	raced.Never(t, "paints one result")
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.tool("echo")
		d.press("hello<enter>")
		d.sees("hello")
		d.lacks("cut by")
		d.press("<esc><esc>")
		d.tool("big-answer")
		d.press("<enter>")
		d.settle()
		d.sees("cut by   VS Code above 8,192 characters")
	})
}
