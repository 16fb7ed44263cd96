package inspector

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"mcptea/client/revision"
	"mcptea/demo"
)

// The timeline shows the requests of the session, and its selection is that of Traffic.
func TestTimeline_SelectionIsSharedWithTraffic(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("2<enter>hello<enter><esc><esc>9tt")
		d.sees("Timeline", "tools/call echo", "Latency", "p95", "initialize")
		d.press("g")
		d.sees("1 initialize")
		d.press("<enter>")
		d.sees("protocolVersion", "clientInfo")
		d.lacks("Latency")
		d.press("<esc>")
		d.sees("Latency")
		d.press("<esc>")
		d.lacks("Latency")
		if row := d.model.views.traffic.Selected(); row != 0 {
			t.Errorf("row %d is selected in Traffic", row)
		}
		d.press("G<enter>t") // the response of the newest request, as a frame
		d.sees("Latency", "tools/call echo")
		d.press("2")
		d.press("9")
		d.lacks("Latency")
		if d.model.views.stopRequests != nil {
			t.Error("the events are still read")
		}
	})
}

func TestTimeline_OfARecording(t *testing.T) {
	path := recordDemo(t, func(d *driver) { d.press("2<enter>hello<enter>") })
	driveRecording(t, 80, 24, path, func(d *driver) {
		d.press("ttG")
		d.sees("Timeline", "echo", "Latency")
		d.press("/echo<enter>")
		d.sees("/ echo", "echo")
		d.press("<esc>s")
		d.sees("sorted by p50")
	})
}

// The sequence diagram shows the frames as arrows, with the exchange of the timeline
// selected, and exports it as Mermaid.
func TestSequence_SharesTheSelection(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("2<enter>hello<enter><esc><esc>9ttt")
		d.sees("Sequence", "whole session", "── 1 initialize", "tools/call echo", "▶", "◀", "initialized", `"message": "hello"`)
		d.press("k<enter>")
		d.sees("prompts/list")
		d.lacks("Sequence")
		d.press("<esc>")
		d.sees("Sequence")
		d.press("Gv")
		d.sees("selected exchange", "tools/call echo")
		d.lacks("prompts/list")
		d.press("X")
		d.sees("exchange, frames #", "sequenceDiagram", "C->>S: 20 tools/call echo")
		d.press("<esc>t") // the exchanges
		d.lacks("Sequence")
		d.press("tt")
		d.sees("Latency", "tools/call echo")
		d.press("t<esc>")
		d.lacks("Sequence")
		if row := d.model.views.traffic.Selected(); row != 19 {
			t.Errorf("row %d is selected in Traffic", row)
		}
	})
}

// A click on the name of a view in the upper border shows it.
func TestViews_ClickOnTheName(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("9tt")
		d.sees("Latency")
		click := func(text string) {
			t.Helper()
			for y, row := range strings.Split(d.term.screen(), "\n") {
				if before, _, ok := strings.Cut(row, text); ok && y == 2 {
					d.click(ansi.StringWidth(before)+1, y)
					d.settle()
					return
				}
			}
			t.Fatalf("%q is not in the border", text)
		}
		click("sequence")
		d.sees("Sequence", "▶")
		click("timeline")
		d.sees("Latency")
		click("exchanges")
		d.lacks("Latency")
	})
}

// tab completes a property in the filter, which the views share; what follows is text.
func TestFilter_TabCompletes(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("9/met<tab>ping")
		d.sees("/ method:ping")
		d.press("<ctrl+u>method:tools/l<tab><enter>ttt")
		d.sees("Sequence  / method:tools/li", "tools/list")
		d.press("<esc>t")
		d.sees("resources/list")
	})
}

// f1 in the filter explains it, and leaves what was typed.
func TestFilter_Help(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("9/ping<f1>")
		d.sees("Filter of frames", `"two words"`, "severity:", "-part")
		d.press("<esc><enter>")
		d.sees("/ ping", "1 of ")
	})
}

// A frame that another pane leads to is on the screen, also from a pane that has all of it.
func TestShowFrame_FromAZoomedPane(t *testing.T) {
	drive(t, 120, 40, demo.Options{}, func(d *driver) {
		d.press(`2\`)
		d.within(func() {
			d.model.ShowFrame(3)
			d.model.Retheme()
		})
		d.sees("Traffic", "→ #4 request tools/list", "← #5 result")
	})
}

// Traffic is a table: durations and outcomes stand below each other in all rows, whatever is in them,
// and each row has the time of day.
func TestTraffic_ColumnsAreFixed(t *testing.T) {
	for _, size := range screenSizes {
		driveIn(t, revision.R20260728, size[0], size[1], demo.Options{}, func(d *driver) {
			d.call("echo", `{"message":"a message that is longer than the column of the requests has cells"}`)
			d.call("add", `{"a":1,"b":2}`)
			d.call("fail", `{}`)
			d.press("9<end>")
			d.settle()
			var signs, times []int
			for _, line := range strings.Split(d.term.screen(), "\n") {
				if at := strings.IndexAny(line, "✓✗"); strings.Contains(line, "→") && at > 0 {
					signs = append(signs, len([]rune(line[:at])))
					times = append(times, len([]rune(line[:regexp.MustCompile(`\d\d:\d\d:\d\d\.\d{3}`).FindStringIndex(line)[0]])))
				}
			}
			if slices.Sort(signs); len(signs) < 3 || signs[0] != signs[len(signs)-1] {
				t.Errorf("at %v outcomes begin in the columns %v:\n%s", size, signs, d.term.screen())
			}
			if slices.Sort(times); times[0] != times[len(times)-1] {
				t.Errorf("at %v times begin in the columns %v:\n%s", size, times, d.term.screen())
			}
		})
	}
}

// Below a tab, the traffic looks as before the user looked at another view of it.
func TestTraffic_BelowATabItKeepsItsView(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("9tt")
		d.sees("Timeline")
		d.press("2")
		d.sees("exchanges, ", "outcome")
		d.press("9t2") // the list of frames was chosen
		d.lacks("outcome")
		d.press("9tt2")
		d.lacks("outcome")
	})
}

// A list that follows follows again behind the other views, also where the newest request is in a folded group there.
func TestViews_FollowAgain(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("2/echo<enter><enter>tea<ctrl+s>*20<enter><esc><esc><esc>9")
		d.sees("following")
		row := func() (row int32) {
			d.within(func() { row = d.model.views.traffic.Selected() })
			return row
		}
		before := row()
		d.press("ttt")
		d.sees("Sequence")
		d.press("t")
		d.sees("following")
		if got := row(); got != before {
			t.Errorf("row %d is selected, and not %d", got, before)
		}
	})
}
