package store

import (
	"encoding/base64"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/record"
)

// KindProcess is the kind of a row that is not a frame but an event in the life of the server's
// process; its body is a sentence.
const KindProcess jsonrpc.Kind = 16

// KindExchange is the kind of a row for an HTTP exchange without a frame of the server: an authorization
// exchange, with the direction Out, or a failed one, with the direction In. Its body is its line in the
// recording, and its Status is the status of the exchange.
const KindExchange jsonrpc.Kind = 17

// None is the index of no row.
const None int32 = -1

// A Row is the part of a frame that is kept in memory. The rest is in the recording.
type Row struct {
	Time int64 // Unix nanoseconds
	code int64 // see ErrorCode and Status

	off int64 // start of the payload in the file

	Size uint32 // bytes of the frame
	Pair int32  // row of the response or of the request, or None
	// cause is the 1-based number of the earlier row that this row belongs to. In the first row of an exchange,
	// it is the number of the newest row. See [Row.Request], [Row.SentFor] and [Row.Newest].
	cause int32

	id       span   // the raw id in the frame
	Method   uint16 // see [Store.Method]; a response has the method of its request
	pending  uint16 // requests without a response: a batch can have several
	Exchange uint32 // HTTP exchange, 0 over stdio
	Conn     uint16 // number of the connection, from 1
	Flags    Flags
	Flaws    jsonrpc.Flaws

	Kind   jsonrpc.Kind
	IDType jsonrpc.IDType
	Fault  jsonrpc.Fault
	Dir    transport.Direction
	// App reports a message between an app and mcptea, its host (the extension MCP Apps).
	App bool
	// Changed is the effect of a breakpoint or a fault on the frame; see [Store.Change].
	Changed record.Changed
}

// RowOf returns the row of a frame that is in no record.
func RowOf(f *transport.Frame) Row {
	e := &f.Envelope
	code, _ := e.ErrorCode().Number()
	return Row{
		Time: f.Time.UnixNano(), code: code, Size: uint32(min(len(f.Bytes), 1<<32-1)), Pair: None,
		Exchange: f.Exchange, Flaws: e.Flaws, Kind: e.Kind, IDType: e.IDType, Fault: e.Fault, Dir: f.Dir,
	}
}

// ErrorCode returns the code of an error response, or no code for other rows, and for an error without an
// integer code.
func (r *Row) ErrorCode() jsonrpc.Code {
	if r.Kind != jsonrpc.ErrorResponse || r.Flaws&jsonrpc.FlawErrorShape != 0 {
		return jsonrpc.Code{}
	}
	return jsonrpc.CodeOf(r.code)
}

// ReadFault returns the reason why the values of a frame cannot be read, as [jsonrpc.Envelope.ReadFault] does.
func (r *Row) ReadFault() jsonrpc.Fault {
	e := jsonrpc.Envelope{Fault: r.Fault, Flaws: r.Flaws}
	return e.ReadFault()
}

// Status returns the HTTP status of an exchange or of the response to a delivery. It returns 0 for other rows.
func (r *Row) Status() int {
	if r.Kind != KindExchange && r.Kind != KindDelivery {
		return 0
	}
	return int(r.code)
}

// Flags holds what correlation has found out about a frame.
type Flags uint16

// The flags.
const (
	// On requests.
	Pending     Flags = 1 << iota // no response yet
	DuplicateID                   // the id was used before by this side
	Cancelled                     // a cancellation names it
	Abandoned                     // the connection ended first

	// On responses.
	UnknownID         // no request has this id
	DuplicateResponse // the request had a response before
	Late              // the request was cancelled, or its connection ended, before
	NoID              // the response has no id, or the id null without a request of the same HTTP exchange
	ToolError         // a tool result with isError

	// On any frame.
	Torn
	OddEnding  // the line did not end with just \n
	OtherEvent // the frame arrived as an event that is not a message

	// Acknowledged is on a subscription that the server acknowledged: it lasts, and nothing waits
	// for its response.
	Acknowledged

	TimedOut // on a request with Cancelled: it was cancelled because of a timeout
	// Expected is set on an exit of a process that the client had requested, and on the error response to
	// server/discover of a server that then responded to initialize: it belongs to the handshake era.
	Expected

	Attached // on a frame of another process that uses the connection
)

// IsExpected reports the error response to server/discover of a server of the handshake era.
func (r *Row) IsExpected() bool { return r.Kind == jsonrpc.ErrorResponse && r.Flags&Expected != 0 }

// IsExpected reports whether the response of a row is an expected error, see [Row.IsExpected].
func (s *Store) IsExpected(row int32) bool {
	r, ok := s.Row(row)
	return ok && r.IsExpected()
}

// IsError reports whether a row is one for which the user searches after a failure.
func (r *Row) IsError() bool {
	const wrong = UnknownID | DuplicateResponse | NoID | ToolError | DuplicateID
	return r.Kind == jsonrpc.ErrorResponse && !r.IsExpected() || r.Kind == KindExchange && r.Dir == transport.In || r.Kind == KindDelivery && r.Status()/100 != 2 || r.Kind == jsonrpc.Invalid && !r.IsEvent() || r.Flags&wrong != 0
}

// IsEvent reports whether a row is an event of an event stream that is not a
// message and was not meant as one, such as the endpoint of HTTP+SSE. Its Method
// is the name of the event.
func (r *Row) IsEvent() bool { return r.Flags&OtherEvent != 0 && r.Kind == jsonrpc.Invalid }

// IsAnswer reports whether the row is the response to its pair, even if it is not JSON.
func (r *Row) IsAnswer() bool {
	return r.Kind.IsResponse() || r.Pair != None && r.Kind != jsonrpc.Request && r.Kind != jsonrpc.Batch
}

// OfTap reports a frame between a tap and the server, which the host has neither written nor read.
func (r *Row) OfTap() bool { return r.id.of&ofTap != 0 }

// IsFrame reports whether the row is of bytes on the wire.
func (r *Row) IsFrame() bool { return r.Kind < KindProcess }

// IsPlain reports whether the text of the row equals some bytes of the record; see [Scanner.Text].
func (r *Row) IsPlain() bool {
	return !r.id.base64 && r.Changed == record.NotChanged && r.IsFrame() && r.Size <= bodyLimit
}

// stored returns the number of bytes the frame has in the record.
func (r *Row) stored() int64 {
	if r.id.base64 {
		return int64(base64.StdEncoding.EncodedLen(int(r.Size)))
	}
	return int64(r.Size)
}

// span is a range of bytes in a frame; frames above 4 GiB have no spans.
type span struct {
	start uint32
	size  uint16
	// base64 and of are not part of the span; they fill its padding. base64 is set if the frame is in Base64,
	// and of describes its exchange.
	base64 bool
	of     exchangeBits
}

// exchangeBits are flags about the exchange of a row.
type exchangeBits uint8

const (
	asksInput     exchangeBits = 1 << iota // on a response: it requests input
	otherResponse                          // on the first row: a response is late, or not the only one
	ofTap                                  // frame exists only between a tap and the server; see [Row.OfTap]
)

func newSpan(s jsonrpc.Span) span {
	const most = 1 << 16
	if !s.Present() || s.End-s.Start >= most || s.End > 1<<32-1 {
		return span{}
	}
	return span{start: uint32(s.Start), size: uint16(s.End - s.Start)}
}

// IDOf cuts the raw id out of a frame's bytes, or out of its head when that is
// long enough.
func (r *Row) IDOf(frame []byte) []byte {
	from, to := int(r.id.start), int(r.id.start)+int(r.id.size)
	if to > len(frame) {
		return nil
	}
	return frame[from:to]
}
