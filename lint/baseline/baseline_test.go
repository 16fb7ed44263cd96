package baseline_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/lint/baseline"
	"mcptea/record"
	"mcptea/record/flow"
)

func TestBaseline_Parse_WrongVersion(t *testing.T) {
	for _, text := range []string{`{"v":9}`, `[`, `{}`} {
		if _, err := baseline.Parse([]byte(text)); err == nil {
			t.Errorf("%s is accepted", text)
		}
	}
}

// followed is what a follower learns of a session, whose lines are frames: "> " of the client,
// "< " of the server, "! " injected. "open TARGET" begins a connection.
func followed(text string) *baseline.Follower {
	f := baseline.NewFollower()
	matcher := flow.NewMatcher(flow.Limits{})
	row := int32(0)
	for line := range strings.Lines(strings.TrimSpace(text)) {
		line = strings.TrimSpace(line)
		if target, ok := strings.CutPrefix(line, "open "); ok {
			c := &record.Connection{What: record.ConnectionOpened, Number: 1, Target: target}
			f.Connection(c)
			matcher.Event(&record.Event{Kind: record.KindConnection, Connection: c}, flow.None)
			continue
		}
		body := []byte(line[2:])
		frame := transport.Frame{Bytes: body, Envelope: jsonrpc.Scan(body), Time: time.Unix(1, 0), Dir: transport.Out}
		switch line[0] {
		case '<':
			frame.Dir = transport.In
		case '!':
			frame.Dir, frame.Side = transport.In, transport.Injected
		}
		matches := matcher.Frame(0, &frame, row, 0)
		for i := range matches {
			f.Match(&matches[i], frame.Side, row+1)
		}
		row++
	}
	return f
}

const began = `open node a.js
> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}
< {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"a","version":"1"}}}
`

func TestBaseline_Follower_OnlyCompleteLists(t *testing.T) {
	for _, tt := range []struct{ name, frames, want string }{
		{"pages", `
> {"jsonrpc":"2.0","id":2,"method":"tools/list"}
< {"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"x"}],"nextCursor":"c"}}
> {"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"\u0063"}}
< {"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"y"}]}}`, `[{"name":"x"},{"name":"y"}] in line 6`},
		{"a page is missing", `
> {"jsonrpc":"2.0","id":2,"method":"tools/list"}
< {"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"x"}],"nextCursor":"c"}}`, "none"},
		{"a page of another listing", `
> {"jsonrpc":"2.0","id":2,"method":"tools/list"}
< {"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"x"}],"nextCursor":"c"}}
> {"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"d"}}
< {"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"y"}]}}`, "none"},
		{"the newest complete one", `
> {"jsonrpc":"2.0","id":2,"method":"tools/list"}
< {"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"x"}]}}
> {"jsonrpc":"2.0","id":3,"method":"tools/list"}
< {"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"y"}],"nextCursor":"c"}}`, `[{"name":"x"}] in line 4`},
		{"an error", `
> {"jsonrpc":"2.0","id":2,"method":"tools/list"}
< {"jsonrpc":"2.0","id":2,"error":{"code":-1,"message":"no"}}`, "none"},
		{"a response that the user has written", `
> {"jsonrpc":"2.0","id":2,"method":"tools/list"}
! {"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"x"}]}}`, "none"},
		{"a result without the list", `
> {"jsonrpc":"2.0","id":2,"method":"tools/list"}
< {"jsonrpc":"2.0","id":2,"result":{}}`, "none"},
	} {
		f := followed(began + strings.TrimSpace(tt.frames))
		got := "none"
		for _, o := range f.Offers() {
			items, _ := json.Marshal(o.Lists["tools"])
			got = string(items) + " in line " + string('0'+f.Line(o, "tools"))
			if o.Name != "a" || o.Target != "node a.js" || o.Revision != "2025-11-25" || string(o.Capabilities) != `{"tools":{}}` {
				t.Errorf("%s: %+v", tt.name, o)
			}
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestBaseline_Follower_CancelledRequests: requests that get no response do not take the room of those that do.
func TestBaseline_Follower_CancelledRequests(t *testing.T) {
	var frames strings.Builder
	const maxAsked = 100
	for i := range 2 * maxAsked {
		fmt.Fprintf(&frames, "> {\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/list\"}\n> {\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":%[1]d}}\n", i+10)
	}
	// There is room for all but one of the requests at a time, and for the list.
	for i := range maxAsked - 1 {
		fmt.Fprintf(&frames, "> {\"jsonrpc\":\"2.0\",\"id\":\"p%d\",\"method\":\"prompts/list\"}\n", i)
	}
	f := followed(began + frames.String() + `> {"jsonrpc":"2.0","id":2,"method":"tools/list"}
< {"jsonrpc":"2.0","id":2,"result":{"tools":[]}}`)
	if len(f.Offers()) != 1 {
		t.Errorf("%d offers", len(f.Offers()))
	}
}

// TestBaseline_Follower_Stateless: since 2026-07-28 each request names its version and each result may
// name the server.
func TestBaseline_Follower_Stateless(t *testing.T) {
	f := followed(`open http://127.0.0.1/mcp
> {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}
< {"jsonrpc":"2.0","id":1,"result":{"tools":[],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}}}`)
	if o := f.Offers(); len(o) != 1 || o[0].Name != "s" || o[0].Revision != "2026-07-28" || o[0].Lists["tools"] == nil || o[0].Capabilities != nil {
		t.Errorf("%+v", o)
	}
}

// TestBaseline_File_ServersDoNotShare: two servers of one recording, in one file.
func TestBaseline_File_ServersDoNotShare(t *testing.T) {
	list := func(name string) string {
		return `> {"jsonrpc":"2.0","id":2,"method":"tools/list"}
< {"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"` + name + `"}]}}
`
	}
	two := followed(began + list("x") + strings.Replace(began, "a.js", "b.js", 1) + list("y"))
	b := baseline.New()
	for _, o := range two.Offers() {
		b.Accept(o)
	}
	if len(b.Servers) != 2 {
		t.Fatalf("%+v", b.Servers)
	}
	for _, o := range two.Offers() {
		if old, why := b.Find(o); why != "" || len(old.Changes(o)) != 0 {
			t.Errorf("%s: %s %+v", o, why, old.Changes(o))
		}
	}
	other := followed(strings.Replace(began, `"name":"a"`, `"name":"c"`, 1) + list("x")).Offers()[0]
	if _, why := b.Find(other); why != `it does not have "c" (node a.js)` {
		t.Error(why)
	}
	older := followed(strings.ReplaceAll(began, "2025-11-25", "2025-06-18") + list("x")).Offers()[0]
	if _, why := b.Find(older); !strings.Contains(why, `in protocol version 2025-11-25, and the session has 2025-06-18`) {
		t.Error(why)
	}
}

// TestBaseline_File_AcceptKeepsOtherLists: a session that lists only tools takes nothing else out.
func TestBaseline_File_AcceptKeepsOtherLists(t *testing.T) {
	b := baseline.New()
	b.Accept(&baseline.Offer{Name: "a", Revision: "2025-11-25", Lists: map[string][]json.RawMessage{"tools": {}, "prompts": {[]byte(`{"name":"p"}`)}}})
	b.Accept(&baseline.Offer{Name: "a", Revision: "2025-11-25", Lists: map[string][]json.RawMessage{"tools": {[]byte(`{"name":"t"}`)}}})
	if o := b.Servers[0]; len(b.Servers) != 1 || len(o.Lists["prompts"]) != 1 || len(o.Lists["tools"]) != 1 {
		t.Errorf("%+v", b.Servers)
	}
}
