// Package sequence describes frames as the arrows of a sequence diagram between a client
// and a server. The inspector draws them, and the Mermaid export writes them.
package sequence

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/store"
)

// Arrow is the kind of an arrow.
type Arrow uint8

// The kinds.
const (
	Request      Arrow = iota
	Response           // also of a server request
	Notification       // nothing is awaited
	Failure            // an error, or what is not a message
	Event              // not an arrow: the end of the process
)

// Message is a frame, or another row, in a diagram. The texts are untrusted.
type Message struct {
	Row    int32
	Time   time.Time
	Dir    transport.Direction
	Kind   jsonrpc.Kind
	Method string // of a response that of its request
	Name   string // of the tool or prompt, or the URI of the resource
	ID     string // raw; empty if it was not read
	Failed bool   // an error response, or a result with isError
	Code   int64  // of an error response, or the status of an HTTP exchange
	Token  string // of a progress notification, as it was sent
	Text   string // of an error; the progress; the begin of a result; what is wrong with what is not a message
	// Status is that of the HTTP response that carried a frame of the server; 0 if it is
	// not known.
	Status int
	Size   int // bytes of the frame
	// Took is how long the request of a response took; 0 for other messages, and if it is
	// not known.
	Took time.Duration
	// Request is the row of the request that the message is or belongs to; store.None
	// without one.
	Request int32
}

// Arrow is how the message is drawn.
func (m *Message) Arrow() Arrow {
	switch {
	case m.Kind == store.KindProcess:
		return Event
	case m.Failed, m.Kind == jsonrpc.Invalid, m.Kind == store.KindExchange && m.Code >= http.StatusBadRequest:
		return Failure
	case m.Kind.IsResponse(), m.Kind == store.KindExchange:
		return Response
	case m.Kind == jsonrpc.Notification:
		return Notification
	}
	return Request
}

// Label says in a few words what the message is, with the request that it belongs to.
func (m *Message) Label() string {
	text := ""
	switch m.Kind {
	case jsonrpc.Invalid:
		return fmt.Sprintf("not a message: %s (%d bytes)", m.Text, m.Size)
	case jsonrpc.Batch:
		return "batch"
	case store.KindProcess:
		return m.Text
	case store.KindExchange:
		return strings.TrimRight("HTTP "+strconv.FormatInt(m.Code, 10)+" "+http.StatusText(int(m.Code)), " ")
	case jsonrpc.Request:
		return strings.TrimRight(m.Method+" "+m.Name, " ")
	case jsonrpc.Notification:
		return strings.TrimRight(m.Method+" "+m.Text, " ")
	case jsonrpc.ErrorResponse:
		text = "error"
		if m.Code != 0 || m.Text != "" {
			text = fmt.Sprintf("error %d %s", m.Code, m.Text)
		}
	default:
		text = "result"
		if m.Failed {
			text = "tool error"
		}
	}
	if m.Method != "" {
		text += strings.TrimRight(" of "+m.Method+" "+m.Name, " ")
	}
	if m.Took > 0 {
		text += " (" + transport.FormatDuration(m.Took.Round(100*time.Microsecond)) + ")"
	}
	return text
}

// headSize is how much of a frame is read, in bytes.
const headSize = 2 << 10

// OfRow returns the message of a row of a store, of which only the head is read.
func OfRow(s *store.Store, i int32) (Message, bool) {
	r, ok := s.Row(i)
	if !ok {
		return Message{}, false
	}
	m := Message{
		Row: i, Time: time.Unix(0, r.Time), Dir: r.Dir, Kind: r.Kind, Method: s.Method(r.Method), Code: r.Code, Size: int(r.Size), Request: store.None,
		Failed: r.Kind == jsonrpc.ErrorResponse || r.Flags&store.ToolError != 0,
	}
	if x, ok := s.ExchangeOf(r.Exchange); ok && r.Dir == transport.In {
		m.Status = x.Status
	}
	head, err := s.Head(i, headSize)
	if err != nil {
		m.Text = err.Error()
	}
	m.ID = string(r.IDOf(head))
	switch {
	case r.Kind == jsonrpc.Request:
		m.Request = i
		m.Name = subject(head)
	case r.Kind.IsResponse():
		m.Request = r.Pair
		m.response(s, head)
	case r.Kind == jsonrpc.Notification:
		m.Request = r.Cause
		params, _ := jsonrpc.Start(head, "params")
		m.Text = notificationText(m.Method, params)
		token, _ := jsonrpc.Start(params, "progressToken")
		m.Token = string(token)
	case r.Kind == jsonrpc.Invalid:
		m.Text = r.Fault.String()
	case r.Kind == store.KindExchange:
		m.Request = r.Cause
	default:
		m.Text = string(head)
	}
	return m, true
}

// response takes what a response is about from its request.
func (m *Message) response(s *store.Store, head []byte) {
	if request, ok := s.Row(m.Request); ok {
		m.Took = max(0, m.Time.Sub(time.Unix(0, request.Time)))
		if before, err := s.Head(m.Request, headSize); err == nil {
			m.Name = subject(before)
		}
	}
	if m.Kind == jsonrpc.ErrorResponse {
		message, _ := jsonrpc.Start(head, "error", "message")
		m.Text = unquoted(message)
		return
	}
	m.Text = resultText(m.Method, head)
}

// resultText is the begin of a result that says something in a few words: the first text,
// the decision of the user, the version and the server.
func resultText(method string, frame []byte) string {
	get := func(path ...string) string {
		v, _ := jsonrpc.Start(frame, "result", path...)
		return unquoted(v)
	}
	switch method {
	case "elicitation/create":
		return get("action")
	case "sampling/createMessage":
		return get("content", "text")
	case "initialize":
		return strings.TrimRight(get("protocolVersion")+" "+get("serverInfo", "name"), " ")
	case "tools/call":
		content, _ := jsonrpc.Start(frame, "result", "content")
		for block := range jsonrpc.Elements(content) {
			text, _ := jsonrpc.Start(block, "text")
			return unquoted(text)
		}
	}
	return ""
}

// subject is the name of the tool or prompt of a request, or the URI of its resource.
func subject(frame []byte) string {
	for _, member := range []string{"name", "uri"} {
		if v, ok := jsonrpc.Start(frame, "params", member); ok {
			return unquoted(v)
		}
	}
	return ""
}

func notificationText(method string, params []byte) string {
	get := func(name string) string {
		v, _ := jsonrpc.Start(params, name)
		return unquoted(v)
	}
	switch method {
	case "notifications/progress":
		text := get("progress")
		if total := get("total"); total != "" {
			text += "/" + total
		}
		return strings.TrimRight(text+" "+get("message"), " ")
	case "notifications/message":
		return get("level")
	case "notifications/cancelled":
		return get("reason")
	}
	return ""
}

// unquoted is the text of a JSON value, which may be cut off.
func unquoted(v []byte) string {
	if text, ok := jsonrpc.Unquote(v); ok {
		return text
	}
	return strings.Trim(string(v), `"`)
}
