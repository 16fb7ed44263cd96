package inspector

import (
	"strings"
	"testing"

	"mcptea/client/revision"
	"mcptea/demo"
	"mcptea/internal/test/raced"
	"mcptea/internal/test/sessiontest"
	"mcptea/session/session"
	"mcptea/session/state"
)

// leaves shows a session at a place, runs a script, and returns the place that is left.
func leaves(t *testing.T, open func() (*session.Session, error), o Options, script func(d *driver)) (left state.Place) {
	t.Helper()
	driveWith(t, 120, 36, open, func(*session.Session) Options { return o }, func(d *driver) {
		script(d)
		left = d.model.place()
	})
	return left
}

// A server is shown as the user left it: tab, borders and filter. The filter is said, and --filter takes precedence.
func TestPlace_Server(t *testing.T) {
	raced.Never(t, "starts sessions one after the other")
	live := func() (*session.Session, error) {
		return session.Open(servedConfig(revision.R20251125, sessiontest.Demo(demo.Options{Offers: sessiontest.Fixed})))
	}
	var border int
	left := leaves(t, live, Options{}, func(d *driver) {
		d.press("9/-prompts<enter>>>")
		border = d.model.layout.detail.y
		d.press("8")
	})
	if left.Tab != tabProblems || left.Filter != "-prompts" || len(left.Borders) != 1 || left.Frame != 0 {
		t.Fatalf("left %+v", left)
	}
	again := leaves(t, live, Options{Place: left}, func(d *driver) {
		d.sees("╭─ Problems", "The filter of the last time applies: -prompts")
		d.press("9")
		if at := d.model.layout.detail.y; at != border {
			t.Errorf("the border is at %d, not at %d", at, border)
		}
		d.lacks("prompts/list")
		d.press("t")
		d.press("t")
	})
	if again.Tab != tabTraffic || again.View != "timeline" {
		t.Errorf("left %+v", again)
	}
	leaves(t, live, Options{Place: again, Filter: "tools"}, func(d *driver) {
		d.sees("Timeline")
		d.lacks("applies")
	})
}

// A recording is shown at the frame that was selected, in the view; a place of another version is ignored.
func TestPlace_Recording(t *testing.T) {
	raced.Never(t, "starts sessions one after the other")
	path := recordDemo(t, func(d *driver) { d.call("echo", `{"message":"hello"}`) })
	open := func() (*session.Session, error) { return session.OpenRecording(path, session.Config{}) }
	left := leaves(t, open, Options{}, func(d *driver) { d.press("<down><down><down>") })
	if left.Tab != tabTraffic || left.Frame < 2 {
		t.Fatalf("left %+v", left)
	}
	leaves(t, open, Options{Place: left}, func(d *driver) {
		if row := d.model.views.traffic.Selected(); row != left.Frame-1 {
			t.Errorf("at row %d, not %d", row, left.Frame-1)
		}
	})
	left.Tab = tabLogs
	leaves(t, open, Options{Place: left}, func(d *driver) { d.sees("╭─ Logs") })
	odd := state.Place{Tab: "tab.later", View: "new", Filter: "took:x", Frame: 1 << 30, Borders: []state.Border{{Across: -1}, {Over: 7}}}
	leaves(t, open, Options{Place: odd}, func(d *driver) {
		d.sees("9 Traffic", "initialize")
		d.lacks("applies")
	})
}

// A filter with a secret is not kept.
func TestPlace_NoSecret(t *testing.T) {
	raced.Never(t, "starts a session")
	path := recordDemo(t, func(*driver) {})
	open := func() (*session.Session, error) { return session.OpenRecording(path, session.Config{}) }
	left := leaves(t, open, Options{}, func(d *driver) { d.press("/ghp_abcdefghijklmnop0123456789abcdefghij<enter>") })
	if left.Filter != "" || strings.Contains(left.Tab, "ghp") {
		t.Errorf("left %+v", left)
	}
}
