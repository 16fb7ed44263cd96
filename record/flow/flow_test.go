package flow

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

// conn gives messages to a table, each with the next row and a second later.
type conn struct {
	*Table
	rows int32
}

func newConn(l Limits) *conn { return &conn{Table: New(l)} }

func (c *conn) message(dir transport.Direction, exchange uint32, text string) Match {
	m := Message{
		Bytes: []byte(text), Envelope: jsonrpc.Scan([]byte(text)), Dir: dir, Row: c.rows, Time: time.Unix(int64(c.rows), 0),
		Exchange: exchange, Revision: revision.R20251125,
	}
	c.rows++
	return c.Message(&m)
}

func (c *conn) out(text string) Match { return c.message(transport.Out, 0, text) }
func (c *conn) in(text string) Match  { return c.message(transport.In, 0, text) }

func request(id, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params)
}

func response(id string) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{}}`, id) }

func cancellation(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`
}

func TestMessage_StateOfResponse(t *testing.T) {
	tests := []struct {
		name   string
		before func(c *conn)
		last   string // from the server, after a request with id 7 in row 0
		want   State
		row    int32
	}{
		{"a response", nil, response("7"), Answered, 0},
		{"an id of another type", nil, response(`"7"`), Unmatched, None},
		{"another spelling of the number", nil, response("7.0"), Answered, 0},
		{"no id", nil, `{"jsonrpc":"2.0","result":{}}`, WithoutID, None},
		{"the id null", nil, response("null"), WithoutID, None},
		{"a second response", func(c *conn) { c.in(response("7")) }, response("7"), Duplicate, 0},
		{"after a cancellation", func(c *conn) { c.out(cancellation("7")) }, response("7"), Late, 0},
		{"a cancellation by the other side", func(c *conn) { c.in(cancellation("7")) }, response("7"), Answered, 0},
		{"after the end of its exchange", func(c *conn) { c.End(transport.Out, jsonrpc.TokenOf([]byte("7")), Abandoned, time.Time{}) }, response("7"), Late, 0},
		{"after the end of the connection", func(c *conn) { c.abandon(time.Time{}, func(*Flow) {}) }, response("7"), Late, 0},
		{"a second late response", func(c *conn) { c.out(cancellation("7")); c.in(response("7")) }, response("7"), Duplicate, 0},
		{"of the newer request", func(c *conn) { c.out(request("7", "ping", "{}")) }, response("7"), Answered, 1},
		{"to a request of the server", func(c *conn) { c.in(request("8", "ping", "{}")) }, response("8"), Unmatched, None},
		{"malformed", nil, `{"jsonrpc":"2.0","id":7}`, Answered, 0},
	}
	for _, held := range []int{0, 100} { // flows that ended are held, or their rows only
		for _, tt := range tests {
			t.Run(fmt.Sprintf("%s, %d held", tt.name, held), func(t *testing.T) {
				c := newConn(Limits{Ended: held, EndedBytes: 1 << 20})
				c.out(request("7", "tools/call", `{"name":"echo"}`))
				if tt.before != nil {
					tt.before(c)
				}
				if m := c.in(tt.last); m.State != tt.want || m.Request.Row() != tt.row {
					t.Errorf("it is %v of row %d, want %v of %d", m.State, m.Request.Row(), tt.want, tt.row)
				}
				pending := 0
				if tt.row == None {
					pending = len(slices.Collect(c.Pending()))
				}
				if c.Count() != pending {
					t.Errorf("%d pending, want %d", c.Count(), pending)
				}
			})
		}
	}
}

func TestMessage_ReusedID(t *testing.T) {
	c := newConn(Limits{})
	c.out(request("1", "ping", "{}"))
	if m := c.out(request("1", "ping", "{}")); !m.Reused || m.Superseded == nil || m.Superseded.Row() != 0 {
		t.Errorf("%+v", m)
	}
	c.in(response("1"))
	if m := c.out(request("1", "ping", "{}")); !m.Reused || m.Superseded != nil {
		t.Errorf("%+v", m)
	}
	if c.Count() != 1 {
		t.Errorf("%d pending", c.Count())
	}
}

// A client that sends a request with the id null, on purpose, has the response with that id.
func TestMessage_IDNull(t *testing.T) {
	c := newConn(Limits{})
	c.out(request("null", "ping", "{}"))
	if m := c.in(response("null")); m.State != Answered || m.Request.Row() != 0 || c.Count() != 0 {
		t.Errorf("the response is %v, of row %d; %d pending", m.State, m.Request.Row(), c.Count())
	}
	if m := c.in(response("null")); m.State != WithoutID {
		t.Errorf("the second response is %v", m.State)
	}
}

func TestMessage_ResponseWithoutIDInExchange(t *testing.T) {
	c := newConn(Limits{})
	failure := `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}`
	c.message(transport.Out, 3, request("1", "ping", "{}"))
	c.message(transport.Out, 4, request("2", "ping", "{}"))
	if m := c.message(transport.In, 4, failure); m.Request.Row() != 1 || m.State != WithoutID || m.Ended == NotEnded {
		t.Errorf("%+v", m)
	}
	c.message(transport.Out, 3, request("3", "ping", "{}"))
	if m := c.message(transport.In, 3, failure); m.Request.Row() != None {
		t.Errorf("two requests are in the exchange, and %+v", m)
	}
}

// A batch that is refused as a whole gets one error without id: none of its requests waits on.
func TestFrame_BatchRefusedWithOneError(t *testing.T) {
	const refused = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batches"}}`
	batch := "[" + request("1", "ping", "{}") + "," + request("2", "tools/list", "{}") + "," + request("3", "ping", "{}") + "]"
	for _, tt := range []struct {
		name          string
		before, after []string // what the client sends around the batch
		ended         int
	}{
		{"alone", nil, nil, 3},
		{"beside a subscription", []string{request("0", "subscriptions/listen", "{}")}, nil, 3},
		{"beside another request", []string{request("0", "ping", "{}")}, nil, 0},
		{"before another request", nil, []string{request("4", "ping", "{}")}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x, row := NewMatcher(Limits{}), int32(0)
			frame := func(dir transport.Direction, text string) (ended int) {
				f := transport.Frame{Bytes: []byte(text), Envelope: jsonrpc.Scan([]byte(text)), Dir: dir, Time: time.Unix(int64(row), 0)}
				for _, m := range x.Frame(0, &f, row, 0) {
					if m.Ended == ByResponse && m.Request.Row() == int32(len(tt.before)) {
						ended++
					}
				}
				row++
				return ended
			}
			for _, text := range append(append(slices.Clone(tt.before), batch), tt.after...) {
				frame(transport.Out, text)
			}
			pending := x.Table().Count()
			if got := frame(transport.In, refused); got != tt.ended || x.Table().Count() != pending-tt.ended {
				t.Errorf("%d requests of the batch have ended and %d of %d are pending, want %d ended", got, x.Table().Count(), pending, tt.ended)
			}
		})
	}
}

func TestMessage_ProgressAndTask(t *testing.T) {
	c := newConn(Limits{})
	c.out(request("1", "tools/call", `{"name":"brew","_meta":{"progressToken":"p"}}`))
	progress := `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":2,"total":5,"message":"step"}}`
	m := c.in(progress)
	if f := m.Flow; m.Request.Row() != 0 || f.Reports != 1 || f.Progress != 2 || f.Total != 5 || !f.HasTotal || f.Message != "step" || !f.LastReport.Equal(time.Unix(1, 0)) {
		t.Errorf("%+v", m.Flow)
	}
	if m := c.in(strings.Replace(progress, "/", `\/`, 1)); m.Request.Row() != 0 || m.Flow.Reports != 2 {
		t.Errorf("escaped: %+v", m)
	}
	if m := c.out(progress); m.Request.Row() != None {
		t.Errorf("progress of the requester belongs to row %d", m.Request.Row())
	}
	if m := c.in(`{"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"t1","status":"working"}}}`); m.Flow.task != "t1" {
		t.Errorf("the task is %q", m.Flow.task)
	}
	for _, text := range []string{progress, `{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":"t1"}}`, `{"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":"t1"}}`} {
		if m := c.in(text); m.Request.Row() != 0 {
			t.Errorf("%s belongs to row %d", text, m.Request.Row())
		}
	}
}

func TestMessage_Subscription(t *testing.T) {
	c := newConn(Limits{})
	c.out(request("1", "subscriptions/listen", "{}"))
	if c.Count() != 0 {
		t.Errorf("%d pending", c.Count())
	}
	about := func(method string) Match {
		return c.in(`{"jsonrpc":"2.0","method":"` + method + `","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}}`)
	}
	if m := about("notifications/subscriptions/acknowledged"); m.Request.Row() != 0 || !m.Acknowledged {
		t.Errorf("%+v", m)
	}
	if m := about("notifications/tools/list_changed"); m.Request.Row() != 0 || m.Acknowledged {
		t.Errorf("%+v", m)
	}
	if m := c.in(cancellation("1")); m.Request.Row() != 0 || m.Ended == NotEnded { // the server ends it
		t.Errorf("%+v", m)
	}
	if m := about("notifications/tools/list_changed"); m.Request.Row() != None {
		t.Errorf("%+v", m)
	}
}

func TestFind_HeldAndReleased(t *testing.T) {
	var released []int32
	c := newConn(Limits{
		MaxParams: 1, Ended: 8, EndedBytes: 1 << 20,
		Released: func(f *Flow) { released = append(released, f.Row()) },
	})
	f := c.out(request(`"a"`, "tools/call", `{"name":"echo"}`)).Flow
	c.in(response(`"a"`))
	if got := c.Find(transport.Out, jsonrpc.TokenOf([]byte(`"a"`))); got != f || got.State != Answered || got.Ended.Sub(got.Start) != time.Second || len(released) != 0 {
		t.Errorf("%+v", got)
	}
	for i := range 20 {
		c.out(request(fmt.Sprint(100+i), "ping", "{}"))
		c.in(response(fmt.Sprint(100 + i)))
	}
	if len(released) == 0 || released[0] != 0 {
		t.Errorf("released: %v", released)
	}
	got := c.Find(transport.Out, jsonrpc.TokenOf([]byte(`"a"`)))
	if got == f || got.Row() != 0 || got.Method != "tools/call" || got.State != Answered || got.Revision != revision.R20251125 || got.ID.String() != `"a"` || !got.Start.Equal(time.Unix(0, 0)) {
		t.Errorf("%+v", got)
	}
	if c.Find(transport.In, jsonrpc.TokenOf([]byte(`"a"`))) != nil || c.RowOf(transport.Out, jsonrpc.TokenOf([]byte("100000"))) != None {
		t.Error("a request is found that was not sent")
	}
}

func TestLimits_Params(t *testing.T) {
	c := newConn(Limits{MaxParams: 60, ShortParams: 20, Ended: 8, EndedBytes: 1 << 20})
	short, long := `{"uri":"short"}`, `{"uri":"file:///a/longer/path"}`
	check := func(what string, f *Flow, want string) {
		t.Helper()
		if string(f.Params) != want {
			t.Errorf("%s: params %q, want %q", what, f.Params, want)
		}
	}
	for i := range 10 {
		check("the client's", c.out(request(fmt.Sprint(i), "resources/read", long)).Flow, long)
	}
	first := c.in(request("1", "ping", long)).Flow
	check("the server's within the limit", first, long)
	check("a long one beyond it", c.in(request("2", "ping", long)).Flow, "")
	for i := range 6 {
		check("a short one", c.in(request(fmt.Sprint(10+i), "ping", short)).Flow, []string{short, short, short, short, short, ""}[i])
	}
	c.out(response("1"))
	check("with the response", first, long)
	c.out(response("10"))
	check("after the response", first, "")
	check("a short one after the end", c.Find(transport.In, jsonrpc.TokenOf([]byte("10"))), short)
	check("a short one in the room that was made", c.in(request("20", "ping", short)).Flow, short)
	c.in(response("3"))
	for range 20 {
		c.out(request("100", "ping", long))
		c.in(response("100"))
	}
	if n := c.Find(transport.In, jsonrpc.TokenOf([]byte("1"))); !n.IsReleased() || c.endedBytes > 1000 {
		t.Errorf("%+v is held, %d bytes in all", n, c.endedBytes)
	}
}

func TestReopen_RepeatedExchange(t *testing.T) {
	for name, held := range map[string]int{"held as a gap": 0, "removed from the pending ones": 4} {
		t.Run(name, func(t *testing.T) {
			c := newConn(Limits{Ended: 8, EndedBytes: 1 << 20})
			before := c.out(request("1", "ping", "{}")).Flow
			f := c.out(request("2", "ping", "{}")).Flow
			for i := range held {
				c.out(request(fmt.Sprint(10+i), "ping", "{}"))
			}
			after := c.out(request("3", "ping", "{}")).Flow
			c.EndFlow(f, Abandoned, time.Unix(10, 0))
			if f.State != Abandoned || c.Count() != held+2 {
				t.Errorf("%v, %d pending", f.State, c.Count())
			}
			for i := range held {
				c.in(response(fmt.Sprint(10 + i)))
			}
			c.Reopen(f)
			c.Reopen(f)
			if got := slices.Collect(c.Pending()); !slices.Equal(got, []*Flow{before, f, after}) || c.Count() != 3 {
				t.Errorf("%d pending, count %d", len(got), c.Count())
			}
			if got := slices.Collect(c.PendingAfter(before.Row())); !slices.Equal(got, []*Flow{f, after}) {
				t.Errorf("%d pending after the first", len(got))
			}
			if m := c.in(response("2")); m.State != Answered || m.Flow != f || m.Ended == NotEnded {
				t.Errorf("the response: %+v", m)
			}
			c.Reopen(f)
			c.EndFlow(f, Cancelled, time.Time{})
			if f.State != Answered || c.Count() != 2 {
				t.Errorf("after the response: %v, %d pending", f.State, c.Count())
			}
		})
	}
}

// Tokens and ids are compared by value.
func TestOfToken_Spellings(t *testing.T) {
	c := newConn(Limits{})
	number := c.out(request("1", "ping", `{"_meta":{"progressToken":1.0}}`)).Flow
	text := c.out(request("2", "ping", `{"_meta":{"progressToken":"\u0061"}}`)).Flow
	for token, want := range map[string]*Flow{"1": number, "1e0": number, `"a"`: text, `"1"`: nil, "a": nil, "2": nil} {
		if got := c.OfToken(transport.Out, []byte(token)); got != want {
			t.Errorf("token %s: %+v", token, got)
		}
		m := c.in(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + token + `,"progress":1}}`)
		if token != "a" && m.Flow != want {
			t.Errorf("progress of %s: %+v", token, m.Flow)
		}
	}
	if !c.HasID(number, jsonrpc.TokenOf([]byte("1"))) || !c.HasID(number, jsonrpc.TokenOf([]byte("1.0"))) || c.HasID(number, jsonrpc.TokenOf([]byte(`"1"`))) || number.HasSameID(text) {
		t.Error("ids are not compared by value")
	}
}

func TestTable_IsBounded(t *testing.T) {
	c := newConn(Limits{})
	const n = maxPending + maxPending/2
	long := strings.Repeat("x", 1000)
	for i := range n {
		f := c.out(request(fmt.Sprint(i), long, `{"name":"`+long+`"}`)).Flow
		if len(f.Method) > 300 || len(f.Name) > 300 {
			t.Fatalf("%d bytes of the method are held, %d of the name", len(f.Method), len(f.Name))
		}
	}
	if held := len(c.held[0]); held > maxPending || len(c.flows) > maxPending {
		t.Errorf("%d flows are held", held)
	}
	if c.Count() != n {
		t.Errorf("%d pending, want %d", c.Count(), n)
	}
	if m := c.in(response("0")); m.State != Answered || m.Request.Row() != 0 || m.Flow != nil {
		t.Errorf("the response to the oldest request is %v of row %d", m.State, m.Request.Row())
	}
	c.abandon(time.Time{}, func(*Flow) {})
	if c.Count() != 0 {
		t.Errorf("%d pending after the end", c.Count())
	}
	if m := c.in(response("1")); m.State != Late {
		t.Errorf("a response after the end is %v", m.State)
	}
	if c.Count() != 0 {
		t.Errorf("%d pending after a late response", c.Count())
	}
}

// Ids that begin alike are told apart, and all of them from no id.
func TestKey_OfEachIDIsAnother(t *testing.T) {
	for range 100 { // tables hash ids differently
		table, of := New(Limits{}), map[uint64]string{}
		for _, id := range []string{"", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "1.5", "-1", `""`, `"1"`, `"2"`, `"11"`, `"a1"`, `"1a"`, "null", "[1]"} {
			key := table.key(jsonrpc.TokenOf([]byte(id)))
			if other, known := of[key]; known {
				t.Fatalf("%q has the key of %q", id, other)
			}
			of[key] = id
		}
	}
}
