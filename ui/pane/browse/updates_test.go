package browse_test

import (
	"strings"
	"testing"
	"time"

	"mcptea/session/session"
)

const readme = "demo://readme"

// read has the resource under the cursor read, with a result that holds five
// seconds.
func (tb *table) read() {
	tb.T.Helper()
	tb.Press("esc", "enter")
	if tb.call == nil || tb.call.Method != "resources/read" {
		tb.T.Fatal("nothing is read")
	}
	tb.answer(`"result":{"contents":[{"uri":"demo://readme","text":"one"}],"ttlMs":5000,"cacheScope":"public"}`, time.Second, nil)
}

// updates has the server report that a resource has changed.
func (tb *table) updates(uri string, count int) {
	tb.state.Updates = map[string]session.Update{uri: {At: tb.now, Count: count}}
	tb.refresh()
}

func (tb *table) later(d time.Duration) {
	tb.now = tb.now.Add(d)
	tb.refresh()
}

// reloads reports whether the visible pane sends a request by itself.
func (tb *table) reloads() bool {
	tb.screen(120, 24)
	before := tb.call
	tb.refresh()
	return tb.call != before
}

// marks fails unless a resource is marked as changed in the list, or is not.
func (tb *table) marks(name string, want bool) {
	tb.T.Helper()
	for row := range strings.SplitSeq(tb.screen(120, 24), "\n") {
		if list, _, _ := strings.Cut(strings.TrimPrefix(row, "│"), "│"); strings.HasPrefix(row, "│") && strings.Contains(list, name) && strings.Contains(list, "changed") != want {
			tb.T.Errorf("%q: marked is not %v", list, want)
		}
	}
}

func TestFreshness_RunsOut(t *testing.T) {
	tb := open(t, "resources")
	tb.read()
	tb.later(time.Second) // which is how long the read took
	if tb.sees(120, 24, "fresh for 5 s, public"); !tb.pane.Aging() {
		t.Error("the screen does not follow the age")
	}
	tb.later(3 * time.Second)
	tb.sees(120, 24, "fresh for 2 s, public")
	tb.later(3 * time.Second)
	if tb.sees(120, 24, "stale: expired after 5.0 s"); tb.pane.Aging() {
		t.Error("the screen is repainted for nothing")
	}
}

func TestUpdate_MarksTheResource(t *testing.T) {
	tb := open(t, "resources")
	tb.updates("demo://counter", 1)
	tb.sees(120, 24, "counter")
	tb.marks("counter", true)
	tb.read()
	tb.later(3 * time.Second)
	tb.updates(readme, 1)
	tb.sees(120, 24, "stale: changed at 10:23:03")
	tb.marks("readme", true)
	if tb.reloads() {
		t.Error("read again without a subscription")
	}
	tb.later(time.Second)
	tb.read()
	tb.marks("readme", false)
}

func TestUpdate_ReloadsTheSubscribedResource(t *testing.T) {
	tb := open(t, "resources")
	tb.state.Followed = []string{readme}
	tb.state.Attempt++
	tb.refresh()
	tb.read()
	tb.later(500 * time.Millisecond)
	tb.updates(readme+"#part", 1)
	if tb.reloads() {
		t.Error("the change of another resource reloads")
	}
	tb.updates(readme+"/part", 2)
	if tb.reloads() || !tb.pane.Aging() {
		t.Error("at once, although it was read just now")
	}
	for n := range 3 {
		tb.later(2 * time.Second)
		if !tb.reloads() || tb.sent() != `resources/read {"uri":"demo://readme"}` {
			t.Fatalf("reload %d: %s", n, tb.sent())
		}
		if tb.reloads() {
			t.Error("reloaded while a read is under way")
		}
		tb.answer(`"result":{"contents":[{"uri":"demo://readme","text":"two"}]}`, 0, nil)
		tb.later(2 * time.Second)
		if tb.reloads() {
			t.Error("reloaded without a change")
		}
		tb.updates(readme, 3+n)
	}
	if calls, at := tb.item().Calls(); len(calls) != 2 || at != 1 {
		t.Errorf("%d reads in the history, number %d on show", len(calls), at)
	}
	tb.sees(120, 24, "two", "subscribed: 5 changes reported, the last at ")
}
