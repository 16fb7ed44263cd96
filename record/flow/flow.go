// Package flow correlates the messages of a connection: which response, progress, cancellation and task belongs
// to which request, in both directions.
//
// A [Matcher] receives each event of a record, and has a [Table] for each connection. It returns a [Match] for
// each message: the store, the timeline, exports and OTLP use it. A table receives the messages of one
// connection in order, with their rows in the record, and returns the request, a [Flow], that the message
// belongs to. Requests are keyed by sender and by the value of the id: 1 and 1.0 are the same id, "1" is
// different. A table reads no record and takes no lock.
//
// A peer cannot make a table grow without bound. At most 50,000 pending requests are held as a [Flow]. Of older
// and finished ones, a fixed-size row is kept, for at least the newest 131,072 of each side.
//
// # Use by the linter
//
// Rules compare later messages with a finished request, and read the params of a pending one. [Limits] makes a
// table hold both: the params of pending requests, and the newest Ended flows. [Table.Find] returns the newest
// request of an id, reduced to its row once it was released. [Table.Pending] yields those without a response,
// oldest first, for the rules about silence. State that a rule keeps for a request is keyed by its *Flow, which
// stays the same while the flow is held, and is dropped in Limits.Released.
package flow

import (
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

// State is the state of a request, or the relation of a response to its request.
type State uint8

// The values of [State].
const (
	Unknown   State = iota // there is no such request, or it is no longer remembered
	Pending                // no response yet
	Answered               // a response has arrived; for a message: it is that response
	Cancelled              // a cancellation names it
	Abandoned              // no response can arrive: the connection or the exchange ended
	Late                   // the response arrived after the cancellation or the end
	Duplicate              // a response to a request that already had one
	Unmatched              // a response with an id that no request has
	WithoutID              // a response without id, or with the id null
)

var stateNames = [...]string{"unknown", "pending", "answered", "cancelled", "abandoned", "late", "duplicate", "unmatched", "without id"}

// String names the state.
func (s State) String() string { return stateNames[s] }

// hasResponse reports whether a request in this state has had a response.
func (s State) hasResponse() bool { return s == Answered || s == Late }

// IsLost reports whether a response that arrives in this state is late.
func (s State) IsLost() bool { return s == Cancelled || s == Abandoned || s == Late }

// A Flow is a request with its outcome. Texts of the peer are cut for display.
type Flow struct {
	Ref
	Dir      transport.Direction
	State    State
	ID       jsonrpc.ID // truncated if it is long; compare with [Table.HasID]
	Method   string
	Name     string // name of the tool or prompt, or URI of the resource; empty for other methods
	Revision revision.Revision
	Exchange uint32 // HTTP exchange that carried the request, or 0 over stdio
	Start    time.Time
	Ended    time.Time // time at which the request was no longer pending, or zero
	IsError  bool      // the response was an error
	task     string    // id of the task that the request has become, or ""
	Token    string    // raw progress token if [Limits.Ended] is set, or empty
	// Params holds the raw params, or nil unless [Limits] keeps them. After the end of the request,
	// long params are valid only until the next message.
	Params []byte

	// The last progress notification.
	Reports         int // number of progress reports
	Progress, Total float64
	HasTotal        bool
	Message         string
	LastReport      time.Time

	key      uint64 // hash of the id
	token    uint64 // hash of the progress token
	hasToken bool
	released bool // only the row of the request is kept
	counted  int  // bytes of params that count toward the limit
	size     int  // share of the limit for ended flows, in bytes
}

// AsksForProgress reports whether the request has a progress token.
func (f *Flow) AsksForProgress() bool { return f.hasToken }

// Waits reports whether a response is pending.
func (f *Flow) Waits() bool { return f.State == Pending }

// HasResponse reports whether there was a response.
func (f *Flow) HasResponse() bool { return f.State.hasResponse() }

// IsReleased reports whether the table holds only the row of the request.
func (f *Flow) IsReleased() bool { return f.released }

// HasSameID reports whether two requests of a table have the same id.
func (f *Flow) HasSameID(other *Flow) bool { return f.key == other.key }

// TokenKey returns [Table.TokenKey] of the progress token, or 0.
func (f *Flow) TokenKey() uint64 { return f.token }

// IsSubscription reports whether the request is a subscription. A subscription lasts as long as the
// client wants, so nothing waits for its response (2026-07-28, basic / patterns / subscriptions).
func (f *Flow) IsSubscription() bool { return isSubscription(f.Method) }

// isSubscription reports whether requests of a method are subscriptions; see
// [Flow.IsSubscription].
func isSubscription(method string) bool { return revision.Lasts(method) }

// None means that a message has no row.
const None int32 = -1

// Ref names a request of a record.
type Ref = transport.Ref
