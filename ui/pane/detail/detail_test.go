package detail

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session"
	"mcptea/session/filter"
	"mcptea/session/lint"
	"mcptea/session/record"
	"mcptea/session/store"
	"mcptea/themes"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/widget/input"
)

// source is a store, and what is wrong with the rows.
type source struct {
	s     *store.Store
	found map[int32][]lint.Finding
}

func (s source) Store() *store.Store                 { return s.s }
func (s source) State() session.State                { return session.State{} }
func (s source) FindingsAt(row int32) []lint.Finding { return s.found[row] }

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
	t     *testing.T
	s     *store.Store
	p     *Pane
	found map[int32][]lint.Finding
}

func newBench(t *testing.T) *bench {
	t.Helper()
	s, err := store.Create(store.Options{}, record.Header{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	found := map[int32][]lint.Finding{}
	exchanges(s)
	return &bench{t, s, New(source{s, found}), found}
}

func (b *bench) frame(dir transport.Direction, text string, exchange uint32) int32 {
	raw := []byte(text)
	row := b.s.Append(transport.Frame{Bytes: raw, Envelope: jsonrpc.Scan(raw), Time: time.Unix(1780000000, 0), Dir: dir, Ending: "\n", Exchange: exchange})
	return row
}

// show turns to a row and reads it, in the background if that is asked for.
func (b *bench) show(row int32) {
	if cmd := b.p.Show(row); cmd != nil {
		b.p.Take(cmd().(Loaded))
	}
}

func (b *bench) screen(w, h int) string {
	theme := themes.ForBackground(true)
	rows := b.p.Paint(paint.NewPalette(theme, false), paint.NewJSONStyles(theme), w, h, true)
	if len(rows) != h {
		b.t.Errorf("%d rows, want %d", len(rows), h)
	}
	for i, row := range rows {
		if got := ansi.StringWidth(row); got != w {
			b.t.Errorf("row %d is %d cells wide, not %d", i, got, w)
		}
		rows[i] = ansi.Strip(row)
	}
	return strings.Join(rows, "\n")
}

func (b *bench) sees(texts ...string) {
	b.t.Helper()
	screen := b.screen(100, 24)
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
	b.sees("#2 result of #1", `"content": []`, "response to #1", "tree  bytes  text  pair  http", "received")
	b.p.Do(command.SwitchView)
	b.sees("0000  7b 22 72")
	for _, key := range []string{"space", "Y", "/"} {
		if cmd, ok := command.Lookup(b.p.Context(), key); ok {
			t.Errorf("on bytes, %s means %s", key, cmd.ID)
		}
	}
	if a := b.p.Do(command.CopyValue); a != (action.OnFrame{Row: answer, Command: command.CopyFrame}) {
		t.Errorf("copied %+v", a)
	}
	b.p.Do(command.SwitchView)
	b.sees(`{"result":{"content":[]}`)
	b.p.Do(command.SwitchView)
	b.sees("its request", `"method": "tools/call"`, `"content": []`)
	b.p.Do(command.SwitchView)
	b.sees("POST http://h/mcp", "200", "Authorization: Bearer ••••")
	for _, id := range []command.ID{command.Resend, command.EditFrame} {
		if a := b.p.Do(id); a != (action.OnFrame{Row: answer, Command: id}) {
			t.Errorf("%s: %+v", id, a)
		}
	}
	if a, ok := b.p.Do(command.JumpToPair).(action.SelectFrame); !ok || a.Row != request {
		t.Errorf("the pair is %+v", a)
	}
}

// The end of a process is a sentence of the program, and no broken frame.
func TestTheEndOfAProcessIsASentence(t *testing.T) {
	b := newBench(t)
	frame := b.frame(transport.In, `{"jsonrpc":"2.0","method":"x"}`, 0)
	b.s.Process(transport.ProcessEvent{What: transport.ProcessExited}, "process exited  code 1")
	b.show(frame)
	b.p.Do(command.SwitchView) // bytes
	b.show(frame + 1)
	b.sees("process exited  code 1", "process ")
	if screen := b.screen(100, 24); strings.Contains(screen, "expected a value") || strings.Contains(screen, "tree") {
		t.Errorf("it is taken for a frame:\n%s", screen)
	}
	b.show(frame)
	b.sees("0000  7b 22") // as before
}

func TestBrokenFramesShowTheFault(t *testing.T) {
	b := newBench(t)
	b.show(b.frame(transport.In, `{"jsonrpc":"2.0","id":1,"result":{"a":1,}}`, 0))
	b.sees("not JSON, at byte 40", `"id": 1`)
	b.show(b.frame(transport.In, "Server listening\x1b[2J", 0))
	b.sees("not JSON", "53 65 72 76 65 72")
	b.show(b.frame(transport.In, `{"jsonrpc":"1.0","id":99,"result":{}}`, 0))
	b.sees(`"jsonrpc" is not "2.0"`, "no request has this id")
}

func TestCopyAndFilterTakeTheExactValue(t *testing.T) {
	b := newBench(t)
	b.show(b.frame(transport.Out, `{"jsonrpc":"2.0","id":1.0,"method":"m"}`, 0))
	b.screen(80, 20)
	b.p.Do(command.Down)
	b.p.Do(command.Down)
	if a := b.p.Do(command.CopyValue).(action.Copy); string(a.Bytes) != "1.0" {
		t.Errorf("copied %q", a.Bytes)
	}
	if a := b.p.Do(command.CopyPath).(action.Copy); a.Text != "$.id" {
		t.Errorf("path %q", a.Text)
	}
	if a := b.p.Do(command.FilterByValue).(action.Filter); a.Text != `"1.0"` {
		t.Errorf("filter %q", a.Text)
	}
}

func TestALargeFrameIsReadInTheBackground(t *testing.T) {
	b := newBench(t)
	row := b.frame(transport.In, `{"jsonrpc":"2.0","id":1,"result":{"text":"`+strings.Repeat("x", 2<<20)+`"}}`, 0)
	cmd := b.p.Show(row)
	if cmd == nil {
		t.Fatal("two megabytes are read while drawing")
	}
	b.sees("reading 2.1 MB")
	b.p.Take(cmd().(Loaded))
	b.sees(`"jsonrpc": "2.0"`)
}

func TestSearchSaysWhenThereIsNothing(t *testing.T) {
	b := newBench(t)
	b.show(b.frame(transport.In, `{"jsonrpc":"2.0","id":1,"result":{"deep":{"needle":1}}}`, 0))
	b.p.Do(command.CollapseAll)
	b.p.Do(command.Search)
	b.p.Paste("needle")
	b.sees(`"needle": 1`, "/ needle")
	b.p.Paste("x")
	b.sees("not found")
}

func TestAStatusThatIsNoSuccessIsExplained(t *testing.T) {
	b := newBench(t)
	answered := b.frame(transport.Out, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, 4)
	b.show(answered)
	if screen := b.screen(100, 24); strings.Contains(screen, "first check") {
		t.Errorf("a success is explained:\n%s", screen)
	}
	refused := b.frame(transport.Out, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, 5)
	b.show(refused)
	b.sees("404 Session not found", "usual cause", "Start a new session", "K more")
	if a, ok := b.p.Do(command.Explain).(action.ExplainRow); !ok || a.Row != refused {
		t.Errorf("K gives %+v", a)
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
	b.p.Take(b.p.Show(row)().(Loaded))
	b.p.Do(command.Search)
	b.p.Paste("needle")
	first := b.p.Show(row)
	b.p.Paste("s")
	second := b.p.Show(row)
	if first == nil || second == nil || b.p.Show(row) != nil {
		t.Fatal("each change of the text has to begin one search")
	}
	found := first().(Found)
	b.p.Go(second().(Found))
	b.p.Go(found) // of a text that is not searched any more
	if got := b.p.view.Path(); got != "$.result.needles" {
		t.Errorf("the cursor is at %s", got)
	}
	b.p.Paste("?")
	b.p.Go(b.p.Show(row)().(Found))
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
		var field input.Input
		field.SetValue(text)
		f, err := filter.Parse(field.Value())
		if err != nil {
			t.Errorf("%s: %q: %v", value, text, err)
			continue
		}
		row := store.Row{}
		if !f.Match(filter.Frame{Row: &row, Body: func() []byte { return frame }, ID: func() []byte { return nil }}) {
			t.Errorf("%s: its frame does not pass %q", value, text)
		}
	}
}
