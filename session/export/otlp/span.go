package otlp

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
	"mcptea/record/flow"
)

const (
	// maxPayload bounds the arguments or the result in a span, in bytes.
	maxPayload = 64 << 10
	// maxEvents bounds the events of a span: the newest are kept.
	maxEvents = 128
)

// span is a request that has no response yet, or a notification.
type span struct {
	*spanOf
	sender    *Sender
	from      time.Time
	isSampled bool // the span is sent: it has no parent, or its parent is sampled
}

// start begins the span of a request.
func (x *Session) start(m *flow.Match) *span {
	params := m.Envelope.Params.Of(m.Bytes)
	o := x.describe(m, params)
	o.Attributes = append(o.Attributes, attribute("jsonrpc.request.id", idText(m.Envelope.ID.Of(m.Bytes).Shown())))
	if x.sender.options.Payloads && m.Method == "tools/call" {
		if arguments, ok := jsonrpc.Member(params, "arguments"); ok {
			o.Attributes = append(o.Attributes, attribute("gen_ai.tool.call.arguments", x.sender.payload(arguments)))
		}
	}
	x.begin(o, m, params)
	return o
}

// instant sends a notification.
func (x *Session) instant(m *flow.Match) {
	params := m.Envelope.Params.Of(m.Bytes)
	o := x.describe(m, params)
	x.begin(o, m, params)
	x.finish(o, m.Time, "", "")
}

// describe returns the attributes of a request or notification.
func (x *Session) describe(m *flow.Match, params []byte) *span {
	method := m.Envelope.MethodName(m.Bytes)
	if _, known := revision.Lookup(method); !known {
		method = x.sender.text(method)
	}
	if method == "initialize" {
		x.version = "" // the version of a failed probe; the response has the negotiated one
	}
	o := &span{sender: x.sender, from: m.Time, spanOf: &spanOf{Attributes: append(x.common(), attribute("mcp.method.name", method))}}
	if v := jsonrpc.Text(params, "_meta", revision.MetaProtocolVersion); revision.Revision(v).Known() {
		x.version = v
	}
	if x.id != "" {
		o.Attributes = append(o.Attributes, attribute("mcp.session.id", x.id))
	}
	switch name := jsonrpc.Text(params, "name"); {
	case method == "tools/call":
		o.Attributes = append(o.Attributes, attribute("gen_ai.tool.name", x.sender.text(name)), attribute("gen_ai.operation.name", "execute_tool"))
	case method == "prompts/get":
		o.Attributes = append(o.Attributes, attribute("gen_ai.prompt.name", x.sender.text(name)))
	case strings.HasPrefix(method, "resources/"), strings.HasPrefix(method, "notifications/resources/"):
		if uri := jsonrpc.Text(params, "uri"); uri != "" {
			o.Attributes = append(o.Attributes, attribute("mcp.resource.uri", x.sender.url(uri)))
		}
	}
	return o
}

// common returns the attributes of all spans of the connection.
func (x *Session) common() []keyValue {
	var a []keyValue
	if x.version != "" {
		a = append(a, attribute("mcp.protocol.version", x.version))
	}
	if x.transport == "stdio" {
		return append(a, attribute("network.transport", "pipe"))
	}
	a = append(a, attribute("network.transport", "tcp"), attribute("network.protocol.name", "http"))
	if x.server == nil {
		return a
	}
	a = append(a, attribute("server.address", x.server.Hostname()))
	port, err := strconv.Atoi(x.server.Port())
	switch {
	case err == nil:
	case x.server.Scheme == "https":
		port = 443
	default:
		port = 80
	}
	return append(a, integer("server.port", port))
}

// begin starts a span below its parent: the span that the message names, or the
// request of the client that a message of the server belongs to.
func (x *Session) begin(o *span, m *flow.Match, params []byte) {
	var parent *spanContext
	if meta, ok := jsonrpc.Member(params, "_meta"); ok {
		parent = parseContext(jsonrpc.Text(meta, "traceparent"), jsonrpc.Text(meta, "tracestate"))
	}
	if m.Dir == transport.In && parent == nil {
		if p := x.open[x.matcher.Parent(x.beside, m.Exchange)]; p != nil {
			parent = &spanContext{trace: p.TraceID, span: p.SpanID, state: p.TraceState, isSampled: p.isSampled}
		}
	}
	o.Name, o.Kind, o.SpanID, o.Start, o.Flags = o.name(), kindClient, randomID(8), uint64(m.Time.UnixNano()), flagHasIsRemote
	if m.Dir == transport.In {
		o.Kind = kindServer
	}
	if parent == nil {
		o.TraceID = randomID(16)
	} else {
		o.TraceID, o.ParentSpanID, o.TraceState = parent.trace, parent.span, parent.state
		if parent.isRemote {
			o.Flags |= flagIsRemote
		}
	}
	if o.isSampled = parent == nil || parent.isSampled; o.isSampled {
		o.Flags |= 1
	}
}

// name returns the method with the name of the tool or prompt.
func (o *span) name() string {
	method, target := "", ""
	for _, a := range o.Attributes {
		switch a.Key {
		case "mcp.method.name":
			method = *a.Value.Text
		case "gen_ai.tool.name", "gen_ai.prompt.name":
			target = *a.Value.Text
		}
	}
	if target == "" {
		return method
	}
	return method + " " + target
}

// progress adds the newest report of a request as an event.
func (o *span) progress(f *flow.Flow, at time.Time) {
	a := []keyValue{float("mcp.progress", f.Progress)}
	if f.HasTotal {
		a = append(a, float("mcp.progress.total", f.Total))
	}
	o.Events = append(o.Events, event{Name: "notifications/progress", Time: uint64(at.UnixNano()), Attributes: a})
	if len(o.Events) > maxEvents {
		o.Events = slices.Delete(o.Events, 0, 1)
		o.DroppedEvents++
	}
}

// attribute returns an attribute with a text.
func attribute(key, text string) keyValue {
	text = strings.ToValidUTF8(text, "�")
	return keyValue{key, value{Text: &text}}
}

func float(key string, n float64) keyValue {
	d := decimal(n)
	return keyValue{key, value{Float: &d}}
}

func integer(key string, n int) keyValue {
	i := int64(n)
	return keyValue{key, value{Integer: &i}}
}

// result adds the result of a tool, if payloads are sent.
func (o *span) result(m *flow.Match) {
	if o.sender.options.Payloads && o.isTool() {
		o.Attributes = append(o.Attributes, attribute("gen_ai.tool.call.result", o.sender.payload(m.Envelope.Result.Of(m.Bytes))))
	}
}

func (o *span) isTool() bool {
	return hasKey(o.Attributes, "gen_ai.operation.name")
}

// end sends the span of a request, if there is one. errorType is empty if it has succeeded.
func (x *Session) end(r flow.Ref, at time.Time, errorType, message string) {
	if o := x.open[r]; o != nil {
		delete(x.open, r)
		x.finish(o, at, errorType, message)
	}
}

func (x *Session) finish(o *span, at time.Time, errorType, message string) {
	if x.version != "" && !hasKey(o.Attributes, "mcp.protocol.version") {
		o.Attributes = append(o.Attributes, attribute("mcp.protocol.version", x.version)) // negotiated by this request
	}
	if errorType != "" {
		o.Attributes = append(o.Attributes, attribute("error.type", errorType))
		o.Status = status{statusError, strings.ToValidUTF8(x.sender.text(message), "�")}
	}
	if !o.isSampled {
		return
	}
	o.End = uint64(max(at.UnixNano(), o.from.UnixNano()))
	x.sender.ended(o.spanOf)
}

func hasKey(list []keyValue, key string) bool {
	return slices.ContainsFunc(list, func(a keyValue) bool { return a.Key == key })
}

// idText returns an id as the conventions have it: a string without its quotes.
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
	return s.options.Secrets.Redact(secret.Text(text))
}

func (s *Sender) url(address string) string {
	if s.options.NoRedact {
		return address
	}
	return s.options.Secrets.Redact(secret.URL(address))
}

// payload redacts a JSON value, and cuts it if it is too long to send.
func (s *Sender) payload(text []byte) string {
	if !s.options.NoRedact {
		text = secret.JSON(text, s.options.Secrets, nil)
	}
	return strings.ToValidUTF8(phrase.Clip(text, maxPayload), "�")
}
