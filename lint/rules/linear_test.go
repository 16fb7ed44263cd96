package rules

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/test/cputime"
)

// Ten times the bytes take no more than about ten times as long, whatever the
// shape of the frame.
func TestLinear_TimePerByte(t *testing.T) {
	answer := func(result string) string { return `{"jsonrpc":"2.0","id":7,"result":` + result + `}` }
	members := func(n int, value string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"k%d":%s`, i, value)
		}
		return "{" + b.String()[1:] + "}"
	}
	shapes := []struct {
		name   string
		modern bool
		method string
		frame  func(n int) string
	}{
		{"deep objects", false, "tools/call", func(n int) string {
			return answer(`{"structuredContent":` + strings.Repeat(`{"a":`, n) + `1` + strings.Repeat(`}`, n) + `,"content":[]}`)
		}},
		{"deep arrays", false, "tools/call", func(n int) string {
			return answer(`{"structuredContent":{"a":` + strings.Repeat(`[`, n) + strings.Repeat(`]`, n) + `},"content":[]}`)
		}},
		{"a wide object", false, "tools/call", func(n int) string {
			return answer(`{"content":[],"structuredContent":` + members(n, "1") + `}`)
		}},
		{"many members of the envelope", false, "tools/call", func(n int) string {
			return `{"jsonrpc":"2.0","id":7,"result":{},` + members(n, "1")[1:]
		}},
		{"a long list", false, "tools/list", func(n int) string { return toolList(n/10, 7) }},
		{"an escaped text", false, "tools/call", func(n int) string {
			return answer(`{"content":[{"type":"text","text":"` + strings.Repeat(`\"\\`, n) + `"}]}`)
		}},
		{"many questions", true, "tools/call", func(n int) string {
			return answer(`{"resultType":"input_required","inputRequests":` + members(n, `{"method":"roots/list"}`) + `}`)
		}},
		{"many tasks", false, "tasks/list", func(n int) string {
			return answer(`{"tasks":[` + strings.Repeat(`{"taskId":"t"},`, n) + `{}]}`)
		}},
		{"many wishes", true, "subscriptions/listen", func(n int) string {
			return `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":` + members(n, "true") +
				`,"_meta":{"io.modelcontextprotocol/subscriptionId":7}}}`
		}},
	}
	for _, s := range shapes {
		t.Run(s.name, func(t *testing.T) {
			const small, large = 900, 9000 // the depth of JSON is bounded
			one, ten := s.frame(small), s.frame(large)
			grown := float64(len(ten)) / float64(len(one))
			a, b := fastest(one, s.method, s.modern), fastest(ten, s.method, s.modern)
			// Quadratic time would grow by the square. A few milliseconds cannot be
			// measured exactly, and are fast enough.
			if slower := float64(b) / float64(a); slower > 4*grown && b > 5*time.Millisecond {
				t.Errorf("%.1f times the bytes take %.1f times as long", grown, slower)
			}
		})
	}
}

// fastest returns the least processor time that an engine takes for a frame, as
// response to a request of a method.
func fastest(frame, method string, modern bool) time.Duration {
	best := time.Hour
	b := []byte(frame)
	env := jsonrpc.Scan(b)
	for range 3 {
		s := begin()
		meta := ""
		if modern {
			meta = `,"params":{"notifications":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}`
		}
		s.out(`{"jsonrpc":"2.0","id":7,"method":"` + method + `"` + meta + `}`)
		best = min(best, cputime.Of(func() { s.frame(transport.In, b, env) }))
	}
	return best
}
