package failure

import (
	"strings"
	"testing"
)

func TestWithoutRuntime(t *testing.T) {
	const own = "    at Object.<anonymous> (/srv/a.js:1:1)"
	for _, tt := range []struct{ lines, want string }{
		{"node:internal/errors:496\n    ErrorCaptureStackTrace(err);\n    ^\n\nTypeError: no tea\n    at new NodeError (node:internal/errors:405:5)\n" + own + "\n\nNode.js v18.17.1", "TypeError: no tea\n" + own + "\n\nNode.js v18.17.1"},
		{"/srv/a.js:3\n  throw new Error()\n  ^\n\nError: no tea\n" + own, "/srv/a.js:3\n  throw new Error()\n  ^\n\nError: no tea\n" + own},
		{"    at node:internal/main/run_main_module:28:49", "    at node:internal/main/run_main_module:28:49"}, // there is nothing else
	} {
		if got := strings.Join(withoutRuntime(strings.Split(tt.lines, "\n")), "\n"); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}
