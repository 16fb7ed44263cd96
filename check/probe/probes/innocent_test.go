package probes_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/check/probe"
	"mcptea/check/probe/probes"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/test/sessiontest"
	"mcptea/lint"
)

// innocent is a server that does nothing wrong, and looks as if it did.
type innocent struct {
	name     string
	revision revision.Revision
	handle   func(p *sessiontest.Peer, m sessiontest.Message) (exit bool)
	// unjudged are probes that say that nothing can be concluded, with a part of the sentence.
	unjudged map[string]string
	// said are patterns of what may be said of it nevertheless.
	said []string
}

const handshakeResult = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`

// handshakeServer answers what a server with one tool has to, and calls by a function.
func handshakeServer(tool string, call func(p *sessiontest.Peer, params []byte) (text string, isError bool)) func(*sessiontest.Peer, sessiontest.Message) bool {
	return func(p *sessiontest.Peer, m sessiontest.Message) bool {
		switch m.Method {
		case "initialize":
			p.Result(m, handshakeResult)
		case "ping":
			p.Result(m, "{}")
		case "tools/list":
			p.Result(m, `{"tools":[`+tool+`]}`)
		case "tools/call":
			if jsonrpc.Text(m.Params, "name") != "explore" {
				p.Error(m, jsonrpc.CodeInvalidParams, "Unknown tool")
				break
			}
			text, isError := call(p, m.Params)
			p.Result(m, fmt.Sprintf(`{"content":[{"type":"text","text":%q}],"isError":%v}`, text, isError))
		default:
			if m.ID != "" {
				p.Error(m, jsonrpc.CodeMethodNotFound, "Method not found")
			}
		}
		return false
	}
}

const exploreTool = `{"name":"explore","description":"Explores the project","inputSchema":{"type":"object","properties":{"query":{"type":"string","description":"What to look for"},"most":{"type":"integer","description":"How many"}},"required":["query"]},"annotations":{"readOnlyHint":true}}`

// statelessServer answers what a server of 2026-07-28 has to; acknowledge gets subscriptions/listen.
func statelessServer(acknowledge func(p *sessiontest.Peer, send func())) func(*sessiontest.Peer, sessiontest.Message) bool {
	return func(p *sessiontest.Peer, m sessiontest.Message) bool {
		version := jsonrpc.Get(m.Params, "_meta", revision.MetaProtocolVersion)
		capabilities := jsonrpc.Get(m.Params, "_meta", revision.MetaClientCapabilities)
		switch {
		case m.ID == "":
		case version == nil || version[0] != '"' || capabilities == nil || capabilities[0] != '{':
			p.Write(`{"jsonrpc":"2.0","id":` + m.ID + `,"error":{"code":-32602,"message":"Invalid _meta envelope","data":{"envelope":{"key":"io.modelcontextprotocol/clientCapabilities","problem":"Invalid input: expected object, received array"}}}}`)
		case string(version) != `"2026-07-28"`:
			p.Write(`{"jsonrpc":"2.0","id":` + m.ID + `,"error":{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2026-07-28"],"requested":` + string(version) + `}}}`)
		case m.Method == "server/discover":
			p.Result(m, `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}}`)
		case m.Method == "tools/list":
			p.Result(m, `{"resultType":"complete","tools":[],"ttlMs":0,"cacheScope":"private"}`)
		case m.Method == "subscriptions/listen":
			if n := jsonrpc.Get(m.Params, "notifications"); n == nil || n[0] != '{' {
				p.Error(m, jsonrpc.CodeInvalidParams, "notifications must be an object")
				break
			}
			acknowledge(p, func() {
				p.Write(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{},"_meta":{"io.modelcontextprotocol/subscriptionId":` + m.ID + `}}}`)
			})
		default:
			p.Error(m, jsonrpc.CodeMethodNotFound, "Method not found")
		}
		return false
	}
}

// acknowledgesAfter acknowledges a subscription after a while, and answers others meanwhile.
func acknowledgesAfter(d time.Duration) func(*sessiontest.Peer, sessiontest.Message) bool {
	return statelessServer(func(p *sessiontest.Peer, send func()) { p.After(d, send) })
}

// answersAlso is a server that answers the requests of a method with {}, without a capability for it.
func answersAlso(method string) func(*sessiontest.Peer, sessiontest.Message) bool {
	inner := handshakeServer(exploreTool, func(_ *sessiontest.Peer, params []byte) (string, bool) {
		query := jsonrpc.Get(params, "arguments", "query")
		most := jsonrpc.Get(params, "arguments", "most")
		wrong := query == nil || query[0] != '"' || most != nil && (most[0] < '0' || most[0] > '9')
		return "found", wrong
	})
	return func(p *sessiontest.Peer, m sessiontest.Message) bool {
		if m.Method == method && m.ID != "" {
			p.Result(m, "{}")
			return false
		}
		return inner(p, m)
	}
}

// pagesByNumber is a server with two pages, whose cursors are numbers in base64: one with another last character is
// that of the other page.
func pagesByNumber() func(*sessiontest.Peer, sessiontest.Message) bool {
	inner := handshakeServer(exploreTool, func(*sessiontest.Peer, []byte) (string, bool) { return "found", false })
	second := strings.Replace(exploreTool, `"explore"`, `"explore_all"`, 1)
	return func(p *sessiontest.Peer, m sessiontest.Message) bool {
		if m.Method != "tools/list" || m.ID == "" {
			return inner(p, m)
		}
		page := "0"
		if cursor := jsonrpc.Get(m.Params, "cursor"); cursor != nil {
			text, _ := jsonrpc.Unquote(cursor)
			number, err := base64.RawURLEncoding.DecodeString(text)
			if page = string(number); err != nil || text == "" {
				page = "none"
			}
		}
		switch page {
		case "0":
			p.Result(m, `{"tools":[`+exploreTool+`],"nextCursor":"MQ"}`)
		case "1":
			p.Result(m, `{"tools":[`+second+`]}`)
		default:
			p.Error(m, jsonrpc.CodeInvalidParams, "Invalid cursor")
		}
		return false
	}
}

// completesNone is a server that declares completions, and says with the code of an unknown method that it does not know
// the prompt.
func completesNone() func(*sessiontest.Peer, sessiontest.Message) bool {
	inner := handshakeServer(exploreTool, func(*sessiontest.Peer, []byte) (string, bool) { return "found", false })
	return func(p *sessiontest.Peer, m sessiontest.Message) bool {
		switch {
		case m.Method == "initialize" && m.ID != "":
			p.Result(m, strings.Replace(handshakeResult, `{"tools":{}}`, `{"tools":{},"completions":{}}`, 1))
		case m.Method == "completion/complete" && m.ID != "":
			p.Error(m, jsonrpc.CodeMethodNotFound, "Prompt not found: "+jsonrpc.Text(m.Params, "ref", "name"))
		default:
			return inner(p, m)
		}
		return false
	}
}

// unknownWithID is a server whose error response to an unknown method has an id of its own.
func unknownWithID(id string) func(*sessiontest.Peer, sessiontest.Message) bool {
	inner := handshakeServer(exploreTool, func(*sessiontest.Peer, []byte) (string, bool) { return "found", false })
	known := []string{"initialize", "ping", "tools/list", "tools/call"}
	return func(p *sessiontest.Peer, m sessiontest.Message) bool {
		if m.ID != "" && !slices.Contains(known, m.Method) {
			m.ID = id
		}
		return inner(p, m)
	}
}

// losesNext is a server that reads whole buffers: what comes right behind a line that it cannot read is lost.
func losesNext(ctx context.Context, in io.Reader, out io.Writer) error {
	var unreadable time.Time
	inner := sessiontest.Answering(handshakeServer(exploreTool, func(*sessiontest.Peer, []byte) (string, bool) { return "found", false }))
	return sessiontest.Discarding(inner, func(line []byte) bool {
		if !jsonrpc.Valid(line) {
			unreadable = time.Now()
			return true
		}
		return time.Since(unreadable) < 10*time.Millisecond
	})(ctx, in, out)
}

func TestProbe_LineBehindUnreadableOneLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		connect := sessiontest.Dial(losesNext)
		summary, err := probes.Run(context.Background(), probe.Config{
			Client: client.Config{Name: "mcptea", Version: "1", Revision: revision.R20251125}, Seed: 1, MaxTime: time.Hour, Only: []string{"P-020"},
			Dial: func(_ client.Target, tap client.Tap, cfg client.Config) *client.Client { return connect(tap, cfg) },
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, r := range summary.Reports {
			for _, f := range r.Findings {
				all = append(all, f.Message)
			}
		}
		said := strings.Join(all, "\n")
		if !strings.Contains(said, "The server loses the line after a word that is not JSON: ping directly after it gets no response, but a later one does.") || strings.Contains(said, "nothing any more") {
			t.Errorf("it says:\n%s", said)
		}
	})
}

// deafToText is a server that throws at an id that is a text: it sends no response, and loses what comes soon after it.
func deafToText(ctx context.Context, in io.Reader, out io.Writer) error {
	var thrown time.Time
	inner := sessiontest.Answering(handshakeServer(exploreTool, func(*sessiontest.Peer, []byte) (string, bool) { return "found", false }))
	return sessiontest.Discarding(inner, func(line []byte) bool {
		if e := jsonrpc.Scan(line); e.Kind == jsonrpc.Request && e.IDType == jsonrpc.IDString {
			thrown = time.Now()
			return true
		}
		return time.Since(thrown) < 500*time.Millisecond
	})(ctx, in, out)
}

// The finding names the missing response, and not only the line that is lost after the request.
func TestProbe_UnansweredRequestBeforeLostLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		connect := sessiontest.Dial(deafToText)
		summary, err := probes.Run(context.Background(), probe.Config{
			Client: client.Config{Name: "mcptea", Version: "1", Revision: revision.R20251125}, Seed: 1, MaxTime: time.Hour, Only: []string{"P-026"},
			Dial: func(_ client.Target, tap client.Tap, cfg client.Config) *client.Client { return connect(tap, cfg) },
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range summary.Reports {
			if r.Entry.ID != "P-026" {
				continue
			}
			for _, f := range r.Findings {
				if f.Severity == lint.Error && strings.HasPrefix(f.Message, `There is no response to ping with the id "a". The server loses the line after`) && strings.Contains(f.Hint, "stderr") {
					return
				}
			}
			t.Errorf("P-026 is %s: %+v", r.Verdict, r.Findings)
		}
	})
}

// sameAsPlain is what is said where a call has the result of a valid one.
const sameAsPlain = "whether the server looks at the difference is not known"

// sameForAll is what the probes of arguments say of a server that says the same to all of them.
var sameForAll = map[string]string{"P-052": sameAsPlain, "P-053": sameAsPlain, "P-054": sameAsPlain}

func innocents() []innocent {
	const none = "No project is loaded for this session. Run init first."
	return []innocent{
		{"a tool without its precondition", revision.R20251125, handshakeServer(exploreTool, func(*sessiontest.Peer, []byte) (string, bool) { return none, false }), sameForAll, nil},
		{"a precondition with a counter and a time", revision.R20251125, handshakeServer(exploreTool, func(p *sessiontest.Peer, _ []byte) (string, bool) {
			return fmt.Sprintf("[%s] request %d: %s", time.Now().Format(time.RFC3339Nano), p.Requests, none), false
		}), sameForAll, nil},
		{"a precondition in one of three wordings", revision.R20251125, handshakeServer(exploreTool, func(p *sessiontest.Peer, _ []byte) (string, bool) {
			return none + []string{" Try again.", " See the guide.", " Nothing was read."}[p.Requests%3], false
		}), nil, nil},
		{"a library that answers logging/setLevel by itself", revision.R20251125, answersAlso("logging/setLevel"), nil, nil},
		{"a notification that is sent as a request", revision.R20251125, answersAlso("notifications/initialized"), nil, nil},
		{"completion that does not know the prompt", revision.R20251125, completesNone(), nil, nil},
		{"another id for unknown methods", revision.R20251125, unknownWithID("-32603"), map[string]string{"P-023": "came with the id -32603"}, []string{"P-033 Response id -32603 matches no pending request."}},
		{"cursors of which one is like another", revision.R20251125, pagesByNumber(), nil, nil},
		{"an acknowledgment after 100 ms", revision.R20260728, acknowledgesAfter(100 * time.Millisecond), nil, nil},
		{"an acknowledgment after 400 ms", revision.R20260728, acknowledgesAfter(400 * time.Millisecond), nil, nil},
		{"an acknowledgment after 6 s", revision.R20260728, acknowledgesAfter(6 * time.Second), nil, nil},
		{"an acknowledgment behind the next response", revision.R20260728, func() func(*sessiontest.Peer, sessiontest.Message) bool {
			waiting := map[int]func(){} // until another request is answered
			inner := statelessServer(func(p *sessiontest.Peer, send func()) { waiting[p.Number] = send })
			return func(p *sessiontest.Peer, m sessiontest.Message) bool {
				send := waiting[p.Number]
				exit := inner(p, m)
				if send != nil && m.ID != "" {
					delete(waiting, p.Number)
					p.After(50*time.Millisecond, send)
				}
				return exit
			}
		}(), nil, nil},
	}
}

// Nothing is said against a server that is right, however late, slow or in whichever order it is.
func TestProbe_InnocentServers(t *testing.T) {
	for _, s := range innocents() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				connect := sessiontest.Dial(sessiontest.Answering(s.handle))
				summary, err := probes.Run(context.Background(), probe.Config{
					Client: client.Config{Name: "mcptea", Version: "1", Revision: s.revision}, Seed: 1, MaxTime: time.Hour,
					Dial: func(_ client.Target, tap client.Tap, cfg client.Config) *client.Client { return connect(tap, cfg) },
				}, nil)
				if err != nil {
					t.Fatal(err)
				}
				s.judge(t, summary)
			})
		})
	}
}

func (s innocent) judge(t *testing.T, summary *probe.Summary) {
	t.Helper()
	for _, r := range summary.Reports {
		if want, ok := s.unjudged[r.Entry.ID]; ok && (r.Verdict != probe.Failure || !strings.Contains(r.Why(), want)) {
			t.Errorf("%s is %s %s", r.Entry.ID, r.Verdict, r.Why())
		} else if !ok && r.Verdict == probe.Failure {
			t.Logf("%s is not judged: %s", r.Entry.ID, r.Why())
		}
		for _, f := range r.Findings {
			if f.Severity == lint.Info {
				continue
			}
			may := false
			for _, said := range s.said {
				may = may || strings.HasPrefix(r.Entry.ID+" "+f.Message, said)
			}
			if !may {
				t.Errorf("%s %s %s", f.Severity, r.Entry.ID, f.Message)
			}
		}
	}
}

// A finding about a result does not quote a control that failed, on which it does not depend.
func TestProbe_FailedControlNotQuoted(t *testing.T) {
	const answered = 2 // how many connections get a response to initialize: not those of the control
	synctest.Test(t, func(t *testing.T) {
		inner := handshakeServer(exploreTool, func(*sessiontest.Peer, []byte) (string, bool) { return "found", false })
		connect := sessiontest.Dial(sessiontest.Answering(func(p *sessiontest.Peer, m sessiontest.Message) bool {
			switch {
			case m.Method == "initialize" && p.Number > answered:
				return false
			case m.Method == "initialize" && p.Initialized:
				p.Result(m, strings.Replace(handshakeResult, "2025-11-25", "2025-06-18", 1))
				return false
			}
			return inner(p, m)
		}))
		summary, err := probes.Run(context.Background(), probe.Config{
			Client: client.Config{Name: "mcptea", Version: "1", Revision: revision.R20251125}, Seed: 1, MaxTime: time.Hour, Only: []string{"P-005"},
			Dial: func(_ client.Target, tap client.Tap, cfg client.Config) *client.Client { return connect(tap, cfg) },
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		said := 0
		for _, r := range summary.Reports {
			for _, f := range r.Findings {
				if strings.Contains(f.Message, "selects version 2025-06-18") {
					said++
				}
				if f.Control != nil && f.Control.Outcome.Kind != probe.Result {
					t.Errorf("%s: control %s gets %s", f.Message, f.Control.Sent, probe.Describe(f.Control.Outcome))
				}
			}
		}
		if said != 1 {
			t.Errorf("said %d times", said)
		}
	})
}
