package transport

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/internal/words/phrase"
)

// Direction is that of a frame.
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

// Frame is one message as sent or received, or what came in its place: text on stdout
// and a truncated last line are frames, too.
type Frame struct {
	// Bytes are exactly those of the wire, without the line ending. They belong to
	// the transport and are valid only during [Receiver.Frame]; copy them to keep
	// them.
	Bytes []byte
	// Own reports that Bytes are not used again: they may be kept without a copy, and must
	// not be changed.
	Own bool

	Envelope jsonrpc.Envelope
	Time     time.Time // when the last byte was read, or before the first was written
	Dir      Direction

	// Ending is the line ending: "\n", "\r\n", or "" at the end of a stream and
	// over HTTP.
	Ending string

	// Truncated reports that the stream ended inside the frame: a last line without
	// newline, or an incomplete HTTP body.
	Truncated bool

	// Exchange is the HTTP exchange that carried the frame, 0 over stdio.
	Exchange uint32

	// EventID and EventName are those of the SSE event that carried the frame;
	// empty otherwise.
	EventID, EventName string

	// Note is what the sender of an outgoing frame knows of it; see [Outgoing].
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
	Note
}

// Note is what the sender of a frame knows of it beside its bytes. A transport reports the frame
// with it, and leaves it alone.
type Note struct {
	// Cause is the message of another connection in whose course the frame is sent.
	Cause Ref
	// Side says on which side of a breakpoint or a fault the frame was.
	Side Side
	// Reported is called with the place of the frame in the record, before the frame is written.
	// Nil does nothing.
	Reported func(Ref)
}

// Side says who has written a frame and whether it went on.
type Side uint8

// The sides.
const (
	// Both is a frame of its sender. Unless the record says otherwise it went on as
	// it was.
	Both Side = iota
	// Injected is a frame that its sender has not written like this: the user of
	// mcptea or a fault has.
	Injected
	// Withheld is a frame of mcptea's own client that was not sent.
	Withheld
	// Attached is a frame of a command that uses the connection, or for it alone.
	Attached
)

var sideNames = [...]string{"", "injected", "withheld", "attached"}

// String names the side; Both is empty.
func (s Side) String() string { return sideNames[s] }

// ParseSide returns the side with a name, Both for another text.
func ParseSide(name string) Side { return Side(max(0, slices.Index(sideNames[:], name))) }

// NonMessageEvent reports whether the frame is an SSE event of another type than
// "message", such as "endpoint". It is recorded, but not handled as a message.
func (f Frame) NonMessageEvent() bool { return f.EventName != "" && f.EventName != "message" }

// Line is one line of stderr of a child process.
type Line struct {
	Time time.Time
	Text string // without the line ending
}

// ProcessEvent is a change of the state of a child process.
type ProcessEvent struct {
	Time time.Time
	What ProcessChange
	PID  int

	Path string   // the executable, resolved; with ProcessStarted
	Argv []string // with ProcessStarted
	Dir  string   // working directory; with ProcessStarted

	Signal   string // with ProcessSignalled, and with ProcessExited after a signal
	ExitCode int    // with ProcessExited; -1 after a signal
	Expected bool   // the client had closed stdin before; with ProcessExited
	Stopped  bool   // stopped by a signal such as SIGSTOP (state T); with ProcessStdinClosed

	Left  []Descendant // with ProcessLeft; at most 20
	After string       // [LeftAtExit] or [LeftAfterKill]; with ProcessLeft
}

// Descendant is a process that a server has started, itself or by others.
type Descendant struct {
	PID   int      `json:"pid"`
	Argv  []string `json:"argv"`            // the command line; its name alone where the system shows no more
	Apart bool     `json:"apart,omitempty"` // not in the process group of the server
}

// Masked returns the event with command lines whose secrets are masked: mask returns a copy of
// the words of one.
func (e ProcessEvent) Masked(mask func(words []string) []string) ProcessEvent {
	if e.Argv != nil {
		e.Argv = mask(e.Argv)
	}
	e.Left = slices.Clone(e.Left)
	for i := range e.Left {
		e.Left[i].Argv = mask(e.Left[i].Argv)
	}
	return e
}

// Redacted returns the event with its texts redacted: text returns a text without the secrets, words
// a copy of the words of a command line.
func (e ProcessEvent) Redacted(text func(string) string, words func([]string) []string) ProcessEvent {
	e = e.Masked(words)
	e.Path, e.Dir = text(e.Path), text(e.Dir)
	return e
}

// maxCommand is how much of a command line a sentence has, in bytes, maxNamed how many
// processes it names.
const (
	maxCommand = 80
	maxNamed   = 3
)

// Running says in a sentence without its end which processes of a server are still running.
// The command lines are text of others.
func Running(all []Descendant) string { return running(all, true) }

// RunningCommands is Running without process ids, which differ each time.
func RunningCommands(all []Descendant) string { return running(all, false) }

func running(all []Descendant, ids bool) string {
	who := "1 process of the server is"
	if len(all) > 1 {
		who = fmt.Sprintf("%d processes of the server are", len(all))
	}
	named := make([]string, 0, maxNamed+1)
	for i, d := range all {
		if i == maxNamed {
			named = append(named, fmt.Sprintf("and %d more", len(all)-i))
			break
		}
		text := phrase.Clip(strings.Join(d.Argv, " "), maxCommand)
		if ids {
			text = fmt.Sprintf("%d %s", d.PID, text)
		}
		if d.Apart {
			text += " (in a session of its own)"
		}
		named = append(named, text)
	}
	return who + " still running: " + strings.Join(named, ", ")
}

// The moments of ProcessLeft.
const (
	LeftAtExit    = "exited"       // the server has exited, and its process group will be killed
	LeftAfterKill = "killed group" // that was done
)

// ProcessChange is the kind of a [ProcessEvent].
type ProcessChange uint8

// The changes, in their usual order.
const (
	ProcessStarted ProcessChange = iota
	ProcessStdinClosed
	ProcessStdoutClosed
	ProcessSignalled // the client sent a signal to the process group
	ProcessExited
	ProcessLeft // descendants are still running
)

var processChangeNames = [...]string{"started", "stdin closed", "stdout closed", "signalled", "exited", "left"}

// ProcessChanges returns all changes.
func ProcessChanges() []ProcessChange {
	return []ProcessChange{ProcessStarted, ProcessStdinClosed, ProcessStdoutClosed, ProcessSignalled, ProcessExited, ProcessLeft}
}

// String returns the name of the change in recordings.
func (c ProcessChange) String() string {
	if int(c) < len(processChangeNames) {
		return processChangeNames[c]
	}
	return "unknown"
}

// ReasonTimedOut begins the reason of notifications/cancelled where the client has waited too long:
// nothing else in a recording says so.
const ReasonTimedOut = "timed out"

// The purposes of an HTTP exchange.
const (
	PurposeMessage    = "message"
	PurposeListen     = "listen"      // a GET for messages of the server
	PurposeResume     = "resume"      // a GET for the rest of a stream
	PurposeEndSession = "end session" // a DELETE
	PurposeStream     = "stream"      // of HTTP+SSE
	// PurposeAuthorization is that of the exchanges that get a token. They carry
	// no frames; their report has the heads of the bodies, secrets masked.
	PurposeAuthorization = "authorization"
)

// Exchange is one HTTP request and its response. It is reported when the request is
// sent, when the headers of the response are received, and at the end; the reports
// share the ID. The values are copies that the receiver may keep.
type Exchange struct {
	ID      uint32 // from 1, in the order of the requests
	Phase   ExchangePhase
	Purpose string // one of the constants
	Start   time.Time

	Method string
	URL    string // secrets masked

	RequestHeader  http.Header // secrets masked
	ResponseHeader http.Header // secrets masked; nil before [ExchangeHeaders]

	// TLS is what the TLS handshake has shown that was made for the exchange; nil without one, as
	// on a connection that was open already.
	TLS *TLS

	// RequestBody and ResponseBody are the heads of the bodies, secrets masked, of
	// an exchange without frames.
	RequestBody, ResponseBody []byte

	Status    int           // 0 before [ExchangeHeaders]
	FirstByte time.Duration // from Start to the headers
	Took      time.Duration // from Start to the end of the body
	Sent      int64         // bytes of the request body
	Received  int64         // bytes of the response body so far
	Err       string        // why it failed; empty if it did not
	// Failed reports, with [ExchangeDone], that the response has an error status and
	// brought no frame. Its body is in ResponseBody then.
	Failed   bool
	ClosedBy Closer // with [ExchangeDone]

	// Repeats is the ID of the exchange that this one repeats, with other
	// credentials or at another URL; the frame is reported with that one only. 0
	// for others.
	Repeats uint32

	// Events is the number of events of an event stream so far, with those without
	// data; LastEventID is the newest event id, Retry the newest reconnection time.
	Events      int
	LastEventID string
	Retry       time.Duration
}

// Redacted returns the exchange with the texts redacted that are not masked yet: text returns one
// without the secrets. What the exchange points to is copied.
func (x Exchange) Redacted(text func(string) string) Exchange {
	x.Err, x.LastEventID, x.TLS = text(x.Err), text(x.LastEventID), x.TLS.Redacted(text)
	return x
}

// NeverSent reports an exchange whose connection failed before a byte of the request was sent.
func (x *Exchange) NeverSent() bool {
	return x.Err != "" && x.Status == 0 && x.Sent == 0 && x.Received == 0
}

// Closer is the party that ended an HTTP exchange.
type Closer uint8

// The closers.
const (
	ClosedByPeer    Closer = iota // the response was complete, or the server closed the connection
	ClosedByClient                // mcptea closed the connection
	ClosedByUser                  // the user canceled the request
	ClosedByNetwork               // the connection failed or was lost
)

var closerNames = [...]string{"peer", "mcptea", "user", "network"}

// Closers returns all closers.
func Closers() []Closer {
	return []Closer{ClosedByPeer, ClosedByClient, ClosedByUser, ClosedByNetwork}
}

// String returns the name of the closer in recordings.
func (c Closer) String() string {
	if int(c) < len(closerNames) {
		return closerNames[c]
	}
	return "unknown"
}

// ExchangePhase is the phase of an exchange.
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

// String returns the name of the phase in recordings.
func (p ExchangePhase) String() string {
	if int(p) < len(phaseNames) {
		return phaseNames[p]
	}
	return "unknown"
}

// Receiver receives everything that happens. A transport calls it from several
// goroutines at once, with the frames of one stream in their order, and with an
// outgoing frame before its first byte is written. It must be fast: the transport
// waits for it.
type Receiver interface {
	// Frame returns the place of the frame in the record; the zero value without a record.
	Frame(Frame) Ref
	Stderr(Line)
	Process(ProcessEvent)
	Exchange(Exchange)
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

	// Listen opens the stream for messages that the server sends on its own, if the
	// transport has one. It returns at once; the channel is closed when the stream
	// is open or rejected. It is nil without a stream.
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

// Unfinisher is a transport on which a message may come in parts.
type Unfinisher interface {
	// Unfinished is how many bytes have come of a message whose end has not.
	Unfinished() int64
}

// StatusError is an HTTP response with a status other than 2xx.
type StatusError struct {
	Method, URL string // URL with secrets masked
	Status      int
	Header      http.Header // secrets masked
	Body        []byte      // the head of the body, at most 4 KiB
}

// Error names the exchange, the status and the head of the body.
func (e *StatusError) Error() string {
	text := fmt.Sprintf("%s %s returned %d %s", e.Method, e.URL, e.Status, http.StatusText(e.Status))
	if body := strings.TrimSpace(string(e.Body)); body != "" {
		text += ": " + phrase.Clip(body, 200)
	}
	return text
}
