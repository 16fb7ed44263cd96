package pane_test

import (
	"fmt"
	"testing"

	"mcptea/ui/keys"
)

func TestTraffic_FilterAndSelection(t *testing.T) {
	b := newTrafficBench(t)
	conversation(b)
	b.refresh()
	b.do("filter")
	b.Type("status:error")
	b.refresh()
	b.sees(b.screen(120, 13), "/ status:error", "4 of 11", "↳ #7 error -32602", "not JSON")
	b.Press("enter")
	if b.screen(120, 12); b.Screen.Field() != nil {
		t.Error("enter does not end the typing")
	}
	b.sees(b.screen(120, 12), "9 Traffic  / status:error")
	b.p.Motion(keys.Top)
	if got := b.p.Selected(); got != 3 {
		t.Errorf("the first of the errors is row %d, want 3", got)
	}
	b.p.Select(0) // hidden by the filter
	if b.filter.Words() != "" || b.p.Selected() != 0 {
		t.Errorf("filter %q, selected %d", b.filter.Words(), b.p.Selected())
	}
}

func TestTraffic_AWrongFilterSaysWhy(t *testing.T) {
	b := newTrafficBench(t)
	conversation(b)
	b.refresh()
	b.filter.Set("kind:nonsense")
	b.sees(b.screen(120, 12), "kind: takes request, notification", "^^^^^^^^")
	if b.p.Len() != 11 {
		t.Error("an invalid filter hides frames")
	}
}

// A filter that takes several looks at the session keeps the selected row, or the next one
// that passes.
func TestTraffic_Filter_SelectionIsKeptInLargeSession(t *testing.T) {
	b := newTrafficBench(t)
	for i := range 300_000 {
		b.out(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/%s"}`, []string{"initialized", "other"}[i%2]))
	}
	b.refresh()
	for _, tc := range []struct {
		filter string
		want   int32
	}{{"notifications", 250_000}, {"other", 250_001}, {"initialized", 250_000}, {"", 250_000}} {
		b.filter.Set("")
		b.refresh()
		b.p.Select(250_000)
		b.filter.Set(tc.filter)
		b.refresh()
		if got := b.p.Selected(); got != tc.want {
			t.Errorf("%q: row %d of %d is selected, want %d", tc.filter, got, b.p.Len(), tc.want)
		}
	}
	b.p.Select(250_000)
	b.filter.Set("notifications")
	b.p.Motion(keys.Top) // the user goes elsewhere before the filter is done
	b.refresh()
	if got := b.p.Selected(); got != 0 {
		t.Errorf("row %d is selected, want 0", got)
	}
}

// Clearing the filter keeps the row that it has found, also where the newest frame was
// followed before.
func TestTraffic_Filter_ClearKeepsFoundRow(t *testing.T) {
	b := newTrafficBench(t)
	for i := range 100 {
		b.out(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/n%d"}`, i))
	}
	b.refresh()
	b.filter.Set("n54")
	b.refresh()
	if got := b.p.Selected(); got != 54 {
		t.Fatalf("row %d is selected", got)
	}
	b.p.Motion(keys.Back)
	b.refresh()
	if got := b.p.Selected(); got != 54 || b.p.Following() {
		t.Errorf("row %d is selected, following %t", got, b.p.Following())
	}
	b.p.Motion(keys.Back)
	if !b.p.Following() {
		t.Error("the pane that is left does not follow as before")
	}
}

// The completion of a filter inserts, and counts the frames that would be left.
func TestTraffic_Filter_Completion(t *testing.T) {
	b := newTrafficBench(t)
	conversation(b)
	b.find(3, "J004")
	b.refresh()
	b.do("filter")
	b.Type("k")
	b.refresh()
	b.sees(b.screen(120, 20), "╭─ Filter ─", "kind:", "kind of frame", "kind:request", "frames left")
	b.Press("tab")
	b.Type("re")
	b.refresh()
	b.sees(b.screen(120, 20), "kind:request ", "kind:response", " 4 │")
	b.Press("down", "tab")
	b.refresh()
	if got := b.filter.Words(); got != "kind:response " {
		t.Errorf("the filter is %q", got)
	}
	b.sees(b.screen(120, 20), "2 of 11")
	b.Type("rule:")
	b.refresh()
	b.sees(b.screen(120, 20), "rule:J004", "rule: takes the id of a rule", "^^^^^", "the list shows: ")
	b.Press("esc")
	if b.filter.On() {
		t.Error("esc does not clear the filter")
	}
}

// Up recalls the filters of the session in an empty field.
func TestTraffic_Filter_EarlierOnes(t *testing.T) {
	b := newTrafficBench(t)
	conversation(b)
	b.refresh()
	for _, words := range []string{"status:error", "slow", "status:error"} {
		b.do("filter")
		b.Type(words)
		b.Press("enter")
		b.refresh()
		b.do("filter.clear")
	}
	if b.filter.On() {
		t.Error("the command does not clear the filter")
	}
	b.do("filter")
	b.sees(b.screen(120, 20), "↑ earlier filter")
	b.Press("up")
	if got := b.filter.Words(); got != "status:error" {
		t.Errorf("the newest is %q", got)
	}
	b.Press("up")
	b.Press("up")
	if got := b.filter.Words(); got != "slow" {
		t.Errorf("the oldest is %q", got)
	}
	b.Press("down")
	b.Press("down")
	if b.filter.On() {
		t.Errorf("below the newest is %q", b.filter.Words())
	}
	b.Type("status:")
	b.Press("down") // among the candidates
	b.refresh()
	b.sees(b.screen(120, 20), "2 of ")
}

// What a row shows is found by that word.
func TestTraffic_Filter_WordsOfTheRow(t *testing.T) {
	b := newTrafficBench(t)
	conversation(b)
	b.find(2, "S011")
	for words, want := range map[string]int32{"s011": 2, "unknown": 8, "pending": 10, "#6": 5, "rule:S011": 2, "tool:slow": 10} {
		b.filter.Set(words)
		b.refresh()
		if b.p.Motion(keys.Top); b.p.Len() != 1 || b.p.Selected() != want {
			t.Errorf("%s: row %d of %d", words, b.p.Selected(), b.p.Len())
		}
	}
}
