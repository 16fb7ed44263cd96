package timeline

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/record"
	"mcptea/record/flow"
	"mcptea/record/store"
)

// rig is a timeline over a store that a test fills.
type rig struct {
	t  testing.TB
	s  *store.Store
	tl *Timeline
	at time.Time
}

func newRig(t testing.TB) *rig {
	t.Helper()
	s, err := store.Create(store.Options{}, record.Header{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return &rig{t: t, s: s, tl: New(s), at: time.Date(2026, 7, 1, 10, 22, 0, 0, time.UTC)}
}

// frame appends a frame so long after the begin.
func (r *rig) frame(dir transport.Direction, after time.Duration, exchange uint32, text string) int32 {
	raw := []byte(text)
	row := r.s.Append(transport.Frame{Bytes: raw, Envelope: jsonrpc.Scan(raw), Time: r.at.Add(after), Dir: dir, Ending: "\n", Exchange: exchange})
	return row
}

// read reads what there is.
func (r *rig) read() {
	r.t.Helper()
	for more := true; more; {
		var err error
		if _, more, err = r.tl.read(time.Now()); err != nil {
			r.t.Fatal(err)
		}
	}
	r.tl.publish(true, nil)
}

func (r *rig) request(i int) Request {
	r.t.Helper()
	request, ok := r.tl.Request(i)
	if !ok {
		r.t.Fatalf("there is no request %d", i)
	}
	return request
}

// A flood of different tools makes no flood of series: the others share one.
func TestSeries_Bounds(t *testing.T) {
	s := newSeries()
	call := func(i int) seriesKey {
		return seriesKey{dir: transport.Out, method: "tools/call", name: fmt.Sprint(i)}
	}
	for i := range 20_000 {
		if n := s.index(call(i)); int(n) != i {
			t.Fatalf("tool %d is in series %d", i, n)
		}
	}
	other := s.index(call(20_000))
	if other != 20_000 || s.index(call(20_001)) != other || s.list[other].method != "other methods" {
		t.Errorf("further tools are in the series %d and %d", other, s.index(call(20_001)))
	}
	if s.index(call(7)) != 7 || len(s.list) != 20_001 {
		t.Errorf("a known tool is in series %d of %d", s.index(call(7)), len(s.list))
	}
	// Percentiles are exact for so many values, and those of so many series are fine.
	for i, want := range []bool{false, true} {
		for range 512 - i*511 {
			s.add(s.list[1], 1, false)
		}
		if got := s.list[1].histogram != nil; got != want {
			t.Errorf("after %d values there is a histogram: %t", s.list[1].timed, got)
		}
	}
}

func TestTimeline_ParallelRequestsOutOfOrder(t *testing.T) {
	const n = 1000
	r := newRig(t)
	type response struct{ id, after int }
	var responses []response
	took := make([]time.Duration, n)
	for i := range n {
		r.frame(transport.Out, time.Duration(i)*time.Microsecond, 0, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"tool%d"}}`, i, i%2))
		responses = append(responses, response{id: i})
	}
	shuffle := rand.New(rand.NewPCG(1, 2))
	shuffle.Shuffle(n, func(i, j int) { responses[i], responses[j] = responses[j], responses[i] })
	failed := 0
	for k, x := range responses {
		after := time.Second + time.Duration(k)*time.Millisecond
		took[x.id] = after - time.Duration(x.id)*time.Microsecond
		text := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[]}}`, x.id)
		if x.id%10 == 0 { // all of them of tool0
			failed++
			text = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32603,"message":"no"}}`, x.id)
		}
		row := r.frame(transport.In, after, 0, text)
		if row != int32(n+k) {
			t.Fatalf("row %d", row)
		}
		responses[k].after = int(row)
	}
	r.read()
	byID := map[int]int{}
	for _, x := range responses {
		byID[x.id] = x.after
	}
	for i := range n {
		got := r.request(i)
		if got.Took(r.at) != took[i] || int(got.Response) != byID[i] || int(got.Row) != i || got.IsPending || got.IsError != (i%10 == 0) {
			t.Fatalf("request %d: %+v, want %v and the response %d", i, got, took[i], byID[i])
		}
	}
	var want [2][]time.Duration
	for i, d := range took {
		want[i%2] = append(want[i%2], d)
	}
	latencies := r.tl.Latencies()
	if len(latencies) != 2 {
		t.Fatalf("%d series", len(latencies))
	}
	for k, l := range latencies {
		slices.Sort(want[k])
		errors := 0
		if k == 0 {
			errors = failed
		}
		if l.Method != "tools/call" || l.Name != fmt.Sprintf("tool%d", k) || l.Count != n/2 || l.Errors != errors || l.P50 != want[k][249] || l.P95 != want[k][474] || l.Max != want[k][499] {
			t.Errorf("series %d: %+v, want p50 %v p95 %v max %v", k, l, want[k][249], want[k][474], want[k][499])
		}
		if len(l.Last) != lastValues {
			t.Errorf("%d last values", len(l.Last))
		}
	}
}

func TestTimeline_PercentilesOfManyFromTheHistogram(t *testing.T) {
	s := newSeries()
	for i := range 10_000 {
		s.changed(flow.Pending, &flow.Outcome{Method: "ping", State: flow.Answered, Took: time.Duration(i+1) * time.Millisecond})
	}
	s.refresh()
	l := s.shown[0]
	near := func(got, want time.Duration) bool { return got > want*998/1000 && got < want*1002/1000 }
	if l.Count != 10_000 || !near(l.P50, 5*time.Second) || !near(l.P95, 9500*time.Millisecond) || l.Max != 10*time.Second {
		t.Errorf("%+v", l)
	}
}

func TestTimeline_NestedServerRequests(t *testing.T) {
	r := newRig(t)
	r.frame(transport.Out, 0, 0, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	r.frame(transport.Out, time.Second, 0, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"summarize","_meta":{"progressToken":"p"}}}`)
	r.frame(transport.In, 2*time.Second, 0, `{"jsonrpc":"2.0","id":"s1","method":"roots/list"}`)
	r.frame(transport.Out, 3*time.Second, 0, `{"jsonrpc":"2.0","id":"s1","result":{"roots":[]}}`)
	progress := r.frame(transport.In, 4*time.Second, 0, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}`)
	r.frame(transport.In, 5*time.Second, 0, `{"jsonrpc":"2.0","id":"s2","method":"sampling/createMessage","params":{}}`)
	r.frame(transport.In, 6*time.Second, 0, `{"jsonrpc":"2.0","id":2,"result":{"content":[],"isError":true}}`)
	r.frame(transport.Out, 7*time.Second, 0, `{"jsonrpc":"2.0","id":3,"method":"tools/list"}`)
	r.read()
	call := r.request(1)
	if call.Nested != 2 || call.Requests != 2 || call.Notifications != 1 || !call.IsError || call.Took(r.at) != 5*time.Second {
		t.Errorf("call: %+v", call)
	}
	nested := r.tl.NestedOf(1, 10)
	if len(nested) != 2 || nested[0].Method != "roots/list" || nested[1].Parent != 1 || !nested[1].IsLastNested || !nested[1].IsPending {
		t.Errorf("nested: %+v", nested)
	}
	if list := r.tl.NotificationsOf(1, 10); len(list) != 1 || list[0].Row != progress {
		t.Errorf("notifications: %+v", list)
	}
	open := func(int) bool { return false }
	closed := func(i int) bool { return i == 1 }
	for _, tc := range []struct {
		from, by int
		folded   func(int) bool
		want     int
	}{{0, 1, open, 1}, {1, 1, open, 2}, {0, 4, open, 4}, {0, 9, open, 4}, {4, -1, open, 3}, {4, -4, open, 0}, {1, 1, closed, 4}, {4, -1, closed, 1}, {3, 0, closed, 1}} {
		if got := r.tl.Walk(tc.from, tc.by, Folds{Nested: tc.folded}); got != tc.want {
			t.Errorf("Walk(%d, %d) = %d, want %d", tc.from, tc.by, got, tc.want)
		}
	}
	if i := r.tl.OfRow(progress); i != 1 {
		t.Errorf("OfRow of the progress notification = %d", i)
	}
}

func TestTimeline_NestedByExchange(t *testing.T) {
	r := newRig(t)
	for id := range uint32(3) {
		r.frame(transport.Out, time.Duration(id), id+1, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"a"}}`, id+1))
	}
	start := r.at.Add(time.Millisecond)
	x := transport.Exchange{ID: 2, Phase: transport.ExchangeSent, Start: start, Purpose: "message", Method: "POST", URL: "http://localhost/mcp"}
	r.s.Exchange(&x)
	x.Phase, x.Status, x.FirstByte = transport.ExchangeHeaders, 200, 30*time.Millisecond
	r.s.Exchange(&x)
	r.frame(transport.In, time.Second, 2, `{"jsonrpc":"2.0","id":"s1","method":"elicitation/create","params":{}}`)
	r.frame(transport.In, time.Second, 0, `{"jsonrpc":"2.0","id":"s2","method":"ping"}`)
	r.read()
	if nested := r.request(3); nested.Parent != 1 {
		t.Errorf("the request on the stream of a call is nested under %d", nested.Parent)
	}
	if single := r.request(4); single.Parent != None {
		t.Errorf("a request that could belong to three calls is nested under %d", single.Parent)
	}
	call := r.request(1)
	if call.Sent.Round(time.Millisecond) != time.Millisecond || call.FirstByte.Round(time.Millisecond) != 31*time.Millisecond {
		t.Errorf("sent %v, first byte %v", call.Sent, call.FirstByte)
	}
}

// A connection beside that of the session uses the same ids.
func TestTimeline_ConnectionBeside(t *testing.T) {
	r := newRig(t)
	ping := func(id string) transport.Frame {
		raw := []byte(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`)
		return transport.Frame{Bytes: raw, Envelope: jsonrpc.Scan(raw), Time: r.at, Ending: "\n"}
	}
	r.s.Connection(record.Connection{What: record.ConnectionOpened})
	r.s.Append(ping("1"))
	beside := r.s.Beside(record.Connection{Transport: "stdio"})
	beside.Append(ping("1"))
	r.frame(transport.In, time.Second, 0, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	r.read()
	if first, second := r.request(0), r.request(1); first.IsPending || first.Response != 2 || !second.IsPending {
		t.Errorf("%+v\n%+v", first, second)
	}
	beside.Close("")
	r.read()
	if second := r.request(1); second.IsPending || second.State != flow.Abandoned {
		t.Errorf("after the end: %+v", second)
	}
}

func TestTimeline_EndWithoutResponse(t *testing.T) {
	r := newRig(t)
	r.s.Connection(record.Connection{What: record.ConnectionOpened})
	r.frame(transport.Out, 0, 0, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`)
	r.frame(transport.Out, time.Second, 0, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"b"}}`)
	r.frame(transport.Out, 2*time.Second, 0, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	r.s.Process(transport.ProcessEvent{What: transport.ProcessExited, Time: r.at.Add(3 * time.Second)}, "the process exited")
	r.read()
	if got := r.request(0); got.State != flow.Cancelled || got.Took(r.at) != 2*time.Second || got.IsError {
		t.Errorf("cancelled: %+v", got)
	}
	if got := r.request(1); got.State != flow.Abandoned || got.Took(r.at) != 2*time.Second || !got.IsError {
		t.Errorf("abandoned: %+v", got)
	}
	if l := r.tl.Latencies(); len(l) != 1 || l[0].Name != "b" || l[0].Errors != 1 {
		t.Errorf("latencies: %+v", l)
	}
}

func TestRun_FollowsTheRecord(t *testing.T) {
	r := newRig(t)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	changed, unsubscribe := r.s.Subscribe()
	defer unsubscribe()
	done := make(chan struct{})
	running, end := context.WithCancel(ctx)
	go func() { defer close(done); r.tl.Run(running) }()
	for want := 1; want <= 3; want++ {
		r.frame(transport.Out, time.Duration(want), 0, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, want))
		for r.tl.Snapshot().Requests < want {
			select {
			case <-changed:
			case <-ctx.Done():
				t.Fatal("the request was not read")
			}
		}
	}
	end()
	<-done
}

// A slice that ends with the last event is not the end of what is told: all was read.
func TestRun_SliceEndsWithTheLastEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.tl.slice = -1 // ends at the first look at the clock
		for id := range 64 {
			r.frame(transport.Out, time.Duration(id), 0, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id))
		}
		ctx, stop := context.WithCancel(t.Context())
		go r.tl.Run(ctx)
		synctest.Wait()
		time.Sleep(time.Second)
		synctest.Wait()
		if snap := r.tl.Snapshot(); snap.Rows != 64 || !snap.CaughtUp {
			t.Errorf("%+v", snap)
		}
		stop()
		synctest.Wait()
	})
}

func TestOverview_DoublesItsBuckets(t *testing.T) {
	r := newRig(t)
	for i := range 100 {
		r.frame(transport.Out, time.Duration(i)*time.Minute, 0, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	r.read()
	counts, sum := r.tl.Overview(10), 0
	for _, n := range counts {
		sum += n
		if n < 8 || n > 12 {
			t.Errorf("not even: %v", counts)
		}
	}
	if sum != 100 {
		t.Errorf("%d of 100 rows: %v", sum, counts)
	}
}

// calls appends so many calls and their responses.
func (r *rig) calls(n int) {
	for i := range n {
		r.frame(transport.Out, time.Duration(i)*time.Millisecond, 0, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"tool"}}`, i))
		r.frame(transport.In, time.Duration(i)*time.Millisecond+time.Microsecond, 0, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"a result of ordinary length, as most of them are"}]}}`, i))
	}
}

// BenchmarkRead_Series reads records of 10,000 to 1,000,000 frames: the time of a frame stays
// the same.
func BenchmarkRead_Series(b *testing.B) {
	for frames := 10_000; frames <= 1_000_000; frames *= 10 {
		b.Run(strconv.Itoa(frames), func(b *testing.B) {
			r := newRig(b)
			r.calls(frames / 2)
			b.ReportAllocs()
			for b.Loop() {
				r.tl = New(r.s)
				r.read()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(frames), "ns/frame")
		})
	}
}

// Equal requests after one another are one row, whose cost does not grow with their number.
func TestTimeline_FoldsRuns(t *testing.T) {
	r := newRig(t)
	call := func(id int, name string) {
		r.frame(transport.Out, time.Duration(id)*time.Second, 0, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q}}`, id, name))
	}
	call(1, "first")
	for id := 2; id <= 9; id++ {
		call(id, "slow")
	}
	call(10, "last")
	for id := 11; id <= 14; id++ {
		call(id, "few")
	}
	r.frame(transport.In, 20*time.Second, 0, `{"jsonrpc":"2.0","id":5,"result":{"content":[],"isError":true}}`)
	r.frame(transport.In, 21*time.Second, 0, `{"jsonrpc":"2.0","id":2,"result":{"content":[]}}`)
	r.read()
	runs := func(int) bool { return true }
	for _, tc := range []struct {
		from, by, want int
		folded         func(int) bool
	}{{0, 1, 1, runs}, {1, 1, 9, runs}, {9, -1, 1, runs}, {6, 0, 1, runs}, {6, 1, 9, runs}, {9, 1, 10, runs}, {0, 99, 13, runs}, {1, 1, 2, nil}, {9, -1, 8, nil}} {
		if got := r.tl.Walk(tc.from, tc.by, Folds{Run: tc.folded}); got != tc.want {
			t.Errorf("Walk(%d, %d) = %d, want %d", tc.from, tc.by, got, tc.want)
		}
	}
	run, first := r.tl.RunOf(4)
	if first != 1 || run.Count != 8 || run.Failed != 1 || run.Pending != 6 || run.End != r.at.Add(21*time.Second) && run.End.IsZero() {
		t.Errorf("run from %d: %+v", first, run)
	}
	if _, first := r.tl.RunOf(11); first != None {
		t.Error("four requests are a run")
	}
}

// BenchmarkRead reads events and Baseline only decodes them.
func BenchmarkRead(b *testing.B) {
	r := newRig(b)
	r.calls(b.N)
	b.ReportAllocs()
	b.ResetTimer()
	r.read()
}

func BenchmarkReadBaseline(b *testing.B) {
	r := newRig(b)
	r.calls(b.N)
	b.ReportAllocs()
	b.ResetTimer()
	for tail := r.s.NewTail(); ; {
		if _, _, ok, _ := tail.Next(); !ok {
			break
		}
	}
}

// Equal requests are one run while they follow each other: two bursts are two, a steady poll is one.
func TestRunOf_BurstsAreApart(t *testing.T) {
	ping := func(r *rig, at time.Duration, id int) {
		r.frame(transport.Out, at, 0, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id))
		r.frame(transport.In, at+time.Millisecond, 0, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, id))
	}
	for name, c := range map[string]struct {
		at   func(i int) time.Duration
		want int // length of the first of twelve; 0 for one that is alone
	}{
		"bursts 19 s apart": {func(i int) time.Duration {
			return time.Duration(i)*time.Millisecond + time.Duration(i/6)*19*time.Second
		}, 6},
		"each 30 s":               {func(i int) time.Duration { return time.Duration(i) * 30 * time.Second }, 12},
		"a pause of 15 s of 30 s": {func(i int) time.Duration { return time.Duration(i)*30*time.Second + time.Duration(i/6)*15*time.Second }, 12},
		"one, and eleven 33 s later": {func(i int) time.Duration {
			return time.Duration(i)*time.Millisecond + time.Duration(min(i, 1))*33*time.Second
		}, 0},
		"a pause of 1 s": {func(i int) time.Duration { return time.Duration(i)*time.Millisecond + time.Duration(i/6)*time.Second }, 12},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			for i := range 12 {
				ping(r, c.at(i), i)
			}
			r.read()
			if run, _ := r.tl.RunOf(0); run.Count != c.want {
				t.Errorf("the first run has %d requests, want %d", run.Count, c.want)
			}
			if run, first := r.tl.RunOf(11); c.want == 0 && (run.Count != 11 || first != 1 || run.Pending != 0) {
				t.Errorf("the run after the first request is %+v, from %d", run, first)
			}
			if run, first := r.tl.RunOf(11); c.want == 6 && (run.Count != 6 || first != 6) {
				t.Errorf("the second one has %d from %d", run.Count, first)
			}
		})
	}
}
