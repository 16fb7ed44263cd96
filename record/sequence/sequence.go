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
	"mcptea/internal/words/phrase"
	"mcptea/record/store"
)

// Arrow is the kind of an arrow.
type Arrow uint8

// The values of [Arrow].
const (
	Request      Arrow = iota
	Response           // including a server request
	Notification       // no response is expected
	Failure            // an error, or an invalid message
	Event              // not an arrow, but the end of the process
)

// Message is a frame, or another row, in a diagram. The texts are untrusted.
type Message struct {
	Words
	Row    int32
	Time   time.Time
	Dir    transport.Direction
	Kind   jsonrpc.Kind
	Method string        // method; for a response, the method of its request
	ID     string        // raw; empty if it was not read
	Failed bool          // an error response, or a result with isError
	Code   jsonrpc.Code  // code of an error response
	Fault  jsonrpc.Fault // reason why the frame cannot be read
	// Status is the status of an HTTP exchange, or of the HTTP response that carried the frame; 0 if unknown.
	Status  int
	Purpose string // purpose of an HTTP exchange, as in [transport.Exchange]
	Size    int    // bytes of the frame
	// Took is the duration of a response's request, or 0 for other messages and if unknown.
	Took time.Duration
	// Request is the row of the request that the message is or belongs to, or store.None.
	Request int32

	page int // number of the requested page of a list, or 0 if the session does not show it
}

// IsOpaque reports whether the message has a member whose value is not read.
func (m *Message) IsOpaque() bool { return isOpaque(m.Kind, m.Fault) }

// Arrow returns how the message is drawn.
func (m *Message) Arrow() Arrow {
	switch {
	case m.Kind == store.KindProcess:
		return Event
	case m.Failed, m.Kind == jsonrpc.Invalid, m.Kind == store.KindExchange && m.Status >= http.StatusBadRequest:
		return Failure
	case m.Kind.IsResponse(), m.Kind == store.KindExchange && m.Dir == transport.In:
		return Response
	case m.Kind == jsonrpc.Notification, m.Kind == store.KindDelivery:
		return Notification
	}
	return Request
}

// Label describes the message in a few words, with the request that it belongs to.
func (m *Message) Label() string {
	text := ""
	switch m.Kind {
	case jsonrpc.Invalid:
		return fmt.Sprintf("not a message: %s (%d bytes)", m.Fault, m.Size)
	case jsonrpc.Batch:
		return "batch"
	case store.KindProcess:
		return m.Text
	case store.KindExchange:
		status := strings.TrimRight(strconv.Itoa(m.Status)+" "+http.StatusText(m.Status), " ")
		if m.Dir == transport.In { // sent by the server instead of a message
			return "HTTP " + status
		}
		if m.Status == 0 {
			return m.Noun + " " + m.Name + ": " + m.Text
		}
		return m.Noun + " " + m.Name + ": " + status + "  " + m.Text
	case store.KindDelivery:
		return strings.TrimRight(strings.TrimRight(m.Noun+" "+m.Name, " ")+"  "+m.Text, " ")
	case jsonrpc.Request:
		return strings.TrimRight(m.Method+" "+m.Name, " ")
	case jsonrpc.Notification:
		return strings.TrimRight(m.Method+" "+m.Text, " ")
	case jsonrpc.ErrorResponse:
		text = strings.TrimRight(m.ErrorPhrase()+" "+m.Text, " ")
	default:
		text = "result"
		if m.Failed {
			text = "tool error"
		}
	}
	if m.Method != "" {
		text += strings.TrimRight(" of "+m.Method+" "+m.Name, " ")
	}
	if m.IsOpaque() && m.Kind == jsonrpc.Response {
		text += ", " + m.Text
	}
	if m.Took > 0 {
		text += " (" + phrase.Duration(m.Took.Round(100*time.Microsecond)) + ")"
	}
	return text
}

// ErrorPhrase describes the error of an error response: its code, the HTTP status of a body without a JSON-RPC
// error, or that there is neither.
func (m *Message) ErrorPhrase() string { return ErrorPhrase(m.Code, m.Status) }

// ErrorPhrase is like [Message.ErrorPhrase], but takes the code and the HTTP status of the response, or 0.
func ErrorPhrase(code jsonrpc.Code, status int) string {
	if _, ok := code.Number(); !ok && status >= http.StatusBadRequest {
		return "HTTP " + strconv.Itoa(status)
	}
	return code.Phrase()
}

// maxKnown bounds the messages that a reader keeps.
const maxKnown = 4096

// Reader reads the messages of a store, each of them once: later only its pair can change.
type Reader struct {
	store *store.Store
	ids   *store.Scanner // ids that follow a long result
	known map[int32]Message
}

// NewReader returns a reader of a store.
func NewReader(s *store.Store) *Reader {
	return &Reader{store: s, ids: s.NewScanner(), known: map[int32]Message{}}
}

// Message returns the message of a row. It reads only the head.
func (rd *Reader) Message(i int32) (Message, bool) {
	if m, ok := rd.known[i]; ok {
		return m, true
	}
	r, ok := rd.store.Row(i)
	if !ok {
		return Message{}, false
	}
	m, err := rd.read(i, &r)
	if err != nil {
		m.Text = err.Error()
		return m, true
	}
	if len(rd.known) >= maxKnown {
		clear(rd.known)
	}
	rd.known[i] = m
	return m, true
}

func (rd *Reader) read(i int32, r *store.Row) (Message, error) {
	s := rd.store
	m := Message{
		Row: i, Time: time.Unix(0, r.Time), Dir: r.Dir, Kind: r.Kind, Method: s.Method(r.Method), Code: r.ErrorCode(), Fault: r.ReadFault(), Size: int(r.Size),
		Failed: r.Kind == jsonrpc.ErrorResponse || r.Flags&store.ToolError != 0,
	}
	if x, ok := s.ExchangeOf(r.Exchange); ok && r.Dir == transport.In {
		m.Status = x.Status
	} else if r.Kind == store.KindExchange {
		m.Status = r.Status()
	}
	if m.Request = r.Request(); r.Kind == jsonrpc.Request {
		m.Request = i
	}
	size := headSize
	if r.Kind == jsonrpc.Response && strings.HasSuffix(m.Method, "/list") {
		size = listSize
	}
	head, err := s.Head(i, size)
	if err != nil {
		return m, err
	}
	m.Words = WordsOf(r.Kind, m.Method, head, m.Fault)
	if m.cut && size < listSize {
		if head, err = s.Head(i, listSize); err != nil {
			return m, err
		}
		m.Words = WordsOf(r.Kind, m.Method, head, m.Fault)
	}
	if r.Kind == jsonrpc.Request {
		rd.namePage(&m, i, r, head)
	}
	switch {
	case r.App && r.IsEvent():
		m.Text, m.Quoted = blockedText(head), false
	case r.Kind == store.KindExchange:
		m.Purpose = m.Method
		if m.Method = m.Noun; m.Dir == transport.In {
			m.Text = failedText(head)
		}
	case r.Kind == store.KindDelivery:
		d, err := s.DeliveryOf(i)
		if err != nil {
			return m, err
		}
		m.Failed, m.Text = d.IsRefused(), strings.TrimSpace(d.Line()+"  "+m.Text)
	}
	if m.ID = string(r.IDOf(head)); m.ID == "" && r.IDType != jsonrpc.IDAbsent {
		m.ID = string(rd.ids.ID(r))
	}
	if request, ok := s.Row(m.Request); ok && r.Kind.IsResponse() {
		m.Took = max(0, m.Time.Sub(time.Unix(0, request.Time)))
		before, _ := s.Head(m.Request, headSize)
		params, _ := jsonrpc.Start(before, "params")
		var of Words
		of.subject(params)
		m.Name = of.Name
	}
	return m, nil
}
