package agent

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcptea/client"
	"mcptea/internal/test/sessiontest"
	"mcptea/session/session"
)

// A call of an agent after a save is answered by the server as it was saved, and by the failure of its build.
func TestCall_AfterSave(t *testing.T) {
	var newest, server atomic.Uint64
	serve := sessiontest.Scripted(func(method, id string) string {
		result := `{}`
		switch method {
		case "initialize":
			result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`
		case "tools/list":
			result = `{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}`
		case "tools/call":
			result = fmt.Sprintf(`{"content":[{"type":"text","text":"generation %d"}]}`, server.Load())
		}
		if strings.HasPrefix(method, "notifications/") {
			return ""
		}
		return `{"jsonrpc":"2.0","id":` + id + `,"result":` + result + `}`
	})
	var followed *session.Session
	wanted, ended := make(chan uint64, 10), false
	o := Options{
		Version: "1.2.3", Given: &client.Target{Argv: []string{"server"}},
		Open: func(target client.Target, _ string) (*session.Session, error) {
			return session.Open(session.Config{Target: target, Record: "off", Dial: sessiontest.Dial(serve)})
		},
		Watch: func(s *session.Session) (func(context.Context, func()), func(), error) {
			followed = s
			s.FollowSources(session.Sources{
				Generation: func(time.Duration) uint64 { return newest.Load() },
				Want:       func(n uint64) { wanted <- n },
				Doing:      func() string { return "restarting" },
			})
			return func(ctx context.Context, connected func()) {
				_ = s.Connect(ctx)
				connected()
				for {
					select {
					case n := <-wanted:
						if n == 2 {
							s.Broken("make: a.go:1: no", 2)
							continue
						}
						server.Store(n)
						_ = s.RestartAfter(ctx, session.Cause{Generation: n})
					case <-ctx.Done():
						return
					}
				}
			}, func() { ended = true }, nil
		},
	}
	t.Cleanup(func() {
		if !ended {
			t.Error("the files are still followed")
		}
	})
	c := connectWith(t, o)
	for generation, want := range []string{"generation 0", "generation 1", "the build has failed: make: a.go:1: no. The request did not reach a server", "generation 3"} {
		newest.Store(uint64(generation))
		result, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "call", Arguments: map[string]any{"tool": "a"}})
		if err != nil {
			t.Fatal(err)
		}
		if got := result.Content[0].(*mcp.TextContent).Text; !strings.Contains(got, want) {
			t.Errorf("generation %d: %s", generation, got)
		}
		if generation == 2 {
			st, _ := use[statusOutput](t, c, "status", nil)
			if got := st.Connections[0].Failure; got != "the build has failed: make: a.go:1: no" {
				t.Errorf("the failure is %q", got)
			}
		}
	}
	if followed == nil {
		t.Error("no files were followed")
	}
}
