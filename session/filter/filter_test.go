package filter

import (
	"slices"
	"strings"
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/store"
)

func frame(dir transport.Direction, method, body string, flags store.Flags) Frame {
	e := jsonrpc.Scan([]byte(body))
	return Frame{
		Row:    &store.Row{Kind: e.Kind, Code: e.Code, Size: uint32(len(body)), Dir: dir, Flags: flags},
		Method: method,
		Body:   func() []byte { return []byte(body) },
		ID:     func() []byte { return e.ID.Of([]byte(body)) },
		Tool:   func() string { return map[string]string{methodCall: "Echo"}[method] },
	}
}

func TestMatch(t *testing.T) {
	call := frame(transport.Out, "tools/call", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"Echo"}}`, store.Pending)
	fail := frame(transport.In, "tools/call", `{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"no such tool"}}`, 0)
	text := frame(transport.In, "", `Server listening`, 0)
	tests := []struct {
		filter           string
		call, fail, text bool
	}{
		{"", true, true, true},
		{"echo", true, false, false},
		{"Echo", true, false, false},
		{"ECHO", false, false, false},
		{"-echo", false, true, true},
		{`"no such"`, false, true, false},
		{"such tool", false, true, false},
		{"method:tools/*", true, true, false},
		{"method:tools/call status:error", false, true, false},
		{"tool:Echo", true, true, false},
		{"tool:echo", false, false, false},
		{"tool:E*", true, true, false},
		{"tool:*", true, true, false},
		{"-tool:Echo", false, false, true},
		{`tool:"Echo" dir:in`, false, true, false},
		{"status:pending", true, false, false},
		{"kind:invalid", false, false, true},
		{"dir:in -kind:invalid", false, true, false},
		{`"url:x"`, false, false, false}, // quoted: text, whatever it looks like
		{"demo://x", false, false, false},
		{"code:-32602", false, true, false},
		{"size:>10", true, true, true},
		{"size:<40", false, false, true},
	}
	for _, tt := range tests {
		f, err := Parse(tt.filter)
		if err != nil {
			t.Errorf("%s: %v", tt.filter, err)
			continue
		}
		if f.Match(call) != tt.call || f.Match(fail) != tt.fail || f.Match(text) != tt.text {
			t.Errorf("%q: call %v, error %v, text %v", tt.filter, f.Match(call), f.Match(fail), f.Match(text))
		}
	}
}

func TestMatch_Status(t *testing.T) {
	const response, failure = `{"jsonrpc":"2.0","id":7,"result":{}}`, `{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":""}}`
	rows := []struct {
		name  string
		frame Frame
		in    string // the statuses
	}{
		{"response", frame(transport.In, "m", response, 0), "ok"},
		{"error response", frame(transport.In, "m", failure, 0), "error"},
		{"tool error", frame(transport.In, "m", response, store.ToolError), "error toolerror"},
		{"pending request", frame(transport.Out, "m", `{"jsonrpc":"2.0","id":7,"method":"m"}`, store.Pending), "pending"},
		{"cancelled request", frame(transport.Out, "m", `{"jsonrpc":"2.0","id":7,"method":"m"}`, store.Cancelled), "cancelled"},
		{"late response", frame(transport.In, "m", response, store.Late), "ok late"},
		{"late error response", frame(transport.In, "m", failure, store.Late), "error late"},
	}
	for _, status := range []string{"ok", "error", "toolerror", "pending", "cancelled", "late"} {
		f, err := Parse("status:" + status)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			if want := slices.Contains(strings.Fields(row.in), status); f.Match(row.frame) != want {
				t.Errorf("status:%s: %s is shown: %t, want %t", status, row.name, !want, want)
			}
		}
	}
}

func TestErrorsSayWhatIsPossible(t *testing.T) {
	for filter, want := range map[string]string{
		"status:bad": "not one of ok, error",
		"kind:x":     "not one of request",
		"dir:up":     `"dir:" takes in or out, not "up"`,
		`"open`:      "quotation mark",
		"method:":    "missing value",
		"tool:":      "missing value",
		"took:>1s":   `unknown property "took:"`,
		"size:1k":    "not like >1k",
	} {
		if _, err := Parse(filter); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", filter, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`a -b "c d" method:x* status:ok`)
	f.Fuzz(func(_ *testing.T, text string) {
		if flt, err := Parse(text); err == nil {
			flt.Match(frame(transport.In, "m", text, 0))
		}
	})
}

func TestQuote(t *testing.T) {
	for _, text := range []string{`a`, `"`, `a"b`, `""`, `say \"hi\"`, `a b`, `-x`, `method:y`, `" "`, ``} {
		f, err := Parse(Quote(text))
		if err != nil || len(f.parts) != 1 || string(f.parts[0].word) != text {
			t.Errorf("%q is quoted as %s, which is %v, %v", text, Quote(text), f.parts, err)
		}
	}
}
