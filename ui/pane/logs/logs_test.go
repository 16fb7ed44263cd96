package logs

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session"
	"mcptea/session/store"
	"mcptea/themes"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
)

var (
	palette = paint.NewPalette(themes.ForBackground(true), false)
	noon    = time.Date(2026, 8, 1, 10, 22, 1, 334e6, time.UTC)
)

// fixture is a pane over a session that a test feeds.
type fixture struct {
	*testing.T
	s  *session.Session
	st session.State
	p  *Pane
	n  int
}

func open(t *testing.T) *fixture {
	t.Helper()
	s, err := session.Open(session.Config{Target: client.Target{Argv: []string{"server"}}, Record: "off"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(t.Context()) })
	b := &fixture{T: t, s: s, p: New(s.Store())}
	b.st = session.State{Phase: session.Ready, Attempt: 1, Process: session.Process{PID: 7}}
	return b
}

func (b *fixture) at() time.Time {
	b.n++
	return noon.Add(time.Duration(b.n) * 137 * time.Millisecond)
}

func (b *fixture) frame(text string) {
	b.s.Tap().Frame(transport.Frame{Bytes: []byte(text), Envelope: jsonrpc.Scan([]byte(text)), Time: b.at(), Dir: transport.In, Ending: "\n"})
}

func (b *fixture) message(level, logger, data string) {
	params := fmt.Sprintf(`{"level":%q,"data":%s}`, level, data)
	if logger != "" {
		params = fmt.Sprintf(`{"level":%q,"logger":%q,"data":%s}`, level, logger, data)
	}
	b.frame(`{"jsonrpc":"2.0","method":"notifications/message","params":` + params + `}`)
}

func (b *fixture) stderr(text string) {
	b.s.Tap().Stderr(transport.Line{Time: b.at(), Text: []byte(text)})
}

func (b *fixture) refresh() {
	for {
		b.st.Logs = b.s.State().Logs
		b.p.Refresh(b.st, nil, noon, 0)
		if !b.p.filtering() || b.p.scanned >= b.st.Logs {
			return
		}
	}
}

func (b *fixture) press(text string) {
	for _, c := range text {
		if !b.p.Typing() {
			b.Fatal("the pane takes no text")
		}
		b.p.Type(tea.KeyPressMsg{Code: c, Text: string(c)})
	}
}

// screen is the painted pane as plain text. It checks what holds for every one.
func (b *fixture) screen(w, h int) string {
	b.Helper()
	rows := b.p.Paint(palette, paint.JSONStyles{}, w, h, true)
	if len(rows) != h {
		b.Errorf("%d rows, want %d", len(rows), h)
	}
	for i, row := range rows {
		if ansi.StringWidth(row) != w {
			b.Errorf("%dx%d: row %d has %d cells", w, h, i, ansi.StringWidth(row))
		}
		rows[i] = ansi.Strip(row)
		if strings.ContainsAny(rows[i], "\x1b\r\x07\u202e") {
			b.Errorf("row %d has control characters: %q", i, rows[i])
		}
	}
	return strings.Join(rows, "\n") + "\n"
}

func (b *fixture) screens() string {
	b.Helper()
	return b.screen(48, 8) + b.screen(80, 20) + b.screen(120, 16) + b.screen(200, 16)
}

func (b *fixture) sees(texts ...string) {
	b.Helper()
	s := b.screen(120, 20)
	for _, text := range texts {
		if !strings.Contains(s, text) {
			b.Errorf("%q is not there:\n%s", text, s)
		}
	}
}

func (b *fixture) sample() {
	b.stderr("listening on stdio")
	b.message("debug", "http", `"GET /forecast?city=Ulm 200"`)
	b.message("info", "", `"the kettle is on"`)
	b.message("notice", "boiler", `{"water":"fresh","litres":1.2}`)
	b.message("warning", "boiler", `"little water left"`)
	b.frame("Server listening on stdout…")
	b.message("error", "boiler", `"no water\nat all \u001b[31mred"`)
	b.message("critical", "", `"too hot"`)
	b.message("emergency", "", `"it burns"`)
	b.message("warn", "", `"a level that MCP does not define"`)
	b.stderr("Traceback (most recent call last): " + strings.Repeat("a long line on stderr, ", 20) + "\x1b[0m\x07end")
	b.refresh()
}

func TestPaint_Rows(t *testing.T) {
	b := open(t)
	b.sample()
	if b.p.Badge() != "11" || b.p.Busy() {
		t.Error("the tab counts, and nothing moves")
	}
	golden.RequireEqual(t, b.screens())
}

func TestReader_FullText(t *testing.T) {
	b := open(t)
	b.sample()
	b.screen(120, 20)
	b.p.Do(command.Up)
	b.p.Do(command.Top)
	b.sees("full text", "f follow")
	b.p.Do(command.Follow)
	b.sees("▼ follow")
	b.p.Scroll(0, 0, -1)
	b.p.Scroll(0, 0, 1)
	b.p.follow = false
	golden.RequireEqual(t, b.screen(80, 20)+b.screen(200, 24))
}

func TestEmpty_ByCapability(t *testing.T) {
	b := open(t)
	b.refresh()
	b.sees("notifications/message", "stderr", "does not declare logging")
	b.st.Handshake.ServerCaps = []byte(`{"logging":{}}`)
	b.refresh()
	b.sees("The server supports logging: e sets the level")
	if b.p.Badge() != "" || b.p.Do(command.ShowLogFrame) != nil {
		t.Error("there is nothing to count and no frame")
	}
}

func TestFilter_Words(t *testing.T) {
	b := open(t)
	b.sample()
	b.p.Do(command.FilterLogs)
	b.press("boiler -notice WATER")
	b.refresh()
	b.sees("2 of 11", "little water left", "no water")
	if x, y, ok := b.p.Cursor(); !ok || x != 24 || y != 1 {
		t.Errorf("the cursor is at %d,%d", x, y)
	}
	golden.RequireEqual(t, b.screen(80, 12))
	b.message("info", "boiler", `"more water"`)
	b.refresh()
	b.sees("3 of 12", "more water")
	b.p.Type(tea.KeyPressMsg{Code: tea.KeyEnter})
	if b.p.Typing() {
		t.Error("enter ends the typing")
	}
	b.sees("3 of 12")
	if b.p.Do(command.Back) != nil {
		t.Error("the first esc does not clear the filter")
	}
	b.sees("12  ▼ follow")
	if _, ok := b.p.Do(command.Back).(action.Leave); !ok {
		t.Error("the second esc does not leave")
	}
	b.p.Do(command.FilterLogs)
	b.p.Paste("stderr")
	b.refresh()
	b.sees("2 of 12")
	b.p.Type(tea.KeyPressMsg{Code: 'x', Text: "x"})
	b.sees("No matching entries. esc clears the filter.")
	b.p.Type(tea.KeyPressMsg{Code: tea.KeyEscape})
	b.sees("the kettle is on")
}

func TestFilter_Severity(t *testing.T) {
	b := open(t)
	b.sample()
	for _, want := range []string{"info and above ", "warning and above ", "error and above "} {
		b.p.Do(command.CycleLogLevel)
		b.sees(want)
	}
	b.sees("4 of 11", "stray", "too hot")
	if s := b.screen(120, 20); strings.Contains(s, "little water") || strings.Contains(s, "Traceback") {
		t.Error(s)
	}
	b.p.Do(command.CycleLogLevel)
	b.sees("11  ▼ follow")
}

func TestSetServerLevel_ByAttempt(t *testing.T) {
	b := open(t)
	b.sample()
	set, ok := b.p.Do(command.SetServerLevel).(action.SetLevel)
	if !ok || set.Level != "debug" {
		t.Fatalf("%+v", set)
	}
	b.p.Handle(action.Started{Ref: set.Ref, Call: b.s.SetLevel(set.Level)}) // fails at once: nothing is connected
	b.refresh()
	b.sees("server level debug: error")
	set = b.p.Do(command.SetServerLevel).(action.SetLevel)
	if set.Level != "info" {
		t.Errorf("%s", set.Level)
	}
	b.p.level.inForce, b.p.level.failed = "info", ""
	b.sees("server level info")
	b.st.Attempt = 2
	b.refresh()
	if strings.Contains(b.screen(120, 20), "server level") {
		t.Error("the level survives a new connection")
	}
	b.st.Phase = session.Ended
	b.refresh()
	if _, ok := b.p.Do(command.SetServerLevel).(action.Flash); !ok {
		t.Error("the level is set without a connection")
	}
}

func TestShowLogFrame_KeysAndMouse(t *testing.T) {
	b := open(t)
	b.sample()
	b.screen(120, 20)
	if _, ok := b.p.Do(command.ShowLogFrame).(action.Flash); !ok {
		t.Error("stderr has no frame")
	}
	b.p.Do(command.Top)
	b.p.Do(command.Down)
	if a, ok := b.p.Do(command.ShowLogFrame).(action.SelectFrame); !ok || a.Row != 0 {
		t.Errorf("%+v", a)
	}
	b.screen(120, 20)
	if a := b.p.Click(5, 5); a != nil || b.p.list.Index() != 3 {
		t.Errorf("a click selects: %v, %d", a, b.p.list.Index())
	}
	if a, ok := b.p.Click(5, 5).(action.SelectFrame); !ok || a.Row != 2 {
		t.Errorf("a second one shows the frame: %+v", a)
	}
	if b.p.Click(5, 0) != nil || b.p.Click(5, 1) != nil || b.p.list.Index() != 3 {
		t.Error("the border and the heading select nothing")
	}
}

// Entries that the session drops from memory do not move the rows on the screen.
func TestRefresh_OldestForgotten(t *testing.T) {
	b := open(t)
	for i := range 19990 {
		b.stderr(fmt.Sprintf("line %d", i))
	}
	b.refresh()
	b.screen(120, 20)
	b.p.Do(command.Top)
	for range 40 {
		b.p.Do(command.Down)
	}
	b.screen(120, 20)
	for i := 19990; i < 20030; i++ {
		b.stderr(fmt.Sprintf("line %d", i))
	}
	b.refresh()
	b.sees("▌ ", "line 40 ", "newest 20,000 of 20,030")
	if l, _ := b.s.Store().LogAt(b.p.number(b.p.list.Index())); l.Text != "line 40" {
		t.Errorf("the cursor went to %q", l.Text)
	}
	b.filter("line 3")
	b.refresh()
	if b.p.Len() < 1000 {
		t.Errorf("%d entries pass", b.p.Len())
	}
	b.p.Do(command.Top)
	for i := range 300 {
		b.stderr(fmt.Sprintf("row %d", i))
	}
	b.refresh()
	b.sees("line 330 ")
}

func TestFilter_WorksInSlices(t *testing.T) {
	b := open(t)
	for i := range 20000 {
		b.message("info", "l", fmt.Sprintf(`"entry %d %s"`, i, strings.Repeat("x", 200)))
	}
	b.refresh()
	b.filter("entry 19999")
	if !b.p.Busy() {
		t.Error("the filter worked through the log in one go")
	}
	for range 10000 {
		b.p.Refresh(b.st, nil, noon, 0)
		if !b.p.Busy() {
			break
		}
	}
	b.sees("1 of 20,000")
}

func TestPaint_TinySizes(t *testing.T) {
	b := open(t)
	b.sample()
	b.p.Do(command.FilterLogs)
	for _, size := range [][2]int{{0, 0}, {1, 1}, {2, 2}, {5, 3}, {12, 40}, {40, 6}} {
		b.screen(size[0], size[1])
	}
}

func BenchmarkPaint(b *testing.B) {
	s, err := session.Open(session.Config{Target: client.Target{Argv: []string{"server"}}, Record: "off"})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = s.Close(b.Context()) }()
	for i := range 20000 {
		s.Tap().Stderr(transport.Line{Time: noon, Text: []byte(fmt.Sprintf("line %d", i))})
	}
	p := New(s.Store())
	p.Refresh(s.State(), nil, noon, 0)
	b.ReportAllocs()
	for b.Loop() {
		p.Refresh(s.State(), nil, noon, 0)
		p.Paint(palette, paint.JSONStyles{}, 160, 50, true)
	}
}

// filter replaces the words of the filter.
func (b *fixture) filter(text string) {
	b.p.input.SetValue(text)
	b.p.apply()
}

// manyLogs are lines of stderr.
type manyLogs int

func (m manyLogs) LogAt(n int) (store.Log, bool) {
	return store.Log{Source: store.LogStderr, Row: int32(n)}, n < int(m)
}

func (m manyLogs) LogText(l store.Log) (string, string) { return "", []string{"even", "odd"}[l.Row%2] }

// A filter that takes several looks keeps the selected entry, or the next one that passes.
func TestFilter_SelectionIsKept(t *testing.T) {
	budget = 0
	t.Cleanup(func() { budget = 4 * time.Millisecond })
	for filter, want := range map[string]int{"stderr": 4000, "odd": 4001, "even": 4000} {
		p := New(manyLogs(5000))
		st := session.State{Logs: 5000}
		p.Refresh(st, nil, time.Time{}, 0)
		p.follow = false
		p.list.SelectIndex(4000)
		p.input.Open()
		p.Paste(filter)
		for p.Busy() {
			p.Refresh(st, nil, time.Time{}, 0)
		}
		p.Refresh(st, nil, time.Time{}, 0)
		if got := p.number(p.list.Index()); got != want {
			t.Errorf("%s: entry %d of %d is selected, want %d", filter, got, p.Len(), want)
		}
		p.Do(command.Back)
		p.Refresh(st, nil, time.Time{}, 0)
		if got := p.number(p.list.Index()); got != want {
			t.Errorf("%s is cleared: entry %d is selected, want %d", filter, got, want)
		}
	}
	p := New(manyLogs(5000)) // follows, and the filter finds another entry
	st := session.State{Logs: 5000}
	p.Refresh(st, nil, time.Time{}, 0)
	p.Paste("x")
	p.input.Open()
	p.Paste("even")
	for p.Busy() {
		p.Refresh(st, nil, time.Time{}, 0)
	}
	p.Do(command.Back)
	p.Refresh(st, nil, time.Time{}, 0)
	if got := p.number(p.list.Index()); got != 4998 {
		t.Errorf("entry %d is selected, want 4998", got)
	}
}
