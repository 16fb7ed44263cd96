package inspector

import (
	"maps"
	"os"
	"slices"
	"testing"

	"mcptea/internal/test/growth"
	"mcptea/internal/test/raced"
)

// TestGrowth_Pages opens each tab, and each view of the traffic, of a session with hostile values: twice the
// bytes lead to about twice the memory.
func TestGrowth_Pages(t *testing.T) {
	raced.Never(t, "measures memory")
	walkGrowth(t, growth.Peer{Value: "0"}) // prepares what is prepared once
	for _, s := range growth.Shapes {
		if !s.Usual && os.Getenv("MCPTEA_E2E") != "1" {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			allocated := map[string][3]int64{}
			for i, p := range growth.Sizes(s) {
				for page, bytes := range walkGrowth(t, p) {
					sizes := allocated[page]
					sizes[i] = bytes
					allocated[page] = sizes
				}
			}
			if len(allocated) < 10 {
				t.Errorf("only %d pages were found", len(allocated))
			}
			for _, page := range slices.Sorted(maps.Keys(allocated)) {
				growth.CheckAllocated(t, page, allocated[page])
			}
		})
	}
}

// walkGrowth connects to a server, calls its tool, and opens all pages. It returns what each of them has
// allocated.
func walkGrowth(t *testing.T, p growth.Peer) map[string]int64 {
	t.Helper()
	pages := map[string]int64{}
	pages["start"] = growth.Allocated(func() {
		driveServer(t, 120, 36, p.Serve, func(d *driver) {
			pages["call"] = growth.Allocated(func() { d.press("2<enter><enter><esc>") })
			for i := range d.model.tabs {
				tab := &d.model.tabs[i]
				pages["tab "+tab.ID] = growth.Allocated(func() {
					d.within(func() { d.model.ShowTab(tab.ID) })
					d.press("<down><enter>vvv<esc><esc>")
				})
			}
			for _, view := range []string{"exchanges", "frames", "timeline", "sequence"} {
				pages["view "+view] = growth.Allocated(func() {
					d.press("9t<end><enter>")
					d.press("<up><enter>vvv<esc><esc>")
				})
			}
		})
	})
	for page, bytes := range pages {
		if page != "start" {
			pages["start"] -= bytes
		}
	}
	return pages
}
