package agent

import (
	"context"
	"io"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcptea/demo"
	"mcptea/internal/test/sessiontest"
)

// A call that is cancelled while the server starts only stops waiting: the connection belongs to the next calls, too.
func TestConnectGiven_CancelledCallKeepsTheConnection(t *testing.T) {
	asked, goOn := make(chan struct{}), make(chan struct{})
	demoServer := sessiontest.Demo(demo.Options{})
	c := connectTo(t, func(ctx context.Context, in io.Reader, out io.Writer) error {
		close(asked) // the server is slow to start
		<-goOn
		return demoServer(ctx, in, out)
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "list", Arguments: map[string]any{"kind": "tools"}})
		ended <- err
	}()
	<-asked
	cancel()
	if err := <-ended; err == nil {
		t.Error("the first call is not cancelled")
	}
	close(goOn)
	if result, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "list", Arguments: map[string]any{"kind": "tools"}}); err != nil || result.IsError {
		t.Errorf("the next call fails: %v, %+v", err, result)
	}
}
