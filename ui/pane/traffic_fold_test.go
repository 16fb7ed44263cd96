package pane_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mcptea/session/offer/changes"
	"mcptea/session/session"
	"mcptea/ui/keys"
)

func connect(b *trafficBench) {
	b.out(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`)
	b.in(`{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"s","version":"1"}}}`)
	b.out(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	b.out(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	b.in(`{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"a"},{"name":"b"}],"nextCursor":"x"}}`)
	b.out(`{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"x"}}`)
	b.in(`{"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"c"}]}}`)
}

func connected(t *testing.T) *trafficBench {
	b := newTrafficBench(t)
	connect(b)
	b.state.Phase = session.Ready
	return b
}

func TestTraffic_Fold_ConnectingIsOneRow(t *testing.T) {
	b := connected(t)
	b.out(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"a"}}`)
	b.sees(b.screen(120, 4), "▸  1–7", "connected  3 requests, 3 tools", "6.0", "tools/call a")
	if got := b.p.Len(); got != 2 {
		t.Errorf("%d rows", got)
	}
	b.p.Motion(keys.Top)
	b.do("frame.open")
	b.sees(b.screen(120, 14), "initialize", "notifications/initialized", "└ ok 1 tool")
	if got, row := b.p.Len(), b.p.Selected(); got != 8 || row != 0 {
		t.Errorf("opened: %d rows, row %d is selected", got, row)
	}
	b.do("fold.toggle")
	if got := b.p.Len(); got != 2 {
		t.Errorf("closed again: %d rows", got)
	}
	b.sees(b.screen(120, 20), "▸  1–7")
}

// What has room is not folded; what has none is folded from above, row by row, while the list follows.
func TestTraffic_Fold_OnlyWhatHasNoRoom(t *testing.T) {
	b := connected(t)
	for _, at := range []struct {
		h    int
		want string
	}{{10, "1  10:22:01.001 → 1     initialize"}, {8, "▸  1–2"}, {7, "▸  1–3"}, {10, "1  10:22:01.001 → 1     initialize"}} {
		b.sees(b.screen(120, at.h), at.want, "7  10:22:01.007 ← 3     └ ok 1 tool")
	}
	b.p.Motion(keys.Up)
	b.out(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"a"}}`)
	b.sees(b.screen(120, 10), "initialize", "notifications/initialized")
	b.p.Motion(keys.Bottom)
	b.sees(b.screen(120, 10), "▸  1–2", "tools/call a")
}

// A list that is fetched once more is no part of connecting, and is not counted again.
func TestTraffic_Fold_ListsCountOnce(t *testing.T) {
	b := connected(t)
	b.out(`{"jsonrpc":"2.0","id":4,"method":"tools/list"}`)
	b.in(`{"jsonrpc":"2.0","id":4,"result":{"tools":[{"name":"a"},{"name":"b"}]}}`)
	b.sees(b.screen(120, 5), "▸  1–7", "connected  3 requests, 3 tools", "└ ok 2 tools")
}

// The row of a restart ends before its duration at every width.
func TestTraffic_Fold_Restart(t *testing.T) {
	b := connected(t)
	b.refresh()
	first, _ := b.s.Row(0)
	b.state.Restarts = []session.Restarted{{
		Number: 1, Conn: first.Conn, Took: 287 * time.Millisecond,
		Cause: session.Cause{Text: "src/index.ts and 2 more saved", Built: 64 * time.Millisecond}, Lists: map[string]changes.Counts{"tools": {Added: 1, Removed: 1}},
	}}
	b.refresh()
	for w, want := range map[int]string{
		44:  "restart 1 · tools +1 −1 … ",
		78:  "restart 1 · tools +1 −1 … ",
		100: "restart 1 · tools +1 −1 · src/index.ts and 2 more saved … ",
		140: "restart 1 · tools +1 −1 · src/index.ts and 2 more saved · built in 64 ms  3 requests, 3 tools ",
	} {
		screen := b.screen(w, 12)
		_, row, _ := strings.Cut(screen, "restart 1")
		if row, _, _ = strings.Cut(row, "\n"); !strings.HasPrefix("restart 1"+row, want) || !strings.Contains(row, " 6.0") {
			t.Errorf("%d: %s", w, screen)
		}
	}
}

func TestTraffic_Fold_NotBeforeTheConnectionIsReady(t *testing.T) {
	b := newTrafficBench(t)
	connect(b)
	if screen := b.screen(120, 12); strings.Contains(screen, "connected") || !strings.Contains(screen, "initialize") {
		t.Errorf("the evidence of a failure is hidden:\n%s", screen)
	}
}

func TestTraffic_Fold_SelectOpensIt(t *testing.T) {
	b := connected(t)
	b.refresh()
	b.p.Select(4)
	if got := b.p.Selected(); got != 4 {
		t.Errorf("row %d is selected", got)
	}
}

func TestTraffic_Fold_NextErrorLooksInside(t *testing.T) {
	b := connected(t)
	b.find(4, "J004")
	b.out(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"a"}}`)
	b.sees(b.screen(120, 12), "✗ J004")
	b.p.Motion(keys.Top)
	b.do("match.next")
	if got := b.p.Selected(); got != 4 {
		t.Errorf("the next error is row %d", got)
	}
}

func TestTraffic_Fold_FilterShowsSingleFrames(t *testing.T) {
	b := connected(t)
	b.refresh()
	b.filter.Set("method:initialize")
	b.refresh()
	if got := b.p.Len(); got != 2 {
		t.Errorf("%d rows pass", got)
	}
	b.p.Motion(keys.Back)
	b.refresh()
	if got := b.p.Len(); got != 1 {
		t.Errorf("without the filter: %d rows", got)
	}
}

// A response is drawn under its request only when that is the row above.
func TestTraffic_Branch_OnlyUnderItsOwnRequest(t *testing.T) {
	b := newTrafficBench(t)
	b.out(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow"}}`)
	b.out(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"quick"}}`)
	b.in(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"one"}]}}`)
	b.in(`{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"two"}]}}`)
	b.in(`{"jsonrpc":"2.0","id":77,"result":{"content":[{"type":"text","text":"three"}]}}`)
	screen := b.screen(120, 12)
	b.sees(screen, `↳ #1 ok "one"`, `↳ #2 ok "two"`, `77    ok "three"`)
	if strings.Contains(screen, "└") {
		t.Errorf("a response hangs under another request:\n%s", screen)
	}
}

// The last cell of a row is empty at each width: a time does not touch the border.
func TestTraffic_Fold_TimeDoesNotTouchTheBorder(t *testing.T) {
	b := newTrafficBench(t)
	connect(b)
	for id := 4; id < 8; id++ { // so that it takes a time of five cells
		b.out(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/list","params":{"cursor":"x"}}`, id))
		b.in(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"tools":[{"name":"c"}],"nextCursor":"x"}}`, id))
	}
	b.state.Phase = session.Ready
	for w := 40; w <= 130; w++ {
		for row := range strings.Lines(b.screen(w, 8)) {
			row = strings.TrimRight(row, "\n")
			if strings.Contains(row, "1–15") && !strings.HasSuffix(row, " │") {
				t.Errorf("at %d columns %q", w, row)
			}
		}
	}
}
