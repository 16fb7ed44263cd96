package failure

import "testing"

// A response that is no line of its own is told apart by what came: one line without its end is no indented JSON.
func TestBrokenLine(t *testing.T) {
	for _, tt := range []struct {
		stray []string
		want  string
	}{
		{[]string{"Starting"}, ""},
		{[]string{`{"jsonrpc":"2.0","id":1,"result":{}}`}, "one"},
		{[]string{`Starting{"jsonrpc":"2.0","id":1,"result":{}}`}, "mixed"},
		{[]string{"{", `  "jsonrpc": "2.0",`, `  "id": 1`, "}"}, "several"},
		{[]string{`{"jsonrpc":"2.0",`, `"id":1}`}, "several"},
		{[]string{"Starting", `{"jsonrpc":"2.0","id":1,"result":{"x":"yyy`}, "begun"},
	} {
		if got := brokenLine(tt.stray); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.stray, got, tt.want)
		}
	}
}
