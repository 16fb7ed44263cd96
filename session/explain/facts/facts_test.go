package facts_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"mcptea/client/transport"
	"mcptea/session/explain/facts"
)

func headers(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i+1 < len(pairs); i += 2 {
		h.Set(pairs[i], pairs[i+1])
	}
	return h
}

func TestOf_Bot(t *testing.T) {
	const page = "<html><title>Just a moment...</title></html>"
	for _, tt := range []struct {
		name    string
		refusal facts.Refusal
		by, bot string
	}{
		{"a header of Cloudflare", facts.Refusal{Header: headers("Server", "cloudflare", "Cf-Mitigated", "challenge")}, "Cloudflare", "Cf-Mitigated: challenge"},
		{"a header of Vercel", facts.Refusal{Header: headers("Server", "Vercel", "X-Vercel-Mitigated", "challenge")}, "Vercel", "X-Vercel-Mitigated: challenge"},
		{"a header of an unknown firewall", facts.Refusal{Header: headers("X-Acme-Waf-Action", "deny")}, "an intermediary", "X-Acme-Waf-Action: deny"},
		{"a header of a captcha", facts.Refusal{Header: headers("X-Captcha-Required", "1")}, "an intermediary", "X-Captcha-Required: 1"},
		{"a page of a content network", facts.Refusal{Header: headers("Cf-Ray", "a"), Body: []byte(page)}, "Cloudflare", "a page instead of a message"},
		{"a page of CloudFront", facts.Refusal{Header: headers("X-Amz-Cf-Id", "a"), Body: []byte("<title>ERROR: The request could not be satisfied</title>")}, "CloudFront", "a page instead of a message"},
		{"a code", facts.Refusal{Header: headers("Server", "cloudflare"), Body: []byte("error code: 1010")}, "Cloudflare", "a code of its firewall"},
		{"the same page of a server", facts.Refusal{Header: headers("Server", "uvicorn"), Body: []byte(page)}, "", ""},
		{"a refusal of the server behind Cloudflare", facts.Refusal{Header: headers("Server", "cloudflare"), Body: []byte(`{"error":"plan expired"}`)}, "Cloudflare", ""},
	} {
		got := facts.Of(facts.Attempt{}, tt.refusal).Between
		if got.Name != tt.by || got.Bot != tt.bot {
			t.Errorf("%s: %q %q, want %q %q", tt.name, got.Name, got.Bot, tt.by, tt.bot)
		}
	}
}

func TestOf_HeaderThatWasSent(t *testing.T) {
	sent := transport.Exchange{RequestHeader: headers("Mcp-Method", "tools/list", "Mcp-Session-Id", "s", "Content-Type", "application/json", "User-Agent", "mcptea"), Sent: 300}
	for _, tt := range []struct{ body, lost string }{
		{"required header Mcp-Method is missing", "Mcp-Method"},
		{"Mcp-Session-Id header is required", "Mcp-Session-Id"},
		{"missing content-type", "Content-Type"},
		{"Mcp-Name is missing", ""},          // was not sent
		{"Mcp-Method has a bad value", ""},   // is not missing
		{"your User-Agent is required", ""},  // the value is what it is about
		{"X-Api-Key header is required", ""}, // was not sent
	} {
		if got := facts.Of(facts.Attempt{Failed: sent}, facts.Refusal{Status: 400, Body: []byte(tt.body)}).Sent.Lost; got != tt.lost {
			t.Errorf("%q: lost %q, want %q", tt.body, got, tt.lost)
		}
	}
}

func TestOf_UnreadBody(t *testing.T) {
	for body, unread := range map[string]int64{
		"stream is not readable": 300, "Unexpected end of JSON input": 300, "Expecting value: line 1 column 1 (char 0)": 300, "Required request body is missing": 300,
		"Parse error: expected array of requests": 0, "Invalid request parameters": 0,
	} {
		if got := facts.Of(facts.Attempt{Failed: transport.Exchange{Sent: 300}}, facts.Refusal{Status: 400, Body: []byte(body)}).Sent.Unread; got != unread {
			t.Errorf("%q: %d, want %d", body, got, unread)
		}
	}
}

func TestOf_MixedStatus(t *testing.T) {
	x := func(id uint32, method string, status int) transport.Exchange {
		return transport.Exchange{ID: id, Purpose: transport.PurposeMessage, Method: "POST", RequestHeader: headers("Mcp-Method", method), Sent: 300, Status: status}
	}
	for _, tt := range []struct {
		name      string
		exchanges []transport.Exchange // newest first
		mixed     int
	}{
		{"repeated and accepted", []transport.Exchange{x(2, "server/discover", 200), x(1, "server/discover", 500)}, 500},
		{"another method", []transport.Exchange{x(2, "tools/list", 200), x(1, "server/discover", 500)}, 0},
		{"fails always", []transport.Exchange{x(2, "server/discover", 500), x(1, "server/discover", 500)}, 0},
		{"fails later", []transport.Exchange{x(2, "server/discover", 500), x(1, "server/discover", 200)}, 0},
	} {
		if got := facts.Of(facts.Attempt{Exchanges: tt.exchanges}, facts.Refusal{}).Earlier.Mixed; got != tt.mixed {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.mixed)
		}
	}
}

func TestOf_Echo(t *testing.T) {
	written := [][]byte{[]byte(`{"jsonrpc":"2.0","id":1,"method":"initialize"}`)}
	for came, echo := range map[string]bool{
		`{"jsonrpc":"2.0","id":1,"method":"initialize"}` + "\r\n": true, // of a terminal
		`{"jsonrpc":"2.0","id":1,"result":{}}`:                    false,
		"":                                                        false,
	} {
		if got := facts.Of(facts.Attempt{Written: written, Came: [][]byte{[]byte(came)}}, facts.Refusal{}).Around.Echo; got != echo {
			t.Errorf("%q: %v, want %v", came, got, echo)
		}
	}
}

func TestOf_OfferedVersion(t *testing.T) {
	a := facts.Attempt{Offered: []string{"2026-07-28", "2025-11-25"}}
	for body, refused := range map[string]string{
		`protocol version "2026-07-28" is only supported on stateless servers`: "2026-07-28",
		"no": "",
	} {
		if got := facts.Of(a, facts.Refusal{Status: 400, Body: []byte(body)}).Offered.Refused; got != refused {
			t.Errorf("%q: %q, want %q", body, got, refused)
		}
	}
}

func TestOf_MethodThatWasSent(t *testing.T) {
	for _, tt := range []struct {
		sent, body, allow, other string
		status                   int
	}{
		{"POST", "The GET method is not supported for route mcp. Supported methods: POST.", "", "GET", 405},
		{"POST", `{"detail":"Method \"GET\" not allowed."}`, "", "GET", 405},
		{"POST", "Cannot GET /mcp", "", "GET", 404},
		{"POST", "", "POST, OPTIONS", "another method", 405},
		{"POST", "Method POST is not allowed", "GET", "", 405},
		{"GET", "Cannot GET /mcp", "", "", 404},
		{"POST", "use the GET method is not supported", "", "", 400}, // another status
	} {
		r := facts.Refusal{Status: tt.status, Header: headers("Allow", tt.allow), Body: []byte(tt.body)}
		if got := facts.Of(facts.Attempt{Failed: transport.Exchange{Method: tt.sent}}, r).Sent.OtherMethod; got != tt.other {
			t.Errorf("%s, %q, Allow %q: %q, want %q", tt.sent, tt.body, tt.allow, got, tt.other)
		}
	}
}

func TestOf_SessionAge(t *testing.T) {
	at := time.Now()
	created := transport.Exchange{ID: 1, Start: at, FirstByte: time.Second, ResponseHeader: headers("Mcp-Session-Id", "a…")}
	for _, tt := range []struct {
		after  time.Duration
		header http.Header
		age    string
	}{
		{3 * time.Second, headers("Mcp-Session-Id", "a…"), "2 s"},
		{time.Hour, headers("Mcp-Session-Id", "a…"), ""},
		{3 * time.Second, headers(), ""},
	} {
		failed := transport.Exchange{ID: 2, Start: at.Add(tt.after), RequestHeader: tt.header}
		if got := facts.Of(facts.Attempt{Failed: failed, Exchanges: []transport.Exchange{failed, created}}, facts.Refusal{Status: 404}).Earlier.SessionAge; got != tt.age {
			t.Errorf("after %s: %q, want %q", tt.after, got, tt.age)
		}
	}
}

func TestOf_URI(t *testing.T) {
	for _, tt := range []struct{ sent, failure, undecoded, changed string }{
		{"book://book/A%20Tale", "resource for title A%20Tale not found", "A%20Tale", ""},
		{"search://q?text=caf%C3%A9&n=1", "nothing about caf%C3%A9", "caf%C3%A9", ""},
		{"book://book/A%20Tale", "Resource not found: book://book/A%20Tale", "", ""}, // the URI as it was sent
		{"book://book/A%20Tale", "Unknown resource: book://book/A Tale", "", "book://book/A Tale"},
		{"file:///docs/caf\u00e9/a.txt", "Resource not found: 'file:///docs/caf%C3%A9/a.txt'", "", "file:///docs/caf%C3%A9/a.txt"},
		{"book://book/tale", "resource for title tale not found", "", ""},
		{"", "A%20Tale not found", "", ""},
	} {
		got := facts.Of(facts.Attempt{Request: facts.Request{Params: fmt.Appendf(nil, `{"uri":%q}`, tt.sent), Failure: tt.failure}}, facts.Refusal{}).URI
		if got.Undecoded != tt.undecoded || got.Changed != tt.changed {
			t.Errorf("%q, %q: %+v", tt.sent, tt.failure, got)
		}
	}
}
