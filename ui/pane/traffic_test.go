package pane_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/test/panetest"
	"mcptea/lint"
	"mcptea/record"
	"mcptea/record/filter"
	"mcptea/record/store"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/frames"
	"mcptea/ui/keys"
	"mcptea/ui/pane/traffic"
)

// trafficBench is a pane over a store that a test fills by hand.
type trafficBench struct {
	*panetest.Program
	t      testing.TB
	s      *store.Store
	p      *traffic.Pane
	filter *frames.Filter
	clock  time.Time
	state  session.State
	found  map[int32][]lint.Finding
}

func (b *trafficBench) Store() *store.Store                 { return b.s }
func (b *trafficBench) State() session.State                { return b.state }
func (b *trafficBench) FindingsAt(row int32) []lint.Finding { return b.found[row] }

func newTrafficBench(t testing.TB) *trafficBench {
	t.Helper()
	s, err := store.Create(store.Options{}, record.Header{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	b := &trafficBench{t: t, s: s, clock: time.Date(2026, 7, 1, 10, 22, 1, 0, time.Local), found: map[int32][]lint.Finding{}}
	test, _ := t.(*testing.T)
	b.Program = panetest.New(test)
	b.filter = frames.NewFilter(b, filter.Names{})
	b.p = traffic.New(&frames.Program{
		App: b.Program, Source: b, Filter: b.filter, Whole: func(row int32) { b.Asked = append(b.Asked, fmt.Sprint("whole ", row)) },
		Send: func(frame []byte) { b.Asked = append(b.Asked, "send "+string(frame)) },
	})
	b.Pane = b.p
	b.p.ShowExchanges(false) // frames one by one; see newExchangeBench
	return b
}

// do runs a command of the pane, and returns what the pane asks for.
func (b *trafficBench) do(id string) string {
	n := len(b.Asked)
	b.Run(id)
	return strings.Join(b.Asked[n:], "; ")
}

func (b *trafficBench) frame(dir transport.Direction, text string) {
	b.clock = b.clock.Add(time.Millisecond)
	raw := []byte(text)
	b.s.Append(transport.Frame{Bytes: raw, Envelope: jsonrpc.Scan(raw), Time: b.clock, Dir: dir, Ending: "\n"})
}

func (b *trafficBench) out(text string) { b.frame(transport.Out, text) }
func (b *trafficBench) in(text string)  { b.frame(transport.In, text) }

func (b *trafficBench) refresh() {
	for behind := true; behind; {
		behind = b.p.Refresh(app.Tick{State: b.state, Now: b.clock.Add(time.Second)})
		behind = b.filter.Behind() || behind
	}
}

// screen is the painted pane without its styles.
func (b *trafficBench) screen(w, h int) string {
	b.refresh()
	return b.Program.Paint(w, h, true)
}

func (b *trafficBench) sees(screen string, texts ...string) {
	b.t.Helper()
	for _, text := range texts {
		if !strings.Contains(screen, text) {
			b.t.Errorf("the pane lacks %q:\n%s", text, screen)
		}
	}
}

// conversation is a bit of everything.
func conversation(b *trafficBench) {
	b.out(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"_meta":{"progressToken":7},"name":"get-sum","arguments":{"a":1,"b":2}}}`)
	b.in(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1,"total":5,"message":"Step 1"}}`)
	b.in(`{"result":{"content":[{"type":"text","text":"The sum of 1 and 2 is 3."}]},"jsonrpc":"2.0","id":7}`)
	b.in(`Server listening on stdout`)
	b.in(`{"jsonrpc":"2.0","id":"s0","method":"sampling/createMessage","params":{}}`)
	b.out(`{"jsonrpc":"2.0","id":"s0","error":{"code":-32601,"message":"not offered"}}`)
	b.out(`{"jsonrpc":"2.0","id":9,"method":"resources/read","params":{"uri":"demo://missing"}}`)
	b.in(`{"jsonrpc":"2.0","id":9,"error":{"code":-32602,"message":"Resource not found"}}`)
	b.in(`{"jsonrpc":"2.0","id":99,"result":{}}`)
	b.in("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":\"\\u001b]0;owned\\u0007 \u202egnp\"}}")
	b.out(`{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"slow"}}`)
}

func TestTraffic_FramesReadAsAConversation(t *testing.T) {
	b := newTrafficBench(t)
	conversation(b)
	screen := b.screen(120, 16)
	b.sees(screen,
		`→ 7     tools/call get-sum a: 1, b: 2`,
		`├ progress 1/5 Step 1`,
		`← 7     └ ok "The sum of 1 and 2 is 3."`, ` 2.0 `,
		`not JSON "Server listening on stdout"`,
		`← "s0"  sampling/createMessage`,
		`→ "s0"  └ error -32601 not offered`,
		`resources/read demo://missing`,
		`└ error -32602 Resource not found`,
		`unknown id`, "▼ follow", " 11 ", "1.0 s")
	for _, bad := range []string{"\x1b]0", "\u202e", "\x07"} {
		if strings.Contains(screen, bad) {
			t.Errorf("%q reaches the terminal", bad)
		}
	}
}

func TestTraffic_NarrowScreensKeepWhatMatters(t *testing.T) {
	b := newTrafficBench(t)
	conversation(b)
	b.sees(b.screen(92, 14), "22:01.001", "tools/call get-sum", " 2.0 ", "unknown id")
	b.sees(b.screen(80, 14), "tools/call get-sum", " 2.0 ", "unknown id", "└ error -32602")
	b.sees(b.screen(49, 14), "tools/call", "22:01.001", " 2.0 ")
	b.sees(b.screen(38, 10), "└ error")
}

func TestTraffic_PauseHoldsStillAndLosesNothing(t *testing.T) {
	b := newTrafficBench(t)
	conversation(b)
	b.refresh()
	b.do("pause")
	before := b.p.Len()
	b.in(`{"jsonrpc":"2.0","method":"new"}`)
	b.sees(b.screen(120, 16), "paused  1 new")
	if b.p.Len() != before {
		t.Error("the list moves while it is paused")
	}
	b.do("pause")
	b.sees(b.screen(120, 16), " 12 ", "new")
}

func TestTraffic_GoingBackStopsFollowing(t *testing.T) {
	b := newTrafficBench(t)
	conversation(b)
	b.refresh()
	b.p.Motion(keys.Up)
	at := b.p.Selected()
	b.in(`{"jsonrpc":"2.0","method":"new"}`)
	b.refresh()
	if b.p.Selected() != at {
		t.Error("the selection moves although it does not follow")
	}
	b.p.Motion(keys.Bottom)
	b.in(`{"jsonrpc":"2.0","method":"new"}`)
	b.refresh()
	if b.p.Selected() != 12 {
		t.Errorf("at the end it follows again: row %d", b.p.Selected())
	}
}

func TestTraffic_ActionsOnFrames(t *testing.T) {
	b := newTrafficBench(t)
	conversation(b)
	b.refresh()
	b.p.Select(2) // the answer of get-sum
	for id, want := range map[string]string{
		"frame.pair": "show frame 0", "copy": `copy frame: {"result":{"content"`, "edit": `compose frame {"result":`, "cancel.request": "off: This request is not pending.",
		"again": `send {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"_meta":{"progressToken":7},"name":"get-sum"`, "frame.open": "whole 2",
	} {
		if got := b.do(id); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q", id, got)
		}
	}
	b.p.Motion(keys.Top)
	b.do("match.next")
	if b.p.Selected() != 3 {
		t.Errorf("the next error is row %d, want 3", b.p.Selected())
	}
}

// The column of ids is as wide as the visible ids need, up to a bound.
func TestTraffic_Columns_FitTheIDs(t *testing.T) {
	b := newTrafficBench(t)
	b.out(`{"jsonrpc":"2.0","id":"mcptea-1","method":"server/discover"}`)
	b.refresh()
	for _, w := range []int{80, 120} {
		b.sees(b.screen(w, 12), `"mcptea-1" `)
	}
	for range 30 {
		b.out(`{"jsonrpc":"2.0","id":30012,"method":"ping"}`)
	}
	b.refresh()
	for _, w := range []int{62, 80, 120} {
		b.sees(b.screen(w, 12), "→ 30012 ")
	}
	b.out(`{"jsonrpc":"2.0","id":"` + strings.Repeat("long", 30) + `","method":"ping"}`)
	b.refresh()
	b.sees(b.screen(120, 12), `→ "longlonglong`, "ping")
}

// A request without a response waits for nothing at the end of a recording that does not grow.
func TestTraffic_Pending_StandsStillInARecording(t *testing.T) {
	b := newTrafficBench(t)
	b.out(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	b.p.Refresh(app.Tick{State: b.state, Now: b.clock, Still: true})
	b.sees(b.Program.Paint(120, 12, true), " pending ")
}

func TestTraffic_SummaryOfACutOffAnswer(t *testing.T) {
	b := newTrafficBench(t)
	b.out(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"big"}}`)
	b.in(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + strings.Repeat("long ", 10000) + `"}]}}`)
	b.out(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	b.in(`{"result":{"tools":[` + strings.TrimSuffix(strings.Repeat(`{"name":"x","description":"`+strings.Repeat("d", 500)+`"},`, 30), ",") + `]},"jsonrpc":"2.0","id":2}`)
	b.sees(b.screen(120, 10), `ok "long long`, "50 kB", "← 2 ", "30 tools")
}

func TestTraffic_MetaIsNoSubject(t *testing.T) {
	b := newTrafficBench(t)
	b.out(`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`)
	b.in(`{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"modern","version":"3"}}}}`)
	b.out(`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":{},"cursor":"p2"}}`)
	screen := b.screen(120, 10)
	b.sees(screen, "└ ok modern 3", `tools/list cursor: p2`)
	if strings.Contains(screen, "_meta") {
		t.Errorf("the screen shows _meta:\n%s", screen)
	}
}

// BenchmarkTraffic_Paint is a full screen of frames that were not seen before, as when
// the list follows a flood.
func BenchmarkTraffic_Paint(b *testing.B) {
	x := newTrafficBench(b)
	for i := range 20000 {
		x.in(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"flood","data":"message %d of a flood, with some text to it"}}`, i))
	}
	x.refresh()
	b.ReportAllocs()
	at := int32(0)
	for b.Loop() {
		at = (at + 50) % 19000
		x.p.Select(at)
		x.Screen.Paint(x.p, 200, 50, true)
	}
}

// BenchmarkTraffic_PaintBaseline is a screen that was painted before: its summaries are
// known.
func BenchmarkTraffic_PaintBaseline(b *testing.B) {
	x := newTrafficBench(b)
	for i := range 100 {
		x.in(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"message %d"}}`, i))
	}
	x.refresh()
	b.ReportAllocs()
	for b.Loop() {
		x.Screen.Paint(x.p, 200, 50, true)
	}
}

func TestTraffic_TasksReadWell(t *testing.T) {
	b := newTrafficBench(t)
	const task = `"taskId":"t1","status":"working","statusMessage":"brewed 1 of 5"`
	b.out(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"brew","task":{"ttl":60000},"_meta":{"progressToken":1}}}`)
	b.in(`{"jsonrpc":"2.0","id":1,"result":{"task":{` + task + `}}}`)
	b.in(`{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{` + task + `}}`)
	b.in(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":2,"total":5}}`)
	b.out(`{"jsonrpc":"2.0","id":2,"method":"tasks/get","params":{"taskId":"t1"}}`)
	b.in(`{"jsonrpc":"2.0","id":2,"result":{` + task + `}}`)
	b.out(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"steep"}}`)
	b.in(`{"jsonrpc":"2.0","id":3,"result":{"resultType":"task","taskId":"t2","status":"working"}}`)
	b.in(`{"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":"t2","status":"input_required","inputRequests":{"strength":{}}}}`)
	b.out(`{"jsonrpc":"2.0","id":4,"method":"tasks/update","params":{"taskId":"t2","inputResponses":{"strength":{"action":"decline"}}}}`)
	b.in(`{"jsonrpc":"2.0","id":5,"result":{"tasks":[]}}`)
	b.sees(b.screen(120, 16),
		"ok became a task: working  brewed 1 of 5", "├ task working  brewed 1 of 5  t1", "├ progress 2/5", "tasks/get t1", "ok working  brewed 1 of 5",
		"ok became a task: working", "├ task input_required  asks for strength  t2", `tasks/update t2 strength: {action: decline}`, "0 tasks")
}

// What has no card and no finding is not offered an explanation.
func TestTraffic_NothingToExplain(t *testing.T) {
	b := newTrafficBench(t)
	conversation(b)
	b.refresh()
	for row, want := range map[int32]bool{3: false, 5: true, 7: true} {
		b.p.Select(row)
		if offered := b.Works("explain"); offered != want {
			t.Errorf("row %d: explain is offered: %t, want %t", row, offered, want)
		}
	}
}

// The endpoint event of HTTP+SSE is not a broken frame.
func TestTraffic_EventThatIsNoMessage(t *testing.T) {
	b := newTrafficBench(t)
	raw := []byte("/messages?sessionId=1")
	b.s.Append(transport.Frame{Bytes: raw, Envelope: jsonrpc.Scan(raw), Time: b.clock, Dir: transport.In, Exchange: 1, EventName: "endpoint"})
	b.in("plain text")
	b.sees(b.screen(120, 6), "event endpoint /messages?sessionId=1", "not JSON")
	if row, _ := b.s.Row(0); !row.IsEvent() || row.IsError() || b.s.Snapshot().Errors != 1 {
		t.Errorf("%+v, %d errors", row, b.s.Snapshot().Errors)
	}
	for filter, want := range map[string]int{"kind:event": 1, "kind:invalid": 1, "method:endpoint": 1} {
		b.filter.Set(filter)
		b.refresh()
		if b.p.Len() != want {
			t.Errorf("%s: %d rows", filter, b.p.Len())
		}
	}
}

// A look at a frame from another pane does not cost the user the newest frames.
func TestTraffic_Follow_ResumesAfterALookAtAFrame(t *testing.T) {
	b := newTrafficBench(t)
	conversation(b)
	b.refresh()
	b.p.Select(2)
	b.p.Motion(keys.Back)
	b.in(`{"jsonrpc":"2.0","method":"new"}`)
	b.refresh()
	if got := b.p.Selected(); got != 11 {
		t.Errorf("row %d is selected, want the newest", got)
	}
	b.p.Select(2)
	b.p.Motion(keys.Down)
	b.p.Motion(keys.Back)
	b.in(`{"jsonrpc":"2.0","method":"new"}`)
	b.refresh()
	if got := b.p.Selected(); got != 3 {
		t.Errorf("after moving: row %d is selected, want 3", got)
	}
}

// The body of an HTTP response that is not a message is in the list too.
func TestTraffic_HTTPFailure_HasItsOwnRow(t *testing.T) {
	b := newTrafficBench(t)
	raw := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	x := transport.Exchange{ID: 1, Purpose: "message", Method: "POST", URL: "http://h/mcp", Start: b.clock}
	b.s.Exchange(&x)
	b.s.Append(transport.Frame{Bytes: raw, Envelope: jsonrpc.Scan(raw), Time: b.clock, Dir: transport.Out, Exchange: 1})
	x.Phase, x.Status, x.Failed, x.Received = transport.ExchangeDone, 502, true, 104
	x.ResponseHeader, x.ResponseBody = http.Header{"Content-Type": {"text/html; charset=utf-8"}}, []byte("<h1>Bad\n Gateway</h1>")
	b.s.Exchange(&x)
	b.sees(b.screen(120, 10), "└ HTTP 502 Bad Gateway  text/html 104 B  <h1>Bad Gateway</h1>")
	if row, _ := b.s.Row(1); row.Kind != store.KindExchange || row.Request() != 0 || !row.IsError() {
		t.Errorf("%+v", row)
	}
	// The request has no response of JSON-RPC, and it has had one of HTTP.
	b.s.Lost(jsonrpc.IntID(1))
	screen := b.screen(120, 10)
	b.sees(screen, "HTTP 502      46 B        ✗")
	if strings.Contains(screen, "no response") {
		t.Errorf("it denies the response:\n%s", screen)
	}
}

// A text takes the place of a time and a size that a row does not have, and in a narrow row that of
// the blanks before a mark.
func TestTraffic_Paint_TextTakesEmptyCells(t *testing.T) {
	b := newTrafficBench(t)
	long := strings.Repeat("long ", 60)
	b.out(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + long + `"}}`)
	b.refresh()
	for _, w := range []int{50, 80, 120, 200} {
		for row := range strings.SplitSeq(b.screen(w, 12), "\n") {
			_, after, cut := strings.Cut(row, "…")
			if empty := len(after) - len(strings.TrimLeft(after, " ")); cut && empty > 5 {
				t.Errorf("%d cells: %d are empty after %q", w, empty, row)
			}
		}
	}
}

// The last row reports entries that are newer than the visible ones, and a click on it leads there.
func TestTraffic_NewerFramesAreCountedInTheLastRow(t *testing.T) {
	b := newTrafficBench(t)
	conversation(b)
	last := func() string {
		rows := strings.Split(strings.TrimRight(b.screen(80, 8), "\n"), "\n")
		return rows[len(rows)-2]
	}
	if got := last(); strings.Contains(got, "newer") {
		t.Errorf("it follows: %s", got)
	}
	b.p.Motion(keys.Top)
	if got := last(); !strings.Contains(got, "▼ 7 newer   f follow") && !strings.Contains(got, "↓ 7 newer   f follow") {
		t.Errorf("4 of 11 are in sight: %s", got)
	}
	b.in(`{"jsonrpc":"2.0","method":"new"}`)
	if got := last(); !strings.Contains(got, "8 newer") {
		t.Errorf("one more: %s", got)
	}
	b.do("pause")
	b.in(`{"jsonrpc":"2.0","method":"new"}`)
	if got := last(); !strings.Contains(got, "9 newer   p go on") {
		t.Errorf("paused: %s", got)
	}
	b.do("pause")
	b.p.Motion(keys.Bottom)
	if got := last(); strings.Contains(got, "newer") || !b.p.Following() {
		t.Errorf("at the end: %s", got)
	}
}
