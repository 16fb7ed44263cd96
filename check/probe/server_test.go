package probe

import (
	"fmt"
	"testing"

	"mcptea/client/jsonrpc"
)

// What requirements of directories are judged by is kept of results alone, and of apps alone.
func TestServer_KeepsLargestResultAndDocuments(t *testing.T) {
	s := &Server{Largest: map[string]int{}, Documents: map[string][]byte{}}
	s.Tools = ToolsOf([][]byte{[]byte(`{"name":"a","_meta":{"ui":{"resourceUri":"ui://a"}}}`)})
	for _, x := range []struct{ request, response string }{
		{`"method":"tools/call","params":{"name":"a"}`, `"result":{"content":[{"type":"text","text":"éé"},{"type":"resource","resource":{"text":"1"}}]}`},
		{`"method":"tools/call","params":{"name":"a"}`, `"result":{"content":[{"type":"text","text":"1"}]}`},
		{`"method":"tools/call","params":{"name":"b"}`, `"error":{"code":-32602,"message":"no"}`},
		{`"method":"resources/read","params":{"uri":"ui://a"}`, `"result":{"contents":[]}`},
		{`"method":"resources/read","params":{"uri":"file:///a"}`, `"result":{"contents":[]}`},
	} {
		frame, response := []byte(`{"jsonrpc":"2.0","id":1,`+x.request+`}`), []byte(`{"jsonrpc":"2.0","id":1,`+x.response+`}`)
		kind := Result
		if x.response[1] == 'e' {
			kind = Error
		}
		s.keep(jsonrpc.Scan(frame), frame, Outcome{Kind: kind, Frame: response})
	}
	if got := fmt.Sprintf("%v %d %s", s.Largest, len(s.Documents), s.Documents["ui://a"]); got != `map[a:3] 1 {"contents":[]}` {
		t.Error(got)
	}
}
