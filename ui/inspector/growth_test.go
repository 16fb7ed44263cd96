package inspector

import (
	"cmp"
	"os"
	"strings"
	"testing"

	"mcptea/internal/test/growth"
	"mcptea/internal/test/raced"
	"mcptea/ui/keys"
)

// TestGrowth_Pages opens each tab, and each view of the traffic, of a session with hostile values, and presses the
// key of each verb there: twice the bytes lead to about twice the memory. By default each tab has some of the keys. The
// other places have ways, and a section of the page of keys without one fails the test.
func TestGrowth_Pages(t *testing.T) {
	raced.Never(t, "measures memory")
	t.Chdir(t.TempDir()) // for the files that are written
	places := map[string]bool{}
	walkGrowth(t, growth.Peer{Value: "0"}, ways, places) // it also prepares what is prepared once
	for _, s := range allSections(t) {
		if why := notReached[s.Name]; places[s.Name] == (why != "") {
			t.Errorf("%q is reached: %t (%s); ways are the keys that lead to a place", s.Name, places[s.Name], cmp.Or(why, "it must be"))
		}
	}
	for _, s := range growth.Shapes {
		if s.Name != growth.All && os.Getenv("MCPTEA_E2E") != "1" { // by day the shape that has parts of all others
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			growth.Check(t, s, func(p growth.Peer) map[string]growth.Cost { return walkGrowth(t, p, waysOf(s), nil) })
		})
	}
}

// walkGrowth connects to a server, calls its tool, and opens all pages. It returns the cost of each of them. With
// places, it adds the sections that it has been to.
func walkGrowth(t *testing.T, p growth.Peer, ways []string, places map[string]bool) map[string]growth.Cost {
	t.Helper()
	all := os.Getenv("MCPTEA_E2E") == "1"
	pages := map[string]growth.Cost{}
	pages["start"] = growth.Of(func() {
		driveServer(t, 120, 36, p.Serve, func(d *driver) {
			open := func(page, tab, way string) {
				pages[page] = growth.Of(func() {
					if tab != "" {
						d.within(func() { d.model.ShowTab(tab) }) // no text field has the focus
					}
					for keys := range strings.SplitSeq(way, " ") {
						d.press(keys)
						d.addPlaces(places)
					}
				})
			}
			open("call", "", "2<enter><enter><esc>")
			for _, way := range ways {
				open(way, tabServer, way)
			}
			for i := range d.model.tabs {
				id := d.model.tabs[i].ID
				open("tab "+id, id, "<down> <enter> vvv <esc><esc>")
				for k, v := range keys.Verbs {
					if v.Verb != keys.Quit && v.Verb != keys.Restart && (all || (k+i)%16 == 0) {
						open("tab "+id+", "+string(v.Verb), id, "<down> "+string(v.Verb)+" <enter> <ctrl+f><esc><esc><esc>")
					}
				}
			}
			for _, view := range []string{"exchanges", "frames", "timeline", "sequence"} {
				open("view "+view, "", "9t<end> <enter> <up> <enter> vvv <esc><esc>")
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

// ways are keys that lead to places, and on from them.
var ways = []string{
	"9b <ctrl+u>dir:in<enter> 2<enter><enter> <esc><esc>I q <esc> e <ctrl+s> <enter> <ctrl+p>forward<space>all<space>held<enter> x <esc>",
	"2<enter><enter> <esc><esc> <enter><enter> d v <esc> <esc> <esc>",
	"5 <enter> <tab> <esc>",
	"7<ctrl+r> <down> <enter> <enter> <esc> <esc>",
	"0 <enter> <esc>",
	"E <enter> <ctrl+r> <enter> <esc> <esc>",
	"cping <ctrl+s> <tab> <tab> <tab> <esc> <esc>",
	"2<ctrl+p>tools<space>as<space>a<space>model<enter> v <esc>",
	"9G t t <enter> <esc> t",
	"2<enter><enter> <esc><esc><ctrl+p>commands<space>of<space>this<enter> <up> <esc>",
	"8 <down> w <esc><esc>",
}

// waysOf returns the ways that are walked with values of a shape. By default these are some, and with deep values only.
func waysOf(s growth.Shape) (some []string) {
	if os.Getenv("MCPTEA_E2E") == "1" {
		return ways
	}
	for i, way := range ways {
		if s.Name == "deep" && i%3 == 0 {
			some = append(some, way)
		}
	}
	return some
}

// notReached maps sections to the reason why no way leads to their place.
var notReached = map[string]string{
	"filter text":              "the field is a part of lists",
	"everywhere":               "its commands have no place",
	"window":                   "each window has its commands",
	"server, token required":   "the server requires no token",
	"authorization":            "the server requires no token",
	"the steps of mcptea demo": "the server is not mcptea demo",
	"start":                    "the inspector is beyond it",
	"list of recordings":       "the inspector is beyond it",
	"statistics":               "the inspector is beyond it",
}

// addPlaces adds the sections of the commands that the keys run now: those of the pane with the focus, or of the
// window, which has a command that no other section has.
func (d *driver) addPlaces(places map[string]bool) {
	if places == nil {
		return
	}
	d.within(func() {
		w := d.model.Window()
		if w == nil {
			places[d.model.Focused().Section()] = true
			return
		}
		sectionsOf := map[string][]string{}
		for _, s := range allSections(d.t) {
			for _, c := range s.Commands {
				sectionsOf[c.ID] = append(sectionsOf[c.ID], s.Name)
			}
		}
		for _, c := range w.Commands() {
			if names := sectionsOf[c.ID]; len(names) == 1 {
				places[names[0]] = true
			}
		}
	})
}
