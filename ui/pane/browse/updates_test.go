package browse

import (
	"testing"
	"time"

	"mcptea/session"
	"mcptea/ui/action"
)

const readme = "demo://readme"

// read has the resource under the cursor read, with a result that holds five
// seconds.
func (tb *table) read() {
	tb.Helper()
	tb.keys("enter")
	if tb.call == nil || tb.call.Method != "resources/read" {
		tb.Fatal("nothing is read")
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

func TestFreshness_RunsOut(t *testing.T) {
	tb := open(t, "resources")
	tb.read()
	tb.later(time.Second) // which is how long the read took
	if tb.sees(120, 24, "fresh for 5 s, public"); !tb.Aging() {
		t.Error("the screen does not follow the age")
	}
	tb.later(3 * time.Second)
	tb.sees(120, 24, "fresh for 2 s, public")
	tb.later(3 * time.Second)
	if tb.sees(120, 24, "stale: expired after 5.0 s"); tb.Aging() {
		t.Error("the screen is repainted for nothing")
	}
}

func TestUpdate_MarksTheResource(t *testing.T) {
	tb := open(t, "resources")
	tb.updates("demo://counter", 1)
	tb.sees(120, 24, "counter")
	if note := tb.rows[tb.places["resources demo://counter"]].Note; note != "changed" {
		t.Errorf("a resource that was never read: %q", note)
	}
	tb.read()
	tb.later(3 * time.Second)
	tb.updates(readme, 1)
	tb.sees(120, 24, "stale: changed at 10:23:03")
	if note := tb.rows[tb.places["resources "+readme]].Note; note != "changed" {
		t.Errorf("a resource that was read before: %q", note)
	}
	if a := tb.Reload(); a != nil {
		t.Errorf("read again without a subscription: %v", a)
	}
	tb.later(time.Second)
	tb.read()
	tb.screen(120, 24)
	if note := tb.rows[tb.places["resources "+readme]].Note; note == "changed" {
		t.Error("still marked after it was read again")
	}
}

func TestUpdate_ReloadsTheSubscribedResource(t *testing.T) {
	tb := open(t, "resources")
	tb.state.Followed = []string{readme}
	tb.state.Attempt++
	tb.refresh()
	tb.read()
	tb.later(500 * time.Millisecond)
	tb.updates(readme+"#part", 1)
	if a := tb.Reload(); a != nil {
		t.Errorf("the change of another resource reloads: %v", a)
	}
	tb.updates(readme+"/part", 2)
	if a := tb.Reload(); a != nil || !tb.Aging() {
		t.Errorf("%v at once, although it was read just now", a)
	}
	for n := range 3 {
		tb.later(2 * time.Second)
		a := tb.Reload()
		if s, ok := a.(action.Start); !ok || s.Method != "resources/read" || string(s.Params) != `{"uri":"demo://readme"}` {
			t.Fatalf("reload %d: %+v", n, a)
		}
		tb.act(a)
		if tb.Reload() != nil {
			t.Error("reloaded while a read is under way")
		}
		tb.answer(`"result":{"contents":[{"uri":"demo://readme","text":"two"}]}`, 0, nil)
		tb.later(2 * time.Second)
		if tb.Reload() != nil {
			t.Error("reloaded without a change")
		}
		tb.updates(readme, 3+n)
	}
	_, e := tb.selected()
	if len(e.calls) != 2 || e.at != 1 {
		t.Errorf("%d reads in the history, number %d on show", len(e.calls), e.at)
	}
	tb.sees(120, 24, "two", "subscribed: 5 changes, the last at ")
}
