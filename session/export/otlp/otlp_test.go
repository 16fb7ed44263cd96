package otlp

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/record"
)

// sentSpan is a span as sent: names and forms follow the JSON encoding of OTLP.
type sentSpan struct {
	TraceID      string          `json:"traceId"`
	SpanID       string          `json:"spanId"`
	ParentSpanID string          `json:"parentSpanId"`
	Name         string          `json:"name"`
	Kind         int             `json:"kind"`
	Start        int64           `json:"startTimeUnixNano,string"`
	End          int64           `json:"endTimeUnixNano,string"`
	Attributes   []sentAttribute `json:"attributes"`
	Events       []struct {
		Name       string          `json:"name"`
		Attributes []sentAttribute `json:"attributes"`
	} `json:"events"`
	Dropped int `json:"droppedEventsCount"`
	Status  struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"status"`
}

type sentAttribute struct {
	Key   string         `json:"key"`
	Value map[string]any `json:"value"`
}

// collector decodes what is sent to it.
type collector struct {
	mu     sync.Mutex
	spans  []*sentSpan
	body   strings.Builder // all requests, as they came
	status int
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{status: http.StatusOK}
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	return c
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.body.Write(body)
	var traces struct {
		ResourceSpans []struct {
			ScopeSpans []struct {
				Spans []*sentSpan `json:"spans"`
			} `json:"scopeSpans"`
		} `json:"resourceSpans"`
	}
	if r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/json" || json.Unmarshal(body, &traces) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	for _, of := range traces.ResourceSpans {
		for _, in := range of.ScopeSpans {
			c.spans = append(c.spans, in.Spans...)
		}
	}
	w.WriteHeader(c.status)
}

func (c *collector) span(t *testing.T, name string) *sentSpan {
	t.Helper()
	for _, s := range c.spans {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no span %q among %d", name, len(c.spans))
	return nil
}

// valueOf is the value of an attribute, as a text.
func valueOf(list []sentAttribute, key string) string {
	for _, a := range list {
		if a.Key == key {
			for _, v := range a.Value {
				return fmt.Sprint(v)
			}
		}
	}
	return ""
}

// script is a session as lines: "> " before a message of the client, "< " before one
// of the server. A message takes a millisecond.
type script struct {
	session *Session
	at      time.Time
}

func (s *script) lines(text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		s.at = s.at.Add(time.Millisecond)
		f := transport.Frame{Dir: transport.Out, Time: s.at, Bytes: []byte(line[2:])}
		if line[0] == '<' {
			f.Dir = transport.In
		}
		s.session.Event(&record.Event{Kind: record.KindFrame, Conn: 1, Time: s.at, Frame: f})
	}
}

func newScript(t *testing.T, o Options) (*Sender, *script) {
	t.Helper()
	sender, err := New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Unix(1_800_000_000, 0)
	return sender, &script{session: sender.Session(record.Header{Transport: "stdio", Target: "node server.js", Time: at.UnixNano()}), at: at}
}

const session = `
> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}
< {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}}
> {"jsonrpc":"2.0","method":"notifications/initialized"}
> {"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"weather","arguments":{"city":"Oslo","api_key":"sk-planted-4fj39fk20dk29fk2"},"_meta":{"progressToken":7,"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}}}
< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1,"total":2}}
< {"jsonrpc":"2.0","id":9,"method":"sampling/createMessage","params":{"messages":[]}}
> {"jsonrpc":"2.0","id":9,"error":{"code":-1,"message":"refused by the user"}}
< {"jsonrpc":"2.0","id":"a","result":{"content":[{"type":"text","text":"rain"}],"isError":true}}
> {"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"https://user:planted@example.com/a"}}
< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"no such resource"}}
> {"jsonrpc":"2.0","id":4,"method":"prompts/get","params":{"name":"greet"}}
> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4}}
> [{"jsonrpc":"2.0","id":5,"method":"ping"}]
`

func TestSession_SpansFollowTheConventions(t *testing.T) {
	c := newCollector(t)
	sender, s := newScript(t, Options{Version: "1.2.3"})
	s.lines(session)
	s.session.Close()
	if totals := sender.Close(t.Context()); totals.Failed != 0 || totals.Dropped != 0 || totals.Sent != int64(len(c.spans)) {
		t.Errorf("%+v with %d spans received", totals, len(c.spans))
	}

	call := c.span(t, "tools/call weather")
	for key, want := range map[string]string{
		"mcp.method.name": "tools/call", "gen_ai.tool.name": "weather", "gen_ai.operation.name": "execute_tool",
		"jsonrpc.request.id": "a", "mcp.protocol.version": "2025-11-25", "network.transport": "pipe",
		"error.type": "tool_error", "gen_ai.tool.call.arguments": "",
	} {
		if got := valueOf(call.Attributes, key); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	if call.Kind != 3 || call.End-call.Start != int64(4*time.Millisecond) {
		t.Errorf("the call is of the kind %v and took %d ns", call.Kind, call.End-call.Start)
	}
	if len(call.Events) != 1 || call.Events[0].Name != "notifications/progress" {
		t.Errorf("the events of the call are %v", call.Events)
	}
	if got := call.TraceID + " " + call.ParentSpanID; got != "4bf92f3577b34da6a3ce929d0e0e4736 00f067aa0ba902b7" {
		t.Errorf("the call belongs to %s", got)
	}
	sampling := c.span(t, "sampling/createMessage")
	if sampling.ParentSpanID != call.SpanID || sampling.Kind != 2 || sampling.Status.Code != 2 || sampling.Status.Message != "refused by the user" {
		t.Errorf("sampling: parent %s, kind %v, status %v", sampling.ParentSpanID, sampling.Kind, sampling.Status)
	}
	for name, want := range map[string]string{
		"resources/read": "-32602", "prompts/get greet": "cancelled", "ping": "connection_closed", "initialize": "", "notifications/initialized": "",
	} {
		if got := valueOf(c.span(t, name).Attributes, "error.type"); got != want {
			t.Errorf("error.type of %s is %q, want %q", name, got, want)
		}
	}
	for _, leaked := range []string{"planted", "Oslo", "rain"} {
		if strings.Contains(c.body.String(), leaked) {
			t.Errorf("%q was sent", leaked)
		}
	}
}

func TestSession_PayloadsAreRedacted(t *testing.T) {
	c := newCollector(t)
	sender, s := newScript(t, Options{Payloads: true})
	s.lines(session)
	s.session.Close()
	sender.Close(t.Context())
	call := c.span(t, "tools/call weather")
	if got := valueOf(call.Attributes, "gen_ai.tool.call.arguments"); !strings.Contains(got, "Oslo") {
		t.Errorf("the arguments are %q", got)
	}
	if got := valueOf(call.Attributes, "gen_ai.tool.call.result"); !strings.Contains(got, "rain") {
		t.Errorf("the result is %q", got)
	}
	if strings.Contains(c.body.String(), "planted") {
		t.Error("a secret was sent")
	}
}

// Values that the user gave as secrets are sent neither in payloads nor in the names and messages of spans.
func TestSession_GivenSecretsAreRedacted(t *testing.T) {
	c := newCollector(t)
	var given secret.Values
	given.AddGiven("weather", "rain", "Oslo")
	sender, s := newScript(t, Options{Payloads: true, Secrets: &given})
	s.lines(session)
	s.session.Close()
	sender.Close(t.Context())
	for _, value := range []string{"Oslo", "rain", "weather"} {
		if c.body.Len() == 0 || strings.Contains(c.body.String(), value) {
			t.Errorf("%s was sent in %d bytes", value, c.body.Len())
		}
	}
}

// The failure of an HTTP request ends the span of the message that it carried.
func TestSession_HTTPFailure(t *testing.T) {
	c := newCollector(t)
	sender, err := New(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Unix(1_800_000_000, 0)
	s := sender.Session(record.Header{Transport: "http", Target: "https://example.com:8443/mcp", Time: at.UnixNano()})
	body := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	s.Event(&record.Event{Kind: record.KindFrame, Conn: 1, Time: at, Frame: transport.Frame{Bytes: body, Envelope: jsonrpc.Scan(body), Time: at, Exchange: 4}})
	s.Event(&record.Event{Kind: record.KindHTTP, Conn: 1, Time: at, Exchange: &transport.Exchange{
		ID: 4, Phase: transport.ExchangeDone, Start: at, Took: time.Second, Status: 503, Failed: true,
		ResponseHeader: http.Header{"Mcp-Session-Id": {"abc"}},
	}})
	s.Close()
	sender.Close(t.Context())
	list := c.span(t, "tools/list")
	for key, want := range map[string]string{"error.type": "503", "server.address": "example.com", "network.transport": "tcp", "network.protocol.name": "http"} {
		if got := valueOf(list.Attributes, key); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
}

// A collector that refuses must not stop the session, and it is reported once.
func TestSender_CollectorRefuses(t *testing.T) {
	c := newCollector(t)
	c.status = http.StatusBadRequest
	var mu sync.Mutex
	var reports []string
	sender, s := newScript(t, Options{Report: func(text string) {
		mu.Lock()
		defer mu.Unlock()
		reports = append(reports, text)
	}})
	for range 5000 { // more than a batch
		s.lines("> {\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n")
	}
	s.session.Close()
	totals := sender.Close(t.Context())
	if totals.Sent != 0 || totals.Failed+totals.Dropped != 5000 {
		t.Errorf("%+v", totals)
	}
	if len(reports) != 1 || !strings.Contains(reports[0], "did not accept") {
		t.Errorf("reported %q", reports)
	}
}

func TestNew_UnknownProtocol(t *testing.T) {
	for _, known := range []string{"http/json", "http/protobuf"} { // which collectors take at one address
		t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", known)
		if err := checkProtocol(); err != nil {
			t.Error(err)
		}
	}
	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/xml")
	if _, err := New(t.Context(), Options{}); err == nil || !strings.Contains(err.Error(), `unknown protocol "http/xml"`) {
		t.Errorf("the error is %v", err)
	}
}

func TestNew_GRPC(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "grpc")
	if _, err := New(t.Context(), Options{}); err == nil || err.Error() != "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: gRPC is not supported; use http/json, which collectors accept on port 4318" {
		t.Errorf("the error is %v", err)
	}
}

// The variables of the specification that the documentation names.
func TestNew_Variables(t *testing.T) {
	for name, value := range map[string]string{
		"OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer%20x, a=b", "OTEL_SERVICE_NAME": "mine",
		"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "https://example.com/own", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://example.com:1/all/",
	} {
		t.Setenv(name, value)
	}
	s, err := New(t.Context(), Options{Version: "1"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(t.Context())
	if s.endpoint.url != "https://example.com/own" {
		t.Errorf("the address is %s", s.endpoint.url)
	}
	for all, want := range map[string]string{"http://example.com:1/all/": "http://example.com:1/all/v1/traces", "": "http://localhost:4318/v1/traces"} {
		t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "")
		t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", all)
		if address, err := addressOf(); err != nil || address != want {
			t.Errorf("the address below %q is %s, %v", all, address, err)
		}
	}
	if h := s.endpoint.header; h.Get("Authorization") != "Bearer x" || h.Get("A") != "b" {
		t.Errorf("the headers are %v", h)
	}
	if name := s.resource.Attributes[0]; name.Key != "service.name" || *name.Value.Text != "mine" {
		t.Errorf("the service is %v", name)
	}
}

// A request whose traceparent is not sampled is not sent, nor are the requests of the server
// that belong to it.
func TestSession_ParentNotSampled(t *testing.T) {
	c := newCollector(t)
	sender, s := newScript(t, Options{})
	s.lines(strings.ReplaceAll(session, "00f067aa0ba902b7-01", "00f067aa0ba902b7-00"))
	s.session.Close()
	sender.Close(t.Context())
	for _, span := range c.spans {
		if span.Name == "tools/call weather" || span.Name == "sampling/createMessage" {
			t.Errorf("%s was sent", span.Name)
		}
	}
	c.span(t, "resources/read")
}

// A span has the newest events.
func TestSession_ManyEvents(t *testing.T) {
	c := newCollector(t)
	sender, s := newScript(t, Options{})
	s.lines(`> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"long","_meta":{"progressToken":7}}}`)
	for n := range maxEvents + 3 {
		s.lines(fmt.Sprintf(`< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":%d}}`, n))
	}
	s.session.Close()
	sender.Close(t.Context())
	call := c.span(t, "tools/call long")
	if n := len(call.Events); n != 128 || call.Dropped != 3 {
		t.Fatalf("%d events, %d dropped", n, call.Dropped)
	}
	if first := valueOf(call.Events[0].Attributes, "mcp.progress"); first != "3" {
		t.Errorf("the first event has the progress %v", first)
	}
}

// A busy collector gets the spans again.
func TestEndpoint_Retries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, err := newEndpoint("1")
		if err != nil {
			t.Fatal(err)
		}
		tries := 0
		e.client.Transport = roundTrip(func(r *http.Request) *http.Response {
			w := httptest.NewRecorder()
			if text, err := io.ReadAll(r.Body); err != nil || len(text) == 0 {
				t.Errorf("%q, %v", text, err)
			}
			if tries++; tries < 3 {
				w.Header().Set("Retry-After", "1")
				w.WriteHeader(http.StatusServiceUnavailable)
			}
			return w.Result()
		})
		request := traces(resourceOf{}, scopeOf{}, "x", nil)
		if _, _, err := e.post(t.Context(), request); err != nil || tries != 3 {
			t.Errorf("%d tries, %v", tries, err)
		}
		tries = -100
		if _, _, err := e.post(t.Context(), request); err == nil || tries > -90 {
			t.Errorf("%d tries, %v", tries+100, err)
		}
	})
}

type roundTrip func(*http.Request) *http.Response

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r), nil }

// An invalid trace context (W3C) is ignored.
func TestParseContext(t *testing.T) {
	const id = "4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7"
	for parent, want := range map[string]bool{
		"00-" + id + "-01": true, "01-" + id + "-01-more": true, "00-" + id + "-01-more": false, "ff-" + id + "-01": false,
		"00-00000000000000000000000000000000-00f067aa0ba902b7-01": false, "": false,
	} {
		if got := parseContext(parent, "a=1,b=2"); (got != nil) != want || want && got.state != "a=1,b=2" {
			t.Errorf("%q: %+v", parent, got)
		}
	}
	if got := parseContext("00-"+id+"-01", "a=1,B"); got == nil || got.state != "" {
		t.Errorf("%+v", got)
	}
}

// A server that does not know the newest version is asked for it first; the spans have the
// version that was negotiated then.
func TestSession_VersionAfterFailedProbe(t *testing.T) {
	c := newCollector(t)
	sender, s := newScript(t, Options{})
	s.lines(`
> {"jsonrpc":"2.0","id":0,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}
< {"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"Method not found"}}
> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}
< {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}}
> {"jsonrpc":"2.0","id":2,"method":"ping"}
< {"jsonrpc":"2.0","id":2,"result":{}}
> {"jsonrpc":"2.0","id":3,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}
< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"no"}}
`)
	s.session.Close()
	if totals := sender.Close(t.Context()); totals.Sent != 4 {
		t.Fatalf("%+v", totals)
	}
	var got []string
	for _, span := range c.spans {
		got = append(got, span.Name+" "+valueOf(span.Attributes, "mcp.protocol.version"))
	}
	if want := "server/discover 2026-07-28, initialize 2025-06-18, ping 2025-06-18, initialize "; strings.Join(got, ", ") != want {
		t.Errorf("the versions are %q, want %q", strings.Join(got, ", "), want)
	}
}
