package pane_test

import (
	"slices"
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
	"mcptea/ui/pane/sequence"
)

// newRig returns a pane over frames "> …" of the client and "< …" of the server, 100 ms apart; an
// empty line is ten seconds.
func newRig(t *testing.T, conversation string) *sequence.Pane {
	t.Helper()
	p, _ := newRigOf(t, conversation)
	return p
}

// newRigOf also returns what the pane is over.
func newRigOf(t *testing.T, conversation string) (*sequence.Pane, *frames.Program) {
	t.Helper()
	s, err := store.Create(store.Options{}, record.Header{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	at := time.Date(2026, 7, 1, 10, 22, 0, 0, time.UTC)
	for text := range strings.Lines(conversation) {
		text = strings.TrimSpace(text)
		if text == "" {
			at = at.Add(10 * time.Second)
			continue
		}
		raw, dir := []byte(text[2:]), transport.Out
		if text[0] == '<' {
			dir = transport.In
		}
		s.Append(transport.Frame{Bytes: raw, Envelope: jsonrpc.Scan(raw), Time: at, Dir: dir, Ending: "\n"})
		at = at.Add(100 * time.Millisecond)
	}
	prog := panetest.New(t)
	of := &frames.Program{App: prog, Source: sequenceSource{s}, Filter: frames.NewFilter(sequenceSource{s}, filter.Names{})}
	p := sequence.New(of)
	p.Names = func() (string, string) { return "everything 2.0.0", "stdio" }
	prog.Pane = p
	p.Refresh(app.Tick{})
	return p, of
}

// sequenceSource is a store without findings.
type sequenceSource struct{ s *store.Store }

func (s sequenceSource) Store() *store.Store                   { return s.s }
func (s sequenceSource) State() session.State                  { return session.State{} }
func (s sequenceSource) FindingsAt(int32) []lint.Finding       { return nil }
func (sequenceSource) ErrorRows() []int32                      { return nil }
func (sequenceSource) WorstIn(_, _ int32) (*lint.Finding, int) { return nil, 0 }

func screen(t *testing.T, p *sequence.Pane, w, h int) string {
	t.Helper()
	p.Refresh(app.Tick{})
	prog := panetest.New(t)
	prog.Pane = p
	return prog.Paint(w, h, true)
}

const sampling = `> {"jsonrpc":"2.0","id":1,"method":"ping"}
< {"jsonrpc":"2.0","id":1,"result":{}}

> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask","_meta":{"progressToken":2}}}
< {"jsonrpc":"2.0","id":"s1","method":"sampling/createMessage","params":{}}
> {"jsonrpc":"2.0","id":"s1","result":{"role":"assistant"}}
< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2,"progress":1,"total":3}}
< {"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"no \u001b[31m model"}}
< not JSON`

func TestSequence_Paint_ArrowsInBothDirections(t *testing.T) {
	p := newRig(t, sampling)
	p.Select(4)
	got := screen(t, p, 120, 30)
	for _, text := range []string{
		"── 1 ping ─", "◀─ 100 ms ─", "+10.1 s", "2 tools/call ask ─", "─ \"s1\" sampling/createMessage ──", "── \"s1\" ok role: assistant ──", "─ 100 ms ─▶",
		"╌ token 2 progress 1/3 ╌╌", "◀─ 400 ms ─", "2 ✗ error -32603 no ", "not a message: not JSON \"not JSON\"", "← error response", "2 ask", "everything 2.0.0 server",
	} {
		if !strings.Contains(got, text) {
			t.Errorf("the diagram lacks %q:\n%s", text, got)
		}
	}
	if strings.Contains(got, "\x1b[31m") {
		t.Error("a control sequence of the server reaches the terminal")
	}
	if !strings.Contains(got, `▸ "_meta": { 1 }`) || strings.Contains(got, `"progressToken": 2`) {
		t.Errorf("_meta is not folded:\n%s", got)
	}
	if p.Selected() != 2 || len(p.Exchange()) != 5 {
		t.Errorf("selected %d: %v", p.Selected(), p.Exchange())
	}
}

func TestSequence_Paint_TooDeep(t *testing.T) {
	p := newRig(t, `> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nest"}}
< {"jsonrpc":"2.0","id":1,"result":{"a":`+strings.Repeat("[", jsonrpc.MaxDepth)+strings.Repeat("]", jsonrpc.MaxDepth)+`}}`)
	text := screen(t, p, 180, 12)
	if !strings.Contains(text, "⚠ not read: nested deeper than 1,000 levels") || strings.Contains(text, "ok") {
		t.Errorf("%s", text)
	}
}

func TestSequence_Move_ByExchange(t *testing.T) {
	p := newRig(t, sampling)
	p.Motion(keys.Top)
	var leads []int32
	for range 4 {
		leads = append(leads, p.Selected())
		p.Motion(keys.Down)
	}
	if leads[0] != 0 || leads[1] != 2 || leads[2] != 7 || leads[3] != 7 {
		t.Errorf("%v", leads)
	}
}

func TestSequence_ToggleOnly_LeavesOutOtherFrames(t *testing.T) {
	p := newRig(t, sampling)
	p.Select(2)
	program := panetest.New(t)
	program.Pane = p
	program.Run("view.shown")
	if got := screen(t, p, 80, 20); strings.Contains(got, "ping") || !strings.Contains(got, "sampling/createMessage") || !strings.Contains(got, "selected exchange") {
		t.Error(got)
	}
}

func TestSequence_Paint_AnySize(t *testing.T) {
	for _, conversation := range []string{sampling, ""} {
		p := newRig(t, conversation)
		for w := 40; w < 210; w += 17 {
			for h := 5; h < 60; h += 6 {
				screen(t, p, w, h)
				p.Motion(keys.Up)
			}
		}
	}
}

func TestSequence_Filter_FramesThatPass(t *testing.T) {
	p, of := newRigOf(t, sampling)
	of.Filter.Set("method:sampling/createMessage")
	got := screen(t, p, 80, 20)
	if strings.Contains(got, "ping") || !strings.Contains(got, "sampling/createMessage") || !strings.Contains(got, "/ method:") {
		t.Error(got)
	}
	if p.Selected() != 2 {
		t.Errorf("selected %d", p.Selected())
	}
	p.Motion(keys.Up)
	p.Motion(keys.Top)
	of.Filter.Set("nothing like this")
	if got := screen(t, p, 80, 20); !strings.Contains(got, "No frame matches") {
		t.Error(got)
	}
	p.Motion(keys.Down)
	p.Motion(keys.Back)
	if got := screen(t, p, 80, 20); !strings.Contains(got, "ping") {
		t.Error(got)
	}
}

// Progress of parallel calls is folded, space shows it.
func TestSequence_Fold_ParallelProgress(t *testing.T) {
	var b strings.Builder
	b.WriteString(`> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":1}}}` + "\n")
	b.WriteString(`> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"b","_meta":{"progressToken":2}}}` + "\n")
	for range 400 {
		b.WriteString(`< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1,"total":9}}` + "\n")
		b.WriteString(`< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2,"progress":1}}` + "\n")
	}
	b.WriteString(`< {"jsonrpc":"2.0","id":1,"result":{}}` + "\n" + `< {"jsonrpc":"2.0","id":2,"result":{}}`)
	p := newRig(t, b.String())
	got := screen(t, p, 120, 20)
	for _, text := range []string{"▸ 254 progress  of 2 requests", "▸ 256 progress  of 2 requests  25.5 s", "▸ 34 progress", "2 tools/call b", "2 ok"} {
		if !strings.Contains(got, text) {
			t.Errorf("the diagram lacks %q:\n%s", text, got)
		}
	}
	prog := panetest.New(t)
	prog.Pane = p
	prog.Press("space")
	if got := screen(t, p, 120, 20); strings.Contains(got, "▸ 2") || !strings.Contains(got, "╌ token 2 progress") {
		t.Error(got)
	}
	prog.Press("space")
	p.Motion(keys.Top)
	if got := screen(t, p, 120, 20); !strings.Contains(got, "▸ 34 progress") {
		t.Error(got)
	}
}

// An exchange after a pause stands apart; notes and who responded are in the rows.
func TestSequence_Paint_PausesAndNotes(t *testing.T) {
	p, of := newRigOf(t, sampling)
	p.By = func() map[int32]string { return map[int32]string{3: "you"} }
	if err := of.Store().SetMark(record.Mark{Row: 1, Note: "fine"}); err != nil {
		t.Fatal(err)
	}
	if got := screen(t, p, 120, 30); !strings.Contains(got, "answered by you") || !strings.Contains(got, "“fine”") {
		t.Error(got)
	}
}

// The transport between the heads is whole or left out, also beside a long name of a server.
func TestSequence_Paint_TransportIsNotCut(t *testing.T) {
	p := newRig(t, `
> {"jsonrpc":"2.0","id":1,"method":"ping"}
`)
	p.Names = func() (string, string) { return "mcp-servers/everything 2.0.0", "stdio" }
	whole := 0
	for w := 52; w < 122; w++ { // below that the heads fill the row
		_, head, ok := strings.Cut(screen(t, p, w, 8), "mcptea client")
		if !ok {
			t.Fatalf("%d cells: no heads", w)
		}
		head, _, _ = strings.Cut(head, "\n")
		switch between := strings.TrimSpace(head); {
		case strings.HasPrefix(between, "stdio "):
			whole++
		case !strings.HasPrefix(between, "mcp"):
			t.Errorf("%d cells: %s", w, head)
		}
	}
	if whole == 0 {
		t.Error("the transport is never there")
	}
}

// The diagram has the exchanges of the list: each root once, with all frames of the exchange.
func TestSequence_ExchangesAreThoseOfTheList(t *testing.T) {
	p, of := newRigOf(t, sampling+`
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"slow"}}
> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}
< {"jsonrpc":"2.0","id":3,"result":{}}
< {"jsonrpc":"2.0","id":3,"result":{}}
< {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	s := of.Store()
	want := map[int32][]int32{}
	var roots []int32
	for row := range int32(s.Snapshot().Rows) {
		root := s.Root(row)
		if root == row {
			roots = append(roots, row)
		}
		want[root] = append(want[root], row)
	}
	p.Home()
	for n, root := range roots {
		if p.Selected() != root || !slices.Equal(p.Exchange(), want[root]) {
			t.Errorf("exchange %d is %d: %v, want %d: %v", n, p.Selected(), p.Exchange(), root, want[root])
		}
		p.Move(1)
	}
	for _, row := range want[roots[2]] {
		if p.Select(row); p.Selected() != roots[2] {
			t.Errorf("row %d leads to %d", row, p.Selected())
		}
	}
}
