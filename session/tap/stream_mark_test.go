package tap

import "testing"

// A byte order mark at the start of a stream does not keep the old data beside the new.
func TestWithData_ByteOrderMark(t *testing.T) {
	for raw, want := range map[string]string{
		"\ufeffdata: /old\n\n":                  "data: /new\n\n",
		"\ufeffevent: endpoint\ndata: /old\n\n": "\ufeffevent: endpoint\ndata: /new\n\n",
		"id: 1\r\ndata: /old\r\n\r\n":           "id: 1\r\ndata: /new\r\n\r\n",
	} {
		if got := withData([]byte(raw), []byte("/new")); string(got) != want {
			t.Errorf("%q: %q, want %q", raw, got, want)
		}
	}
}
