package attach

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"testing"

	"mcptea/client/jsonrpc"
)

var requests = []struct{ frame, want string }{
	{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":77,"method":"ping"}`},
	{`{"method":"a","params":{"_meta":{"progressToken":"x"}},"id":"1","jsonrpc":"2.0"}`, `{"method":"a","params":{"_meta":{"progressToken":77}},"id":77,"jsonrpc":"2.0"}`},
	{`{"jsonrpc":"2.0", "id": 1 ,"method":"a","params":{"id":1,"_meta":{"progressToken":1,"o":1}}}`, `{"jsonrpc":"2.0", "id": 77 ,"method":"a","params":{"id":1,"_meta":{"progressToken":77,"o":1}}}`},
	{`{"jsonrpc":"2.0","id":1,"method":"a","params":[1]}`, `{"jsonrpc":"2.0","id":77,"method":"a","params":[1]}`},
}

func TestWithID(t *testing.T) {
	for _, tc := range requests {
		if got := withID([]byte(tc.frame), jsonrpc.Scan([]byte(tc.frame)), jsonrpc.IDOf("77")); string(got) != tc.want {
			t.Errorf("%s\nwant %s", got, tc.want)
		}
	}
}

func FuzzWithID(f *testing.F) {
	for _, tc := range requests {
		f.Add([]byte(tc.frame))
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		e := jsonrpc.Scan(frame)
		if e.Kind != jsonrpc.Request {
			return
		}
		before := bytes.Clone(frame)
		got := withID(frame, e, jsonrpc.IDOf("77"))
		after := jsonrpc.Scan(got)
		if !bytes.Equal(frame, before) || !json.Valid(got) || after.ID.Of(got).String() != "77" || after.MethodName(got) != e.MethodName(frame) {
			t.Errorf("%q became %q", frame, got)
		}
	})
}

// Sessions of a process have the decimal numbers that commands name them by.
func TestNextName_Numbers(t *testing.T) {
	before := served.Swap(0)
	defer served.Store(before)
	pid := strconv.Itoa(os.Getpid())
	for n := 1; n <= 12; n++ {
		want := pid
		if n > 1 {
			want = fmt.Sprintf("%s-%d", pid, n)
		}
		if got := nextName(); got != want {
			t.Errorf("session %d is %s, want %s", n, got, want)
		}
	}
}
