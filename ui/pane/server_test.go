package pane_test

import (
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/client/transport/stdio"
	"mcptea/internal/shell"
	"mcptea/internal/test/panetest"
	"mcptea/offer"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/keys"
	"mcptea/ui/pane/server"
)

var serverNoon = time.Date(2026, 8, 1, 10, 31, 7, 114e6, time.UTC)

// serverBench is a page over a session that is fed by hand.
type serverBench struct {
	*testing.T
	s    *session.Session
	st   session.State
	p    *server.Pane
	at   *panetest.Program // around the page
	busy bool
}

func newServerBench(t *testing.T, target client.Target) *serverBench {
	t.Helper()
	t.Setenv("HOME", "/home/ada")
	t.Setenv("USERPROFILE", "/home/ada") // its name on Windows
	if target.IsStdio() {
		target.Env = append(os.Environ(), "LOG=debug", "WEATHER_KEY=12345")
	}
	s, err := session.Open(session.Config{Target: target, Record: "off"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(t.Context()) })
	b := &serverBench{T: t, s: s, at: panetest.New(t)}
	b.p = server.New(b.at, server.Program{
		Watching: func() bool { return false }, Watch: func() { b.at.Say("watch") }, Changed: func([]shell.Flag) {}, Shell: func(client.Target) { b.at.Say("shell") },
		Restart: func() { b.at.Say("restart") }, Behind: func() bool { return false }, AskPage: func(url, from string) { b.at.Say(url + " of " + from) },
		Consent: func(known string, use func(string)) { use(known) },
	}, s)
	b.at.Pane = b.p
	b.st = session.State{Phase: session.Connecting, Attempt: 1, Started: serverNoon}
	return b
}

func weather() client.Target {
	return client.Target{Argv: []string{"node", "server.js", "--stdio"}, Dir: "/home/ada/src/weather"}
}

func (b *serverBench) process(pid int) {
	b.st.Process = session.Process{
		PID: pid, Path: "/usr/bin/node", Dir: b.s.Target().Dir, Started: serverNoon.Add(time.Millisecond),
	}
}

func (b *serverBench) exit(code int, signal string, after time.Duration) {
	p := &b.st.Process
	p.Exited, p.ExitCode, p.Signal = p.Started.Add(after), code, signal
}

func (b *serverBench) stderr(lines ...string) {
	for _, l := range lines {
		b.s.Tap().Stderr(transport.Line{Time: serverNoon.Add(time.Second), Text: l})
	}
}

func (b *serverBench) steps(states ...client.StepState) {
	names := []string{client.StepFind, client.StepStart, client.StepInitialize, client.StepResponse, client.StepInitialized}
	details := []string{"node → /usr/bin/node", "pid 41207   cwd /home/ada/src/weather", "161 bytes, offers 2025-11-25", "", "ready"}
	took := []time.Duration{time.Millisecond, 4 * time.Millisecond, 300 * time.Microsecond, 210 * time.Millisecond, 20 * time.Microsecond}
	for i, name := range names {
		st := client.Step{Index: i, Name: name}
		if i < len(states) && states[i] != client.StepWaiting {
			st.State, st.Detail, st.Start, st.Took = states[i], details[i], serverNoon, took[i]
			st.Deadline = serverNoon.Add(30 * time.Second)
		}
		b.st.Steps = append(b.st.Steps, st)
	}
}

const (
	done    = client.StepDone
	running = client.StepRunning
	failed  = client.StepFailed
)

func (b *serverBench) refresh(after time.Duration) {
	logs := b.s.State()
	b.st.Logs, b.st.Stderr = logs.Logs, logs.Stderr
	b.busy = b.p.Refresh(app.Tick{State: b.st, Now: serverNoon.Add(after)})
}

// screen is the page as shown, without colors. It also holds what is true of every painting.
func (b *serverBench) screen(w, h int) string {
	b.Helper()
	return b.at.Paint(w, h, true)
}

func (b *serverBench) screens() string {
	return b.screen(80, 22) + b.screen(120, 30) + b.screen(200, 30)
}

func (b *serverBench) sees(screen string, texts ...string) {
	b.Helper()
	for _, text := range texts {
		if !strings.Contains(screen, text) {
			b.Errorf("%q is not there:\n%s", text, screen)
		}
	}
}

func TestServer_Connecting(t *testing.T) {
	b := newServerBench(t, weather())
	b.process(41207)
	b.steps(done, done, done, running)
	b.refresh(5400 * time.Millisecond)
	if !b.busy || b.p.Badge() != "" {
		t.Error("a running step moves, and there is nothing to mark yet")
	}
	golden.RequireEqual(t, b.screens())
}

func crashed(t *testing.T) *serverBench {
	b := newServerBench(t, weather())
	b.process(41207)
	b.exit(1, "", 210*time.Millisecond)
	b.stderr("node:internal/modules/esm/resolve:873", "  throw new ERR_MODULE_NOT_FOUND(packageName, fileURLToPath(base), null);",
		"Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'zod' imported from server.js", "Node.js v22.19.0")
	b.steps(done, done, done, failed)
	b.st.Steps[3].Detail = "stdout closed, nothing received"
	b.st.Phase, b.st.Err = session.Failed, &client.ConnectError{Step: client.StepResponse, Err: &stdio.ExitError{Code: 1, After: 210 * time.Millisecond}}
	b.refresh(time.Second)
	return b
}

func TestServer_WhyItDidNotConnect(t *testing.T) {
	b := crashed(t)
	if b.p.Badge() != "✗" || b.busy {
		t.Error("a failure is marked on the tab, and nothing moves")
	}
	golden.RequireEqual(t, b.screens())
}

func TestServer_ReportIsTheWholePageWithoutSecrets(t *testing.T) {
	b := crashed(t)
	text, ok := strings.CutPrefix(b.at.Press("Y"), "copy report: ")
	if !ok {
		t.Fatal("Y copies")
	}
	if strings.Contains(text, "12345") || strings.Contains(text, "\x1b") || strings.Contains(text, "enter") {
		t.Errorf("what has no place in a report:\n%s", text)
	}
	golden.RequireEqual(t, text)
}

func TestServer_LinesOfAnEarlierAttemptAreNotShown(t *testing.T) {
	b := crashed(t)
	b.st.Attempt, b.st.Started = 2, serverNoon.Add(time.Minute)
	b.s.Tap().Stderr(transport.Line{Time: serverNoon.Add(61 * time.Second), Text: "second try"})
	b.refresh(62 * time.Second)
	if s := b.screen(120, 30); strings.Contains(s, "Node.js v22") || !strings.Contains(s, "second try") || !strings.Contains(s, "one line") {
		t.Error(s)
	}
}

func ready(t *testing.T) *serverBench {
	b := newServerBench(t, weather())
	b.process(41207)
	b.steps(done, done, done, done, done)
	b.st.Phase, b.st.Took = session.Ready, 312*time.Millisecond
	b.st.Handshake = client.Handshake{
		Revision: "2025-06-18", Offered: "2025-11-25",
		Server:       client.Implementation{Name: "weather", Title: "The weather", Version: "2.0.0"},
		Instructions: "Ask for a city first.\n\n  Then for a day; " + strings.Repeat("the server knows a week of them, ", 6) + "no more.\n",
		ServerCaps:   []byte(`{"tools":{"listChanged":true},"resources":{"subscribe":false},"logging":true,"tasks":{},"x-\u001b[31mred":{"a":1}}`),
		ClientCaps:   []byte(`{"roots":{"listChanged":true},"experimental":{"x":{}}}`),
	}
	b.st.Lists = map[string]offer.List{
		"tools":     {Items: make([]offer.Item, 13), Offered: true, Loaded: serverNoon},
		"resources": {Offered: true, Loaded: serverNoon, Err: errors.New("no answer to resources/list within 60s")},
	}
	b.stderr("listening")
	b.refresh(time.Minute)
	return b
}

// The capability of resources counts what the tab of the resources counts.
func TestServer_Capabilities_CountTemplates(t *testing.T) {
	b := ready(t)
	b.st.Lists["resources"] = offer.List{Items: make([]offer.Item, 7), Offered: true, Loaded: serverNoon}
	b.st.Lists["templates"] = offer.List{Items: make([]offer.Item, 2), Offered: true, Loaded: serverNoon}
	b.refresh(time.Minute)
	for line := range strings.Lines(b.screen(120, 50)) {
		if strings.Contains(line, "✓ resources") && strings.Contains(line, " 9 ") && strings.Contains(line, "2 templates") {
			return
		}
	}
	t.Error(b.screen(120, 50))
}

// A connection that has asked twice names what each response was to.
func TestServer_Condensed_NamesTheRequests(t *testing.T) {
	b := ready(t)
	b.st.Steps = []client.Step{
		{Name: client.StepFind, State: done},
		{Name: client.StepDiscover, State: done, Took: 1500 * time.Millisecond},
		{Name: client.StepResponse, State: done, Took: 2 * time.Second},
		{Name: client.StepInitialize, State: done},
		{Name: client.StepResponse, State: failed, Took: time.Second},
	}
	b.refresh(time.Minute)
	b.sees(b.screen(120, 30), "in 312 ms  ✓ server/discover 3.5 s  · initialize 1.0 s  ")
}

func TestServer_Ready(t *testing.T) {
	b := ready(t)
	if b.p.Badge() != "" || b.busy {
		t.Error("nothing to mark, nothing moves")
	}
	golden.RequireEqual(t, b.screen(80, 50)+b.screen(120, 44)+b.screen(140, 26)+b.screen(200, 26))
}

func TestServer_ReadyOverHTTP(t *testing.T) {
	b := newServerBench(t, client.Target{URL: "https://ada:pw@example.com/mcp?token=abc", Header: http.Header{"Authorization": {"Bearer abcdef"}}})
	b.st.Phase, b.st.Took = session.Ready, 40*time.Millisecond
	b.st.Handshake = client.Handshake{Revision: "2025-11-25", Offered: "2025-11-25", ServerCaps: []byte(`{}`), ClientCaps: []byte(`{}`)}
	b.s.Tap().Exchange(transport.Exchange{
		ID: 7, Phase: transport.ExchangeDone, Method: "POST", Status: 404, FirstByte: 12 * time.Millisecond,
		RequestHeader: http.Header{"Mcp-Session-Id": {"3f2a8b1c…"}}, ResponseHeader: http.Header{"Content-Type": {"text/html"}},
	})
	b.refresh(time.Minute)
	s := b.screen(200, 30)
	b.sees(s, "(no server name)", "as requested", "3f2a8b1c…", "POST returned 404 Not Found after 12 ms, text/html", "token=****", "Bearer ••••")
	if strings.Contains(s, "abcdef") || strings.Contains(s, "pw@") || strings.Contains(s, "stderr") {
		t.Error(s)
	}
}

// An unknown revision is not passed off as one.
func TestServer_ReadyInAnUnknownRevision(t *testing.T) {
	b := ready(t)
	b.st.Handshake.Revision, b.st.Handshake.Offered, b.st.Handshake.Unknown = "2025-11-25", "2025-11-25", "latest"
	b.refresh(time.Minute)
	s := b.screen(120, 44)
	b.sees(s, `2025-11-25  instead of the unknown version "latest"`)
	if strings.Contains(s, "as requested") {
		t.Error(s)
	}
}

// Without a handshake there is no session to report, and the steps stay visible.
func TestServer_ReadyWithoutHandshake(t *testing.T) {
	b := newServerBench(t, client.Target{URL: "https://example.com/mcp"})
	for i, st := range []client.Step{
		{Name: client.StepInitialize, State: done},
		{Name: client.StepResponse, State: failed, Detail: "refused"},
		{Name: client.StepDiscover, State: done},
		{Name: client.StepResponse, State: done},
		{Name: client.StepReady, State: done},
	} {
		st.Index, st.Took = i, time.Millisecond
		b.st.Steps = append(b.st.Steps, st)
	}
	b.st.Phase, b.st.Took, b.st.Session = session.Ready, 40*time.Millisecond, "stray"
	b.st.Handshake = client.Handshake{Revision: "2026-07-28", Offered: "2026-07-28", Server: client.Implementation{Name: "new"}, ClientCaps: []byte(`{}`)}
	b.refresh(time.Minute)
	for _, w := range []int{80, 200} {
		s := b.screen(w, 40)
		b.sees(s, "2026-07-28", "without the initialize handshake", "server/discover 2", "ready 1", "none: this protocol version has no sessions", "The server/discover result has no capabilities")
		if strings.Contains(s, "as requested") || strings.Contains(s, "stray") {
			t.Error(s)
		}
	}
}

func TestServer_WhyTheConnectionEnded(t *testing.T) {
	b := ready(t)
	b.st.Phase, b.st.Err = session.Ended, &stdio.ExitError{Signal: "SIGSEGV", Code: -1, After: 65 * time.Second}
	b.exit(-1, "SIGSEGV", 65*time.Second)
	b.refresh(2 * time.Minute)
	b.sees(b.screen(120, 30), "Server exited", "The server process was terminated by SIGSEGV, 65 s after its start; no request was pending.", "The signal reports a crash in native code", "→ enter restart the server", "weather 2.0.0")
	golden.RequireEqual(t, b.screen(80, 22)+b.screen(200, 30))
}

func TestServer_EndWithoutAReason(t *testing.T) {
	b := ready(t)
	b.st.Phase = session.Ended
	b.exit(0, "", 9*time.Second)
	b.refresh(time.Minute)
	b.sees(b.screen(120, 30), "The server process exited with code 0 after 9 s.")
}

func TestServer_EnterConnectsAgainUnlessThatWouldEndSomething(t *testing.T) {
	b := crashed(t)
	if asked := b.at.Press("enter"); asked != "say: restart" {
		t.Error("after a failure, enter connects again: ", asked)
	}
	b = ready(t)
	if asked := b.at.Press("enter"); asked != "off: It works while the server is not connected." {
		t.Errorf("while it works, enter does %q", asked)
	}
	if b.at.Press("esc") != "leave" {
		t.Error("esc leaves")
	}
}

func TestServer_Scrolling(t *testing.T) {
	b := ready(t)
	b.screen(80, 12)
	b.p.Motion(keys.Bottom)
	s := b.screen(80, 12)
	b.sees(s, "listening", b.p.Position())
	b.p.Motion(keys.Up)
	if b.screen(80, 12) == s {
		t.Error("one line up is another picture")
	}
	b.p.Motion(keys.Top)
	b.at.Screen.Wheel(3, 3, 2)
	b.at.Screen.Wheel(3, 3, -20)
	b.sees(b.screen(80, 12), "server      weather 2.0.0")
}

func TestServer_TinyAndHostile(t *testing.T) {
	b := ready(t)
	b.st.Handshake.Server.Name = "evil\x1b]0;pwned\x07\u202e"
	b.st.Handshake.Instructions = "\x1b[2J\x9b\r\nx"
	b.stderr("\x1b[31mError: red\x1b[0m\x07")
	b.refresh(time.Minute)
	for _, size := range [][2]int{{0, 0}, {1, 1}, {2, 2}, {5, 3}, {12, 40}, {40, 60}, {80, 60}} {
		b.screen(size[0], size[1])
	}
	b.st.Phase, b.st.Err = session.Failed, errors.New("odd\x1b[2J")
	b.refresh(time.Minute)
	b.screen(20, 40)
	b.screen(120, 40)
	b.p.Refresh(app.Tick{Now: serverNoon})
	b.sees(b.screen(80, 20), "Not connected.")
}

// The recording of an authority shows its requests, newest first, with what the clients must not do.
func TestServer_Authority(t *testing.T) {
	b := ready(t)
	b.st = session.State{Authorization: []client.Step{
		{Name: "client id", State: client.StepDone, Start: serverNoon, Detail: "POST /register 201 editor application_type=native"},
		{Name: "consent", State: client.StepFailed, Start: serverNoon.Add(time.Second), Detail: "GET /authorize 400 invalid_request\x1b[2J", Remarks: []string{"error: The request has no code_challenge: PKCE is required. (RFC 7636 §4.3)"}},
	}}
	b.refresh(time.Minute)
	for _, w := range []int{80, 120, 200} {
		got := b.screen(w, 20)
		b.sees(got, "Authority", "2 steps, newest first", "1 remark: see the steps.", "client id", "POST /register 201 editor", "(RFC 7636 §4.3)")
		if strings.Index(got, "GET /authorize") > strings.Index(got, "POST /register") || strings.Contains(got, "Not connected") || strings.Contains(got, "\x1b[2J") {
			t.Errorf("%s", got)
		}
	}
}

// stdout has the server write lines to stdout that are no messages.
func (b *serverBench) stdout(lines ...string) {
	for _, l := range lines {
		frame := []byte(l)
		b.s.Tap().Frame(transport.Frame{Bytes: frame, Envelope: jsonrpc.Scan(frame), Time: serverNoon.Add(time.Millisecond), Dir: transport.In})
	}
}

// Text on stdout is named while connecting, from the first second on.
func TestServer_Connecting_TextOnStdout(t *testing.T) {
	b := newServerBench(t, weather())
	b.process(41207)
	b.steps(done, done, done, running)
	b.stdout("Server starting on stdio...")
	b.refresh(900 * time.Millisecond)
	if s := b.screen(80, 22); strings.Contains(s, "to stdout") {
		t.Errorf("too early:\n%s", s)
	}
	b.refresh(1100 * time.Millisecond)
	b.sees(b.screen(80, 22), "The server wrote a line to stdout that is not a message:", `"Server starting on stdio..."`, "Write logs and banners to stderr.")
	// An invalid response is not a log, and is reported as an invalid response.
	b.stdout(`{"jsonrpc":"2.0","id":3,"result":{"a":[1, ]}}`)
	b.refresh(1200 * time.Millisecond)
	b.sees(b.screen(80, 22), "Response to request 3 is not JSON: byte 42, ']' after ','.", "The server wrote a line to stdout that is not a message:")
	b.stdout("listening")
	b.refresh(1300 * time.Millisecond)
	b.sees(b.screen(80, 22), "The server wrote 2 lines to stdout that are not messages:", `"Server starting on stdio..."`)
}

// The end of a server is announced once, in a line, with its last words.
func TestServer_News_End(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*serverBench)
		want   string
	}{
		{"exit", func(b *serverBench) { b.exit(1, "", time.Minute) }, "The server exited with code 1."},
		{"exit with a reason", func(b *serverBench) { b.exit(1, "", time.Minute); b.stderr("Error: no database.") }, "The server exited with code 1: Error: no database."},
		{"signal", func(b *serverBench) { b.exit(-1, "SIGKILL", time.Minute) }, "The server was terminated by SIGKILL."},
		{"stopped by mcptea", func(b *serverBench) { b.exit(0, "", time.Minute); b.st.Process.Expected = true }, ""},
		{"stdout closed", func(b *serverBench) { b.st.Err = stdio.ErrStdoutClosed }, "The server closed its stdout while no request was pending, but the process is still running."},
		{"connected", func(b *serverBench) { b.st.Phase, b.st.Err = session.Ready, nil }, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newServerBench(t, weather())
			b.process(41207)
			b.st.Phase, b.st.Err = session.Ended, &stdio.ExitError{Code: 1, After: time.Minute}
			tt.change(b)
			b.refresh(time.Hour)
			if got, _ := b.p.News(80); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
			if again, _ := b.p.News(80); again != "" {
				t.Errorf("again: %q", again)
			}
		})
	}
}

// The steps of a process that was started again are told from those before.
func TestServer_Steps_SecondStart(t *testing.T) {
	b := newServerBench(t, weather())
	b.process(41207)
	b.st.Steps = []client.Step{
		{Name: client.StepFind, State: done},
		{Name: client.StepDiscover, State: done},
		{Name: client.StepResponse, State: failed},
		{Name: client.StepFind, State: done},
		{Name: client.StepInitialize, State: done},
		{Name: client.StepResponse, State: failed},
	}
	b.st.Phase, b.st.Err = session.Failed, errors.New("no")
	b.refresh(time.Minute)
	b.sees(b.screen(120, 22), "✓ find command  ✓ server/discover  ✗ response  start 2: ✓ find command  ✓ initialize  ✗ response")
	b.at.Press("space")
	screen := b.screen(120, 60)
	_, second, ok := strings.Cut(screen, "│ start 2 ")
	if !ok || strings.Count(second, "✓  find command") != 1 || strings.Count(screen, "✓  find command") != 2 {
		t.Error(screen)
	}
}
