package rules

import (
	"strings"
	"testing"

	"mcptea/lint"
)

// The fix for a response of another type is about that type.
func TestH012_FixIsAboutTheType(t *testing.T) {
	for media, want := range map[string]string{
		"text/html":  "HTML usually means a login page or a proxy error.",
		"text/plain": "Send Content-Type: application/json with a JSON-RPC message, and text/event-stream with an event stream.",
	} {
		found := play(t, trace{rule: "H012", context: "25c+http", lines: []string{
			`H> {"m":"POST","h":{"Accept":"application/json, text/event-stream","Content-Type":"application/json","MCP-Protocol-Version":"2025-11-25"},"b":{"jsonrpc":"2.0","id":2,"method":"ping"}}`,
			`H< {"s":200,"h":{"Content-Type":"` + media + `"},"b":{"jsonrpc":"2.0","id":2,"result":{}}}`,
		}})
		if len(found) != 1 || found[0].Rule.ID != "H012" || found[0].Hint != want {
			t.Errorf("%s: %v", media, found)
		}
	}
}

// The fix for a missing version names all that is required.
func TestL009_FixNamesTheVersion(t *testing.T) {
	found := play(t, trace{rule: "L009", context: "25c/new", lines: []string{
		`C> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`,
		`S> {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s"}}}`,
	}})
	const message, fix = "The initialize result is not valid: serverInfo.version is missing.", "Return protocolVersion, capabilities, which may be {}, and serverInfo with name and version."
	if len(found) != 1 || !strings.HasPrefix(found[0].Message, message) || found[0].Hint != fix {
		t.Errorf("%v", found)
	}
}

// A finding about the response to GET is at its body, not at that of the newest POST.
func TestH017_RowOfTheBody(t *testing.T) {
	p := replay(t, trace{rule: "H017", context: "25c+http", lines: []string{
		`H> {"m":"GET","h":{"Accept":"text/event-stream","MCP-Protocol-Version":"2025-11-25"}}`,
		`H< {"s":200,"h":{"Content-Type":"text/html"},"b":"<h1>hello</h1>"}`,
	}})
	if len(p.found) != 1 || p.found[0].Rule.ID != "H017" || p.found[0].Row != p.row {
		t.Errorf("%v, want row %d", p.found, p.row)
	}
}

// The fix for a hint that is not a boolean is about its type; the fix for contradictory hints is not.
func TestT018_FixIsAboutTheFault(t *testing.T) {
	for hints, want := range map[string]string{
		`{"readOnlyHint":"yes"}`:                            "Send true or false.",
		`{"readOnlyHint":true,"destructiveHint":true}`:      "destructiveHint and idempotentHint only mean something",
		`{"readOnlyHint":true,"destructiveHint":1}`:         "Send true or false.",
		`{"openWorldHint":null,"title":"x"}`:                "Send true or false.",
		`{"idempotentHint":{"a":true},"readOnlyHint":null}`: "Send true or false.",
	} {
		found := 0
		for _, f := range play(t, trace{rule: "T018", context: "25c", lines: []string{
			`C> {"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
			`S> {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"},"annotations":` + hints + `}]}}`,
		}}) {
			if f.Rule.ID != "T018" {
				continue
			}
			if found++; !strings.HasPrefix(f.Hint, want) {
				t.Errorf("%s: %s %s", hints, f.Message, f.Hint)
			}
		}
		if found == 0 {
			t.Errorf("%s has no finding", hints)
		}
	}
}

// A value for which the library of a client refuses the whole list is an error, and the finding says so; what
// only contradicts itself stays a warning.
func TestTrace_WholeListRefused(t *testing.T) {
	for _, tt := range []struct {
		tool, rule string
		severity   lint.Severity
		says       string
	}{
		{`{"name":"a","description":"x","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":"yes"}}`, "T018", lint.Error, "A client on the TypeScript SDK 1.32.2, the TypeScript SDK 2.4.0 or the Go SDK 1.8.0 refuses the whole list for it, and gets no tool of the server."},
		{`{"name":"a","description":"x","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true,"destructiveHint":true}}`, "T018", lint.Warn, ""},
		{`{"name":"a","description":"x","inputSchema":{"type":"object"},"icons":[{"mimeType":"image/png"}]}`, "S025", lint.Error, "the TypeScript SDK 2.4.0 refuses the whole list"},
		{`{"name":"a","description":"x","inputSchema":{"type":"object"},"icons":[{"src":"ftp://x.example/a.png"}]}`, "S025", lint.Warn, ""},
		{`{"name":"a","description":"x","inputSchema":{"type":"object","required":null}}`, "S001", lint.Error, "refuses the whole list for it"},
	} {
		found := false
		for _, f := range play(t, trace{rule: tt.rule, context: "25c", lines: []string{
			`C> {"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `S> {"jsonrpc":"2.0","id":1,"result":{"tools":[` + tt.tool + `]}}`,
		}}) {
			if f.Rule.ID != tt.rule {
				continue
			}
			found = true
			if f.Severity != tt.severity || !strings.Contains(f.Message, tt.says) || tt.says == "" && strings.Contains(f.Message, "refuses") {
				t.Errorf("%s: %s: %s", tt.tool, f.Severity, f.Message)
			}
		}
		if !found {
			t.Errorf("%s: no %s", tt.tool, tt.rule)
		}
	}
}
