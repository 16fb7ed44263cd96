package browse_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/oauth"
	"mcptea/client/transport"
	"mcptea/client/transport/stdio"
	"mcptea/lint"
	sessionrecord "mcptea/record"
	"mcptea/record/store"
	"mcptea/session/session"
)

func (f *fakeSession) frame(dir transport.Direction, at time.Time, text string) {
	f.s.Tap().Frame(transport.Frame{Bytes: []byte(text), Envelope: jsonrpc.Scan([]byte(text)), Time: at, Dir: dir, Ending: "\n"})
}

func record(t *testing.T) (*table, *fakeSession) {
	s, err := session.Open(session.Config{Target: client.Target{Argv: []string{"x"}}, Record: "off"})
	if err != nil {
		t.Fatal(err)
	}
	s.Store().Connection(sessionrecord.Connection{What: sessionrecord.ConnectionOpened})
	t.Cleanup(func() { _ = s.Close(t.Context()) })
	tb := open(t, "tools")
	tb.fake.s = s
	return tb, tb.fake
}

func (tb *table) stderr(r *fakeSession, at time.Time, lines ...string) {
	for _, l := range lines {
		r.s.Tap().Stderr(transport.Line{Time: at, Text: l})
	}
	tb.state.Logs, _ = r.Store().Logs()
}

func (tb *table) exits(code int) {
	tb.state.Phase = session.Ended
	tb.answer("", 436*time.Millisecond, &client.ClosedError{Method: "tools/call", Err: &stdio.ExitError{Code: code, After: time.Second}})
}

func TestCrash_CauseRemedyAndStderr(t *testing.T) {
	source := filepath.Join(t.TempDir(), "index.go")
	if err := os.WriteFile(source, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tb, r := record(t)
	r.frame(transport.Out, tb.now, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"reindex"}}`)
	r.frame(transport.Out, tb.now, `{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"echo"}}`)
	tb.stderr(r, tb.now.Add(-time.Second), "before the call")
	tb.Press("enter", "a", "enter")
	tb.stderr(r, tb.now.Add(time.Millisecond), "panic: runtime error: integer divide by zero", "", "goroutine 34 [running]:", "main.page(0x1)", "\t"+source+":118 +0x1d", "main.main()", "exit status 2")
	r.s.Store().Disconnected(r.s.Store().Conn(), "exit")
	tb.exits(2)
	for _, size := range [][2]int{{80, 17}, {120, 17}, {220, 40}} {
		tb.sees(size[0], size[1], "call id 8 no response", "The server crashed during this call:", "integer", "→ r restart and send again   R restart",
			"→ o open index.go:118 in $EDITOR", "│ panic: runtime error: integer divide by")
		if s := tb.screen(size[0], size[1]); strings.Contains(s, "before the call") || strings.Contains(s, "8 tools/call echo") {
			t.Error(s)
		}
	}
	tb.sees(120, 24, "also pending", "7 tools/call reindex")
	tb.expect(fmt.Sprintf("open %s:118", source), "o")
	sent, reconnects := tb.sent(), 0
	tb.pane.Reconnect = func(context.Context) error { reconnects++; return errors.New("refused") }
	if tb.Press("r"); reconnects != 1 || tb.Paint(80, 20, true) == "" {
		t.Error("r does not connect again")
	}
	tb.state.Phase, tb.state.Attempt = session.Ready, 2
	tb.refresh()
	if tb.Press("r"); tb.sent() != sent {
		t.Errorf("r sends %s", tb.sent())
	}
	if calls, _ := tb.item().Calls(); len(calls) != 2 {
		t.Errorf("%d calls", len(calls))
	}
}

func TestCrash_FocusStaysWhileTyping(t *testing.T) {
	tb, _ := record(t)
	tb.Press("enter", "a", "enter", "e", "b")
	tb.exits(1)
	if tb.pane.Section() != "form" {
		t.Errorf("the focus is in the %s", tb.pane.Section())
	}
	tb.sees(120, 24, "alt+r restart and send again   alt+R restart", "nothing was written to it since this call")
}

func TestCrash_RestartIsNone(t *testing.T) {
	tb, _ := record(t)
	tb.Press("enter", "a", "enter")
	tb.answer("", time.Second, &client.ClosedError{Method: "tools/call", Err: client.ErrClosed})
	if s := tb.screen(120, 24); strings.Contains(s, "crashed") {
		t.Error(s)
	}
}

func TestCall_DeadlineAndExtension(t *testing.T) {
	tb, r := record(t)
	tb.Press("enter", "a", "enter")
	r.deadline = tb.now.Add(60 * time.Second)
	tb.now = tb.now.Add(4300 * time.Millisecond)
	tb.refresh()
	tb.sees(120, 24, "4.3 s, times out in 56 s", "alt+= 30 s more")
	tb.expect("extend 8 30s", "alt+=")
	tb.answer("", time.Minute, &client.TimeoutError{Method: "tools/call", After: 90 * time.Second})
	tb.sees(120, 24, "call id 8 timed out after 1m30s", "mcptea has cancelled the request.", "A response that", "still arrives is in Traffic.")
}

// How long a call may take yet is whole in a narrow pane, too: under the bar, beside what the server says.
func TestCall_RestIsWhole(t *testing.T) {
	tb, r := record(t)
	tb.Press("enter", "a", "enter")
	r.deadline = tb.now.Add(60 * time.Second)
	tb.now = tb.now.Add(8 * time.Second)
	tb.refresh(store.Flow{ID: jsonrpc.IDOf("8"), Method: "tools/call", Reports: 4, Progress: 4, Total: 5, HasTotal: true, Message: "step 4 of 5", LastReport: tb.now})
	for _, w := range []int{76, 120} {
		tb.sees(w, 24, "80%", "times out in 52 s", "about 2.0 s left", "step 4 of 5")
	}
}

func TestCall_NamesUnmatchedResponse(t *testing.T) {
	tb, r := record(t)
	r.frame(transport.In, tb.now.Add(-time.Second), `{"jsonrpc":"2.0","id":99,"result":{}}`)
	tb.Press("enter", "a", "enter")
	r.frame(transport.Out, tb.now, `{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"echo"}}`)
	tb.refresh()
	if s := tb.screen(120, 24); strings.Contains(s, "#1 came") {
		t.Errorf("it came before the call:\n%s", s)
	}
	r.frame(transport.In, tb.now.Add(time.Second), `{"jsonrpc":"2.0","id":987,"result":{"content":[]}}`)
	tb.refresh()
	tb.sees(140, 24, "? #3 came with the unknown id 987; it may be the ")
	r.frame(transport.In, tb.now.Add(time.Second), `{"jsonrpc":"2.0","id":null,"result":{"content":[]}}`)
	tb.refresh()
	tb.sees(120, 24, "? #4 came without an id; it may be the response to")
	tb.answer("", time.Minute, &client.TimeoutError{Method: "tools/call", After: time.Minute})
	tb.sees(120, 24, "? #4 came without an id")
}

func TestCall_NamesLateResponse(t *testing.T) {
	tb, r := record(t)
	tb.Press("enter", "a", "enter")
	r.frame(transport.Out, tb.now, `{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"echo"}}`)
	tb.refresh(r.s.Store().Pending(10)...)
	r.frame(transport.Out, tb.now.Add(time.Minute), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":8}}`)
	tb.answer("", time.Minute, &client.TimeoutError{Method: "tools/call", After: time.Minute})
	if s := tb.screen(120, 24); strings.Contains(s, "is the response") {
		t.Error(s)
	}
	r.frame(transport.In, tb.now.Add(61*time.Second), `{"jsonrpc":"2.0","id":8,"result":{"content":[]}}`)
	tb.refresh()
	tb.sees(120, 24, tb.Screen.Pal.WarnMark+" #3 is the response to this call; it came 1m01s")
}

func TestCall_FindingsUnderResult(t *testing.T) {
	tb, r := record(t)
	tb.Press("enter", "a", "enter")
	rule := &lint.Entry{ID: "S011", DefaultSeverity: lint.Error}
	for range 5 {
		r.findings = append(r.findings, lint.Finding{Rule: rule, Severity: lint.Error, Fault: lint.Server, Message: "total must be an integer"})
	}
	r.frame(transport.Out, tb.now, `{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"echo"}}`)
	tb.refresh(r.s.Store().Pending(10)...)
	r.frame(transport.In, tb.now.Add(time.Millisecond), `{"jsonrpc":"2.0","id":8,"result":{"content":[{"type":"text","text":"hi"}]}}`)
	tb.answer(`"result":{"content":[{"type":"text","text":"hi"}]}`, time.Millisecond, nil)
	tb.sees(120, 24, "call id 8 ok   ✗ 5 findings", "✗ S011 total must be an integer", "responsible: server   K explain", "2 more   8 Problems tab")
	tb.expect("explain S011", "ctrl+o", "K")
}

// Typed and removed text is not a change of the arguments.
func TestResult_ArgumentsChangedSince(t *testing.T) {
	tb, _ := record(t)
	tb.Press("enter", "a", "enter")
	tb.answer(`{"content":[{"type":"text","text":"echo"}]}`, time.Millisecond, nil)
	const changed = "arguments changed"
	tb.Press("e")
	for _, step := range []struct {
		key  string
		want bool
	}{{"b", true}, {"backspace", false}, {"backspace", true}, {"a", false}} {
		tb.Press(step.key)
		if got := strings.Contains(tb.screen(120, 24), changed); got != step.want {
			t.Errorf("after %s it is said: %v\n%s", step.key, got, tb.screen(120, 24))
		}
	}
}

// A call that needs more authorization names where the user gives it.
func TestWaiting_ForConsent(t *testing.T) {
	tb, _ := record(t)
	tb.Press("enter", "a", "enter")
	tb.state.Authorization = []oauth.Step{{Name: oauth.StepConsent, State: oauth.Running, URL: "https://auth.example/authorize"}}
	tb.refresh()
	tb.sees(120, 24, "authorization required: 1 shows the page")
	tb.state.Authorization[0].State = oauth.Done
	tb.refresh()
	if s := tb.screen(120, 24); strings.Contains(s, "authorization required") {
		t.Error(s)
	}
}
