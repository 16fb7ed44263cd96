package pane_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	cards "mcptea/session/explain/card"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// newExchangeBench shows exchanges, as the program does.
func newExchangeBench(t testing.TB) *trafficBench {
	b := newTrafficBench(t)
	b.p.ShowExchanges(true)
	return b
}

// rows are the numbers of the frames in the list, in its order.
func (b *trafficBench) rows() string {
	var list []string
	b.refresh()
	b.p.Motion(keys.Top)
	for range b.p.Len() {
		list = append(list, fmt.Sprint(b.p.Selected()+1))
		b.p.Motion(keys.Down)
	}
	return strings.Join(list, " ")
}

func TestExchanges_ReadAsCalls(t *testing.T) {
	b := newExchangeBench(t)
	conversation(b)
	b.sees(b.screen(120, 16),
		`→ get-sum a: 1, b: 2`, `2.0 ✓ "The sum of 1 and 2 is 3."`,
		`not JSON "Server listening on stdout"`,
		`← sampling/createMessage`, `✗ -32601 not offered`,
		`✗ -32602 Resource not found`, `unknown id`, "7 exchanges, 11 frames", "▼ following")
	b.sees(b.screen(80, 12), "→ get-sum", `✓ "The sum of 1 and 2`, "✗ -32602 Resource")
	b.sees(b.screen(40, 12), "→ get-sum", `✓`)
}

// The columns of an exchange have one order at each width: number, time, request, sizes, duration, outcome. What has no
// room is left out; the request and the outcome never are.
func TestExchanges_OneOrderOfColumns(t *testing.T) {
	b := newExchangeBench(t)
	conversation(b)
	order := []string{"#", "time", "⇄", "id", "request", "sent", "got", "ms", "outcome"}
	for w := 44; w <= 240; w += 4 {
		rows := strings.Split(b.screen(w, 16), "\n")
		head, first := strings.Fields(strings.Trim(rows[1], "│ ")), rows[2]
		at := 0
		for _, name := range head {
			i := slices.Index(order[at:], strings.TrimSuffix(name, "…"))
			if i < 0 && strings.HasPrefix("outcome", strings.TrimSuffix(name, "…")) { // the last one is cut
				i = len(order) - 1 - at
			}
			if i < 0 {
				t.Fatalf("%d cells: %q is not in the order of the columns: %q", w, name, head)
			}
			at += i
		}
		for _, name := range []string{"#", "time", "request", "ms"} {
			if !slices.Contains(head, name) {
				t.Errorf("%d cells: no column %q: %q", w, name, head)
			}
		}
		if !strings.Contains(first, "get-sum") || !strings.Contains(first, "✓") || !strings.Contains(first, "22:01.001") || !strings.Contains(first, "2.0") {
			t.Errorf("%d cells: %s", w, first)
		}
	}
}

// The columns of single frames have the order of the columns of exchanges, with the size of a frame before its duration.
func TestTraffic_FramesHaveTheOrderOfExchanges(t *testing.T) {
	b := newExchangeBench(t)
	conversation(b)
	b.p.ShowExchanges(false)
	order := []string{"#", "time", "⇄", "id", "frame", "size", "ms"}
	for w := 44; w <= 240; w += 4 {
		rows := strings.Split(b.screen(w, 16), "\n")
		head, response := strings.Fields(strings.Trim(rows[1], "│ ")), rows[slices.IndexFunc(rows, func(row string) bool { return strings.Contains(row, " ok ") })]
		at := -1
		for _, name := range head {
			i := slices.Index(order, name)
			if i <= at {
				t.Fatalf("%d cells: %q is not in the order of the columns: %q", w, name, head)
			}
			at = i
		}
		if w >= 104 && !regexp.MustCompile(`\d+ B +2\.0`).MatchString(response) || !strings.Contains(response, "2.0") {
			t.Errorf("%d cells: %s", w, response)
		}
	}
}

// A cursor of a list is the number of its page, where the session shows which it is.
func TestExchanges_CursorIsAPage(t *testing.T) {
	b := newExchangeBench(t)
	b.out(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	b.in(`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a"}],"nextCursor":"c\u0032"}}`)
	b.out(`{"jsonrpc":"2.0","id":2,"method":"resources/list","params":{"cursor":"c2"}}`) // not of this list
	b.in(`{"jsonrpc":"2.0","id":2,"result":{"resources":[]}}`)
	b.out(`{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"c2"}}`)
	b.in(`{"jsonrpc":"2.0","id":3,"result":{"tools":[],"nextCursor":"c3"}}`)
	b.out(`{"jsonrpc":"2.0","id":4,"method":"tools/list","params":{"cursor":"c3"}}`)
	b.in(`{"jsonrpc":"2.0","id":4,"result":{"tools":[]}}`)
	b.out(`{"jsonrpc":"2.0","id":5,"method":"tools/list","params":{"cursor":"c3"}}`) // once more
	b.in(`{"jsonrpc":"2.0","id":5,"result":{"tools":[]}}`)
	b.out(`{"jsonrpc":"2.0","id":6,"method":"tools/list","params":{"cursor":"invented"}}`)
	b.in(`{"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"no such cursor"}}`)
	screen := b.screen(120, 14)
	b.sees(screen, "tools/list page 2 ", "tools/list page 3 ", "resources/list cursor: c2", "tools/list cursor: invented")
	if n := strings.Count(screen, "page 3"); n != 2 {
		t.Errorf("page 3 is there %d times:\n%s", n, screen)
	}
}

// A value that is nested too deeply is not read, so no row says that it is all right.
func TestTraffic_TooDeepValueIsNotRead(t *testing.T) {
	const notRead = "not read: nested deeper than 1,000 levels"
	deep := strings.Repeat("[", jsonrpc.MaxDepth) + strings.Repeat("]", jsonrpc.MaxDepth)
	for _, isExchange := range []bool{true, false} {
		b := newTrafficBench(t)
		b.p.ShowExchanges(isExchange)
		b.out(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nest"}}`)
		b.in(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"fine"}],"structuredContent":{"a":` + deep + `}}}`)
		screen := b.screen(160, 8)
		b.sees(screen, "⚠ "+notRead)
		b.out(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"nest"}}`)
		b.in(`{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"oh","data":` + deep + `}}`)
		b.sees(b.screen(160, 8), paint.If(isExchange, "✗ "+notRead, notRead))
		b.in(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":` + deep + `}}`)
		screen = b.screen(160, 8)
		b.sees(screen, "log "+notRead)
		if strings.ContainsAny(screen, "✓[") || strings.Contains(screen, "ok ") || strings.Contains(screen, "fine") {
			t.Errorf("a value is shown:\n%s", screen)
		}
	}
	b := newExchangeBench(t)
	for id := range 20 {
		b.out(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id))
		b.in(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, id, paint.If(id%2 == 0, deep, "{}")))
	}
	b.sees(b.screen(160, 8), "ping ×20", "⚠ 10 of 20 not read")
}

// A row shows what has become of its exchange by now.
func TestExchanges_Live(t *testing.T) {
	b := newExchangeBench(t)
	step := func(want string) {
		t.Helper()
		b.sees(b.screen(160, 8), want)
	}
	b.out(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","_meta":{"progressToken":1}}}`)
	step("1,000 ")
	b.in(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":2,"total":8,"message":"half"}}`)
	step("━━╌╌╌╌╌╌")
	step("2/8  half")
	b.in(`{"jsonrpc":"2.0","id":5,"method":"roots/list"}`)
	step("← roots/list")
	b.out(`{"jsonrpc":"2.0","id":5,"result":{"roots":[]}}`)
	b.in(`{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"order":{"method":"elicitation/create","params":{}}},"requestState":"s"}}`)
	step(`← asks for elicitation "order"`)
	b.out(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask","inputResponses":{"order":{"action":"accept"}},"requestState":"s"}}`)
	b.in(`{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"done"}]}}`)
	step(`✓ "done"`)
	if got := b.rows(); got != "1" {
		t.Errorf("the rows are %s", got)
	}
}

func TestExchanges_Tasks(t *testing.T) {
	b := newExchangeBench(t)
	b.out(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"brew"}}`)
	b.in(`{"jsonrpc":"2.0","id":1,"result":{"resultType":"task","taskId":"t1","status":"working"}}`)
	for i, status := range []string{"working", "failed"} {
		b.out(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tasks/get","params":{"taskId":"t1"}}`, i+2))
		b.in(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"taskId":"t1","status":"%s"}}`, i+2, status))
		b.sees(b.screen(120, 8), paintedSign[status]+" "+status)
	}
	b.in(`{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":"t1","status":"completed","statusMessage":"completed after 5 s"}}`)
	b.sees(b.screen(120, 8), "✓ completed after 5 s    ")
	if got := b.rows(); got != "1" {
		t.Errorf("the rows are %s", got)
	}
}

var paintedSign = map[string]string{"working": "", "failed": "✗"}

func TestExchanges_Ends(t *testing.T) {
	b := newExchangeBench(t)
	for id := range 3 {
		b.out(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"a"}}`, id))
		if id > 0 {
			b.out(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id))
		}
	}
	b.in(`{"jsonrpc":"2.0","id":2,"result":{"content":[]}}`)
	b.in(`{"jsonrpc":"2.0","id":0,"result":{"content":[{"type":"text","text":"no"}],"isError":true}}`)
	b.sees(b.screen(120, 9), "✗ tool error", "1.0 – cancelled", "late")
}

// The body of an HTTP response whose error is not that of JSON-RPC has no code: it reads as the status.
func TestExchanges_ErrorWithoutACode(t *testing.T) {
	for _, tt := range []struct {
		status int
		body   string
		want   []string
	}{
		{401, `{"error":"invalid_token","error_description":"expired"}`, []string{"✗ HTTP 401 \"invalid_token\"", "└ HTTP 401 \"invalid_token\""}},
		{500, `{"error":{"status":500,"message":"boom"}}`, []string{"✗ HTTP 500 boom", "└ HTTP 500 boom"}},
		{200, `{"error":{"message":"boom"}}`, []string{"✗ error without a code boom", "└ error without a code boom"}},
		{500, `{"jsonrpc":"2.0","id":1,"error":{"code":0,"message":"zero"}}`, []string{"✗ 0 zero", "└ error 0 zero"}},
	} {
		b := newExchangeBench(t)
		raw := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		x := transport.Exchange{ID: 1, Purpose: "message", Method: "POST", URL: "http://h/mcp", Start: b.clock}
		b.s.Exchange(&x)
		b.s.Append(transport.Frame{Bytes: raw, Envelope: jsonrpc.Scan(raw), Time: b.clock, Dir: transport.Out, Exchange: 1})
		x.Phase, x.Status = transport.ExchangeDone, tt.status
		b.s.Append(transport.Frame{Bytes: []byte(tt.body), Envelope: jsonrpc.Scan([]byte(tt.body)), Time: b.clock, Dir: transport.In, Exchange: 1})
		b.s.Exchange(&x)
		for i, want := range tt.want {
			b.p.ShowExchanges(i == 0)
			b.refresh()
			b.sees(b.screen(140, 10), want)
		}
		if c, _, ok := cards.OfRow(b.s, revision.R20251125, 1, false); tt.status == 401 && (!ok || c.Kind != cards.Status || c.Key != "401") {
			t.Errorf("the card is of %s %s", c.Kind, c.Key)
		}
	}
}

// Each frame is in the list once, closed or open, and is found where it is.
func TestExchanges_EachFrameOnce(t *testing.T) {
	b := newExchangeBench(t)
	conversation(b)
	if got := b.rows(); got != "1 4 5 7 9 10 11" {
		t.Errorf("closed: %s", got)
	}
	for _, row := range []int32{4, 6, 0} {
		b.p.SelectNear(row)
		b.Press("space")
	}
	if got := b.rows(); got != "1 2 3 4 5 6 7 8 9 10 11" {
		t.Errorf("open: %s", got)
	}
	b.sees(b.screen(120, 16), "1▾", "├ progress 1/5", "└ ok", "+2.0")
	b.p.SelectNear(2)
	b.Press("space")
	if got := b.rows(); got != "1 4 5 6 7 8 9 10 11" {
		t.Errorf("closed from within: %s", got)
	}
}

// A frame that is selected from elsewhere is visible, even if it arrives after its exchange was opened.
func TestExchanges_SelectOpens(t *testing.T) {
	b := newExchangeBench(t)
	conversation(b)
	b.refresh()
	b.p.Select(7)
	if got := b.p.Selected(); got != 7 {
		t.Errorf("row %d is selected", got)
	}
	b.in(`{"jsonrpc":"2.0","id":10,"result":{}}`)
	b.sees(b.screen(120, 16), "└ error -32602", "└ error")
	b.filter.Set("slow")
	b.refresh()
	b.p.Select(2)
	if got := b.p.Selected(); got != 2 || b.filter.On() {
		t.Errorf("row %d is selected, filter %v", got, b.filter.On())
	}
}

func TestExchanges_ViewKeepsTheSelection(t *testing.T) {
	b := newExchangeBench(t)
	conversation(b)
	b.refresh()
	b.p.SelectNear(6)
	b.Press("t")
	if b.p.ByExchange() || b.p.Selected() != 6 {
		t.Errorf("row %d is selected", b.p.Selected())
	}
	b.p.SelectNear(7)
	b.p.ShowExchanges(true)
	if b.p.Selected() != 7 {
		t.Errorf("row %d is selected", b.p.Selected())
	}
}

// What is asked for may be in any frame of an exchange, and what is excluded is in none.
func TestExchanges_Filter(t *testing.T) {
	for filter, want := range map[string]string{
		"get-sum 3.": "1", "get-sum missing": "", "-get-sum": "4 5 7 9 10 11", "-resources -log": "1 4 5 9 11",
		"sum or missing": "1 7", "-(sum or missing)": "4 5 9 10 11", "Step": "1", "status:pending": "11", "-status:pending": "1 4 5 7 9 10",
		"status:error sampling": "5", "took:>1ms": "1", "-took:>0ms": "4 9 10 11", "rule:J011": "7", "-rule:J011": "1 4 5 9 10 11",
	} {
		b := newExchangeBench(t)
		b.filter.Set(filter)
		b.find(7, "J011")
		conversation(b)
		if got := b.rows(); got != want {
			t.Errorf("%s: %q, want %q\n%s", filter, got, want, b.screen(100, 20))
		}
	}
}

// What a filter asks can change: a request gets its response, a rule finds something later.
func TestExchanges_Filter_Changes(t *testing.T) {
	b := newExchangeBench(t)
	b.filter.Set("-status:pending slow")
	conversation(b)
	if got := b.rows(); got != "" {
		t.Errorf("pending: %s", got)
	}
	b.in(`{"jsonrpc":"2.0","id":10,"result":{}}`)
	if got := b.rows(); got != "11" {
		t.Errorf("ended: %s", got)
	}
	b.filter.Set("status:pending or rule:J011")
	if got := b.rows(); got != "" {
		t.Errorf("no rule: %s", got)
	}
	b.find(2, "J011")
	b.out(`{"jsonrpc":"2.0","id":11,"method":"ping"}`)
	if got := b.rows(); got != "1 13" {
		t.Errorf("found: %s", got)
	}
}

// The next error is that of each exchange with one, also when it is late or not the first.
func TestExchanges_NextError(t *testing.T) {
	b := newExchangeBench(t)
	call := func(id int) {
		b.out(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"a"}}`, id))
	}
	ok := func(id int) { b.in(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[]}}`, id)) }
	call(1)
	ok(1)
	call(2)
	ok(2)
	ok(2)
	call(3)
	b.out(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`)
	ok(3)
	call(4)
	ok(4)
	call(5)
	b.in(`{"jsonrpc":"2.0","id":5,"error":{"code":1,"message":"no"}}`)
	b.refresh()
	b.p.Motion(keys.Top)
	var found []int32
	for b.do("match.next") == "" {
		found = append(found, b.p.Selected()+1)
	}
	if !slices.Equal(found, []int32{3, 6, 11}) {
		t.Errorf("the errors are %v", found)
	}
}

// A mark on a closed exchange is on all its frames.
func TestExchanges_Mark(t *testing.T) {
	b := newExchangeBench(t)
	conversation(b)
	b.refresh()
	marked := func() (rows []int32) {
		for _, m := range b.s.Marks() {
			if m.Marked {
				rows = append(rows, m.Row)
			}
		}
		slices.Sort(rows)
		return rows
	}
	b.p.SelectNear(0)
	b.do("mark")
	b.Finish()
	if got := marked(); !slices.Equal(got, []int32{0, 1, 2}) {
		t.Errorf("marked: %v", got)
	}
	if got := b.p.Closed(); got != 0 {
		t.Errorf("the closed exchange is %d", got)
	}
	b.do("mark")
	b.Finish()
	if got := marked(); len(got) > 0 {
		t.Errorf("still marked: %v", got)
	}
	b.Press("space")
	b.p.Motion(keys.Down)
	b.do("mark")
	b.Finish()
	if got := marked(); !slices.Equal(got, []int32{1}) {
		t.Errorf("marked: %v", got)
	}
}

// In whatever order exchanges are opened and frames come: each frame is in the list once at most, and each
// exchange once.
func TestExchanges_Flood(t *testing.T) {
	b := newExchangeBench(t)
	for i := range 3000 {
		b.frame(transport.Out, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":%d}}}`, i, i))
		if i >= 5 {
			b.in(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%d,"progress":1}}`, i-5))
			b.in(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, i-5))
		}
		if i%40 == 0 {
			b.p.SelectNear(int32(i))
			b.Press("space")
		}
	}
	b.refresh()
	seen, roots := map[int32]bool{}, 0
	b.p.Motion(keys.Top)
	for range b.p.Len() {
		row := b.p.Selected()
		if seen[row] {
			t.Fatalf("frame %d is there twice", row+1)
		}
		if seen[row] = true; b.s.Root(row) == row {
			roots++
		}
		b.p.Motion(keys.Down)
	}
	if roots != 3000 {
		t.Errorf("%d exchanges", roots)
	}
}

// One key lists the slowest exchange, the one with most frames and the largest, and goes there; with a
// filter it lists those that pass.
func TestExchanges_Extremes(t *testing.T) {
	b := newExchangeBench(t)
	call := func(id int, name, result string) {
		b.out(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"_meta":{"progressToken":%d}}}`, id, name, id))
		if name == "chatty" {
			for range 5 {
				b.in(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%d,"progress":1}}`, id))
			}
		}
		if name == "slow" {
			b.clock = b.clock.Add(time.Minute)
		}
		b.in(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":%q}]}}`, id, result))
	}
	call(1, "quick", "a")
	call(2, "chatty", "b")
	call(3, "slow", "c")
	call(4, "large", strings.Repeat("d", 5000))
	b.in(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}`)
	b.refresh()
	b.Press("s")
	b.sees(b.Paint(110, 30, true), "slowest        #10 slow", "1m00s", "most frames    #3 chatty", "7 frames", "most bytes     #12 large", "5.2 kB")
	b.Press("enter")
	if got := b.p.Selected(); got != 9 {
		t.Errorf("it goes to row %d", got)
	}
	if s := b.screen(110, 30); strings.Contains(s, "most frames") {
		t.Errorf("the window is open:\n%s", s)
	}
}

// Each size of a frame is in the column of its direction: of a request, of a frame of an open exchange, and of a message
// without a response. The names of the columns are whole, with and without frames.
func TestExchanges_SizesInTheirColumns(t *testing.T) {
	empty := newExchangeBench(t)
	b := newExchangeBench(t)
	conversation(b)
	b.refresh()
	b.p.SelectNear(0)
	b.Press("space")
	for _, w := range []int{120, 160, 200} {
		if head := strings.Split(empty.screen(w, 16), "\n")[1]; !strings.Contains(head, "outcome") {
			t.Errorf("%d cells, no frames: %s", w, head)
		}
		rows := strings.Split(b.screen(w, 20), "\n")
		ends := map[string]int{}
		for _, name := range []string{"sent", "got"} {
			head, _, _ := strings.Cut(rows[1], name)
			ends[name] = len([]rune(head)) + len(name)
		}
		size := regexp.MustCompile(`[0-9.]+ k?B`)
		sized := 0
		for _, row := range rows[2:] {
			for _, at := range size.FindAllStringIndex(row, -1) {
				end := len([]rune(row[:at[1]]))
				if sized++; end != ends["sent"] && end != ends["got"] {
					t.Errorf("%d cells: a size ends at %d, the columns at %v: %s", w, end, ends, row)
				}
			}
		}
		if sized < 12 {
			t.Errorf("%d cells: only %d sizes:\n%s", w, sized, strings.Join(rows, "\n"))
		}
	}
}
