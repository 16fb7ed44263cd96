package replay

import (
	"testing"

	"mcptea/internal/test/recordingtest"
	"mcptea/record/store"
)

// The line above a comparison says what the two frames are.
func TestAbout(t *testing.T) {
	s, err := store.Open(recordingtest.File(t, "stdio", `
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hi"}}}
< {"jsonrpc":"2.0","id":1,"result":{"content":[]}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hi"}}}
> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}
< {"jsonrpc":"2.0","id":2,"result":{"content":[]}}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"add","arguments":{"message":"hi"}}}
< {"jsonrpc":"2.0","id":3,"result":{"content":[]}}
> {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"echo","arguments":{"message":"no"}}}
< {"jsonrpc":"2.0","id":4,"result":{"content":[]}}
< {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}
< {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":2}}
> {"jsonrpc":"2.0","id":5,"method":"ping"}
< {"jsonrpc":"2.0","id":6,"method":"ping"}
`))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		old, now      int32
		about, method string // with its params
	}{
		{1, 4, `echo {"message":"hi"} · same arguments`, `tools/call`},
		{0, 2, `echo {"message":"hi"} · same arguments`, ""}, // a request is not a result to expect
		{1, 8, `echo · other arguments`, "tools/call"},
		{1, 6, `echo · add`, "tools/call"},
		{0, 3, `tools/call · notifications/cancelled`, ""},
		{3, 4, `notifications/cancelled · tools/call`, "tools/call"},
		{9, 10, `notifications/message`, ""},
		{0, 11, `tools/call · ping`, ""},
		{0, 12, ``, ""}, // a request of the server
	} {
		if about, method, params := About(s, [2]int32{c.old, c.now}); about != c.about || method != c.method || (params != nil) != (method != "") {
			t.Errorf("#%d and #%d: %q, %q %s, want %q, %q", c.old+1, c.now+1, about, method, params, c.about, c.method)
		}
	}
}
