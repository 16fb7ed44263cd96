package statistics

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"mcptea/client/transport"
	"mcptea/internal/test/recordingtest"
	"mcptea/record"
)

const handshake = `> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}
< {"jsonrpc":"2.0","id":0,"result":{"serverInfo":{"name":"flaky","version":"1"}}}
`

func collected(t *testing.T, since time.Time, paths ...string) []Server {
	t.Helper()
	c := newCollector(since)
	for _, path := range paths {
		if err := c.add(t.Context(), path); err != nil {
			t.Fatal(err)
		}
	}
	return c.all()
}

func TestStatistics_ServersCountsByTool(t *testing.T) {
	bad := recordingtest.File(t, "stdio", handshake+`> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query"}}
< {"jsonrpc":"2.0","id":1,"result":{"isError":true,"content":[]}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"query"}}
< {"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"no"}}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"query"}}`)
	good := recordingtest.File(t, "stdio", handshake+`> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query"}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"add"}}
< {"jsonrpc":"2.0","id":2,"result":{"content":[]}}
< {"jsonrpc":"2.0","id":1,"result":{"content":[]}}
< {"jsonrpc":"2.0","id":1,"result":{"content":[]}}`)
	all := collected(t, time.Time{}, bad, good)
	if len(all) != 1 || all[0].Server != "flaky" || all[0].Sessions != 2 || all[0].FailedSessions != 1 || all[0].Calls != 5 || len(all[0].Tools) != 2 {
		t.Fatalf("%+v", all)
	}
	q := all[0].Tools[0]
	if q.Tool != "query" || q.Calls != 4 || q.ToolErrors != 1 || q.ProtocolErrors != 1 || q.Unanswered != 1 || q.Sessions != 2 || q.FailedSessions != 1 || len(q.Failed) != 1 || q.Failed[0] != bad {
		t.Errorf("%+v", q)
	}
	if time.Duration(q.P50) != time.Millisecond || time.Duration(q.P99) != 3*time.Millisecond {
		t.Errorf("p50 %v, p99 %v", time.Duration(q.P50), time.Duration(q.P99))
	}
	if later := collected(t, time.Unix(1_900_000_000, 0), bad, good); len(later) != 0 {
		t.Errorf("of a later time there are %+v", later)
	}
}

// A recording in which no connection became ready counts as a failed session of its server.
func TestStatistics_ServersNotConnected(t *testing.T) {
	b := record.AppendHeader(nil, record.Header{Tool: "mcptea 1", Transport: "stdio", Target: "node gone.js", Time: 1})
	b = record.AppendEvent(b, 1, &record.Event{Kind: record.KindConnection, Time: time.Unix(2, 0), Connection: &record.Connection{What: record.ConnectionOpened, Number: 1, Transport: "stdio", Target: "node gone.js"}})
	e := record.Event{Kind: record.KindFrame, Time: time.Unix(3, 0)}
	e.Frame = transport.Frame{Bytes: []byte(`{"jsonrpc":"2.0","id":1,"method":"initialize"}`), Dir: transport.Out, Ending: "\n"}
	b = record.AppendEvent(b, 2, &e)
	path := filepath.Join(t.TempDir(), "gone.mcptea.jsonl")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	all := collected(t, time.Time{}, path)
	if len(all) != 1 || all[0].Server != "node gone.js" || all[0].Unconnected != 1 || all[0].FailedSessions != 1 {
		t.Errorf("%+v", all)
	}
}
