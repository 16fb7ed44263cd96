package probes_test

import (
	"strings"
	"testing"

	"mcptea/client/revision"
)

// A finding about what a library does itself says so, where each result looks as that library
// writes it, and of no other server: its author would look in a library that is not there.
func TestLibrary_Advice(t *testing.T) {
	const (
		second  = `initialize ~ 2025-06-18 => send {"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"x","version":"1"}},"jsonrpc":"2.0","id":$id}`
		reorder = `edit (?m)^\{"jsonrpc":"2.0","id":([^,]+),"result":(.*)\}$ => {"result":$2,"jsonrpc":"2.0","id":$1}`
		some    = `edit (?m)^\{"jsonrpc":"2.0","id":([^,]+),"result":(\{"tools".*)\}$ => {"result":$2,"jsonrpc":"2.0","id":$1}`
		silent  = `* ~ "timestamp" => ignore`
		badly   = `* ~ "timestamp" => exit`
	)
	for _, test := range []struct {
		name, probe, script string
		says                bool
	}{
		{"as the SDK", "P-005", second + "\n" + reorder, true},
		{"by hand", "P-005", second, false},
		{"some results alone", "P-005", second + "\n" + some, false},
		{"what the SDK discards", "P-025", silent + "\n" + reorder, true},
		{"what the SDK does not do", "P-025", badly + "\n" + reorder, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := check(t, server{probe: test.probe, revision: revision.R20251125, script: test.script})
			if len(r.Findings) == 0 {
				t.Fatalf("no finding: %s %s", r.Verdict, r.Skip)
			}
			hint := r.Findings[0].Hint
			if strings.Contains(hint, "TypeScript SDK") != test.says || test.says && !strings.Contains(hint, "If it is built on that: ") {
				t.Errorf("%s: %s", r.Findings[0].Message, hint)
			}
		})
	}
}
