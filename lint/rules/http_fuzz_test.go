package rules

import (
	"net/http"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/lint"
	"mcptea/record"
)

// FuzzExchange feeds an exchange with any headers and bodies after a connection
// has begun, once as a message and once on the way to a token.
func FuzzExchange(f *testing.F) {
	f.Add("http://127.0.0.1/mcp", "Mcp-Name", "=?base64?zz?=", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"w"}}`, `{"jsonrpc":"2.0","id":2,"error":{"code":-32001,"message":"Unauthorized"}}`, "endpoint", 200)
	f.Add("https://as.example/.well-known/oauth-authorization-server", "Www-Authenticate", `Bearer error="insufficient_scope"`, "grant_type=authorization_code", `{"issuer":"https://as.example"}`, "", 403)
	f.Add("http://127.0.0.1:1/cb?code=x", "Mcp-Session-Id", "1", `{"redirect_uris":["http://x"]}`, "\"/messages\"", "message", 404)
	f.Fuzz(func(t *testing.T, url, name, value, sent, got, event string, status int) {
		for _, link := range []lint.Link{lint.HTTP, lint.SSE} {
			for purpose, method := range map[string]string{
				"message": http.MethodPost, "listen": http.MethodGet, transport.PurposeAuthorization: http.MethodPost, "stream": http.MethodGet,
			} {
				e := New(func(finding lint.Finding) {
					if finding.Message == "" || finding.Rule == nil {
						t.Errorf("%+v", finding)
					}
				})
				e.Begin(link)
				e.Authorization(time.Unix(1_800_000_000, 0), &record.Step{URL: url, Refused: "wrong issuer", Found: value, Expected: name}, 0)
				exchangeOnce(e, transport.Exchange{
					ID: 1, Purpose: purpose, Method: method, URL: url, Status: status, RequestHeader: http.Header{name: {value}},
					ResponseHeader: http.Header{name: {value}, "Content-Type": {value}}, RequestBody: []byte(sent), ResponseBody: []byte(got),
				}, sent, got, event)
			}
		}
	})
}

func exchangeOnce(e *lint.Engine, x transport.Exchange, sent, got, event string) {
	now := time.Unix(1_800_000_000, 0)
	frame := func(dir transport.Direction, text, event string) {
		b := []byte(text)
		e.Frame(lint.Frame{Frame: transport.Frame{Bytes: b, Envelope: jsonrpc.Scan(b), Time: now, Dir: dir, Exchange: x.ID, EventName: event, EventID: event}})
		clear(b)
	}
	x.Start = now
	for again := range 2 {
		x.ID, x.Repeats = uint32(again+1), uint32(again)
		for x.Phase = range transport.ExchangeDone + 1 {
			e.HTTP(x, 1)
			switch x.Phase {
			case transport.ExchangeSent:
				frame(transport.Out, sent, "")
			case transport.ExchangeHeaders:
				frame(transport.In, got, event)
				frame(transport.In, got, event)
			}
		}
		frame(transport.Out, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`, "")
		frame(transport.In, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{}}}`, "")
	}
	e.Tick(now.Add(time.Hour))
	e.End(now, lint.Ending{})
}
