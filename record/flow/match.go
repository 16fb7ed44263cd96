package flow

import (
	"math"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

// Message is one message of the connection: a frame, or an element of a batch. It has the place of
// the frame in the record.
type Message struct {
	Bytes    []byte // bytes of the message, which are not kept
	Envelope jsonrpc.Envelope
	// Dir is the direction of the message, or the direction of the request for an end without a message.
	Dir      transport.Direction
	Row      int32  // row of the frame, or None if there is no message
	Element  uint16 // index in a batch, from 0
	Time     time.Time
	Exchange uint32            // HTTP exchange that carried the message, or 0 over stdio
	Revision revision.Revision // protocol version, if the caller knows it
	Ahead    Ahead             // offset of the name or URI in Bytes, or 0 if it was not searched
}

// IsMessage reports whether there is a message. In a [Match] for an end without a message, Message
// has only a time.
func (m *Message) IsMessage() bool { return m.Row != None }

// Kind returns the kind of the message.
func (m *Message) Kind() jsonrpc.Kind { return m.Envelope.Kind }

// Why is the reason for the end of the wait for a response.
type Why uint8

// The causes.
const (
	NotEnded   Why = iota
	ByResponse     // a response, or a malformed message with the id
	ByCancel       // a notification, or the intended end of the HTTP exchange
	ByTimeout      // a cancellation because of a timeout
	ByReuse        // a newer request has the same id
	ByLoss         // the transport lost the response, and the connection stays open
	ByClose        // the connection or the process ended
)

// A Match is one message of an event with the request that it belongs to, or the end of a request
// without a message. It contains what was known at that moment.
type Match struct {
	*Message
	// Request is the request: the message itself, or the request that the message belongs to.
	Request Ref
	// Parent is another request that this request belongs to. For a server request, it is the
	// client request during which it arrived: the request of the same HTTP exchange, or the only
	// pending request. A [Table] does not set that. For a client request, it is the request that
	// this one continues: the call that became the task, or the call whose result requested input.
	Parent Ref
	// Flow is the request, or nil if only its row is known.
	Flow   *Flow
	Method string // method of the request, or "" if it is not remembered
	// Before is the state of the request before the message, and State the state after it. For a
	// response, State may also be Duplicate, Unmatched or WithoutID.
	Before, State State
	Ended         Why
	// Reused reports whether the request has an id that its sender used before. Superseded is the earlier
	// request if it was pending: a response now belongs to the newer one.
	Reused     bool
	Superseded *Flow
	// Rejected lists the other requests of a batch, if the message is an error without an id that
	// rejects the batch. They are no longer pending.
	Rejected     []*Flow
	AsksInput    bool // the message is a result with input requests
	ToolError    bool // the message is the result of a tool with isError
	Acknowledged bool // the message acknowledges the subscription Request
}

// IsSubscription reports whether the request is a subscription. Nothing waits for its response.
func (m *Match) IsSubscription() bool { return isSubscription(m.Method) }

// numberOf returns a unique number for a request.
func numberOf(r Ref) uint64 { return uint64(uint32(r.Row()))<<16 | uint64(r.Element()) }

// lane is the state of a connection in a matcher while the connection lasts.
type lane struct {
	*Table
	conn uint16
	// open is the number of client requests that the server may be working on. sum is the sum of
	// their numbers: if there is only one request, its number.
	open    int
	sum     uint64
	carried map[uint32]Ref // requests by the HTTP exchange that carries them
}

// maxCarriers bounds the HTTP exchanges of a connection whose requests are remembered.
const maxCarriers = 10_000

// maxElements bounds the messages of a batch that are matched. Later elements have no index.
const maxElements = math.MaxUint16 + 1

// maxKept bounds the matches whose memory is reused for the next event.
const maxKept = 1024

// works reports whether the server may be working on a request.
func works(dir transport.Direction, method string) bool {
	return dir == transport.Out && method != "ping" && !isSubscription(method)
}

// sent records a new request of the client.
func (l *lane) sent(m *Match) {
	if works(m.Dir, m.Method) {
		l.open, l.sum = l.open+1, l.sum+numberOf(m.Request)
	}
	if m.Exchange == 0 {
		return
	}
	if len(l.carried) >= maxCarriers {
		clear(l.carried)
	}
	l.carried[m.Exchange] = m.Request
}

// ended records the end of a request.
func (l *lane) ended(dir transport.Direction, m *Match) {
	if works(dir, m.Method) {
		l.open, l.sum = l.open-1, l.sum-numberOf(m.Request)
	}
}

// parent returns the client request during which a server request arrived.
func (l *lane) parent(exchange uint32) Ref {
	if r, ok := l.carried[exchange]; ok {
		return r
	}
	if l.open != 1 {
		return Ref{}
	}
	return transport.RefTo(int32(l.sum>>16), uint16(l.sum))
}
