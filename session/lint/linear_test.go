package lint

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// Ten times the bytes take no more than about ten times as long, whatever the
// shape of the frame.
func TestTimeIsLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("measures time")
	}
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
			var slower float64
			for range 5 { // a machine with other things to do is not a fault
				a, b := fastest(one, s.method, s.modern), fastest(ten, s.method, s.modern)
				// What is over that soon is no use to measure, and fast enough.
				if slower = float64(b) / float64(a); slower <= 2*grown || b < 5*time.Millisecond {
					return
				}
			}
			t.Errorf("%.1f times the bytes take %.1f times as long", grown, slower)
		})
	}
}

// fastest is how long a frame takes an engine, as answer to a request of a
// method, at best.
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
		began := time.Now()
		s.frame(transport.In, b, env)
		best = min(best, time.Since(began))
	}
	return best
}
