package agent

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcptea/client"
	"mcptea/client/transport"
	"mcptea/demo"
	"mcptea/internal/test/sessiontest"
	"mcptea/session/session"
	"mcptea/session/sharing"
)

// attached returns a client that shares a session of a user.
func attached(t *testing.T) (*mcp.ClientSession, *session.Session, *sharing.Session) {
	t.Helper()
	s, err := session.Open(session.Config{
		Target: client.Target{Argv: []string{"server"}}, Record: "off", Lint: true, Lists: client.ListKinds,
		Dial: sessiontest.Dial(sessiontest.Demo(demo.Options{})),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	if err := s.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	with := sharing.New(s.Store())
	here, there := io.Pipe()
	back, out := io.Pipe()
	ended := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer close(ended)
		defer with.Connected()()
		_ = Serve(ctx, here, out, Options{Version: "1", Shared: &Shared{Session: s, Confirm: with.Ask, Sent: func(c *session.Call) { with.Sent(c) }}}) // the client has closed it
	}()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "coding agent", Version: "1"}, nil).Connect(ctx, &mcp.IOTransport{Reader: back, Writer: there}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Close()
		_, _ = there.Close(), out.Close()
		cancel()
		<-ended
	})
	return c, s, with
}

// decide waits for a question and decides about it.
func decide(t *testing.T, s *session.Session, with *sharing.Session, agreed bool) <-chan sharing.Question {
	asked := make(chan sharing.Question, 1)
	changed, stop := s.Store().Subscribe()
	go func() {
		defer stop()
		for {
			if q, ok := with.Next(); ok {
				with.Decide(q.ID, agreed)
				asked <- q
				return
			}
			select {
			case <-changed:
			case <-t.Context().Done():
				return
			}
		}
	}()
	return asked
}

func TestShared_CallsNeedTheUser(t *testing.T) {
	c, s, with := attached(t)
	status, _ := use[statusOutput](t, c, "status", nil)
	if len(status.Connections) != 1 || status.Connections[0].Name != sharedName || status.Connections[0].State != "ready" {
		t.Fatalf("%+v", status)
	}
	use[listOutput](t, c, "list", nil) // the annotations are known

	// read-only
	called, isError := use[responseOutput](t, c, "call", map[string]any{"tool": "echo", "arguments": map[string]any{"message": "hi"}})
	if isError || called.Text != "hi" {
		t.Fatalf("%+v", called)
	}
	if rows := with.Rows(); !rows[called.Request-1] {
		t.Errorf("frame %d is not marked as the agent's: %v", called.Request, rows)
	}

	calls := func() (n int) {
		for i := range int32(s.Store().Snapshot().Rows) {
			if r, _ := s.Store().Row(i); r.Dir == transport.Out && s.Store().Method(r.Method) == "tools/call" {
				n++
			}
		}
		return n
	}
	before := calls()
	asked := decide(t, s, with, false)
	result, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "call", Arguments: map[string]any{"tool": "touch-resource", "arguments": map[string]any{"uri": "x"}}})
	if err != nil || !result.IsError || !strings.Contains(result.Content[0].(*mcp.TextContent).Text, "declined") {
		t.Errorf("%+v %v", result, err)
	}
	if q := <-asked; q.Agent != "coding agent" || q.Tool != "touch-resource" || !strings.Contains(q.Arguments, `"uri":"x"`) {
		t.Errorf("the user was asked %+v", q)
	}
	if after := calls(); after != before {
		t.Errorf("%d frames were sent although the user has declined", after-before)
	}

	asked = decide(t, s, with, true)
	if called, _ = use[responseOutput](t, c, "call", map[string]any{"tool": "touch-resource", "arguments": map[string]any{"uri": "demo://none"}}); called.Request == 0 {
		t.Errorf("%+v", called)
	}
	<-asked
	asked = decide(t, s, with, true)
	use[responseOutput](t, c, "send_frame", map[string]any{"frame": `{"jsonrpc":"2.0","id":"agent","method":"ping"}`})
	<-asked
}

func TestShared_ConnectionIsTheUsers(t *testing.T) {
	c, s, _ := attached(t)
	for tool, arguments := range map[string]map[string]any{
		"disconnect": {}, "connect": {"url": "http://127.0.0.1:1/mcp"},
	} {
		if _, isError := use[any](t, c, tool, arguments); !isError {
			t.Errorf("%s works on the session of the user", tool)
		}
	}
	_ = c.Close()
	if s.State().Phase != session.Ready {
		t.Error("the end of the agent ends the session of the user")
	}
}
