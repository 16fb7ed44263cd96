package timeline

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/test/panetest"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
	"mcptea/record"
	"mcptea/record/filter"
	"mcptea/record/store"
	"mcptea/record/timeline"
	"mcptea/session/session"
	"mcptea/themes"
	"mcptea/ui/app"
	"mcptea/ui/frames"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// rig is a pane over a store that a test fills.
type rig struct {
	*panetest.Program
	filter *frames.Filter

	t  testing.TB
	s  *store.Store
	tl *timeline.Timeline
	p  *Pane
	at time.Time
	// now is the clock of the pane, after the begin.
	now time.Duration
}

func newRig(t testing.TB) *rig {
	t.Helper()
	s, err := store.Create(store.Options{}, record.Header{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	test, _ := t.(*testing.T)
	r := &rig{Program: panetest.New(test), t: t, s: s, tl: timeline.New(s), at: time.Date(2026, 7, 1, 10, 22, 0, 0, time.Local)}
	r.filter = frames.NewFilter(r, filter.Names{})
	r.p = New(&frames.Program{App: r.Program, Source: r, Filter: r.filter, Whole: func(row int32) { r.Asked = append(r.Asked, fmt.Sprint("whole ", row)) }}, r.tl)
	r.Pane = r.p
	return r
}

func (r *rig) Store() *store.Store                   { return r.s }
func (r *rig) State() session.State                  { return session.State{} }
func (r *rig) FindingsAt(int32) []lint.Finding       { return nil }
func (*rig) ErrorRows() []int32                      { return nil }
func (*rig) WorstIn(_, _ int32) (*lint.Finding, int) { return nil, 0 }

// do runs a command of the pane, and returns what the pane asks for.
func (r *rig) do(id string) string {
	n := len(r.Asked)
	r.Run(id)
	return strings.Join(r.Asked[n:], "; ")
}

func (r *rig) frame(dir transport.Direction, after time.Duration, text string) {
	raw := []byte(text)
	r.now = max(r.now, after)
	r.s.Append(transport.Frame{Bytes: raw, Envelope: jsonrpc.Scan(raw), Time: r.at.Add(after), Dir: dir, Ending: "\n"})
}

// read lets the timeline read all events, and updates the pane.
func (r *rig) read() {
	r.t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	changed, unsubscribe := r.s.Subscribe()
	defer unsubscribe()
	done := make(chan struct{})
	running, end := context.WithCancel(ctx)
	go func() { defer close(done); r.tl.Run(running) }()
	rows := r.s.Snapshot().Rows
	for snap := r.tl.Snapshot(); snap.Rows < rows || !snap.CaughtUp; snap = r.tl.Snapshot() {
		select {
		case <-changed:
		case <-ctx.Done():
			r.t.Fatal("the session was not read")
		}
	}
	end()
	<-done
	r.refresh()
}

func (r *rig) refresh() {
	for behind := true; behind; behind = r.filter.Behind() {
		r.p.Refresh(app.Tick{Now: r.at.Add(r.now)})
	}
}

// screen is the painted pane without styles.
func (r *rig) screen(w, h int) string {
	r.t.Helper()
	r.refresh()
	return r.Program.Paint(w, h, true)
}

// row is the line of the screen that contains a text.
func (r *rig) row(screen, text string) string {
	r.t.Helper()
	for line := range strings.Lines(screen) {
		if strings.Contains(line, text) {
			return line
		}
	}
	r.t.Fatalf("the pane lacks %q:\n%s", text, screen)
	return ""
}

// summarize is a call of six seconds with two server requests, progress, stderr, and
// calls beside it.
func summarize(r *rig) {
	const ms = time.Millisecond
	r.frame(transport.Out, 0, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	r.frame(transport.In, 10*ms, `{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`)
	r.frame(transport.Out, 2000*ms, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"summarize","_meta":{"progressToken":2}}}`)
	r.frame(transport.In, 3000*ms, `{"jsonrpc":"2.0","id":"s1","method":"sampling/createMessage","params":{}}`)
	r.frame(transport.Out, 5000*ms, `{"jsonrpc":"2.0","id":"s1","result":{}}`)
	r.frame(transport.In, 6000*ms, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2,"progress":1}}`)
	r.s.Line(transport.Line{Text: "working", Time: r.at.Add(6500 * ms)})
	r.frame(transport.In, 8000*ms, `{"jsonrpc":"2.0","id":2,"result":{"content":[]}}`)
	r.frame(transport.Out, 8500*ms, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"broken"}}`)
	r.frame(transport.In, 9000*ms, `{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"no"}}`)
	r.frame(transport.Out, 9500*ms, `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"slow"}}`)
	r.now = 10 * time.Second
}

func TestPaint_BarsAreWhereTheRequestsWere(t *testing.T) {
	r := newRig(t)
	summarize(r)
	r.read()
	screen := r.screen(140, 38)
	call := r.row(screen, "2 → tools/call summarize")
	from, to := strings.IndexRune(call, '▐'), strings.LastIndex(call, "▌")
	column := func(at time.Duration) int { // of a time, in the row of the call
		c := columnsFor(138)
		return 1 + c.left() + int(float64(at)/float64(10*time.Second+200*time.Millisecond)*float64(c.chart))
	}
	cells := []rune(strings.TrimSuffix(call, "\n"))
	for at, want := range map[time.Duration]rune{2000: '▐', 2500: '━', 4000: '░', 6000: '▊', 7500: '━'} {
		if got := cells[column(at*time.Millisecond)]; got != want {
			t.Errorf("%d ms: %c, want %c (%d to %d)\n%s", at, got, want, from, to, screen)
		}
	}
	for at := range map[time.Duration]bool{1500: true, 8500: true} {
		if got := cells[column(at*time.Millisecond)]; got == '━' || got == '▐' {
			t.Errorf("%d ms is part of the bar\n%s", at, screen)
		}
	}
	r.p.Motion(keys.Top)
	r.p.Motion(keys.Down)
	screen = r.screen(140, 38)
	for _, text := range []string{
		`"s1" ← └ sampling/createMessage`, "✗    500", "stderr 1 line", "6,000 ms", "tools/call broken",
		"sampling/creat…    2,000", "67%", "33%", "1 notification · 1 server request · 1 stderr line",
	} {
		if !strings.Contains(screen, text) {
			t.Errorf("the pane lacks %q:\n%s", text, screen)
		}
	}
}

// What is counted of a request has no bound, as what is drawn of it has.
func TestPhases_FactsCountAll(t *testing.T) {
	const ms = time.Millisecond
	r := newRig(t)
	r.frame(transport.Out, 0, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"long","_meta":{"progressToken":1}}}`)
	for i := range maxProgress + 101 {
		r.frame(transport.In, time.Duration(i)*ms, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":%d}}`, i+1))
	}
	for i := range maxNested + 1 {
		r.frame(transport.In, 700*ms, fmt.Sprintf(`{"jsonrpc":"2.0","id":"s%d","method":"roots/list"}`, i))
		r.frame(transport.Out, 800*ms, fmt.Sprintf(`{"jsonrpc":"2.0","id":"s%d","result":{"roots":[]}}`, i))
	}
	for range 1001 {
		r.s.Line(transport.Line{Text: "working", Time: r.at.Add(900 * ms)})
	}
	r.frame(transport.In, 1000*ms, `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`)
	r.read()
	r.p.Motion(keys.Top)
	screen := r.screen(140, 38)
	for _, text := range []string{"601 notifications · 201 server requests · 1,001", "stderr lines", "server, at most"} {
		if !strings.Contains(screen, text) {
			t.Errorf("the pane lacks %q:\n%s", text, screen)
		}
	}
}

// The first message of the server about a call is the oldest of its notifications, or a request
// in its course.
func TestPhases_FirstMessage(t *testing.T) {
	const ms = time.Millisecond
	r := newRig(t)
	r.frame(transport.Out, 0, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"long","_meta":{"progressToken":1}}}`)
	for i, at := range []time.Duration{1000, 2008, 3009} {
		r.frame(transport.In, at*ms, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":%d}}`, i+1))
	}
	r.frame(transport.In, 4000*ms, `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`)
	r.frame(transport.Out, 5000*ms, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"asks","_meta":{"progressToken":2}}}`)
	r.frame(transport.In, 5200*ms, `{"jsonrpc":"2.0","id":"s1","method":"roots/list"}`)
	r.frame(transport.Out, 5300*ms, `{"jsonrpc":"2.0","id":"s1","result":{"roots":[]}}`)
	r.frame(transport.In, 6500*ms, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2,"progress":1}}`)
	r.frame(transport.In, 7000*ms, `{"jsonrpc":"2.0","id":2,"result":{"content":[]}}`)
	r.read()
	r.p.Motion(keys.Top)
	for _, want := range []struct{ first, rest string }{{"1,000", "3,000"}, {"200", "1,800"}} {
		screen := r.screen(140, 38)
		for label, took := range map[string]string{"first message": want.first, "to the response": want.rest} {
			if row := r.row(screen, label); !strings.Contains(row, " "+took+" ") {
				t.Errorf("%s is not %s: %s", label, took, row)
			}
		}
		r.p.Motion(keys.Down)
	}
}

func TestZoomAndPan(t *testing.T) {
	r := newRig(t)
	for i := range 1000 {
		r.frame(transport.Out, time.Duration(i)*time.Second, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i))
		r.frame(transport.In, time.Duration(i)*time.Second+time.Millisecond, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, i))
	}
	r.read()
	r.do("timeline.whole")
	if screen := r.screen(120, 30); !strings.Contains(screen, "16m59s shown") && !strings.Contains(screen, "17m00s shown") {
		t.Errorf("the whole session is not shown:\n%s", screen)
	}
	for range 5 {
		r.do("timeline.zoom-in")
	}
	r.screen(120, 30)
	span := r.p.window.span
	if span > 40*time.Second || span < 20*time.Second {
		t.Errorf("%v are shown", span)
	}
	for range 8 {
		r.do("timeline.left")
		r.screen(120, 30)
	}
	selected, _ := r.tl.Request(r.p.cursor())
	if !r.p.window.has(selected.Start) {
		t.Errorf("the selected request, at %v, is not in the window from %v", selected.Start, r.p.window.from)
	}
	r.p.Motion(keys.Top)
	if !r.p.window.has(r.at) {
		t.Error("the axis does not show the first request, which is selected")
	}
}

func TestPaint_AnySize(t *testing.T) {
	r := newRig(t)
	summarize(r)
	r.read()
	for w := 40; w < 210; w += 17 {
		for h := 5; h < 60; h += 6 {
			r.screen(w, h)
		}
	}
}

func TestPaint_NoRequests(t *testing.T) {
	r := newRig(t)
	r.read()
	if screen := r.screen(80, 20); !strings.Contains(screen, "No requests yet.") {
		t.Error(screen)
	}
}

// A thousand requests at once, with the responses in another order: each bar is where its
// request was, with its own duration.
func TestPaint_ParallelRequestsOutOfOrder(t *testing.T) {
	const n = 1000
	r := newRig(t)
	for i := range n {
		r.frame(transport.Out, time.Duration(i)*time.Millisecond, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"tool"}}`, i))
	}
	order := rand.New(rand.NewPCG(3, 4)).Perm(n)
	var end [n]time.Duration
	for k, i := range order {
		end[i] = time.Duration(n+k) * time.Millisecond
		r.frame(transport.In, end[i], fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, i))
	}
	r.read()
	r.do("timeline.whole")
	r.p.Motion(keys.Top)
	r.do("fold.toggle")
	c := columnsFor(198)
	for seen := 0; seen < n; {
		shown := 0
		for line := range strings.Lines(r.screen(200, 60)) {
			cells := []rune(line)
			var id int
			if len(cells) < 200 || cells[0] != '│' {
				continue
			}
			if _, err := fmt.Sscanf(strings.Trim(string(cells[1:1+c.left()]), " ▌"), "%d → tools/call tool", &id); err != nil {
				continue
			}
			shown, seen = shown+1, max(seen, id+1)
			isBar := func(cell rune) bool { return cell != ' ' && cell != '┊' }
			chart := cells[1+c.left() : 1+c.left()+c.chart]
			from, to := slices.IndexFunc(chart, isBar), len(chart)-1
			for to > from && !isBar(chart[to]) {
				to--
			}
			start := time.Duration(id) * time.Millisecond
			if column := r.p.window.column(r.at.Add(start), c.chart); from != column {
				t.Errorf("request %d begins in column %d, want %d", id, from, column)
			}
			if column := r.p.window.column(r.at.Add(end[id]), c.chart); to != column {
				t.Errorf("request %d ends in column %d, want %d", id, to, column)
			}
			if took := phrase.Milliseconds(end[id] - start); !strings.Contains(string(cells[1+c.left()+c.chart:]), " "+took+" ") {
				t.Errorf("request %d took %s:\n%s", id, took, line)
			}
		}
		if shown == 0 || t.Failed() {
			t.Fatalf("%d requests are shown after %d", shown, seen)
		}
		r.p.Motion(keys.PageDown)
	}
}

// The signs of the legend are told apart without colors.
func TestLegend_SignsDiffer(t *testing.T) {
	for _, ascii := range []bool{false, true} {
		pal := paint.NewPalette(themes.ForBackground(true), ascii)
		signs := map[string]string{}
		for _, s := range signsOf(pal) {
			if other := signs[s.glyph]; other != "" {
				t.Errorf("%s and %s are both %s", other, s.text, s.glyph)
			}
			signs[s.glyph] = s.text
		}
	}
}
