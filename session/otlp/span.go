package otlp

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/session/flow"
)

// maxPayload is how many bytes of arguments or of a result are sent.
const maxPayload = 64 << 10

// span is a request without a response, or a notification.
type span struct {
	trace.Span
	sender *Sender
	// operation are the attributes of the span and of the metric, attributes those
	// of the span only.
	operation, attributes []attribute.KeyValue
}

// start begins the span of a request.
func (x *Session) start(m *flow.Message, f *flow.Flow) *span {
	params := m.Envelope.Params.Of(m.Bytes)
	o := x.describe(m, params)
	o.attributes = append(o.attributes, semconv.JSONRPCRequestID(idText(m.Envelope.ID.Of(m.Bytes))))
	if x.sender.options.Payloads && f.Method == "tools/call" {
		if arguments, ok := jsonrpc.Member(params, "arguments"); ok {
			o.attributes = append(o.attributes, semconv.GenAIToolCallArgumentsKey.String(x.sender.payload(arguments)))
		}
	}
	x.begin(o, m, params)
	return o
}

// instant sends a notification.
func (x *Session) instant(m *flow.Message) {
	params := m.Envelope.Params.Of(m.Bytes)
	o := x.describe(m, params)
	x.begin(o, m, params)
	x.finish(o, m.Dir, m.Time, m.Time, "", "")
}

// describe returns the attributes of a request or notification.
func (x *Session) describe(m *flow.Message, params []byte) *span {
	method := m.Envelope.MethodName(m.Bytes)
	if _, known := revision.Lookup(method); !known {
		method = x.sender.text(method)
	}
	if method == "initialize" {
		x.version = "" // that of a failed probe; the response has the negotiated one
	}
	o := &span{sender: x.sender, operation: append(x.common(), semconv.McpMethodNameKey.String(method))}
	if v := jsonrpc.Text(params, "_meta", revision.MetaProtocolVersion); revision.Revision(v).Known() {
		x.version = v
	}
	if x.id != "" {
		o.attributes = append(o.attributes, semconv.McpSessionID(x.id))
	}
	switch name := jsonrpc.Text(params, "name"); {
	case method == "tools/call":
		o.operation = append(o.operation, semconv.GenAIToolName(x.sender.text(name)), semconv.GenAIOperationNameExecuteTool)
	case method == "prompts/get":
		o.operation = append(o.operation, semconv.GenAIPromptName(x.sender.text(name)))
	case strings.HasPrefix(method, "resources/"), strings.HasPrefix(method, "notifications/resources/"):
		if uri := jsonrpc.Text(params, "uri"); uri != "" {
			o.attributes = append(o.attributes, semconv.McpResourceURI(x.sender.url(uri)))
		}
	}
	return o
}

// common are the attributes of all spans of the connection.
func (x *Session) common() []attribute.KeyValue {
	var a []attribute.KeyValue
	if x.version != "" {
		a = append(a, semconv.McpProtocolVersion(x.version))
	}
	if x.transport == "stdio" {
		return append(a, semconv.NetworkTransportPipe)
	}
	a = append(a, semconv.NetworkTransportTCP, semconv.NetworkProtocolName("http"))
	if x.server == nil {
		return a
	}
	a = append(a, semconv.ServerAddress(x.server.Hostname()))
	port, err := strconv.Atoi(x.server.Port())
	switch {
	case err == nil:
	case x.server.Scheme == "https":
		port = 443
	default:
		port = 80
	}
	return append(a, semconv.ServerPort(port))
}

// begin starts a span below its parent: the span that the message names, or the
// request of the client that a message of the server belongs to.
func (x *Session) begin(o *span, m *flow.Message, params []byte) {
	ctx := context.Background()
	if meta, ok := jsonrpc.Member(params, "_meta"); ok {
		carrier := propagation.MapCarrier{"traceparent": jsonrpc.Text(meta, "traceparent"), "tracestate": jsonrpc.Text(meta, "tracestate")}
		ctx = propagation.TraceContext{}.Extract(ctx, carrier)
	}
	if m.Dir == transport.In && !trace.SpanContextFromContext(ctx).IsValid() {
		if parent := x.cause(m); parent != nil {
			ctx = trace.ContextWithSpan(ctx, parent.Span)
		}
	}
	kind := trace.SpanKindClient
	if m.Dir == transport.In {
		kind = trace.SpanKindServer
	}
	_, o.Span = x.sender.tracer.Start(ctx, o.name(), trace.WithTimestamp(m.Time), trace.WithSpanKind(kind))
}

// cause is the request of the client during which the server sent a message: the one
// of the same HTTP exchange, and over stdio the one that is pending, if it is the
// only one.
func (x *Session) cause(m *flow.Message) *span {
	var one *span
	for f := range x.table.Pending() {
		if f.Dir != transport.Out || f.IsSubscription() || m.Exchange != 0 && f.Exchange != m.Exchange || x.open[f] == nil {
			continue
		}
		if one != nil {
			return nil
		}
		one = x.open[f]
	}
	return one
}

// name is the method with the name of the tool or prompt.
func (o *span) name() string {
	method, target := "", ""
	for _, a := range o.operation {
		switch a.Key {
		case semconv.McpMethodNameKey:
			method = a.Value.AsString()
		case semconv.GenAIToolNameKey, semconv.GenAIPromptNameKey:
			target = a.Value.AsString()
		}
	}
	if target == "" {
		return method
	}
	return method + " " + target
}

// progress adds the newest report of a request as an event.
func (o *span) progress(f *flow.Flow, at time.Time) {
	a := []attribute.KeyValue{attribute.Float64("mcp.progress", f.Progress)}
	if f.HasTotal {
		a = append(a, attribute.Float64("mcp.progress.total", f.Total))
	}
	o.AddEvent("notifications/progress", trace.WithTimestamp(at), trace.WithAttributes(a...))
}

// result adds the result of a tool, if payloads are sent.
func (o *span) result(m *flow.Message) {
	if o.sender.options.Payloads && o.isTool() {
		o.attributes = append(o.attributes, semconv.GenAIToolCallResultKey.String(o.sender.payload(m.Envelope.Result.Of(m.Bytes))))
	}
}

func (o *span) isTool() bool {
	return slices.ContainsFunc(o.operation, func(a attribute.KeyValue) bool { return a.Key == semconv.GenAIOperationNameKey })
}

// end sends the span of a request. errorType is empty if it has succeeded.
func (x *Session) end(f *flow.Flow, at time.Time, errorType, message string) {
	if o := x.open[f]; o != nil {
		delete(x.open, f)
		x.finish(o, f.Dir, f.Start, at, errorType, message)
	}
}

func (x *Session) finish(o *span, dir transport.Direction, from, at time.Time, errorType, message string) {
	if x.version != "" && !slices.ContainsFunc(o.operation, func(a attribute.KeyValue) bool { return a.Key == semconv.McpProtocolVersionKey }) {
		o.operation = append(o.operation, semconv.McpProtocolVersion(x.version)) // negotiated by this request
	}
	if errorType != "" {
		o.operation = append(o.operation, semconv.ErrorTypeKey.String(errorType))
		o.SetStatus(codes.Error, x.sender.text(message))
	}
	x.sender.metrics.operation(dir, at.Sub(from), o.operation)
	o.SetAttributes(o.operation...)
	o.SetAttributes(o.attributes...)
	if o.SpanContext().IsSampled() && x.sender.admit() {
		o.End(trace.WithTimestamp(at))
	}
}

// idText is an id as the conventions have it: a string without its quotes.
func idText(raw []byte) string {
	if text, ok := jsonrpc.Unquote(raw); ok {
		return text
	}
	return string(raw)
}

// text redacts a text of a peer.
func (s *Sender) text(text string) string {
	if s.options.NoRedact {
		return text
	}
	return secret.Text(text)
}

func (s *Sender) url(address string) string {
	if s.options.NoRedact {
		return address
	}
	return secret.URL(address)
}

// payload redacts a JSON value and cuts it off where it is too long to be sent.
func (s *Sender) payload(value []byte) string {
	if !s.options.NoRedact {
		value = secret.JSON(value, nil, nil)
	}
	if len(value) > maxPayload {
		return strings.ToValidUTF8(string(value[:maxPayload]), "") + "…"
	}
	return strings.ToValidUTF8(string(value), "�")
}
