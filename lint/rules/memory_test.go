package rules

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/lint"
)

// recorder is a session whose findings are kept by rule.
func recorder(found map[string][]lint.Finding) *session {
	s := &session{now: time.Unix(1_800_000_000, 0)}
	s.e = New(func(f lint.Finding) {
		if n := len(found[f.Rule.ID]); n < 10 {
			found[f.Rule.ID] = append(found[f.Rule.ID], f)
		}
	})
	s.out(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"t","version":"1"}}}`)
	s.in(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`)
	s.out(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return s
}

// heldHeap returns the memory that do has added to what is in use, in bytes.
func heldHeap(do func()) int64 {
	use := func() int64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := use()
	do()
	return use() - before
}

func TestMemory_Bounded(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	tests := []struct {
		name   string
		n      int
		most   int64 // bytes
		frames func(s *session, i int)
	}{
		{"answered pings", 100_000, 16 << 20, func(s *session, i int) {
			s.in(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i))
			s.out(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, i))
		}},
		{"answered calls with progress", 20_000, 24 << 20, func(s *session, i int) {
			s.out(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"t","_meta":{"progressToken":%d}}}`, i+10, i+10))
			s.in(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%d,"progress":1}}`, i+10))
			s.in(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[]}}`, i+10))
		}},
		{"pings without responses", 80_000, 60 << 20, func(s *session, i int) {
			s.in(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i))
		}},
		{"long ids", 20, 2 << 20, func(s *session, i int) {
			s.in(fmt.Sprintf(`{"jsonrpc":"2.0","id":"%s%d","method":"ping"}`, long, i))
		}},
		{"long methods", 20, 2 << 20, func(s *session, i int) {
			s.in(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"%s"}`, i, long))
		}},
		{"long tokens", 20, 2 << 20, func(s *session, i int) {
			s.in(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping","params":{"_meta":{"progressToken":"%s%d"}}}`, i, long, i))
			s.out(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, i))
		}},
		{"long params", 40, 34 << 20, func(s *session, i int) {
			s.in(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"roots/list","params":{"name":"%s"}}`, i, long))
		}},
		{"elicitations that are cancelled", 20, 2 << 20, func(s *session, i int) {
			s.in(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"elicitation/create","params":{"message":"%s","requestedSchema":{"type":"object","properties":{}}}}`, i, long))
			s.in(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, i))
		}},
		{"list pages", 36, 34 << 20, func(s *session, i int) {
			s.out(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/list","params":{"cursor":"%d"}}`, i+10, i))
			s.in(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"tools":[{"name":"t%d","description":"%s","inputSchema":{"type":"object"}}],"nextCursor":"%d"}}`, i+10, i, long, i+1))
		}},
		{"long cursors", 20, 2 << 20, func(s *session, i int) {
			s.out(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`, i+10))
			s.in(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"tools":[],"nextCursor":"%s%d"}}`, i+10, long, i))
		}},
		{"unknown methods", 40_000, 4 << 20, func(s *session, i int) {
			s.in(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/m%d"}`, i))
		}},
		{"wrong members", 20_000, 4 << 20, func(s *session, i int) {
			s.in(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":{"k%d":1,"k%d":2}}}`, i, i))
		}},
		{"tasks", 15_000, 12 << 20, func(s *session, i int) {
			s.in(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":"%d","status":"working","statusMessage":"%0300d"}}`, i, i))
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := recorder(map[string][]lint.Finding{})
			held := heldHeap(func() {
				for i := range tt.n {
					tt.frames(s, i)
				}
			})
			if held > tt.most+1<<20 {
				t.Errorf("%d times hold %d kB, more than %d", tt.n, held>>10, tt.most>>10)
			}
			runtime.KeepAlive(s)
		})
	}
}

func TestMemory_Exchanges(t *testing.T) {
	s := recorder(map[string][]lint.Finding{})
	held := heldHeap(func() {
		for i := range uint32(30_000) {
			x := transport.Exchange{ID: i + 1, Method: "POST", URL: "http://localhost/mcp", Phase: transport.ExchangeSent, Start: s.now}
			x.RequestHeader = map[string][]string{"X-Large": {strings.Repeat("x", 1000)}}
			s.e.HTTP(x, 1)
			x.Phase, x.Status = transport.ExchangeDone, 202
			s.e.HTTP(x, 1)
		}
	})
	if held > 8<<20 {
		t.Errorf("they hold %d kB", held>>10)
	}
	runtime.KeepAlive(s)
}

// The id of a released request is not taken for one that was never used.
func TestRequests_KnownAfterRelease(t *testing.T) {
	found := map[string][]lint.Finding{}
	s := recorder(found)
	s.out(`{"jsonrpc":"2.0","id":"old","method":"tools/list"}`)
	s.in(`{"jsonrpc":"2.0","id":"old","result":{"tools":[]}}`)
	for i := range 3 * 4096 { // more than are held after their end
		s.in(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i))
		s.out(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, i))
	}
	if r := s.e.State().Flows.Find(transport.Out, jsonrpc.TokenOf([]byte(`"old"`))); r == nil || !r.IsReleased() {
		t.Fatal("the old request is still held")
	}
	clear(found)
	s.in(`{"jsonrpc":"2.0","id":"old","result":{"tools":[]}}`)
	if f := found["J032"]; len(f) != 1 || len(found["J030"]) != 0 {
		t.Errorf("a second response: J032 %v, J030 %v", f, found["J030"])
	}
	s.out(`{"jsonrpc":"2.0","id":"old","method":"prompts/list"}`)
	if f := found["J011"]; len(f) != 1 || !strings.Contains(f[0].Message, "tools/list") {
		t.Errorf("an id that is used again: %v", f)
	}
	s.in(`{"jsonrpc":"2.0","id":5,"method":"ping"}`)
	if f := found["J011"]; len(f) != 2 {
		t.Errorf("an id of the server that is used again: %v", f)
	}
}

func TestJ034_OncePerRequest(t *testing.T) {
	found := map[string][]lint.Finding{}
	s := recorder(found)
	s.out(`{"jsonrpc":"2.0","id":"a","method":"tools/list"}`)
	s.out(`{"jsonrpc":"2.0","id":"b","method":"tools/list"}`)
	s.in(`{"jsonrpc":"2.0","id":"a","result":{"tools":[]}}`)
	for range 3 {
		s.now = s.now.Add(time.Minute)
		s.e.Tick(s.now)
	}
	if f := found["J034"]; len(f) != 1 || !strings.Contains(f[0].Message, `b`) {
		t.Errorf("%v", f)
	}
	s.in(`{"jsonrpc":"2.0","id":"unknown","result":{}}`)
	if f := found["J030"]; len(f) != 1 || !strings.Contains(f[0].Message+f[0].Hint, `b`) {
		t.Errorf("the request that waits is not named: %v", f)
	}
}
