package lint

import (
	"slices"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/record/flow"
)

// Frame is a frame and its place in the record.
type Frame struct {
	transport.Frame
	Row int32

	// Ahead holds findings of an earlier pass over the frame, or 0.
	Ahead flow.Ahead
	// Parts holds the spans that [LookAhead] found in the frame, or nil.
	Parts []jsonrpc.Span

	// Begins marks the first line of a multi-line value if the line is a single bracket. Part marks
	// the later lines. Lines is the number of lines; it is set on the last one. Unfinished is an
	// earlier first line that has no end, as this frame shows, or nil. The engine sets them.
	Begins     bool
	Part       bool
	Lines      int
	Unfinished *Unfinished
}

// An Exchange is an HTTP exchange, finished or in progress.
type Exchange struct {
	transport.Exchange
	Row int32
	// FramesReceived is the number of frames in the response.
	FramesReceived int
	Done           bool

	// revision is the protocol version of the message in the exchange, or "".
	revision revision.Revision
	// Requests lists the requests that the exchange carries. Posted is the number of its
	// notifications and responses. A repeated exchange has the same values.
	Requests []*flow.Flow
	Posted   int
	// PostedResponse reports whether the exchange carries a response of the client.
	PostedResponse bool

	phases int // phases that were reported earlier
}

// Reached reports whether the newest report is the first in which the exchange has reached a phase.
func (x *Exchange) Reached(p transport.ExchangePhase) bool {
	return x.phases <= int(p) && x.Phase >= p
}

// markLost marks the requests that can no longer get a response. In the handshake era, a stream may
// be resumed, or the response may arrive on another stream.
func (x *Exchange) markLost(st *State) {
	if !x.Done || x.Status/100 == 2 && !x.revision.IsStateless() {
		return
	}
	for _, r := range x.Requests {
		st.Flows.EndFlow(r, flow.Abandoned, st.Now)
	}
}

// copyFrom copies the requests of the exchange first, which this exchange repeats.
func (x *Exchange) copyFrom(first *Exchange, st *State) {
	x.revision, x.Requests, x.Posted, x.PostedResponse = first.revision, first.Requests, first.Posted, first.PostedResponse
	for _, r := range x.Requests {
		st.Flows.Reopen(r)
	}
}

// addMessage updates the exchange with a message.
func (x *Exchange) addMessage(m *Message, st *State) {
	switch {
	case x == nil:
	case m.Frame.Dir == transport.In:
		if m.IsResult() && m.Method == "initialize" {
			x.revision = st.Revision // the offered version no longer counts
		}
	default:
		if x.revision == "" {
			x.revision = m.Revision
		}
		if m.IsRequest() {
			x.Requests = append(x.Requests, st.Flows.Find(transport.Out, m.ID))
		} else if m.IsNotification() || m.IsResponse() {
			x.Posted++
			x.PostedResponse = m.IsResponse()
		}
	}
}

// A Message is a frame, or an element of a batch. Its bytes are valid only during the call; a rule must copy
// the bytes that it keeps.
type Message struct {
	Frame    *Frame
	Bytes    []byte
	Envelope jsonrpc.Envelope
	Index    int // index in a batch, or -1

	Method string // method of the message; for a response, the method of its request if that is known
	ID     jsonrpc.Token
	Params []byte // raw, or nil if absent
	Result []byte // raw, or nil if absent
	Error  []byte // raw, or nil if absent
	// Meta is the raw _meta of the params or the result, or nil if absent.
	Meta []byte

	// Request is the request of a response, or nil if unknown.
	Request *flow.Flow
	// Exchange is the HTTP exchange that carried the message, or nil over stdio.
	Exchange *Exchange
	// Revision is the protocol version of the session or, in 2026-07-28, of the request. It is "" while
	// unknown.
	Revision revision.Revision

	// top holds the raw members of the envelope. The index is from envelopeMember.
	top             [6][]byte
	topKnown        bool
	stateless       bool   // whether Revision is stateless, cached
	uri             string // see URI
	uriKnown, isURI bool
	resultType      string
	resultTypeKnown bool
	toolResult      bool // see IsToolResult, which many rules call
	toolResultKnown bool
	tools           []Tool // see Context.Tools
	toolsKnown      bool
	Members         memberSet
	objects         *objects // cache; see Get
}

// Top returns a raw member of the envelope, or nil. If the message is odd, the member may differ
// from the field of the message.
func (m *Message) Top(name string) []byte {
	if !m.topKnown {
		m.topKnown = true
		m.scanEnvelope()
	}
	if i := envelopeMember(name); i >= 0 {
		return m.top[i]
	}
	return nil
}

// HasMember reports whether the envelope has a member.
func (m *Message) HasMember(member string) bool { return m.Top(member) != nil }

func (m *Message) scanEnvelope() {
	if e := m.Envelope; e.Flaws == 0 && e.Kind != jsonrpc.Invalid {
		// The envelope is valid, so its members are already known.
		m.top = [...][]byte{plainVersion, m.ID.Shown(), nil, m.Params, m.Result, m.Error}
		if e.Method.Span().Start > 0 { // even if the name is empty
			m.top[2] = m.Bytes[e.Method.Span().Start-1 : e.Method.Span().End+1]
		}
		return
	}
	for name, value := range jsonrpc.Members(m.Bytes) {
		if i := envelopeMember(string(name)); i >= 0 {
			m.top[i] = value
		}
	}
}

// plainVersion is the required value of jsonrpc.
var plainVersion = []byte(`"2.0"`)

// envelopeMembers lists the members of JSON-RPC, in the order of [Message.top].
var envelopeMembers = []string{"jsonrpc", "id", "method", "params", "result", "error"}

// envelopeMember returns the index of a member in envelopeMembers, or -1 for other names.
func envelopeMember(name string) int { return slices.Index(envelopeMembers, name) }

// IsEnvelopeMember reports whether a name is the name of a JSON-RPC member.
func IsEnvelopeMember(name string) bool { return envelopeMember(name) >= 0 }

// Sender returns the side that sent the message.
func (m *Message) Sender() Side { return senderOf(m.Frame.Dir) }

func senderOf(d transport.Direction) Side {
	if d == transport.Out {
		return Client
	}
	return Server
}

// IsRequest reports whether the message has a method and an id.
func (m *Message) IsRequest() bool { return m.Envelope.Kind == jsonrpc.Request }

// IsNotification reports whether the message has a method and no id.
func (m *Message) IsNotification() bool { return m.Envelope.Kind == jsonrpc.Notification }

// IsResponse reports whether the message is a result or an error response.
func (m *Message) IsResponse() bool { return m.Envelope.Kind.IsResponse() }

// IsResult reports whether the message is a response with a result.
func (m *Message) IsResult() bool { return m.Envelope.Kind == jsonrpc.Response }

// IsError reports whether the message is an error response.
func (m *Message) IsError() bool { return m.Envelope.Kind == jsonrpc.ErrorResponse }

// IsStateless reports whether the message belongs to a stateless revision.
func (m *Message) IsStateless() bool { return m.stateless }

// ResultType returns the resultType of a result (2026-07-28), or "". It is cached, because many
// rules use it and results can be long.
func (m *Message) ResultType() string {
	if !m.resultTypeKnown {
		m.resultType, m.resultTypeKnown = m.Text(m.Result, "resultType"), true
	}
	return m.resultType
}

// URI returns the URI in the params. ok is false if it is not a string. The URI is cached, because
// several rules use it.
func (m *Message) URI() (uri string, ok bool) {
	if !m.uriKnown && m.Params != nil {
		m.uriKnown = true
		m.uri, m.isURI = jsonrpc.Unquote(m.Members.URI)
	}
	return m.uri, m.isURI
}

// HasResultType reports whether the message is a result whose resultType is a string, even an empty
// one.
func (m *Message) HasResultType() bool {
	return m.ResultType() != "" || jsonrpc.TypeOf(m.Get(m.Result, "resultType")) == "string"
}

// IsComplete reports whether the message is a result that is neither input_required nor a task.
func (m *Message) IsComplete() bool {
	return m.IsResult() && (m.ResultType() == "complete" || !m.HasResultType())
}

// IsInteger reports whether a raw value is a number without fraction or exponent.
func IsInteger(value []byte) bool {
	return jsonrpc.TypeOfID(value) == jsonrpc.IDInteger
}

// Capability returns a member of the client's capabilities that the request itself declares
// (2026-07-28), or nil if it does not.
func Capability(r *flow.Flow, path ...string) []byte {
	caps := jsonrpc.Get(r.Params, "_meta", revision.MetaClientCapabilities)
	if len(path) == 0 {
		return caps
	}
	return jsonrpc.Get(caps, path[0], path[1:]...)
}

// memberSet holds members of params or of a result that several rules use. They are scanned in one
// pass.
type memberSet struct {
	Meta                          []byte // value of _meta
	URI                           []byte // see [Message.URI]
	Level, Data                   []byte // fields of a log message
	Token, Progress, Total, Value []byte // fields of a progress notification
}

func (m *Message) scanMembers() {
	in, found := m.Params, &m.Members
	if in == nil {
		in = m.Result
	}
	if len(in) == 0 {
		return
	}
	if m.Index < 0 && len(m.Bytes) == len(m.Frame.Bytes) {
		m.objects.know(m.Bytes, in, m.Frame.Parts)
	}
	if all := m.objects.members(in); !all.long {
		for _, one := range all.members {
			found.add(m, one.name, one.value)
		}
		return
	}
	for name, value := range jsonrpc.Members(in) {
		found.add(m, name, value)
	}
}

func (s *memberSet) add(m *Message, name, value []byte) {
	switch string(name) {
	case "_meta":
		m.Meta = value
	case "meta":
		s.Meta = value
	case "uri":
		s.URI = value
	case "level":
		s.Level = value
	case "data":
		s.Data = value
	case "progressToken":
		s.Token = value
	case "progress":
		s.Progress = value
	case "total":
		s.Total = value
	case "value":
		s.Value = value
	}
}

// IsCompleteObject reports whether the message is a complete result that is an object.
func (m *Message) IsCompleteObject() bool {
	return m.Request != nil && jsonrpc.TypeOf(m.Result) == "object" && m.IsComplete()
}
