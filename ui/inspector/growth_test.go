package inspector

import (
	"os"
	"testing"

	"mcptea/internal/test/growth"
	"mcptea/internal/test/raced"
	"mcptea/ui/keys"
)

// TestGrowth_Pages opens each tab, and each view of the traffic, of a session with hostile values, and presses the
// key of each verb there: twice the bytes lead to about twice the memory. By default each tab has some of the keys.
func TestGrowth_Pages(t *testing.T) {
	raced.Never(t, "measures memory")
	walkGrowth(t, growth.Peer{Value: "0"}) // prepares what is prepared once
	for _, s := range growth.Shapes {
		if !s.Usual && os.Getenv("MCPTEA_E2E") != "1" {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			growth.Check(t, s, func(p growth.Peer) map[string]growth.Cost { return walkGrowth(t, p) })
		})
	}
}

// walkGrowth connects to a server, calls its tool, and opens all pages. It returns what each of them costs.
func walkGrowth(t *testing.T, p growth.Peer) map[string]growth.Cost {
	t.Helper()
	all := os.Getenv("MCPTEA_E2E") == "1"
	pages := map[string]growth.Cost{}
	pages["start"] = growth.Of(func() {
		driveServer(t, 120, 36, p.Serve, func(d *driver) {
			pages["call"] = growth.Of(func() { d.press("2<enter><enter><esc>") })
			for i := range d.model.tabs {
				tab := &d.model.tabs[i]
				pages["tab "+tab.ID] = growth.Of(func() {
					d.within(func() { d.model.ShowTab(tab.ID) })
					d.press("<down><enter>vvv<esc><esc>")
				})
				for k, v := range keys.Verbs {
					if v.Verb == keys.Quit || v.Verb == keys.Restart || !all && (k+i)%16 != 0 {
						continue
					}
					pages["tab "+tab.ID+", "+string(v.Verb)] = growth.Of(func() {
						d.within(func() { d.model.ShowTab(tab.ID) })
						d.press("<down>" + string(v.Verb) + "<enter><ctrl+f><esc><esc><esc>")
					})
				}
			}
			for _, view := range []string{"exchanges", "frames", "timeline", "sequence"} {
				pages["view "+view] = growth.Of(func() {
					d.press("9t<end><enter>")
					d.press("<up><enter>vvv<esc><esc>")
				})
			}
		})
	})
	start := pages["start"]
	for page, cost := range pages {
		if page != "start" {
			start = start.Minus(cost)
		}
	}
	pages["start"] = start
	if len(pages) < 14 {
		t.Errorf("only %d pages were found", len(pages))
	}
	return pages
}
