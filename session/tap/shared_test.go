package tap_test

import (
	"bufio"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/transport"
	"mcptea/record"
	"mcptea/session/attach"
	"mcptea/session/intercept"
	"mcptea/session/session"
	"mcptea/session/tap/control"
	"mcptea/session/tap/pipeline"
)

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"host","version":"1"}}}`

// sharedTap is a tap in front of the demo server, whose host has connected.
type sharedTap struct {
	*host
	state string
	lines *bufio.Scanner
}

func startShared(t *testing.T) *sharedTap {
	t.Helper()
	state := stateDir(t)
	h := startControlled(t, "demo", state)
	return &sharedTap{h, state, bufio.NewScanner(h.stdout)}
}

// receives reads the next line that the host gets.
func (s *sharedTap) receives(want string) {
	s.t.Helper()
	if !s.lines.Scan() || !strings.Contains(s.lines.Text(), want) {
		s.t.Fatalf("the host received %q %v, want %s", s.lines.Text(), s.lines.Err(), want)
	}
}

// connect connects the host, and returns the description once it says so.
func (s *sharedTap) connect() attach.Info {
	s.t.Helper()
	if info := s.info(); !strings.Contains(info.Problem, "its host has not connected yet") {
		s.t.Errorf("%+v", info)
	}
	s.send(initialize + "\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")
	s.receives(`"id":1`)
	for deadline := time.Now().Add(20 * time.Second); ; { // it is recorded later than it is passed on
		if info := s.info(); info.Problem == "" || time.Now().After(deadline) {
			return info
		}
	}
}

// info is the description of the tap, which exists once its server runs.
func (s *sharedTap) info() attach.Info {
	s.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		if all, err := attach.List(s.t.Context(), s.state); err != nil || len(all) == 1 {
			return all[0]
		}
	}
	s.t.Fatal("the tap is not listed")
	return attach.Info{}
}

func (s *sharedTap) command(info attach.Info) *session.Session {
	s.t.Helper()
	c, err := session.Open(session.Config{Target: info.Use(), Record: "off", Client: client.Config{Name: "command"}})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = c.Close(context.Background()) })
	if err := c.Connect(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	return c
}

// The host does not notice the commands that use its connection; the recording marks their
// frames.
func TestShared_HostGetsNothingOfACommand(t *testing.T) {
	h := startShared(t)
	c := h.command(h.connect())
	for i := range 3 {
		response, err := call(t, c, "echo", fmt.Sprintf(`{"message":"of the command %d"}`, i))
		if err != nil || !strings.Contains(response, fmt.Sprintf("of the command %d", i)) {
			t.Errorf("%s %v", response, err)
		}
		h.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", i+2))
		h.receives(fmt.Sprintf(`"id":%d,"result":{}`, i+2))
	}
	if response, err := call(t, c, "long-work", `{"duration":1,"steps":3}`); err != nil || !strings.Contains(response, "done: 3 steps") {
		t.Errorf("%s %v", response, err)
	}
	cancelled := c.Start("tools/call", []byte(`{"name":"never-answer","arguments":{}}`))
	cancelled.Cancel()
	<-cancelled.Done()
	if err := c.Close(t.Context()); err != nil {
		t.Error(err)
	}
	h.send(`{"jsonrpc":"2.0","id":"last","method":"ping"}` + "\n")
	h.receives(`"id":"last"`)
	_ = h.stdin.Close()
	if h.lines.Scan() {
		t.Errorf("the host received %s", h.lines.Text())
	}
	<-h.ended
	progress := 0
	for _, e := range events(t, h.path) {
		if e.Kind != record.KindFrame {
			continue
		}
		text := string(e.Frame.Bytes)
		own := strings.Contains(text, `"mcptea-attach-`)
		if own != (e.Frame.Side == transport.Attached) {
			t.Errorf("%s is %q", text, e.Frame.Side)
		}
		if own && strings.Contains(text, "notifications/progress") {
			progress++
		}
	}
	if progress == 0 {
		t.Error("the recording has no progress")
	}
}

func call(t *testing.T, s *session.Session, tool, arguments string) (string, error) {
	t.Helper()
	c := s.Start("tools/call", []byte(`{"name":"`+tool+`","arguments":`+arguments+`}`))
	select {
	case <-c.Done():
	case <-t.Context().Done():
		t.Fatal("no outcome")
	}
	response, err := c.Outcome()
	return string(response.Frame), err
}

// What the server would reply to with a message that the host gets is not sent.
func TestShared_TakesRequestsAndNotifications(t *testing.T) {
	h := startShared(t)
	c := h.command(h.connect())
	for frame, why := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"result":{}}`:        "only requests and notifications",
		`{"jsonrpc":"2.0","id":null,"method":"ping"}`: "a request with the id null cannot be sent",
		`not JSON`: "only requests and notifications",
	} {
		sent := c.StartFrame([]byte(frame))
		<-sent.Done()
		if _, err := sent.Outcome(); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v, want %q", frame, err, why)
		}
	}
}

func TestShared_EndOfTheServer(t *testing.T) {
	h := startShared(t)
	c := h.command(h.connect())
	waiting := c.Start("tools/call", []byte(`{"name":"never-answer","arguments":{}}`))
	_ = h.stdin.Close()
	<-h.ended
	<-waiting.Done()
	if _, err := waiting.Outcome(); err == nil || !strings.Contains(err.Error(), "has ended") {
		t.Errorf("%v", err)
	}
}

func TestShared_TapOfAURL(t *testing.T) {
	state := stateDir(t)
	control, err := control.Serve(state, control.Info{Target: "https://example.com/mcp", Transport: "http", Listen: "http://127.0.0.1:8080/mcp"}, intercept.New(intercept.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	defer control.Close()
	all, err := attach.List(t.Context(), state)
	if err != nil || len(all) != 1 || !strings.Contains(all[0].Problem, "has no connection of its own") || !strings.Contains(all[0].Try, "http://127.0.0.1:8080/mcp") {
		t.Errorf("%+v %v", all, err)
	}
}

// Each session of a tap with several hosts has a socket, which ends with the session; the tap itself says which to name.
func TestShared_SessionsOfATap(t *testing.T) {
	state := stateDir(t)
	control, err := control.Serve(state, control.Info{Target: "node server.js", Transport: "stdio", Listen: "http://127.0.0.1:8080/mcp"}, intercept.New(intercept.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	defer control.Close()
	sent := make(chan string, 1)
	shared, end := control.Lend("7", func(line []byte) bool { sent <- string(line); return true })
	problems := func() string {
		all, err := attach.List(t.Context(), state)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, i := range all {
			b.WriteString(i.Name + ": " + i.Problem + "; ")
		}
		return b.String()
	}
	if got := problems(); !strings.Contains(got, "serves several hosts") || !strings.Contains(got, "7: its host has not connected yet") {
		t.Error(got)
	}
	shared.Negotiated("2025-06-18", []byte(`{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}`))
	if got := problems(); !strings.Contains(got, "7: ; ") {
		t.Error(got)
	}
	id, err := shared.NextID()
	if err != nil {
		t.Fatal(err)
	}
	shared.Start([]byte(`{"jsonrpc":"2.0","id":`+string(id.Bytes())+`,"method":"ping"}`), nil, func([]byte, error) {})
	if line := <-sent; !strings.Contains(line, `"method":"ping"`) {
		t.Error(line)
	}
	shared.SettleAll(pipeline.ErrEnded)
	end()
	if got := problems(); strings.Contains(got, "7:") {
		t.Errorf("after its end: %s", got)
	}
}
