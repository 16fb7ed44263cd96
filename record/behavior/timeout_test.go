package behavior_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/record"
	"mcptea/record/behavior"
)

// waits records requests that a client cancels after some times, with a reason.
func waits(t *testing.T, reason string, ages ...time.Duration) *behavior.Client {
	t.Helper()
	text := record.AppendHeader(nil, record.Header{Version: record.Version, Time: 1, Tool: "mcptea tap", Transport: "stdio"})
	at, seq := time.Unix(1780000000, 0), int64(0)
	frame := func(line string) {
		seq++
		f := transport.Frame{Time: at, Bytes: []byte(line), Ending: "\n", Envelope: jsonrpc.Scan([]byte(line))}
		text, _ = record.AppendFrame(text, seq, 0, &f)
	}
	frame(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"h","version":"1"}}}`)
	for i, age := range ages {
		frame(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"a"}}`, i+1))
		at = at.Add(age)
		frame(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d,"reason":%q}}`, i+1, reason))
	}
	path := filepath.Join(t.TempDir(), "a.mcptea.jsonl")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := behavior.Read(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// The timeout of a host is told where a cancellation names it, or where two requests were cancelled after the same time.
func TestBehavior_Timeout(t *testing.T) {
	for name, tt := range map[string]struct {
		reason string
		ages   []time.Duration
		want   string
		kept   int64
	}{
		"named":         {"MCP error -32001: Request timed out", []time.Duration{60*time.Second + 4*time.Millisecond}, "1m0.004s [3] MCP error -32001: Request timed out", 60_000},
		"twice":         {"", []time.Duration{30*time.Second + 20*time.Millisecond, 7 * time.Second, 30*time.Second + 90*time.Millisecond}, "30.02s [3 7]", 30_000},
		"once":          {"user pressed escape", []time.Duration{30 * time.Second}, "", 0},
		"two others":    {"", []time.Duration{30 * time.Second, 31 * time.Second}, "", 0},
		"both at once":  {"", []time.Duration{time.Millisecond, 2 * time.Millisecond}, "", 0},
		"no cancelling": {"", nil, "", 0},
	} {
		c, got := waits(t, tt.reason, tt.ages...), ""
		if w := c.Timeout; w != nil {
			got = fmt.Sprint(time.Duration(w.After), " ", w.Frames)
			if w.Reason != "" {
				got += " " + w.Reason
			}
		}
		p, _, err := c.Profile()
		if err != nil {
			t.Fatal(err)
		}
		if got != tt.want || p.TimeoutMS != tt.kept {
			t.Errorf("%s: %q, kept as %d ms", name, got, p.TimeoutMS)
		}
	}
}
