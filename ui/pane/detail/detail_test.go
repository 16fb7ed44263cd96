package detail

import (
	"context"
	"fmt"
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
	"mcptea/ui/frames"
	"mcptea/ui/keys"
	"mcptea/ui/textfield"
)

// source is a store, and what is wrong with the rows.
type source struct {
	s     *store.Store
	found map[int32][]lint.Finding
}

func (s source) Store() *store.Store                   { return s.s }
func (s source) State() session.State                  { return session.State{} }
func (s source) FindingsAt(row int32) []lint.Finding   { return s.found[row] }
func (source) ErrorRows() []int32                      { return nil }
func (source) WorstIn(_, _ int32) (*lint.Finding, int) { return nil, 0 }

// exchanges records an exchange that went well, 4, and one that did not, 5.
func exchanges(s *store.Store) {
	x := transport.Exchange{
		ID: 4, Phase: transport.ExchangeHeaders, Purpose: "message", Method: "POST", URL: "http://h/mcp", Status: 200, FirstByte: 3 * time.Millisecond,
		RequestHeader: map[string][]string{"Authorization": {"Bearer ••••"}},
	}
	s.Exchange(&x)
	x.ID, x.Status, x.RequestHeader = 5, 404, map[string][]string{"Mcp-Session-Id": {"abc"}}
	s.Exchange(&x)
}

type bench struct {
	*panetest.Program
	t     *testing.T
	s     *store.Store
	p     *Pane
	found map[int32][]lint.Finding
	of    *frames.Program
	work  *[]func() func() // that the pane has begun; nil has it done at once
}

// Go implements [app.App].
func (b *bench) Go(work func(context.Context) func()) {
	if b.work == nil {
		b.Program.Go(work)
		return
	}
	*b.work = append(*b.work, func() func() { return work(b.t.Context()) })
}

func newBench(t *testing.T) *bench {
	t.Helper()
	s, err := store.Create(store.Options{}, record.Header{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	b := &bench{Program: panetest.New(t), t: t, s: s, found: map[int32][]lint.Finding{}}
	exchanges(s)
	b.of = &frames.Program{
		App: b, Source: source{s, b.found}, Filter: frames.NewFilter(source{s, b.found}, filter.Names{}), Show: func(v frames.View) { b.Asked = append(b.Asked, frames.Views()[v]) },
		Send: func(frame []byte) { b.Asked = append(b.Asked, "send "+string(frame)) },
	}
	b.p = New(b.of)
	b.Pane = b.p
	return b
}

// do runs a command of the pane, and returns what the pane asks for.
func (b *bench) do(id string) string {
	n := len(b.Asked)
	b.Run(id)
	return strings.Join(b.Asked[n:], "; ")
}

func (b *bench) frame(dir transport.Direction, text string, exchange uint32) int32 {
	raw := []byte(text)
	row := b.s.Append(transport.Frame{Bytes: raw, Envelope: jsonrpc.Scan(raw), Time: time.Unix(1780000000, 0), Dir: dir, Ending: "\n", Exchange: exchange})
	return row
}

func (b *bench) show(row int32) { b.p.Show(row) }

func (b *bench) screen(w, h int) string { return b.Program.Paint(w, h, true) }

func (b *bench) sees(texts ...string) {
	b.t.Helper()
	screen := b.screen(98, 24) // one frame over the other
	for _, text := range texts {
		if !strings.Contains(screen, text) {
			b.t.Errorf("the pane lacks %q:\n%s", text, screen)
		}
	}
}

func TestModesOfAFrame(t *testing.T) {
	b := newBench(t)
	request := b.frame(transport.Out, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`, 4)
	answer := b.frame(transport.In, `{"result":{"content":[]},"jsonrpc":"2.0","id":1}`, 4)
	b.sees("select a frame")
	b.show(answer)
	b.sees("#2 result of #1", `"content": []`, "tree  bytes  text  http", "received", "response #2", `"name": "x"`)
	b.do("view.shown")
	b.sees("0000  7b 22 72")
	for _, id := range []string{"fold.toggle", "copy.other", "filter", "match.next"} {
		if got := b.do(id); !strings.HasPrefix(got, "off: ") {
			t.Errorf("on bytes, %s does %q", id, got)
		}
	}
	if got := b.do("copy"); got != `copy frame: {"result":{"content":[]},"jsonrpc":"2.0","id":1}` {
		t.Errorf("copied %q", got)
	}
	b.do("view.shown")
	b.sees(`{"result":{"content":[]}`)
	b.do("view.shown")
	b.sees("POST http://h/mcp", "200", "Authorization: Bearer ••••")
	if got := b.do("again"); got != `send {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}` {
		t.Error(got)
	}
	if got := b.do("frame.pair"); got != fmt.Sprint("show frame ", request) {
		t.Errorf("the pair is %q", got)
	}
}

// A frame that is held was not sent yet.
func TestDetail_HeldIsNotSent(t *testing.T) {
	b := newBench(t)
	request := b.frame(transport.Out, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, 0)
	held := map[int32]time.Duration{request: time.Second}
	b.of.Held = func() map[int32]time.Duration { return held }
	b.show(request)
	b.sees("held since ")
	held = nil
	b.sees(" sent ")
}

// The response follows its request in one scrolling document.
func TestTree_ResponseFollowsItsRequest(t *testing.T) {
	b := newBench(t)
	request := b.frame(transport.Out, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`, 0)
	b.show(request)
	b.sees("no response yet")
	b.frame(transport.In, `{"jsonrpc":"2.0","id":1,"result":{"content":["`+strings.Repeat(`a","`, 50)+`"]}}`, 0)
	b.show(request)
	b.sees("#1 request", `"name": "x"`, "response #2", `▾ "content": [`)
	b.p.Motion(keys.Bottom)
	b.sees("$.result  ")
	if got := b.screen(98, 24); strings.Contains(got, `"name": "x"`) {
		t.Error(got)
	}
	b.do("frame.pair") // to the request
	b.sees(`"name": "x"`)
	b.p.Motion(keys.Down)
	if got := b.do("copy.other"); got != "copy path .params.name: .params.name" {
		t.Error(got)
	}
}

// The copied path is a filter that jq accepts, for names that are not identifiers of jq too.
func TestTree_CopiedPathIsAFilter(t *testing.T) {
	for name, want := range map[string]string{`$schema`: `.id["$schema"]`, `a b`: `.id["a b"]`, `\u0061\"`: `.id["a\""]`, `x1`: `.id.x1`} {
		b := newBench(t)
		b.show(b.frame(transport.Out, `{"jsonrpc":"2.0","id":{"`+name+`":1}}`, 0))
		for range 3 {
			b.p.Motion(keys.Down)
		}
		if got := b.do("copy.other"); !strings.HasSuffix(got, ": "+want) {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// From 100 cells on request and response are beside each other, as trees and as bytes. ] goes to the other half, up and
// down stay in one.
func TestHalves_RequestBesideResponse(t *testing.T) {
	b := newBench(t)
	request := b.frame(transport.Out, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`, 0)
	response := b.frame(transport.In, `{"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":true}}`, 0)
	b.show(request)
	row := func(text string) string {
		t.Helper()
		for line := range strings.SplitSeq(b.screen(110, 20), "\n") {
			if strings.Contains(line, text) {
				return line
			}
		}
		t.Errorf("no row has %q:\n%s", text, b.screen(110, 20))
		return ""
	}
	if top := row("→ #1 request tools/call"); !strings.Contains(top, "← #2 tool error  0 ms") {
		t.Error(top)
	}
	if line := row(`"params": {`); !strings.Contains(line, `"result": {`) {
		t.Error(line)
	}
	for range 9 {
		b.p.Motion(keys.Down)
	}
	if b.p.shown() != request {
		t.Errorf("down has left the half: the keys act on row %d", b.p.shown())
	}
	if b.do("frame.pair"); b.p.shown() != response {
		t.Errorf("the keys act on row %d", b.p.shown())
	}
	b.do("view.shown")
	if line := row("0000  7b 22"); strings.Count(line, "0000  7b 22") != 2 {
		t.Errorf("the bytes are not beside each other: %s", line)
	}
	if b.do("frame.pair"); b.p.shown() != request {
		t.Errorf("on bytes, the keys act on row %d", b.p.shown())
	}
	if line := row("received"); !strings.Contains(line, "sent") {
		t.Error(line)
	}
}

// The end of a process is a sentence of the program, and no broken frame.
func TestProcessEnd_Sentence(t *testing.T) {
	b := newBench(t)
	frame := b.frame(transport.In, `{"jsonrpc":"2.0","method":"x"}`, 0)
	b.s.Process(transport.ProcessEvent{What: transport.ProcessExited}, "process exited  code 1")
	b.show(frame)
	b.do("view.shown") // bytes
	b.show(frame + 1)
	b.sees("process exited  code 1", "process ")
	if screen := b.screen(98, 24); strings.Contains(screen, "expected a value") || strings.Contains(screen, "tree") || strings.Contains(screen, "0000") {
		t.Errorf("it is taken for a frame:\n%s", screen)
	}
	b.show(frame)
	b.sees("0000  7b 22") // as before
}

func TestBrokenFrames_ShowTheFault(t *testing.T) {
	b := newBench(t)
	b.show(b.frame(transport.In, `{"jsonrpc":"2.0","id":1,"result":{"a":1,}}`, 0))
	b.sees("not JSON, at byte 40", `"id": 1`)
	b.show(b.frame(transport.In, "Server listening\x1b[2J", 0))
	b.sees("not JSON", "53 65 72 76 65 72")
	b.show(b.frame(transport.In, `{"jsonrpc":"1.0","id":99,"result":{}}`, 0))
	b.sees(`"jsonrpc" is not "2.0"`, "no request has this id")
}

// A response without an id is one remark, not two.
func TestResponseWithoutID_IsOneRemark(t *testing.T) {
	for frame, want := range map[string]string{
		`{"jsonrpc":"2.0","result":{}}`:           "a response without an id",
		`{"jsonrpc":"2.0","id":null,"result":{}}`: "a response with the id null",
	} {
		b := newBench(t)
		b.show(b.frame(transport.In, frame, 0))
		b.sees(want)
		if s := b.screen(100, 20); strings.Count(s, "a response with") != 1 {
			t.Errorf("%s:\n%s", frame, s)
		}
	}
}

func TestDetail_CopyAndFilterExactValue(t *testing.T) {
	b := newBench(t)
	b.show(b.frame(transport.Out, `{"jsonrpc":"2.0","id":1.0,"method":"m"}`, 0))
	b.screen(80, 20)
	b.do("fold.toggle") // the envelope
	b.p.Motion(keys.Down)
	b.p.Motion(keys.Down)
	if got := b.do("copy"); got != "copy value: 1.0" {
		t.Errorf("copied %q", got)
	}
	if got := b.do("copy.other"); got != "copy path .id: .id" {
		t.Errorf("path %q", got)
	}
	if got := b.do("filter.by"); got != "exchanges; say: Traffic shows only the frames that contain this value." || b.of.Filter.Words() != `"1.0"` {
		t.Errorf("%q, filter %q", got, b.of.Filter.Words())
	}
}

func TestDetail_LargeFrameInBackground(t *testing.T) {
	b := newBench(t)
	row := b.frame(transport.In, `{"jsonrpc":"2.0","id":1,"result":{"text":"`+strings.Repeat("x", 2<<20)+`"}}`, 0)
	b.work = &[]func() func(){}
	b.show(row)
	b.sees("reading 2.1 MB")
	(*b.work)[0]()()
	b.sees("jsonrpc 2.0", `"result": {`)
}

func TestSearch_NoMatch(t *testing.T) {
	b := newBench(t)
	b.show(b.frame(transport.In, `{"jsonrpc":"2.0","id":1,"result":{"deep":{"needle":1}}}`, 0))
	b.do("fold.close-all")
	b.do("filter")
	b.Type("needle")
	b.sees(`"needle": 1`, "/ needle")
	if strings.Contains(b.screen(98, 24), "no other line of the frame") {
		t.Error("said before the search has gone on")
	}
	for _, id := range []string{"match.next", "match.previous"} {
		b.do(id)
		b.sees("/ needle", "no other line of the frame")
	}
	b.Type("x")
	b.sees("not found")
}

func TestExplain_StatusOfAnError(t *testing.T) {
	b := newBench(t)
	answered := b.frame(transport.Out, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, 4)
	b.show(answered)
	if screen := b.screen(98, 24); strings.Contains(screen, "first check") {
		t.Errorf("a success is explained:\n%s", screen)
	}
	refused := b.frame(transport.Out, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, 5)
	b.show(refused)
	b.sees("404 Session not found", "usual cause", "Start a new session", "K more")
	if got := b.do("explain"); got != "explain 404" {
		t.Errorf("K gives %q", got)
	}
	// On a low screen the frame matters more.
	if screen := b.screen(100, 8); !strings.Contains(screen, "404 Session") || strings.Contains(screen, "usual cause") {
		t.Errorf("on eight rows:\n%s", screen)
	}
	b.show(b.frame(transport.In, `{"jsonrpc":"2.0","id":2,"error":{"code":-32001,"message":"Session not found"}}`, 5))
	b.sees("-32001 private to the implementation; possibly Session not found")
}

func TestSearch_InALargeFrameRunsInTheBackground(t *testing.T) {
	b := newBench(t)
	row := b.frame(transport.In, `{"jsonrpc":"2.0","id":1,"result":{"text":"`+strings.Repeat("x", 2<<20)+`","needle":1,"needles":2}}`, 0)
	b.show(row)
	b.do("filter")
	b.work = &[]func() func(){}
	b.Type("needle")
	b.Type("s")
	if len(*b.work) != len("needles") {
		t.Fatal("each change of the text has to begin one search")
	}
	late := (*b.work)[5]()
	(*b.work)[6]()()
	late() // of a text that is not searched any more
	if got := b.p.view.Path(); got != "$.result.needles" {
		t.Errorf("the cursor is at %s", got)
	}
	b.work = nil
	b.Type("?")
	b.sees("not found")
}

// A filter by a value lets the frame pass that the value is from.
func TestFilterByValue_MatchesItsFrame(t *testing.T) {
	for _, value := range []string{
		`"say \"hi\" \\ there"`, `"line\nend\u00e9é\ttab"`, `"` + strings.Repeat("é", 40) + `"`, `"` + strings.Repeat("x", 59) + `日本"`,
		"\"caf\xe9\"", `1.50`, `null`, `{"a": "b \"c\"", "d": [1, 2]}`, `"MiXed"`, `"-method:x"`, `"a  b"`, `""`, "\"\u202e\"", `[ "x" ]`,
	} {
		frame := []byte(`{"jsonrpc":"2.0","method":"m","params":` + value + `}`)
		text := filterFor([]byte(value))
		var field textfield.Input
		field.SetValue(text)
		f, err := filter.Parse(field.Value())
		if err != nil {
			t.Errorf("%s: %q: %v", value, text, err)
			continue
		}
		row := store.Row{}
		if !f.Match(&filter.Frame{Row: &row, Body: func() []byte { return frame }, ID: func() []byte { return nil }}) {
			t.Errorf("%s: its frame does not pass %q", value, text)
		}
	}
}

// Where the title and the names of all views have no room, the title is whole, and the view that
// is shown is named.
func TestPaint_TitleBeforeViews(t *testing.T) {
	b := newBench(t)
	b.frame(transport.Out, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`, 0)
	b.show(b.frame(transport.In, `{"result":{"content":[]},"jsonrpc":"2.0","id":1}`, 0))
	for w, want := range map[int][]string{46: {"#2 result of #1 tools/call ─", "─ tree ─╮"}, 80: {"#2 result of #1 tools/call ─", "─ tree  bytes  text ─╮"}} {
		top, _, _ := strings.Cut(b.screen(w, 12), "\n")
		for _, text := range want {
			if !strings.Contains(top, text) {
				t.Errorf("%d cells: %q lacks %q", w, top, text)
			}
		}
	}
	b.screen(46, 12)
	b.Screen.Click(46-5, 0) // the only name
	b.sees("0000  7b 22 72")
}

func TestPair_HalfWithTheCursor(t *testing.T) {
	b := newBench(t)
	request := b.frame(transport.Out, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`, 0)
	response := b.frame(transport.In, `{"jsonrpc":"2.0","id":1,"result":{}}`, 0)
	b.show(response)
	b.sees("#2 result of #1 tools/call", "received", "36 B")
	if b.do("frame.pair"); b.p.shown() != request {
		t.Fatalf("the keys act on row %d", b.p.shown())
	}
	b.sees("#1 request tools/call", "sent", "68 B")
	if got := b.do("edit"); !strings.Contains(got, `"method":"tools/call"`) {
		t.Errorf("e opens %q", got)
	}
	b.do("view.shown")
	b.sees("#1 request tools/call", "tools/ca")
	b.show(response) // it is still the row that is selected
	b.sees("#1 request tools/call")
	b.p.setMode(Tree)
	if b.do("frame.pair"); b.p.shown() != response {
		t.Fatalf("the keys act on row %d", b.p.shown())
	}
	b.sees("#2 result of #1 tools/call", "36 B")
}

// A half of which only the beginning was read is read whole when it gets the cursor.
func TestPair_LargeHalf(t *testing.T) {
	b := newBench(t)
	request := b.frame(transport.Out, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`, 0)
	b.frame(transport.In, `{"jsonrpc":"2.0","id":1,"result":{"t":"`+strings.Repeat("x", 2*smallFrame)+`the end"}}`, 0)
	b.show(request)
	b.do("frame.pair")
	if got, size := len(b.p.body), int(b.p.info.Size); got != size {
		t.Errorf("%d of %d bytes are there", got, size)
	}
	b.do("view.shown")
	b.sees("00010  ")
	b.p.Motion(keys.Bottom)
	b.sees("the end")
}

// A frame whose connection failed before it was sent is not said to be sent, and the server has not seen its id.
func TestDetail_NeverSent(t *testing.T) {
	b := newBench(t)
	b.s.Connection(record.Connection{What: record.ConnectionOpened})
	request := `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`
	for id := range uint32(2) {
		x := transport.Exchange{ID: 20 + id, Purpose: transport.PurposeMessage, Method: "POST", URL: "http://127.0.0.1:9/mcp", Start: time.Unix(1, 0)}
		b.frame(transport.Out, request, x.ID)
		x.Phase, x.Err = transport.ExchangeDone, "cannot connect to 127.0.0.1:9: connection refused"
		b.s.Exchange(&x)
	}
	b.s.Disconnected(b.s.Conn(), "failed")
	b.show(1)
	b.sees("not sent: cannot connect to 127.0.0.1:9", "not sent ")
	if s := b.screen(80, 24); strings.Contains(s, "used before") || strings.Contains(s, "$ sent") {
		t.Error(s)
	}
}

// A response that is not JSON is the response of its request, whichever of the two is selected: the line between them
// names it, and it is the lower one.
func TestPair_ResponseThatIsNotJSON(t *testing.T) {
	b := newBench(t)
	request := b.frame(transport.Out, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`, 0)
	response := b.frame(transport.In, `{"jsonrpc":"2.0","id":1,"result":{"content":[,]}}`, 0)
	for _, row := range []int32{request, response} {
		b.show(row)
		b.sees("← response #2 ", `"name": "x"`)
		if screen := b.screen(98, 24); strings.Contains(screen, "response #1") || strings.Index(screen, `"name"`) > strings.Index(screen, "response #2 ") {
			t.Errorf("row %d:\n%s", row, screen)
		}
	}
	b.do("frame.pair")
	if b.p.shown() != request {
		t.Errorf("the keys act on row %d", b.p.shown())
	}
}
