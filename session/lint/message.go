package lint

import (
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

// Frame is a frame and its place in the record.
type Frame struct {
	transport.Frame
	Row int32
}

// Exchange is an HTTP exchange as far as it has got.
type Exchange struct {
	transport.Exchange
	Row int32
	// Sent and Got are how many messages went each way.
	Sent, Got int
	// Events is how many events its stream had, and LastID the newest id of one.
	Events int
	LastID string
	// Retry is the newest wait that the stream has asked for; 0 without.
	Retry time.Duration
	Done  bool
}

// Message is one message: a frame, or an element of a batch. Its bytes are only
// lent: what a rule keeps it copies.
type Message struct {
	Frame    *Frame
	Bytes    []byte
	Envelope jsonrpc.Envelope
	Index    int // in a batch; -1 outside of one

	Method string // also of an answer whose request is known
	ID     []byte // raw; nil when absent
	Params []byte // raw; nil when absent
	Result []byte // raw; nil when absent
	Error  []byte // raw; nil when absent
	// Meta is _meta of the params or the result, raw; nil when absent.
	Meta []byte

	// Request is what an answer answers; nil when that is not known.
	Request *Request
	// Exchange is the HTTP exchange that carried it; nil over stdio.
	Exchange *Exchange
	// Revision is the one by which the message is judged: that of the session,
	// or of the request where each stands alone; empty while nothing is known.
	Revision revision.Revision

	members members
}

// members are those of the params, or of the result, that several rules want
// to know: they are looked up once.
type members struct {
	meta                          []byte // in the place of _meta
	level, data                   []byte // of a log message
	token, progress, total, value []byte // of a progress report
}

func (m *Message) lookUp() {
	in, found := m.Params, &m.members
	if in == nil {
		in = m.Result
	}
	for name, value := range jsonrpc.Members(in) {
		switch string(name) {
		case "_meta":
			m.Meta = value
		case "meta":
			found.meta = value
		case "level":
			found.level = value
		case "data":
			found.data = value
		case "progressToken":
			found.token = value
		case "progress":
			found.progress = value
		case "total":
			found.total = value
		case "value":
			found.value = value
		}
	}
}

// Sender is the side that sent the message.
func (m *Message) Sender() Side { return senderOf(m.Frame.Dir) }

func senderOf(d transport.Direction) Side {
	if d == transport.Out {
		return Client
	}
	return Server
}

// IsRequest reports a method with an id.
func (m *Message) IsRequest() bool { return m.Envelope.Kind == jsonrpc.Request }

// IsNotification reports a method without an id.
func (m *Message) IsNotification() bool { return m.Envelope.Kind == jsonrpc.Notification }

// IsAnswer reports a result or an error.
func (m *Message) IsAnswer() bool { return m.Envelope.Kind.IsAnswer() }

// IsResult reports an answer that is no error.
func (m *Message) IsResult() bool { return m.Envelope.Kind == jsonrpc.Response }

// IsError reports an answer that is an error.
func (m *Message) IsError() bool { return m.Envelope.Kind == jsonrpc.ErrorResponse }

// Modern reports whether the message belongs to a revision without handshake.
func (m *Message) Modern() bool { return m.Revision.IsModern() }

// Complete reports a result that is the end of the work: not one that asks for
// input or stands for a task.
func (m *Message) Complete() bool {
	kind := Text(m.Result, "resultType")
	return m.IsResult() && (kind == "" || kind == "complete")
}

// Member is a raw member of a JSON object, deeper ones by further names; nil
// when it is not there.
func Member(object []byte, name string, more ...string) []byte {
	v, _ := jsonrpc.Member(object, name, more...)
	return v
}

// Text is a member that is a string; empty when it is none.
func Text(object []byte, name string, more ...string) string {
	s, _ := jsonrpc.Unquote(Member(object, name, more...))
	return s
}

// Kind is the JSON type of a raw value: "object", "array", "string", "number",
// "boolean", "null"; empty when there is none.
func Kind(value []byte) string {
	if len(value) == 0 {
		return ""
	}
	switch value[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

// IsInteger reports whether a raw value is a number without fraction and
// exponent.
func IsInteger(value []byte) bool {
	if Kind(value) != "number" {
		return false
	}
	for _, c := range value {
		if c == '.' || c == 'e' || c == 'E' {
			return false
		}
	}
	return true
}

// Request is what is remembered of a request.
type Request struct {
	Dir      transport.Direction
	ID       string // raw
	Method   string
	Name     string // of the tool or prompt, or the URI
	Params   []byte // raw, a copy; nil once it has been answered and that was looked at
	Row      int32
	Time     time.Time
	Revision revision.Revision
	Exchange uint32

	Token     string // raw progress token; empty without
	Answered  bool
	Cancelled bool
	// CancelledAt is when the sender took the request back; zero before.
	CancelledAt time.Time
	Err         bool // the answer was an error
	// Asked says that the answer was a question (2026-07-28, MRTR).
	Asked bool
	// Task is the task that the request has become; empty when it has not.
	Task string
}

// Waits reports whether an answer is still to come.
func (r *Request) Waits() bool { return !r.Answered && !r.Cancelled }

// Capability returns a member of the client's capabilities that the request
// itself declares (2026-07-28), nil when it is not there.
func (r *Request) Capability(path ...string) []byte {
	caps := Member(r.Params, "_meta", revision.MetaClientCapabilities)
	if len(path) == 0 {
		return caps
	}
	return Member(caps, path[0], path[1:]...)
}
