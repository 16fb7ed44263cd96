package rules

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/secret"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/lint"
	"mcptea/record"
)

// http reports an exchange; with the option headers=redacted as recordings have it.
func (p *player) http(x *transport.Exchange) {
	report := *x
	if p.options["headers"] == "redacted" {
		report.RequestHeader, report.ResponseHeader = secret.Header(x.RequestHeader), secret.Header(x.ResponseHeader)
	}
	p.e.HTTP(report, p.row)
}

func (p *player) request(text string) {
	var r struct {
		M, Path string
		H       map[string]string
		B       json.RawMessage
	}
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		p.t.Fatalf("%s: %v", text, err)
	}
	p.count++
	x := &transport.Exchange{
		ID: p.count, Phase: transport.ExchangeSent, Method: r.M, URL: "http://127.0.0.1:3000/mcp", Start: p.now,
		RequestHeader: headers(r.H), Purpose: "message", Sent: int64(len(r.B)),
	}
	switch {
	case strings.Contains(r.Path, "://"):
		x.URL = r.Path
		if !strings.HasSuffix(strings.SplitN(r.Path, "?", 2)[0], "/mcp") {
			x.Purpose = transport.PurposeAuthorization
			x.RequestBody = body(r.B)
		}
	case r.Path != "":
		x.URL = "http://127.0.0.1:3000" + r.Path
		if strings.Contains(r.Path, "/.well-known/") || !strings.HasPrefix(r.Path, "/mcp") {
			x.Purpose = transport.PurposeAuthorization
			x.RequestBody = body(r.B)
		}
	case r.M == http.MethodGet && x.RequestHeader.Get("Last-Event-ID") != "":
		x.Purpose = "resume"
	case r.M == http.MethodGet:
		x.Purpose = "listen"
	case r.M == http.MethodDelete:
		x.Purpose = "end session"
	}
	p.open = x
	p.row++
	p.http(x)
	if x.Purpose == "message" && len(r.B) > 0 {
		p.frame(transport.Out, string(r.B), x.ID, "", "")
	}
}

// delivery is a POST to the callback of a webhook, which is correct except for its members.
func (p *player) delivery(text string) {
	d := struct {
		ID, TS, Sig, Sub, Type, Signed, Trouble string
		Status                                  int
		Asked, Wrong, Redirected                bool
		B                                       json.RawMessage
	}{
		ID: "evt_1", TS: strconv.FormatInt(p.now.Unix(), 10), Sig: "v1,MjkftY+vM8WmJEX3QnGGtcbYIDvz9ssHTbxuXNvjXoA=", Sub: "sub_1",
		Type: "application/json", Signed: "current", Status: 200,
	}
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		p.t.Fatalf("%s: %v", text, err)
	}
	if ago, err := time.ParseDuration(strings.TrimPrefix(d.TS, "now")); err == nil && strings.HasPrefix(d.TS, "now") {
		d.TS = strconv.FormatInt(p.now.Add(ago).Unix(), 10)
	}
	what := "event"
	switch kind := jsonrpc.Text(d.B, "type"); {
	case kind != "":
		what = kind
	case jsonrpc.TypeOf(d.B) != "object":
		what = ""
	}
	p.row++
	p.e.Delivery(p.now, &lint.Delivery{Row: p.row, Body: d.B, Delivery: record.Delivery{
		Callback: "https://hooks.example.com/a", Message: d.ID, Timestamp: d.TS, Signature: d.Sig, Subscription: d.Sub, ContentType: d.Type,
		Status: d.Status, Trouble: d.Trouble, What: what, Signed: record.Signature(d.Signed),
		Asked: d.Asked || d.Wrong, WrongEcho: d.Wrong, Redirected: d.Redirected,
	}})
}

// authorization is a step of authorization that has ended.
func (p *player) authorization(text string) {
	var s struct{ Step, State, URL, Refused, Found, Expected string }
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		p.t.Fatalf("%s: %v", text, err)
	}
	p.e.Authorization(p.now, &record.Step{Name: s.Step, State: s.State, URL: s.URL, Refused: s.Refused, Found: s.Found, Expected: s.Expected}, p.row)
}

// body is a body as bytes: a string stands for text that is not JSON.
func body(raw json.RawMessage) []byte {
	var s string
	if json.Unmarshal(raw, &s) == nil && len(raw) > 0 && raw[0] == '"' {
		return []byte(s)
	}
	return raw
}

func headers(given map[string]string) http.Header {
	h := http.Header{}
	for name, value := range given {
		h.Set(name, value)
	}
	return h
}

func (p *player) response(text string) {
	var r struct {
		S int
		H map[string]string
		B json.RawMessage
	}
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		p.t.Fatalf("%s: %v", text, err)
	}
	if p.open == nil {
		p.request(`{"m":"POST","h":{"Accept":"application/json, text/event-stream","Content-Type":"application/json","MCP-Protocol-Version":"` + string(p.rev) + `","Authorization":"Bearer x"},"b":{"jsonrpc":"2.0","id":` + fmt.Sprint(1000+p.count) + `,"method":"tools/call","params":{"name":"w","arguments":{}}}}`)
	}
	x := p.open
	x.Phase, x.Status, x.ResponseHeader, x.FirstByte = transport.ExchangeHeaders, r.S, headers(r.H), p.now.Sub(x.Start)
	p.row++
	p.http(x)
	b := body(r.B)
	if strings.HasPrefix(x.ResponseHeader.Get("Content-Type"), "text/event-stream") {
		return // events follow
	}
	switch isJSON := mcphttp.IsJSON(lint.MediaTypeOf(x.ResponseHeader.Get("Content-Type"))); {
	case x.Purpose == transport.PurposeAuthorization:
		x.ResponseBody = b
	case x.Status >= 400 && !isJSON && jsonrpc.Scan(b).Kind == jsonrpc.Invalid: // no frame, as in package http
		x.ResponseBody, x.Failed = b, true
	case len(b) > 0:
		p.frame(transport.In, string(b), x.ID, "", "")
	}
	p.done(x, len(b))
	p.open = nil
}

func (p *player) done(x *transport.Exchange, received int) {
	x.Phase, x.Took, x.Received = transport.ExchangeDone, p.now.Sub(x.Start), x.Received+int64(received)
	p.http(x)
}

// event is one of an event stream: of the open response, of a numbered stream, or
// of the stream for messages of the server.
func (p *player) event(text string) {
	var ev struct {
		Stream, Retry int
		Event, ID     string
		Data          json.RawMessage
		Cut           bool // the stream ends before the blank line
	}
	if err := json.Unmarshal([]byte(text), &ev); err != nil {
		p.t.Fatalf("%s: %v", text, err)
	}
	x := p.open
	if x == nil || ev.Stream > 0 || !strings.HasPrefix(x.ResponseHeader.Get("Content-Type"), "text/event-stream") {
		x = p.stream(ev.Stream)
	}
	data := body(ev.Data)
	if ev.ID != "" || ev.Event != "" || len(data) == 0 {
		x.Events++
	}
	if len(data) == 0 {
		if ev.ID != "" {
			x.LastEventID = ev.ID
		}
		if ev.Retry > 0 {
			x.Retry = time.Duration(ev.Retry) * time.Millisecond
		}
		p.http(x)
		return
	}
	p.torn = ev.Cut
	p.frame(transport.In, string(data), x.ID, ev.ID, ev.Event)
	p.torn = false
}

func (p *player) stream(n int) *transport.Exchange {
	x := p.streams[n]
	if x != nil {
		return x
	}
	p.count++
	x = &transport.Exchange{
		ID: p.count, Method: http.MethodGet, URL: "http://127.0.0.1:3000/mcp", Start: p.now, Purpose: "listen",
		RequestHeader: headers(map[string]string{"Accept": "text/event-stream", "MCP-Protocol-Version": string(p.rev)}),
	}
	if p.link == lint.SSE {
		x.Purpose, x.URL = "stream", "http://127.0.0.1:3000/sse"
	}
	if id := p.options["session"]; id != "" {
		x.RequestHeader.Set("Mcp-Session-Id", id)
	}
	p.streams[n] = x
	p.http(x)
	x.Phase, x.Status, x.ResponseHeader = transport.ExchangeHeaders, 200, headers(map[string]string{"Content-Type": "text/event-stream"})
	p.http(x)
	return x
}
