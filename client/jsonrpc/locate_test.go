package jsonrpc_test

import (
	"testing"

	"mcptea/client/jsonrpc"
)

func TestLocate(t *testing.T) {
	const frame = ` {"a": {"b/c" : [1, {"d":"x"}, 2], "d":null}, "a\u0062": 1, "d":1, "d": 2}`
	for _, c := range []struct {
		pointer, want string
		found         bool
	}{
		{"", frame, true},
		{"/a", `"a": {"b/c" : [1, {"d":"x"}, 2], "d":null}`, true},
		{"/a/b~1c", `"b/c" : [1, {"d":"x"}, 2]`, true},
		{"/a/b~1c/1", `{"d":"x"}`, true},
		{"/a/b~1c/1/d", `"d":"x"`, true},
		{"/a/b~1c/1/e", `{"d":"x"}`, false},
		{"/a/b~1c/3", `"b/c" : [1, {"d":"x"}, 2]`, false},
		{"/a/b~1c/01", `"b/c" : [1, {"d":"x"}, 2]`, false},
		{"/a/d/e", `"d":null`, false},
		{"/ab", `"a\u0062": 1`, true},
		{"/d", `"d": 2`, true},
		{"/e", frame, false},
	} {
		at, found := jsonrpc.Locate([]byte(frame), c.pointer)
		if got := string(at.Of([]byte(frame))); got != c.want || found != c.found {
			t.Errorf("%s: %q, %v; want %q", c.pointer, got, found, c.want)
		}
	}
}

// The place is known in a frame that was cut behind it, too.
func TestLocate_Cut(t *testing.T) {
	frame := []byte(`{"a":[{"b":1},{"b":"xy`)
	if at, found := jsonrpc.Locate(frame, "/a/0/b"); found || at.Of(frame) == nil {
		t.Errorf("%v %v", at, found)
	}
	for _, text := range []string{"", "x", "{", "[", `{"a"`, `{"a":`, "[1,"} {
		if _, found := jsonrpc.Locate([]byte(text), "/a"); found {
			t.Errorf("%q has a member a", text)
		}
	}
}
