package pane_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/test/panetest"
	"mcptea/internal/test/sessiontest"
	"mcptea/record/store"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/pane/logs"
)

var logsNoon = time.Date(2026, 8, 1, 10, 22, 1, 334e6, time.UTC)

// logsFixture is a pane over a session that a test feeds.
type logsFixture struct {
	*panetest.Program
	s  *session.Session
	st session.State
	p  *logs.Pane
	n  int
}

func logsOpen(t *testing.T) *logsFixture {
	t.Helper()
	s, err := session.Open(session.Config{Target: client.Target{Argv: []string{"server"}}, Record: "off"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(t.Context()) })
	b := &logsFixture{Program: panetest.New(t), s: s}
	b.p = logs.New(b, s.Store(), s)
	b.Pane = b.p
	b.st = session.State{Phase: session.Ready, Attempt: 1, Process: session.Process{PID: 7}}
	return b
}

func (b *logsFixture) at() time.Time {
	b.n++
	return logsNoon.Add(time.Duration(b.n) * 137 * time.Millisecond)
}

func (b *logsFixture) frame(text string) {
	b.s.Tap().Frame(transport.Frame{Bytes: []byte(text), Envelope: jsonrpc.Scan([]byte(text)), Time: b.at(), Dir: transport.In, Ending: "\n"})
}

func (b *logsFixture) message(level, logger, data string) {
	params := fmt.Sprintf(`{"level":%q,"data":%s}`, level, data)
	if logger != "" {
		params = fmt.Sprintf(`{"level":%q,"logger":%q,"data":%s}`, level, logger, data)
	}
	b.frame(`{"jsonrpc":"2.0","method":"notifications/message","params":` + params + `}`)
}

func (b *logsFixture) stderr(text string) {
	b.s.Tap().Stderr(transport.Line{Time: b.at(), Text: text})
}

func (b *logsFixture) refresh() {
	for {
		b.st.Logs = b.s.State().Logs
		if b.look(); !b.p.Behind() {
			return
		}
	}
}

// look is one look at what is new.
func (b *logsFixture) look() (busy bool) { return b.p.Refresh(app.Tick{State: b.st, Now: logsNoon}) }

// do runs a command, and returns what the pane asked for.
func (b *logsFixture) do(id string) string {
	b.Asked = nil
	b.Run(id)
	return strings.Join(b.Asked, "; ")
}

// click clicks on a cell, and returns what the pane asked for.
func (b *logsFixture) click(x, y int) string {
	b.Asked = nil
	b.Screen.Click(x, y)
	return strings.Join(b.Asked, "; ")
}

func (b *logsFixture) screen(w, h int) string {
	b.T.Helper()
	return b.Paint(w, h, true)
}

func (b *logsFixture) screens() string {
	b.T.Helper()
	return b.screen(48, 8) + b.screen(80, 20) + b.screen(120, 16) + b.screen(200, 16)
}

func (b *logsFixture) sees(texts ...string) {
	b.T.Helper()
	s := b.screen(120, 20)
	for _, text := range texts {
		if !strings.Contains(s, text) {
			b.T.Errorf("%q is not there:\n%s", text, s)
		}
	}
}

func (b *logsFixture) sample() {
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

func TestLogs_Paint_Rows(t *testing.T) {
	b := logsOpen(t)
	b.sample()
	if b.p.Badge() != "11" || b.look() {
		t.Error("the tab counts, and nothing moves")
	}
	golden.RequireEqual(t, b.screens())
}

func TestLogs_Reader_FullText(t *testing.T) {
	b := logsOpen(t)
	b.sample()
	b.screen(120, 20)
	b.Press("k")
	b.Press("g")
	b.sees("full text", "f follow")
	b.do("follow")
	b.sees("▼ follow")
	b.Screen.Wheel(5, 5, -1)
	b.Screen.Wheel(5, 5, 1)
	b.do("follow")
	golden.RequireEqual(t, b.screen(80, 20)+b.screen(200, 24))
}

func TestLogs_Empty_ByCapability(t *testing.T) {
	b := logsOpen(t)
	b.refresh()
	b.sees("notifications/message", "stderr", "does not declare logging")
	b.st.Handshake.ServerCaps = []byte(`{"logging":{}}`)
	b.refresh()
	b.sees("The server supports logging: , sets the level")
	if b.p.Badge() != "" || !strings.HasPrefix(b.do("frame"), "off:") {
		t.Error("there is nothing to count and no frame")
	}
}

func TestLogs_Filter_Words(t *testing.T) {
	b := logsOpen(t)
	b.sample()
	b.do("filter")
	b.Type("boiler -notice water")
	b.refresh()
	b.sees("2 of 11", "little water left", "no water")
	if x, y, ok := b.Screen.Cursor(); !ok || x != 24 || y != 1 {
		t.Errorf("the cursor is at %d,%d", x, y)
	}
	golden.RequireEqual(t, b.screen(80, 12))
	b.message("info", "boiler", `"more water"`)
	b.refresh()
	b.sees("3 of 12", "more water")
	b.Press("enter")
	b.screen(120, 20)
	if b.Screen.Field() != nil {
		t.Error("enter ends the typing")
	}
	b.sees("3 of 12")
	if b.Press("esc") != "" {
		t.Error("the first esc does not clear the filter")
	}
	b.sees("12  ▼ follow")
	if b.Press("esc") != "leave" {
		t.Error("the second esc does not leave")
	}
	b.do("filter")
	b.Type("from:stderr")
	b.sees("/ from:stderr")
	if screen := b.Paint(120, 30, true); !strings.Contains(screen, " stderr ") || strings.Contains(screen, " server ") {
		t.Errorf("the column from has other words than the filter:\n%s", screen)
	}
	b.Press("ctrl+u")
	b.Type("level:warning logger:boiler")
	b.refresh()
	b.sees("/ level:warning logger:boiler", "no water")
	b.Press("ctrl+u")
	b.Type("lev")
	b.refresh()
	b.sees("level:", "of at least this level", "messages left")
	b.Press("tab")
	b.Type("lots")
	b.sees("level: takes a level such as info, warning or error", "^^^^")
	b.Press("esc")
	b.do("filter")
	b.screen(120, 20)
	b.Screen.Field().Paste("stderr")
	b.refresh()
	b.sees("2 of 12")
	b.Type("x")
	b.sees("No log message matches the filter. esc clears it. Entries without a level, such as stderr, count as info.")
	b.Press("esc")
	b.sees("the kettle is on")
}

func TestLogs_Filter_Severity(t *testing.T) {
	b := logsOpen(t)
	b.sample()
	for _, want := range []string{"/ level:info ", "/ level:warning ", "/ level:error "} {
		b.do("filter.by")
		b.sees(want)
	}
	b.sees("4 of 11", "stray", "too hot")
	if s := b.screen(120, 20); strings.Contains(s, "little water") || strings.Contains(s, "Traceback") {
		t.Error(s)
	}
	// What is typed is added to what the key has chosen, and replaces what was typed.
	b.do("filter")
	b.Type("too")
	b.refresh()
	b.sees("/ level:error too", "too hot")
	b.Press("enter")
	b.do("filter")
	b.Type("stray")
	b.refresh()
	b.sees("/ stray")
	b.Press("esc")
	for range 4 {
		b.do("filter.by")
	}
	b.sees("11  ▼ follow")
}

// settledLevels is a session whose requests for a level have their responses at once.
type settledLevels struct{ *session.Session }

func (s *settledLevels) SetLevel(level string) *session.Call {
	c := s.Session.SetLevel(level)
	<-c.Done()
	return c
}

// connectedSession is a session with a server that takes all requests.
func connectedSession(t *testing.T) *session.Session {
	t.Helper()
	s, err := session.Open(session.Config{Target: client.Target{Argv: []string{"server"}}, Record: "off", Dial: sessiontest.Dial(serving("logs", ""))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(t.Context()) })
	if err := s.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestLogs_SetServerLevel_ByAttempt(t *testing.T) {
	b := logsOpen(t)
	levels := &settledLevels{b.s}
	b.p = logs.New(b, b.s.Store(), levels)
	b.Pane = b.p
	b.sample()
	b.do("setting")
	b.sees("of this level and more severe ones", "debug", "emergency")
	b.Press("enter") // fails at once: nothing is connected
	b.refresh()
	b.sees("server level debug: error")
	b.do("setting")
	b.Press("down", "enter")
	b.refresh()
	b.sees("server level info: error")
	levels.Session = connectedSession(t)
	b.do("setting")
	b.sees("mcptea has set no level on this connection.")
	b.Press("down", "down", "enter")
	b.refresh()
	b.sees("server level notice ")
	b.do("setting")
	b.sees("● notice")
	if strings.Contains(b.screen(120, 36), "has set no level") {
		t.Error("the dialog denies the level that it marks")
	}
	b.Press("down", "down", "enter")
	b.refresh()
	b.st.Attempt = 2
	b.refresh()
	if strings.Contains(b.screen(120, 20), "server level") {
		t.Error("the level survives a new connection")
	}
	b.st.Phase = session.Ended
	b.refresh()
	if b.do("setting") != "off: Not connected: the level cannot be set." {
		t.Error("the level is set without a connection")
	}
}

func TestLogs_ShowLogFrame_KeysAndMouse(t *testing.T) {
	b := logsOpen(t)
	b.sample()
	b.screen(120, 20)
	if a := b.do("frame"); a != "" || !strings.Contains(b.screen(120, 36), "full text") {
		t.Errorf("opening a line of stderr asks for %q, and its text is not shown", a)
	}
	b.Press("g")
	b.Press("j")
	if a := b.do("frame"); a != "show frame 0" {
		t.Error(a)
	}
	b.screen(120, 20)
	if a := b.click(5, 5); a != "" || b.selected() != 3 {
		t.Errorf("a click selects: %v, %d", a, b.selected())
	}
	if a := b.click(5, 5); a != "show frame 2" {
		t.Errorf("a second one shows the frame: %q", a)
	}
	if b.click(5, 0) != "" || b.click(5, 1) != "" || b.selected() != 3 {
		t.Error("the border and the heading select nothing")
	}
}

// Entries that the session drops from memory do not move the rows on the screen.
func TestLogs_Refresh_OldestForgotten(t *testing.T) {
	b := logsOpen(t)
	for i := range 19990 {
		b.stderr(fmt.Sprintf("line %d", i))
	}
	b.refresh()
	b.screen(120, 20)
	b.Press("g")
	for range 40 {
		b.Press("j")
	}
	b.screen(120, 20)
	for i := 19990; i < 20030; i++ {
		b.stderr(fmt.Sprintf("line %d", i))
	}
	b.refresh()
	b.sees("▌", "line 40 ", "newest 20,000 of 20,030")
	if l, _ := b.s.Store().LogAt(b.selected()); l.Text != "line 40" {
		t.Errorf("the cursor went to %q", l.Text)
	}
	b.filter("line 3")
	b.refresh()
	if b.p.Count() < 1000 {
		t.Errorf("%d entries pass", b.p.Count())
	}
	b.Press("g")
	for i := range 300 {
		b.stderr(fmt.Sprintf("row %d", i))
	}
	b.refresh()
	b.sees("line 330 ")
}

// A filter that looks at the newest entries says so.
func TestLogs_Filter_OfTheNewest(t *testing.T) {
	b := logsOpen(t)
	b.stderr("needle")
	for i := range 20_100 {
		b.message("info", "", fmt.Sprintf(`"hay %d"`, i))
	}
	b.refresh()
	b.filter("hay 17778 or hay 17888")
	b.refresh()
	b.sees("2 of the newest 20,000 (of 20,101)", "hay 17888")
	b.Press("esc")
	b.filter("needle")
	b.refresh()
	s := strings.Join(strings.Fields(b.screen(200, 20)), " ")
	for _, text := range []string{
		"0 of the newest 20,000 (of 20,101)", "None of the newest 20,000 log messages matches the filter.",
		"Traffic has all messages of the server: / in", "finds older ones.", "Older lines on stderr are not in memory.",
	} {
		if !strings.Contains(s, text) {
			t.Errorf("the screen lacks %q:\n%s", text, s)
		}
	}
}

func TestLogs_Filter_WorksInSlices(t *testing.T) {
	b := logsOpen(t)
	for i := range 20000 {
		b.message("info", "l", fmt.Sprintf(`"entry %d %s"`, i, strings.Repeat("x", 200)))
	}
	b.refresh()
	b.filter("entry 19999")
	if !b.look() {
		t.Error("the filter worked through the log in one go")
	}
	for range 10000 {
		if !b.look() {
			break
		}
	}
	b.sees("1 of 20,000")
}

func TestLogs_Paint_TinySizes(t *testing.T) {
	b := logsOpen(t)
	b.sample()
	b.do("filter")
	for _, size := range [][2]int{{0, 0}, {1, 1}, {2, 2}, {5, 3}, {12, 40}, {40, 6}} {
		b.screen(size[0], size[1])
	}
}

// filter types the words of the filter.
func (b *logsFixture) filter(text string) {
	b.do("filter")
	b.screen(120, 20)
	b.Screen.Field().Paste(text)
	b.Press("enter")
}

// selected is the number of the selected entry.
func (b *logsFixture) selected() int {
	n, _ := b.p.Selected()
	return n
}

// manyLogs are lines of stderr.
type manyLogs int

func (m manyLogs) LogAt(n int) (store.Log, bool) {
	return store.Log{Source: store.LogStderr, Row: int32(n)}, n < int(m)
}

func (m manyLogs) LogText(l store.Log) (string, string, error) {
	return "", []string{"even", "odd"}[l.Row%2], nil
}

// A filter that takes several looks keeps the selected entry, or the next one that passes.
func TestLogs_Filter_SelectionIsKept(t *testing.T) {
	tick := app.Tick{State: session.State{Logs: 200_000}}
	open := func() (*panetest.Program, *logs.Pane) {
		b := panetest.New(t)
		p := logs.New(b, manyLogs(tick.State.Logs), nil)
		b.Pane = p
		p.Refresh(tick)
		return b, p
	}
	filter := func(b *panetest.Program, p *logs.Pane, words string) {
		b.Press("/")
		b.Paint(120, 20, true)
		b.Screen.Field().Paste(words)
		if !p.Behind() {
			t.Error("the filter worked through the log in one go")
		}
		for p.Refresh(tick) {
		}
	}
	drop := func(b *panetest.Program, p *logs.Pane) {
		b.Press("enter", "esc")
		p.Refresh(tick)
	}
	for words, want := range map[string]int{"stderr": 160_000, "odd": 160_001, "even": 160_000} {
		b, p := open()
		p.Select(160_000)
		filter(b, p, words)
		if got, _ := p.Selected(); got != want {
			t.Errorf("%s: entry %d of %d is selected, want %d", words, got, p.Count(), want)
		}
		drop(b, p)
		if got, _ := p.Selected(); got != want {
			t.Errorf("%s is cleared: entry %d is selected, want %d", words, got, want)
		}
	}
	b, p := open() // follows, and the filter finds another entry
	filter(b, p, "even")
	drop(b, p)
	if got, _ := p.Selected(); got != 199_998 {
		t.Errorf("entry %d is selected, want 199998", got)
	}
}

// serving is a server called by a name whose tools are given as JSON; a call of a tool
// returns the name.
func serving(name, tools string) sessiontest.Serve {
	return sessiontest.Scripted(func(method, id string) string {
		result := "{}"
		switch method {
		case "initialize":
			result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"` + name + `","version":"1"}}`
		case "tools/list":
			result = `{"tools":[` + tools + `]}`
		case "tools/call":
			result = `{"content":[{"type":"text","text":"from ` + name + `"}]}`
		}
		return `{"jsonrpc":"2.0","id":` + id + `,"result":` + result + `}`
	})
}
