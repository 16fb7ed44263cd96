package inspector

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/test/cputime"
	"mcptea/internal/test/inmemory"
	"mcptea/session/record/store"
	"mcptea/session/session"
	"mcptea/ui/program"
)

// largeServer serves one tool with a given schema, which returns a given result, and
// more tools without arguments.
func largeServer(inputSchema, result string, more int) func(context.Context, io.Reader, io.Writer) error {
	if inputSchema == "" {
		inputSchema = `{"type":"object"}`
	}
	var tools strings.Builder
	fmt.Fprintf(&tools, `{"name":"large","inputSchema":%s}`, inputSchema)
	for i := range more {
		fmt.Fprintf(&tools, `,{"name":"tool-%05d","description":"One of many tools","inputSchema":{"type":"object"}}`, i)
	}
	return func(_ context.Context, in io.Reader, out io.Writer) error {
		lines := bufio.NewReaderSize(in, 1<<20)
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return nil //nolint:nilerr // the end of the input ends the server
			}
			e := jsonrpc.Scan(line)
			answer := `{}`
			switch e.MethodName(line) {
			case "initialize":
				answer = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"large","version":"1"}}`
			case "tools/list":
				answer = `{"tools":[` + tools.String() + `]}`
			case "tools/call":
				answer = result
			}
			if id := e.ID.Of(line); id.Present() {
				if _, err := io.WriteString(out, `{"jsonrpc":"2.0","id":`+id.String()+`,"result":`+answer+"}\n"); err != nil {
					return err
				}
			}
		}
	}
}

// keyRig is the whole program without a terminal: each key is handled and the
// screen painted before the next one.
type keyRig struct {
	tb testing.TB
	m  *model
	// The most processor time that one Update and one View took.
	maxUpdate, maxView time.Duration
	results            chan program.Done // of work
}

func newKeyRig(tb testing.TB, inputSchema, result string, more int) *keyRig {
	tb.Helper()
	s, err := session.Open(session.Config{
		Target: client.Target{Argv: []string{"large"}}, Record: "off", Lists: client.ListKinds, Lint: true,
		Client: client.Config{Name: "mcptea", Version: "test", Revision: "2025-11-25"},
		Dial: func(tap client.Tap, cfg client.Config) *client.Client {
			return client.NewOver(inmemory.New(largeServer(inputSchema, result, more)), tap, cfg)
		},
	})
	if err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	m, stop := newModel(ctx, s, Options{}, sections(Own{}))
	var connecting sync.WaitGroup
	connecting.Go(func() { _ = s.Connect(m.Ctx) })
	tb.Cleanup(func() {
		connecting.Wait()
		cancel()
		stop()
		_ = s.Close(context.Background())
	})
	m.W, m.H = 160, 45
	rig := &keyRig{tb: tb, m: m, results: make(chan program.Done, 1024)}
	rig.until("the list of tools", func() bool { return len(m.state.Lists["tools"].Items) == 1+more })
	m.toTab(1)
	rig.paint()
	rig.until("the schema of the tool", func() bool { return !busy(m) })
	rig.paint()
	return rig
}

// until refreshes the model until a condition holds.
func (r *keyRig) until(what string, done func() bool) {
	r.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	wake, stop := r.m.session.Store().Subscribe()
	defer stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-wake:
		case <-tick.C:
		case <-ctx.Done():
			r.tb.Fatalf("waited in vain for %s", what)
		}
		r.update(program.ChangeMsg{Now: time.Now()})
	}
}

// call calls the tool and waits until its result can be painted.
func (r *keyRig) call() {
	r.tb.Helper()
	r.press("enter", "ctrl+s")
	if r.m.session.Store().Snapshot().Pending == 0 {
		r.until("the request", func() bool { return r.m.snap.Out > 3 })
	}
	r.until("the result", func() bool { return r.m.snap.Pending == 0 && !busy(r.m) })
	r.press("ctrl+o")
}

// press handles keys, and paints after each of them.
func (r *keyRig) press(names ...string) {
	for _, name := range names {
		r.update(pressKey(name))
		r.paint()
	}
}

// showRaw shows the result of the call as JSON.
func (r *keyRig) showRaw() {
	r.tb.Helper()
	r.press("v")
	r.until("the JSON", func() bool { return !busy(r.m) })
}

func (r *keyRig) update(msg tea.Msg) {
	var cmd tea.Cmd
	r.maxUpdate = max(r.maxUpdate, cputime.Of(func() { _, cmd = r.m.Update(msg) }))
	r.start(cmd)
	r.work()
}

// start runs what Update leads to, and keeps the results of work. The program is woken by
// the rig.
func (r *keyRig) start(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		switch msg := cmd().(type) {
		case tea.BatchMsg:
			for _, c := range msg {
				r.start(c)
			}
		case program.Done:
			r.results <- msg
		}
	}()
}

// work takes the results of work that has ended.
func (r *keyRig) work() {
	for {
		select {
		case msg := <-r.results:
			r.update(msg)
		default:
			return
		}
	}
}

func (r *keyRig) paint() {
	var content string
	r.maxView = max(r.maxView, cputime.Of(func() { content = r.m.View().Content }))
	if content == "" {
		r.tb.Fatal("nothing was painted")
	}
}

// selectAnswer shows the frame of the newest response in the traffic.
func (r *keyRig) selectAnswer() {
	r.tb.Helper()
	r.m.ShowFrame(int32(r.m.snap.Rows) - 1)
	r.m.openDetail()
	r.m.relayout()
	r.m.views.detail.Show(store.None) // what began to load before is not awaited
	r.m.showSelected()
	r.until("the frame", func() bool { return !busy(r.m) })
	r.press("+")
	if r.m.focus != slotDetail {
		r.tb.Fatalf("the focus is on %v and not on the frame", r.m.focus)
	}
}

// composeLarge opens a frame in the composer and waits until it is read.
func (r *keyRig) composeLarge(frame []byte) {
	r.tb.Helper()
	r.maxUpdate = max(r.maxUpdate, cputime.Of(func() { r.m.ComposeFrame(frame) }))
	r.until("the frame in the composer", func() bool { return !busy(r.m) })
	r.paint()
}

func members(n int) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"key%07d":%d`, i, i)
	}
	b.WriteByte('}')
	return b.String()
}

func properties(n int, each string) string {
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"property%06d":%s`, i, each)
	}
	b.WriteString(`}}`)
	return b.String()
}

func enumOf(n int) string {
	values := make([]string, n)
	for i := range values {
		values[i] = fmt.Sprintf("value %06d", i)
	}
	raw, _ := json.Marshal(values)
	return string(raw)
}

// largeCases are the largest inputs that a key has to be quick with, and the
// keys that are pressed then.
var largeCases = []struct {
	name   string
	schema func() string
	result func() string
	tools  int // beside the one that is called
	setup  func(r *keyRig)
	keys   []string
}{
	{
		name: "result/1000000_keys", result: func() string { return members(1000000) },
		setup: func(r *keyRig) { r.call() }, keys: []string{"down", "pgdown", "up", "G", "g"},
	},
	{
		name: "result/1000000_keys_raw", result: func() string { return members(1000000) },
		setup: func(r *keyRig) { r.call(); r.showRaw() }, keys: []string{"down", "pgdown", "up", "G", "g"},
	},
	{name: "result/3000000_elements", result: func() string {
		return `{"content":[],"structuredContent":{"a":[` + strings.TrimSuffix(strings.Repeat("1234,", 3000000), ",") + `]}}`
	}, setup: func(r *keyRig) { r.call() }, keys: []string{"down", "pgdown", "up", "G", "g"}},
	{name: "result/300000_blocks", result: func() string {
		return `{"content":[` + strings.TrimSuffix(strings.Repeat(`{"type":"text","text":"one block of many, with a sentence in it"},`, 300000), ",") + `]}`
	}, setup: func(r *keyRig) { r.call() }, keys: []string{"down", "pgdown", "up", "G", "g"}},
	{name: "result/string_20MB_raw", result: func() string {
		return `{"content":[{"type":"image","mimeType":"image/png","data":"` + strings.Repeat("QUJD", 5<<20) + `"}]}`
	}, setup: func(r *keyRig) { r.call(); r.showRaw() }, keys: []string{"down", "up", "down", "down"}},
	{
		name: "result/form_beside_1000000_keys", result: func() string { return members(1000000) },
		setup: func(r *keyRig) { r.call(); r.press("esc", "esc") }, keys: []string{"down", "up"},
	},
	{
		name: "schema/100000_properties", schema: func() string { return properties(100000, `{"type":"string","description":"one of many"}`) },
		setup: func(r *keyRig) { r.press("enter") }, keys: []string{"a", "b", "backspace", "tab", "shift+tab"},
	},
	{
		name: "schema/300_nested_fields", schema: func() string {
			return properties(60, `{"type":"object","required":["a","b","c","d"],"properties":{"a":{"type":"string","description":"one of many"},"b":{"type":"integer"},"c":{"enum":["x","y"]},"d":{"type":"array","items":{"type":"string"}}}}`)
		},
		setup: func(r *keyRig) {
			r.press("enter")
			for range 40 { // each is a heading with four fields
				r.press("space", "tab", "tab", "tab", "tab", "tab")
			}
			r.press("shift+tab", "shift+tab", "shift+tab")
		}, keys: []string{"1", "2", "backspace", "tab", "shift+tab", "alt+0", "alt+0"},
	},
	{
		name: "schema/enum_200000", schema: func() string { return `{"type":"object","properties":{"a":{"enum":` + enumOf(200000) + `}}}` },
		setup: func(r *keyRig) { r.press("enter") }, keys: []string{"right", "left"},
	},
	{name: "schema/set_of_200000", schema: func() string {
		return `{"type":"object","properties":{"a":{"type":"array","items":{"enum":` + enumOf(200000) + `}}}}`
	}, setup: func(r *keyRig) { r.press("enter") }, keys: []string{"right", "left", "space"}},
	{
		name: "tools/10000", tools: 10000, setup: func(*keyRig) {},
		keys: []string{"down", "pgdown", "G", "/", "9", "9", "backspace", "esc", "g"},
	},
	{
		name: "palette/10000_tools", tools: 10000, setup: func(r *keyRig) { r.press("ctrl+p") },
		keys: []string{"t", "o", "9", "x", "backspace", "backspace", "backspace", "backspace", "pgdown", "down", "esc", "ctrl+p"},
	},
	{name: "palette/1000000_frames", setup: func(r *keyRig) {
		text := []byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`)
		frame := transport.Frame{Bytes: text, Envelope: jsonrpc.Scan(text), Dir: transport.In, Ending: "\n"}
		for range 1000000 {
			r.m.session.Store().Append(frame)
		}
		r.update(program.ChangeMsg{Now: time.Now()})
		r.press("ctrl+p")
	}, keys: []string{"n", "o", "3", "backspace", "backspace", "backspace", "down", "esc", "ctrl+p"}},
	{
		name: "frame/50MB", result: func() string { return members(2500000) },
		setup: func(r *keyRig) { r.call(); r.selectAnswer() }, keys: []string{"down", "pgdown", "up", "G", "g", "y", "v", "down", "v", "G", "v", "v", "w"},
	},
	{
		name: "frame/1000000_keys", result: func() string { return members(1000000) },
		setup: func(r *keyRig) { r.call(); r.selectAnswer() }, keys: []string{"down", "pgdown", "up", "G", "g"},
	},
	{name: "frame/3000000_elements", result: func() string {
		return `{"content":[],"structuredContent":{"a":[` + strings.TrimSuffix(strings.Repeat("1234,", 3000000), ",") + `]}}`
	}, setup: func(r *keyRig) { r.call(); r.selectAnswer() }, keys: []string{"down", "pgdown", "up", "G", "g"}},
	{name: "frame/string_20MB", result: func() string {
		return `{"content":[{"type":"image","mimeType":"image/png","data":"` + strings.Repeat("QUJD", 5<<20) + `"}]}`
	}, setup: func(r *keyRig) { r.call(); r.selectAnswer() }, keys: []string{"down", "up"}},
	{
		name: "frame/search_in_1000000_keys", result: func() string { return members(1000000) },
		setup: func(r *keyRig) { r.call(); r.selectAnswer(); r.press("/", "k", "e", "y", "0") },
		keys:  []string{"x", "backspace"},
	},
	{
		name: "frame/fold_1000000_keys", result: func() string { return members(1000000) },
		setup: func(r *keyRig) { r.call(); r.selectAnswer() }, keys: []string{"-", "down", "+", "down", "space"},
	},
	{name: "traffic/1000000_frames_without_an_error", setup: func(r *keyRig) {
		text := []byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`)
		frame := transport.Frame{Bytes: text, Envelope: jsonrpc.Scan(text), Dir: transport.In, Ending: "\n"}
		for range 1000000 {
			r.m.session.Store().Append(frame)
		}
		r.update(program.ChangeMsg{Now: time.Now()})
		r.m.setFocus(slotTraffic)
	}, keys: []string{"N", "g", "n", "G"}},
	{name: "timeline/1000000_frames", setup: func(r *keyRig) {
		s, at := r.m.session.Store(), time.Now()
		for i := range 500000 {
			request := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":"t%d","method":"tools/call","params":{"name":"tool%d"}}`, i, i%20)
			response := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":"t%d","result":{"content":[]}}`, i)
			s.Append(transport.Frame{Bytes: request, Envelope: jsonrpc.Scan(request), Dir: transport.Out, Ending: "\n", Time: at})
			at = at.Add(time.Millisecond)
			s.Append(transport.Frame{Bytes: response, Envelope: jsonrpc.Scan(response), Dir: transport.In, Ending: "\n", Time: at})
		}
		r.update(program.ChangeMsg{Now: time.Now()})
		r.m.setFocus(slotTraffic)
		r.press("t")
		r.until("the timeline", func() bool { n := r.m.views.requests.Snapshot(); return n.CaughtUp && n.Requests > 500000 })
		r.press("g")
	}, keys: []string{"down", "pgdown", "=", "G", "+", "h", "up", "pgup", "l", "-", "=", "s", "g"}},
	{name: "sequence/1000000_frames_in_one_call", setup: func(r *keyRig) {
		s := r.m.session.Store()
		frame := func(dir transport.Direction, text string) {
			raw := []byte(text)
			s.Append(transport.Frame{Bytes: raw, Envelope: jsonrpc.Scan(raw), Dir: dir, Ending: "\n", Time: time.Now()})
		}
		frame(transport.Out, `{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"a","_meta":{"progressToken":1}}}`)
		for range 1000000 {
			frame(transport.In, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`)
		}
		frame(transport.In, `{"jsonrpc":"2.0","id":"c","result":{}}`)
		frame(transport.Out, `{"jsonrpc":"2.0","id":"d","method":"ping"}`)
		r.update(program.ChangeMsg{Now: time.Now()})
		r.m.setFocus(slotTraffic)
		r.press("t", "t")
		r.until("the timeline", func() bool { n := r.m.views.requests.Snapshot(); return n.CaughtUp && n.Rows > 1000000 })
		r.press("g")
	}, keys: []string{"down", "pgdown", "G", "up", "pgup", "v", "g", "v"}},
	{name: "composer/50MB_in_one_line", setup: func(r *keyRig) {
		r.composeLarge([]byte(`[` + members(2500000) + `]`))
		r.press("end")
	}, keys: []string{"left", "a", "backspace", "right", "home", "end", "up", "pgup", "ctrl+end", "x", "ctrl+z"}},
	{name: "composer/50MB_of_lines", setup: func(r *keyRig) {
		var lines bytes.Buffer
		_ = json.Indent(&lines, []byte(members(2000000)), "", "  ")
		r.composeLarge(lines.Bytes())
	}, keys: []string{"down", "end", "a", "enter", "backspace", "pgdown", "ctrl+end", "x", "up", "ctrl+z", "ctrl+home"}},
	{name: "composer/4MB", setup: func(r *keyRig) {
		var lines bytes.Buffer
		_ = json.Indent(&lines, []byte(members(150000)), "", "  ")
		r.m.Compose("tools/call", lines.String())
		r.paint()
	}, keys: []string{"down", "end", "a", "backspace", "up"}},
}

// BenchmarkKey measures a key and the painting that follows, as the time until
// the screen shows the effect; p95-ns is what 95 of 100 keys stay below. Update and
// View have a budget of 8 ms each: their maxima are of processor time, so that other
// programs on the machine do not count, and hold for the setup too.
func BenchmarkKey(b *testing.B) {
	for _, tc := range largeCases {
		b.Run(tc.name, func(b *testing.B) {
			inputSchema, result := "", `{"content":[]}`
			if tc.schema != nil {
				inputSchema = tc.schema()
			}
			if tc.result != nil {
				result = tc.result()
			}
			rig := newKeyRig(b, inputSchema, result, tc.tools)
			tc.setup(rig)
			rig.press(tc.keys...)
			var took []time.Duration
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				start := time.Now()
				rig.press(tc.keys[i%len(tc.keys)])
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*95/100]), "p95-ns")
			b.ReportMetric(float64(rig.maxUpdate), "max-update-ns")
			b.ReportMetric(float64(rig.maxView), "max-view-ns")
		})
	}
}

// busy reports whether the tools wait for something.
func busy(m *model) bool {
	return m.Pace.Next == program.ClockInterval
}
