package jsonrpc_test

import (
	"testing"

	"mcptea/client/jsonrpc"
)

func TestStringEnd(t *testing.T) {
	for _, tt := range []struct {
		text     string
		start    int
		end      int
		isClosed bool
	}{
		{`"a" "b"`, 0, 3, true},
		{`"a" "b"`, 4, 7, true},
		{`""`, 0, 2, true},
		{`"a\\"`, 0, 5, true},
		{`"a\"b"`, 0, 6, true},
		{`"a`, 0, 2, false},
		{`"a\"`, 0, 4, false},
		{`"a\`, 0, 3, false},
		{`"`, 0, 1, false},
	} {
		if end, isClosed := jsonrpc.StringEnd(tt.text, tt.start); end != tt.end || isClosed != tt.isClosed {
			t.Errorf("%s from %d: %d, %t", tt.text, tt.start, end, isClosed)
		}
		if end, isClosed := jsonrpc.StringEnd([]byte(tt.text), tt.start); end != tt.end || isClosed != tt.isClosed {
			t.Errorf("the bytes of %s from %d: %d, %t", tt.text, tt.start, end, isClosed)
		}
	}
}
