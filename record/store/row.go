package store

import (
	"encoding/base64"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/record"
)

// KindProcess is the kind of a row for an event in the life of the server's process. Its body is a
// sentence.
const KindProcess jsonrpc.Kind = 16

// KindExchange is the kind of a row for an HTTP exchange without a frame of the server. The
// direction is Out for an exchange with an authorization server, and In for a failed exchange. The
// body is the line in the recording, and Status is the status of the exchange.
const KindExchange jsonrpc.Kind = 17

// None is the number of no row.
const None int32 = -1

// A Row is the part of a frame that is kept in memory. The rest is in the recording.
type Row struct {
	Time int64 // Unix nanoseconds
	code int64 // see ErrorCode and Status

	off int64 // start of the payload in the file

	Size uint32 // bytes of the frame
	Pair int32  // row of the response or of the request, or None
	// cause is the 1-based number of the earlier row that this row belongs to. In the first row of
	// an exchange, it is the number of the newest row; see [Row.Request], [Row.SentFor] and
	// [Row.Newest].
	cause int32

	id       span   // position of the raw id in the frame
	Method   uint16 // see [Store.Method]; a response has the method of its request
	pending  uint16 // pending requests in the row; a batch can have several
	Exchange uint32 // HTTP exchange, 0 over stdio
	Conn     uint16 // number of the connection, from 1
	Flags    Flags
	Flaws    jsonrpc.Flaws

	Kind   jsonrpc.Kind
	IDType jsonrpc.IDType
	Fault  jsonrpc.Fault
	Dir    transport.Direction
	// App reports whether the message is between an app and mcptea. mcptea is the host of the app
	// (the extension MCP Apps).
	App bool
	// Changed is the effect of a breakpoint or a fault on the frame; see [Store.Change].
	Changed record.Changed
}

// RowOf returns a row for a frame that is not in a record.
func RowOf(f *transport.Frame) Row {
	e := &f.Envelope
	code, _ := e.ErrorCode().Number()
	return Row{
		Time: f.Time.UnixNano(), code: code, Size: uint32(min(len(f.Bytes), 1<<32-1)), Pair: None,
		Exchange: f.Exchange, Flaws: e.Flaws, Kind: e.Kind, IDType: e.IDType, Fault: e.Fault, Dir: f.Dir,
	}
}

// ErrorCode returns the code of an error response. It returns no code for other rows, and for an
// error without an integer code.
func (r *Row) ErrorCode() jsonrpc.Code {
	if r.Kind != jsonrpc.ErrorResponse || r.Flaws&jsonrpc.FlawErrorShape != 0 {
		return jsonrpc.Code{}
	}
	return jsonrpc.CodeOf(r.code)
}

// ReadFault is like [jsonrpc.Envelope.ReadFault]: it returns why the values of the frame cannot be
// read.
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

// Flags is a set of results of the correlation of a frame.
type Flags uint16

// The flags.
const (
	// Flags of requests.
	Pending     Flags = 1 << iota // no response yet
	DuplicateID                   // its sender has used the id before
	Cancelled                     // a cancellation names it
	Abandoned                     // the connection ended first

	// Flags of responses.
	UnknownID         // no request has this id
	DuplicateResponse // the request had a response before
	Late              // the request was cancelled or its connection ended before the response arrived
	NoID              // the response has no id, or has the id null and no request in the same HTTP exchange
	ToolError         // a tool result with isError

	// Flags of any frame.
	Torn
	OddEnding  // the line did not end with just \n
	OtherEvent // the frame arrived as an event that is not a message

	// Acknowledged is set on a subscription that the server has acknowledged. Nothing waits for its
	// response.
	Acknowledged

	TimedOut // set with Cancelled on a request that was cancelled because of a timeout
	// Expected is set on the exit of a process if the client requested it. It is also set on an
	// error response to server/discover if the server then responded to initialize: the server
	// belongs to the handshake era.
	Expected

	Attached // the frame belongs to another process that uses the connection
)

// IsExpected reports whether the row is the error response to server/discover of a server of the
// handshake era.
func (r *Row) IsExpected() bool { return r.Kind == jsonrpc.ErrorResponse && r.Flags&Expected != 0 }

// IsExpected reports whether the response of a row is an expected error, see [Row.IsExpected].
func (s *Store) IsExpected(row int32) bool {
	r, ok := s.Row(row)
	return ok && r.IsExpected()
}

// IsError reports whether the row is an error that a user looks for after a failure.
func (r *Row) IsError() bool {
	const wrong = UnknownID | DuplicateResponse | NoID | ToolError | DuplicateID
	return r.Kind == jsonrpc.ErrorResponse && !r.IsExpected() || r.Kind == KindExchange && r.Dir == transport.In || r.Kind == KindDelivery && r.Status()/100 != 2 || r.Kind == jsonrpc.Invalid && !r.IsEvent() || r.Flags&wrong != 0
}

// IsEvent reports whether the row is an event of an event stream that was not meant as a message,
// such as the endpoint of HTTP+SSE. Its Method is the name of the event.
func (r *Row) IsEvent() bool { return r.Flags&OtherEvent != 0 && r.Kind == jsonrpc.Invalid }

// IsAnswer reports whether the row is the response in its pair, even if it is not JSON.
func (r *Row) IsAnswer() bool {
	return r.Kind.IsResponse() || r.Pair != None && r.Kind != jsonrpc.Request && r.Kind != jsonrpc.Batch
}

// OfTap reports whether the frame was only between a tap and the server. The host has neither
// written nor read it.
func (r *Row) OfTap() bool { return r.id.of&ofTap != 0 }

// IsFrame reports whether the row is a frame on the wire.
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
	// base64 and of are stored here because they fill the padding of the span. base64 is set if the
	// frame is in Base64. of describes the exchange of the row.
	base64 bool
	of     exchangeBits
}

// exchangeBits are flags that describe the exchange of a row.
type exchangeBits uint8

const (
	asksInput     exchangeBits = 1 << iota // on a response: the response requests input
	otherResponse                          // on the first row: a response is late, or not the only one
	ofTap                                  // the frame is only between a tap and the server; see [Row.OfTap]
)

func newSpan(s jsonrpc.Span) span {
	const most = 1 << 16
	if !s.Present() || s.End-s.Start >= most || s.End > 1<<32-1 {
		return span{}
	}
	return span{start: uint32(s.Start), size: uint16(s.End - s.Start)}
}

// IDOf returns the raw id in the bytes of a frame. The start of the frame is enough if it contains
// the id.
func (r *Row) IDOf(frame []byte) []byte {
	from, to := int(r.id.start), int(r.id.start)+int(r.id.size)
	if to > len(frame) {
		return nil
	}
	return frame[from:to]
}
