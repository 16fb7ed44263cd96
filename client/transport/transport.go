package transport

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/internal/words/phrase"
)

// Direction is the direction of a frame.
type Direction uint8

// The directions.
const (
	Out Direction = iota // client to server
	In                   // server to client
)

// String returns "out" or "in".
func (d Direction) String() string {
	if d == Out {
		return "out"
	}
	return "in"
}

// Frame is one message as sent or received, or other text in its place: text on stdout and a truncated last
// line are frames, too.
type Frame struct {
	// Bytes are exactly the bytes on the wire, without the line ending. They belong to the transport and
	// are valid only during [Receiver.Frame]; copy them to keep them.
	Bytes []byte
	// Own reports that Bytes are not used again: they may be kept without a copy, and must
	// not be changed.
	Own bool

	Envelope jsonrpc.Envelope
	Time     time.Time // time at which the last byte was read, or before the first was written
	Dir      Direction

	// Ending is the line ending: "\n", "\r\n", or "" at the end of a stream and
	// over HTTP.
	Ending string

	// Truncated reports that the stream ended inside the frame: a last line without
	// newline, or an incomplete HTTP body.
	Truncated bool

	// Exchange is the HTTP exchange that carried the frame, 0 over stdio.
	Exchange uint32

	// EventID and EventName are the id and name of the SSE event that carried the frame, or "".
	EventID, EventName string

	// Expired reports that the status says that the session of the request has expired: the frame answers nothing,
	// even if it has the id of the request.
	Expired bool

	// A Note holds the sender's knowledge about an outgoing frame; see [Outgoing].
	Note
}

// Kept returns the bytes to keep: a copy, unless they are the frame's own.
func (f *Frame) Kept() []byte {
	if f.Own {
		return f.Bytes
	}
	return bytes.Clone(f.Bytes)
}

// Outgoing is a frame to send.
type Outgoing struct {
	Bytes []byte
	// Scanned is the envelope of Bytes, and of copies of them, or nil if the frame was not scanned.
	Scanned *jsonrpc.Envelope
	Note
}

// Breaks is the reason why a frame may contain a line break. Over stdio a line break separates messages: with
// [NoBreaks] a frame that contains one is rejected, because the text after it would be a separate message.
type Breaks uint8

// The reasons for line breaks.
const (
	NoBreaks Breaks = iota // a line break is a mistake or an attack
	Composed               // the user, or a client that uses the connection, has written the bytes
	Edited                 // the user or a fault has changed a frame that was held
	Probed                 // a probe tests how a server reacts to the bytes
	Relayed                // a host has written the bytes, which a tap forwards
)

// BreakError is the error of a frame that a transport has not sent because of a line break.
type BreakError struct{ At int } // offset of the line break

// Error returns the place of the line break.
func (e *BreakError) Error() string {
	return fmt.Sprintf("the frame was not sent: it contains a line break at byte %d, where the server would begin to read another message", e.At)
}

// Refused returns a *[BreakError] if the frame contains a line break without a reason, or nil.
func (o *Outgoing) Refused() error {
	if o.Breaks != NoBreaks {
		return nil
	}
	at := bytes.IndexByte(o.Bytes, '\n')
	if cr := bytes.IndexByte(o.Bytes, '\r'); cr >= 0 && (at < 0 || cr < at) {
		at = cr
	}
	if at < 0 {
		return nil
	}
	return &BreakError{At: at}
}

// Envelope returns the envelope of the frame, and scans the frame if necessary.
func (o *Outgoing) Envelope() jsonrpc.Envelope {
	if o.Scanned != nil {
		return *o.Scanned
	}
	return jsonrpc.Scan(o.Bytes)
}

// A Note holds the sender's knowledge about a frame other than its bytes. A transport only reports it with the
// frame.
type Note struct {
	// Cause is the message of another connection that has caused the frame.
	Cause Ref
	// Side is the side of a breakpoint or a fault that a frame was on.
	Side Side
	// Reported is called with the place of the frame in the record, before the frame is written.
	// Nil does nothing.
	Reported func(Ref)
	// Carried is called with the HTTP exchange that carries the frame, before the frame is written, by
	// a receiver that records frames elsewhere. Nil does nothing.
	Carried func(exchange uint32)
	// Breaks is the reason for line breaks in the frame.
	Breaks Breaks
	// Sender identifies the purpose of the frame. Only its sender and the matching receiver know the type.
	Sender any
}

// A Side is the writer of a frame, and whether the frame was forwarded.
type Side uint8

// The sides.
const (
	// Both marks a frame as written by its sender. Unless the record contains a change of it, it was forwarded
	// unchanged.
	Both Side = iota
	// Injected is a frame that its sender has not written like this: the user of
	// mcptea or a fault has.
	Injected
	// Withheld is a frame of mcptea's own client that was not sent.
	Withheld
	// Attached marks a frame from or for a command that uses the connection.
	Attached
	// Own is a frame of a tap between itself and the server: the host has neither written nor read it.
	Own
)

var sideNames = [...]string{"", "injected", "withheld", "attached", "own"}

// String names the side; Both is empty.
func (s Side) String() string { return sideNames[s] }

// ParseSide returns the side with a name, Both for another text.
func ParseSide(name string) Side { return Side(max(0, slices.Index(sideNames[:], name))) }

// NonMessageEvent reports whether the frame is an SSE event of another type than
// "message", such as "endpoint". It is recorded, but not handled as a message.
func (f Frame) NonMessageEvent() bool { return f.EventName != "" && f.EventName != "message" }

// ReasonTimedOut is the start of the reason in notifications/cancelled after a timeout of the client: nothing
// else in a recording shows the timeout.
const ReasonTimedOut = "timed out"

// Receiver receives everything that happens. A transport calls it concurrently from several
// goroutines. The frames of one stream are in order. An outgoing frame comes before its first byte
// is written. A Receiver must be fast: the transport waits for it.
type Receiver interface {
	// Frame returns the place of the frame in the record; the zero value without a record.
	Frame(Frame) Ref
	Stderr(Line)
	Process(ProcessEvent)
	Exchange(Exchange)
}

// LineReceiver is a Receiver that receives the lines of a stream as they are read, and parses them
// itself.
type LineReceiver interface {
	Receiver
	// Lines receives whole lines, with their endings, that were read together, instead of a Frame for each.
	// They are valid only during the call. Other text is a truncated Frame.
	Lines(at time.Time, lines []byte)
}

// LineSender is a Transport whose frames are lines, for a caller that has a goroutine for them.
type LineSender interface {
	// SendLines writes whole lines, with their endings, before it returns, and does not report them as frames,
	// because the caller knows them. It waits for a server that does not read, until the transport ends.
	SendLines(lines []byte) error
}

// Transport carries frames to and from one server. Open is called first and once; the
// other methods may be called from any goroutine.
type Transport interface {
	// Open starts the process or prepares the endpoint. The context bounds only
	// Open.
	Open(ctx context.Context, r Receiver) error

	// Send sends one frame with any bytes. It returns when the frame is written
	// (stdio) or when the headers of the response are received (HTTP; a status
	// other than 2xx is a *StatusError). If the context ends first, Send returns
	// early, but the frame is written completely, and a later response is
	// delivered. Send does not keep the bytes.
	Send(ctx context.Context, frame Outgoing) error

	// Negotiated sets the negotiated protocol version. Streamable HTTP sends it in a
	// header, and has no sessions in stateless revisions.
	Negotiated(revision string)

	// Listen opens the stream for messages that the server sends on its own, if the transport has one. It
	// returns immediately; the channel is closed when the stream is open or rejected. The channel is nil if
	// the transport has no stream.
	Listen() <-chan struct{}

	// Close shuts down gracefully until ctx ends, then forcibly. It returns when all
	// goroutines and child processes have ended.
	Close(ctx context.Context) error

	// Done is closed when nothing more can be received; Err then returns the reason.
	Done() <-chan struct{}

	// Err returns nil before Done is closed, and after Close.
	Err() error
}

// RequestCanceler is a transport that can cancel a request without a message.
type RequestCanceler interface {
	// CancelRequest ends the exchange of the request with an id. false means that
	// the server does not notice that, so that notifications/cancelled must be
	// sent (2026-07-28, basic / patterns / cancellation); the exchange then stays
	// open for a while, for a late response.
	CancelRequest(id jsonrpc.ID) bool
}

// Unfinisher is a transport on which messages may arrive in parts.
type Unfinisher interface {
	// Unfinished returns the number of bytes received of a message whose end has not arrived.
	Unfinished() int64
}

// StatusError is an HTTP response with a status other than 2xx.
type StatusError struct {
	Method, URL string // URL with secrets masked
	Status      int
	Header      http.Header // secrets masked
	Body        []byte      // the head of the body, at most [MaxBodyHead]
}

// MaxBodyHead is the maximum of the body that a [StatusError] keeps, in bytes.
const MaxBodyHead = 4 << 10

// Error names the exchange, the status and the body in one line.
func (e *StatusError) Error() string {
	text := fmt.Sprintf("%s %s returned %s", e.Method, e.URL, StatusText(e.Status))
	if body := e.Said(200); body != "" {
		text += ": " + body
	}
	return text
}

// Said returns the body in one line. An HTML page is described by its title or its size.
func (e *StatusError) Said(most int) string { return phrase.Body(e.Body, e.size(), most) }

// size returns the number of bytes of the whole body, or -1 if it is not known.
func (e *StatusError) size() int64 {
	if n, err := strconv.ParseInt(e.Header.Get("Content-Length"), 10, 64); err == nil && n >= int64(len(e.Body)) {
		return n
	}
	if len(e.Body) < MaxBodyHead {
		return int64(len(e.Body))
	}
	return -1
}
