package inspector

import (
	"testing"

	"mcptea/demo"
)

// Under a result the calls of its tool are a strip: [ goes to one, and d compares it.
func TestStrip_DiffOfACall(t *testing.T) {
	for _, size := range screenSizes {
		drive(t, size[0], size[1], demo.Options{}, func(d *driver) {
			d.press("/echo<enter><enter>tea<enter>e<ctrl+u>coffee<enter>")
			d.press("r")
			d.sees(" calls ", " ms   ≠ not this result")
			d.press("[")
			d.sees("≠ not this result", "coffee")
			d.press("d")
			d.sees("tea", "coffee", "A  #", "B  #")
		})
	}
}
