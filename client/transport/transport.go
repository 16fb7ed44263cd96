package transport

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
)

// Direction says which way a frame went.
type Direction uint8

// The directions, from the point of view of mcptea.
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

// Frame is one message as it crossed the wire, or whatever stood in the place
// of one: stray text on stdout and a torn last line are frames too.
type Frame struct {
	// Bytes are exactly those of the wire, without the line ending. They
	// belong to the transport and are valid only during the call that
	// delivers them; who wants to keep them copies them.
	Bytes []byte

	Envelope jsonrpc.Envelope
	Time     time.Time // when the last byte was read, or before the first was written
	Dir      Direction

	// Ending is what stood after the bytes: "\n", "\r\n", or "" at the end of
	// a stream and over HTTP.
	Ending string

	// Torn marks bytes that the end of the stream cut off: a last line
	// without newline, an HTTP body that broke.
	Truncated bool

	// Exchange is the HTTP exchange that carried the frame, 0 over stdio.
	Exchange uint32

	// EventID and EventName are those of the SSE event that carried the
	// frame, if one did.
	EventID, EventName string
}

// NonMessageEvent reports whether the frame came as an SSE event of a type that is
// not a message, such as "endpoint". It is there to be seen; nobody acts on it
// as a message.
func (f Frame) NonMessageEvent() bool { return f.EventName != "" && f.EventName != "message" }

// Line is one line that a child process wrote to stderr.
type Line struct {
	Time time.Time
	Text []byte // without the line ending; valid only during the call
}

// ProcessEvent is one change in the life of a child process.
type ProcessEvent struct {
	Time time.Time
	What ProcessChange
	PID  int

	Path string   // the executable, resolved; with ProcessStarted
	Argv []string // with ProcessStarted
	Dir  string   // working directory; with ProcessStarted

	Signal   string // with ProcessSignalled, and with ProcessExited when a signal ended it
	ExitCode int    // with ProcessExited; -1 when a signal ended it
	Expected bool   // mcptea had closed stdin before; with ProcessExited
	Stopped  bool   // a signal such as SIGSTOP had stopped it (state T); with ProcessStdinClosed
}

// ProcessChange names what happened to a child process.
type ProcessChange uint8

// The changes, in the order of an ordinary life.
const (
	ProcessStarted ProcessChange = iota
	ProcessStdinClosed
	ProcessStdoutClosed
	ProcessSignalled // mcptea sent a signal to the process group
	ProcessExited
)

var processChangeNames = [...]string{"started", "stdin closed", "stdout closed", "signalled", "exited"}

// ProcessChanges are all of them.
func ProcessChanges() []ProcessChange {
	return []ProcessChange{ProcessStarted, ProcessStdinClosed, ProcessStdoutClosed, ProcessSignalled, ProcessExited}
}

// String names the change as recordings do.
func (c ProcessChange) String() string {
	if int(c) < len(processChangeNames) {
		return processChangeNames[c]
	}
	return "unknown"
}

// Exchange is one HTTP request and its answer. It is reported whenever it has
// got further: when the request goes out, when the headers are in, and at the
// end; the reports share the ID. The values are copies: the receiver may keep
// them.
type Exchange struct {
	ID      uint32 // from 1, in order of their start
	Phase   ExchangePhase
	Purpose string // "message", "listen", "resume", "end session", "stream", [PurposeAuthorization]
	Start   time.Time

	Method string
	URL    string // secrets masked

	RequestHeader  http.Header // secrets masked
	ResponseHeader http.Header // secrets masked; nil before the headers are in

	// RequestBody and ResponseBody are the heads of the bodies, secrets masked,
	// where the exchange carries no frames that would show them.
	RequestBody, ResponseBody []byte

	Status    int           // 0 before the headers are in
	FirstByte time.Duration // from Start to the headers
	Took      time.Duration // from Start to the end of the body
	Sent      int64         // bytes of the request body
	Received  int64         // bytes of the response body so far
	Err       string        // why it broke; empty when it did not
	ClosedBy  Closer        // who ended it; with [ExchangeDone]

	// Repeats is the exchange that this one sends again, with other credentials
	// or at another URL; its frame was reported with that one. 0 when it
	// repeats none.
	Repeats uint32

	// Events is how many events the body had so far, where it is an event
	// stream, with those that brought no frame; LastEventID the newest id of
	// one, and Retry the newest wait that the stream has asked for.
	Events      int
	LastEventID string
	Retry       time.Duration
}

// Closer says who ended an HTTP exchange.
type Closer uint8

// The closers.
const (
	ClosedByPeer    Closer = iota // the response was read to its end, or the server broke it off
	ClosedByClient                // mcptea closed the connection
	ClosedByUser                  // the request was canceled
	ClosedByNetwork               // there was no connection, or it was lost
)

var closerNames = [...]string{"peer", "mcptea", "user", "network"}

// Closers returns all closers.
func Closers() []Closer {
	return []Closer{ClosedByPeer, ClosedByClient, ClosedByUser, ClosedByNetwork}
}

// String names the closer as recordings do.
func (c Closer) String() string {
	if int(c) < len(closerNames) {
		return closerNames[c]
	}
	return "unknown"
}

// ExchangePhase says how far an exchange has got.
type ExchangePhase uint8

// The phases.
const (
	ExchangeSent ExchangePhase = iota
	ExchangeHeaders
	ExchangeDone
)

var phaseNames = [...]string{"request", "response", "end"}

// ExchangePhases returns all phases.
func ExchangePhases() []ExchangePhase {
	return []ExchangePhase{ExchangeSent, ExchangeHeaders, ExchangeDone}
}

// String names the phase as recordings do.
func (p ExchangePhase) String() string {
	if int(p) < len(phaseNames) {
		return phaseNames[p]
	}
	return "unknown"
}

// Receiver is told of everything that happens. A transport calls it from
// several goroutines at once, but frames of one stream come in their order on
// it, and an outgoing frame is reported before its first byte is written. The
// receiver must be quick: the wire waits for it.
type Receiver interface {
	Frame(Frame)
	Stderr(Line)
	Process(ProcessEvent)
	Exchange(Exchange)
}

// Transport moves frames to and from one server. Open comes first and once;
// the other methods may be called from any goroutine.
type Transport interface {
	// Open starts the process or gets the endpoint ready. The context bounds
	// the opening alone.
	Open(ctx context.Context, r Receiver) error

	// Send writes one frame, whatever its bytes. It returns when the frame is
	// on the wire (stdio) or when the server has answered with its headers
	// (HTTP; a status that is not 2xx gives a *StatusError). When the context
	// ends first, Send returns early, but a frame is never written by half,
	// and an answer that comes later is still delivered. Send does not keep
	// the frame.
	Send(ctx context.Context, frame []byte) error

	// Negotiated tells which revision is spoken from then on: the one that the
	// handshake agreed on, or the one that has none. Streamable HTTP names it
	// in a header, and has no sessions in revisions without handshake.
	Negotiated(revision string)

	// Listen opens the stream on which the server may speak unasked, where
	// the transport has a stream for that. It returns at once; the channel is
	// closed when the stream is open or refused, and nil when there is none.
	Listen() <-chan struct{}

	// Close ends the connection in good manners, then with less, and waits
	// until every goroutine and child has gone. The context bounds how long
	// the good manners last.
	Close(ctx context.Context) error

	// Done is closed when nothing more can come in; Err then says why.
	Done() <-chan struct{}

	// Err is nil before Done is closed, and after it when the end was ours.
	Err() error
}

// RequestCanceler is a transport that may take a request back by itself, where the
// protocol has no message for it.
type RequestCanceler interface {
	// Abandon gives up what is left of the request with an id, and reports
	// false when that is nothing that the server would notice: it must be told
	// by a notification then (2026-07-28, basic / patterns / cancellation).
	CancelRequest(id jsonrpc.ID) bool
}

// StatusError is an HTTP answer that is no success.
type StatusError struct {
	Method, URL string // URL with secrets masked
	Status      int
	Header      http.Header // secrets masked
	Body        []byte      // the head of the body, 4 KiB at most
}

// Error names the exchange, the status, and the first words of the body.
func (e *StatusError) Error() string {
	text := fmt.Sprintf("%s %s answered %d %s", e.Method, e.URL, e.Status, http.StatusText(e.Status))
	if body := strings.TrimSpace(string(e.Body)); body != "" {
		const most = 200
		if len(body) > most {
			body = strings.ToValidUTF8(body[:most], "") + "…"
		}
		text += ": " + body
	}
	return text
}
