package timeline

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mcptea/client/transport"
)

// The latencies begin with the slowest, and the border counts those that are hidden above and below.
func TestLatency_BeginsWithTheSlowest(t *testing.T) {
	r := newRig(t)
	for i := range 12 {
		at := time.Duration(i) * time.Second
		r.frame(transport.Out, at, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"tool-%d"}}`, i, i))
		r.frame(transport.In, at+time.Duration(120-10*i)*time.Millisecond, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, i))
	}
	r.read()
	screen := r.screen(80, 24)
	latency := screen[strings.Index(screen, "Latency"):]
	if first := strings.Split(latency, "\n")[2]; !strings.Contains(first, "tool-0") || !strings.Contains(latency, "↓ 7 more") || strings.Contains(latency, "↑") {
		t.Errorf("begins with %q:\n%s", first, latency)
	}
	r.p.Move(-1) // the user selects: tool-10 stays visible
	screen = r.screen(80, 24)
	latency = screen[strings.Index(screen, "Latency"):]
	if !strings.Contains(latency, "tool-10") || !strings.Contains(latency, "↑ 6  ↓ 1 more") {
		t.Errorf("the selected request is not visible:\n%s", latency)
	}
}
