package jsonrpc_test

import (
	"fmt"
	"strings"
	"testing"

	"mcptea/client/jsonrpc"
)

// Two requests that differ only by what no server may depend on are one request: otherwise a control that
// replaces the odd form would count as another request.
func TestEqualRequests(t *testing.T) {
	const plain = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	for _, test := range []struct {
		name, a, b string
		want       bool
	}{
		{"other id", plain, `{"jsonrpc":"2.0","id":"x","method":"tools/list"}`, true},
		{"order and escapes", plain, `{ "method":"tools\/list", "id":2, "jsonrpc":"\u0032.0" }`, true},
		{"empty params", plain, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`, true},
		{"token alone", plain, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"progressToken":7}}}`, true},
		{"token beside others", `{"id":1,"params":{"a":1.0,"_meta":{"b":1}}}`, `{"id":2,"params":{"_meta":{"progressToken":"t","b":1},"a":1}}`, true},
		{"long number", `{"id":1,"params":{"a":9007199254740993}}`, `{"id":1,"params":{"a":9007199254740992}}`, false},
		{"id below", `{"id":1,"params":{"id":1}}`, `{"id":1,"params":{"id":2}}`, false},
		{"token elsewhere", `{"id":1,"params":{"progressToken":1}}`, `{"id":1,"params":{"progressToken":2}}`, false},
		{"other method", plain, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, false},
		{"null params", plain, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":null}`, false},
		{"_meta is an array", plain, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":[]}}`, false},
		{"two methods", plain, `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}`, false},
		{"two ids", plain, `{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/list"}`, false},
		{"two params", plain, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{},"params":{}}`, false},
		{"two tokens", plain, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"progressToken":1,"progressToken":2}}}`, false},
		{"not JSON", "{", "{", false},
	} {
		if got := jsonrpc.EqualRequests([]byte(test.a), []byte(test.b)); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
		if got := jsonrpc.EqualRequests([]byte(test.b), []byte(test.a)); got != test.want {
			t.Errorf("%s, the other way: %v", test.name, got)
		}
	}
}

// A meaning is compared as its value is.
func TestMeaning(t *testing.T) {
	values := []string{`1`, `1.0`, `10e-1`, `"1"`, `"a"`, `"\u0061"`, `[1,2]`, `[ 1.0, 2 ]`, `[2,1]`, `{"a":1,"b":[]}`, ` {"b":[],"a":1e0} `, `{"a":1}`, `{}`, `null`, `nul`, ``, ` nul `}
	for _, a := range values {
		m := jsonrpc.MeaningOf([]byte(a))
		for _, b := range values {
			if got, want := m.Is([]byte(b)), jsonrpc.Equal([]byte(a), []byte(b)); got != want && strings.TrimSpace(a) != strings.TrimSpace(b) {
				t.Errorf("the meaning of %s is %s: %v; equal: %v", a, b, got, want)
			}
		}
	}
	m := jsonrpc.MeaningOf([]byte(` [ 1.0 ]`))
	if !m.Is([]byte(`[1]`)) || m.Is([]byte(`[1,1]`)) || string(m.Raw()) != `[ 1.0 ]` {
		t.Errorf("%q", m.Raw())
	}
}

func TestSyntaxError_Offset(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1}`:          "0 <nil>",
		`{"a" 1}`:          "5 invalid character '1' after object key",
		`["a\qb"]`:         `4 invalid character 'q' in string escape code`,
		`[1,`:              "3 unexpected end of JSON input",
		``:                 "0 unexpected end of JSON input",
		`{} x`:             "3 invalid character 'x' after top-level value",
		"[\"a\x01\"]":      `3 invalid character '\x01' in string literal`,
		"[tru":             "4 unexpected end of JSON input",
		"{\"a\":\"\xff\"}": "0 <nil>",
	} {
		offset, err := jsonrpc.SyntaxError([]byte(text))
		if got := fmt.Sprint(offset, " ", err); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
