package pane_test

import (
	"strings"
	"testing"

	"mcptea/client/transport"
	"mcptea/lint"
	"mcptea/lint/rules"
	"mcptea/ui/keys"
)

func (b *trafficBench) find(row int32, rule string) {
	entry, ok := rules.Lookup(rule)
	if !ok {
		b.t.Fatal("no rule " + rule)
	}
	if b.found == nil {
		b.found = map[int32][]lint.Finding{}
	}
	b.found[row] = append(b.found[row], lint.Finding{Rule: entry, Severity: entry.DefaultSeverity, Row: row})
}

func TestTraffic_NotesNameTheWorstFinding(t *testing.T) {
	b := newTrafficBench(t)
	b.out(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	b.frame(transport.In, `{"jsonrpc":"2.0","id":99,"result":{}}`)
	b.frame(transport.In, `{"id":1,"result":{}}`)
	b.find(0, "L015")
	b.find(1, "J030")
	b.find(2, "L015")
	b.find(2, "J004")
	b.refresh()
	for w, want := range map[int][]string{
		120: {"L015", "J030 unknown id", "jsonrpc-missing ✗ J004"},
		80:  {"L015", "J030 unknown id", "J004"},
		50:  {"L015", "J030", "J004"},
	} {
		screen := b.screen(w, 12)
		for _, text := range want {
			if !strings.Contains(screen, text) {
				t.Errorf("%d: no %q:\n%s", w, text, screen)
			}
		}
	}
}

func TestTraffic_NextErrorStopsAtBrokenRules(t *testing.T) {
	b := newTrafficBench(t)
	for range 5 {
		b.out(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	b.find(1, "J017") // a warning
	b.find(3, "L003")
	b.refresh()
	b.p.Motion(keys.Top)
	b.do("match.next")
	if got := b.p.Selected(); got != 3 {
		t.Errorf("E stops at %d", got)
	}
	if b.do("match.next") != "say: No more errors in this direction." {
		t.Error("E finds another one")
	}
}
