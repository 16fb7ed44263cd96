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

	// Part marks a line, after the first, of a value that is spread over
	// several; Lines is how many those were, on the last of them. The engine
	// sets both.
	Part  bool
	Lines int
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

	// Revision is the one by which the exchange is judged: that of the message
	// that it carried; empty for one that carried none.
	Revision revision.Revision
	// Requests are those that it carried, and Told how many notifications and
	// answers. What sends another exchange again carries the same.
	Requests []*Request
	Told     int
	// Answered says that what it told was a response to a request of the server.
	Answered bool

	phases int // that were told before the newest report
}

// Reached reports whether the newest report is the first in which the exchange
// has got to a phase.
func (x *Exchange) Reached(p transport.ExchangePhase) bool {
	return x.phases <= int(p) && x.Phase >= p
}

// streamed takes from a report what its stream has brought besides frames.
func (x *Exchange) streamed(report transport.Exchange) {
	x.Events = max(x.Events, report.Events)
	if report.LastEventID != "" {
		x.LastID = report.LastEventID
	}
	if report.Retry > 0 {
		x.Retry = report.Retry
	}
}

// lose takes note of requests to which no answer can come. Where a stream can be
// gone on with, or another one may bring the answer, that is not known.
func (x *Exchange) lose() {
	if !x.Done || x.Status/100 == 2 && !x.Revision.IsStateless() {
		return
	}
	for _, r := range x.Requests {
		r.Lost = !r.Answered
	}
}

// repeats makes the exchange one that sends another one again.
func (x *Exchange) repeats(first *Exchange) {
	x.Revision, x.Requests, x.Told, x.Answered = first.Revision, first.Requests, first.Told, first.Answered
	for _, r := range x.Requests {
		r.Lost = false
	}
}

// carries takes a message into account.
func (x *Exchange) carries(m *Message, st *State) {
	switch {
	case x == nil:
	case m.Frame.Dir == transport.In:
		if m.IsResult() && m.Method == "initialize" {
			x.Revision = st.Revision // no longer the offered one
		}
	default:
		if x.Revision == "" {
			x.Revision = m.Revision
		}
		if m.IsRequest() {
			x.Requests = append(x.Requests, st.Request(transport.Out, m.ID))
		} else if m.IsNotification() || m.IsAnswer() {
			x.Told++
			x.Answered = m.IsAnswer()
		}
	}
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

	// top are the raw members of the envelope, by envelopeMember.
	top             [6][]byte
	topKnown        bool
	resultType      string
	resultTypeKnown bool
	toolResult      ruling // of isToolResult, which many rules ask
	members         members
}

// Top is a raw member of the envelope; nil when it is not there. Of a message
// that is odd it may be another one than that in its field.
func (m *Message) Top(name string) []byte {
	if !m.topKnown {
		m.topKnown = true
		m.findTop()
	}
	if i := envelopeMember(name); i >= 0 {
		return m.top[i]
	}
	return nil
}

func (m *Message) has(member string) bool { return m.Top(member) != nil }

func (m *Message) findTop() {
	if e := m.Envelope; e.Flaws == 0 && e.Kind != jsonrpc.Invalid {
		// Nothing is odd about it, and so it is known already where they are.
		m.top = [...][]byte{plainVersion, m.ID, nil, m.Params, m.Result, m.Error}
		if e.Method.Start > 0 { // an empty name is there too
			m.top[2] = m.Bytes[e.Method.Start-1 : e.Method.End+1]
		}
		return
	}
	for name, value := range jsonrpc.Members(m.Bytes) {
		if i := envelopeMember(string(name)); i >= 0 {
			m.top[i] = value
		}
	}
}

// plainVersion is what the member jsonrpc should be.
var plainVersion = []byte(`"2.0"`)

// envelopeMember numbers the members of JSON-RPC; -1 for others.
func envelopeMember(name string) int {
	switch name {
	case "jsonrpc":
		return 0
	case "id":
		return 1
	case "method":
		return 2
	case "params":
		return 3
	case "result":
		return 4
	case "error":
		return 5
	}
	return -1
}

// ruling is yes or no, once it is known.
type ruling uint8

const (
	yes ruling = iota + 1
	no
)

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
func (m *Message) IsAnswer() bool { return m.Envelope.Kind.IsResponse() }

// IsResult reports an answer that is no error.
func (m *Message) IsResult() bool { return m.Envelope.Kind == jsonrpc.Response }

// IsError reports an answer that is an error.
func (m *Message) IsError() bool { return m.Envelope.Kind == jsonrpc.ErrorResponse }

// Modern reports whether the message belongs to a revision without handshake.
func (m *Message) Modern() bool { return m.Revision.IsStateless() }

// ResultType is what a result calls itself (2026-07-28); empty when it does not.
// Many rules ask, and results can be long: it is looked up once.
func (m *Message) ResultType() string {
	if !m.resultTypeKnown {
		m.resultType, m.resultTypeKnown = Text(m.Result, "resultType"), true
	}
	return m.resultType
}

// Complete reports a result that is the end of the work: not one that asks for
// input or stands for a task.
func (m *Message) Complete() bool {
	return m.IsResult() && (m.ResultType() == "" || m.ResultType() == "complete")
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
	ID       string // raw; a long one is cut
	Method   string
	Name     string // of the tool or prompt, or the URI
	Params   []byte // raw, a copy; nil once it has been answered and that was looked at
	Row      int32
	Time     time.Time
	Revision revision.Revision
	Exchange uint32

	Token     string // raw progress token; empty without; a long one is cut
	tokenKey  string
	Answered  bool
	Cancelled bool
	// CancelledAt is when the sender took the request back; zero before.
	CancelledAt time.Time
	Err         bool // the answer was an error
	// Lost says that no answer can come any more: the POST was refused, or its
	// stream has ended and cannot be gone on with.
	Lost bool
	// Asked says that the answer was a question (2026-07-28, MRTR).
	Asked bool
	// Task is the task that the request has become; empty when it has not.
	Task string

	key      uint64 // hash of the raw id
	queued   bool   // it has ended
	released bool   // it is not held any more
	size     int    // what it counts for among those that have ended
	counted  int    // bytes of params that count for those that wait
}

// Waits reports whether an answer is still to come.
func (r *Request) Waits() bool { return !r.Answered && !r.Cancelled && !r.Lost }

// Capability returns a member of the client's capabilities that the request
// itself declares (2026-07-28), nil when it is not there.
func (r *Request) Capability(path ...string) []byte {
	caps := Member(r.Params, "_meta", revision.MetaClientCapabilities)
	if len(path) == 0 {
		return caps
	}
	return Member(caps, path[0], path[1:]...)
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
