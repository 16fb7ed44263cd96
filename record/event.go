package record

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// Version is the number in the header of a recording. FORMAT.md describes it.
const Version = 2

// A Kind is the type of an event.
type Kind uint8

// The kinds of events.
const (
	// KindUnknown is an event that a newer version of mcptea has written; Text is
	// the name of its kind.
	KindUnknown Kind = iota
	KindFrame
	KindConnection
	KindHTTP
	KindProcess
	KindStderr
	KindStep
	KindAuthorization // a step of authorization
	KindNote          // a decision of mcptea, and the reason
	// KindEnded: a request of the client gets no response. No frame shows that.
	KindEnded
	// KindMark is a mark or a note of the user on a row.
	KindMark
	// KindChange: a breakpoint or a fault changed or stopped a frame.
	KindChange
	// KindDrift: a tap has compared the server with a baseline, and they differ.
	KindDrift
	// KindDelivery is a POST to the callback of a webhook that mcptea has received. Text is the
	// body.
	KindDelivery
	// KindProblem: a line could not be read; Text is the reason. Readers create it; it is never in the file.
	KindProblem
)

// names of the frame kinds in the file, under "k"; they give the direction
const nameOut, nameIn = "out", "in"

var kindNames = [...]string{
	KindUnknown: "?", KindFrame: "?", KindConnection: "connection", KindHTTP: "http", KindProcess: "process", KindStderr: "err", KindStep: "step",
	KindAuthorization: "auth", KindNote: "note", KindEnded: "ended", KindMark: "mark", KindChange: "change", KindDrift: "drift",
	KindDelivery: "delivery",
}

// Event is one event of a session. Its kind determines the fields that are set.
type Event struct {
	Seq  int64 // 1-based; 0 for a problem
	Time time.Time
	Kind Kind
	// Conn is the number of the connection, from 1, or 0 before the first.
	Conn uint16
	// Beside reports whether the event belongs to an additional connection instead of the
	// session's. Its ids belong to another client.
	Beside bool

	// Frame is set for KindFrame, without its envelope. Its bytes alias the line
	// that the event was decoded from, unless they were in Base64.
	Frame transport.Frame
	// Payload is the position of the frame's bytes, or of the delivery's body, in the line.
	Payload Payload
	// Exchange is set for KindHTTP. It holds everything that is known at the end of the reported
	// phase. The pointer stays valid, and the value does not change.
	Exchange *transport.Exchange
	// Process is set for KindProcess.
	Process *transport.ProcessEvent
	// Connection is set for KindConnection.
	Connection *Connection
	// Step is set for KindStep and KindAuthorization.
	Step *Step
	// Ended is set for KindEnded.
	Ended *Ended
	// Mark is set for KindMark.
	Mark *Mark
	// Change is set for KindChange.
	Change *Change
	// Drift is set for KindDrift.
	Drift *Drift
	// Delivery is set for KindDelivery.
	Delivery *Delivery
	// Text is the line of stderr, the note, the drift, the body of a delivery, or the problem.
	Text string
	// Past is the number of deliveries among the rows before the row of Mark, Change or Drift; see
	// [Past].
	Past int32
	// Level is [LevelInfo] for an informational note. It is "" for a warning.
	Level string
	// Ahead is the result of [Lines.Ahead] for a frame.
	Ahead uint64
	// Parts holds the spans that [Lines.Parts] appended for a frame, valid until the next block.
	Parts []jsonrpc.Span
}

// ConnBeside returns the number of the event's connection if that is an additional connection, or
// 0.
func (e *Event) ConnBeside() uint16 {
	if e.Beside {
		return e.Conn
	}
	return 0
}

// About returns the row of the earlier frame that an event other than a mark is about.
func (e *Event) About() (row int32, ok bool) {
	switch e.Kind {
	case KindChange:
		return e.Change.Row, true
	case KindDrift:
		return e.Drift.Row, true
	}
	return 0, false
}

// Move changes the row that [Event.About] returns. It replaces the value that the event points to,
// and does not change that value.
func (e *Event) Move(row int32) {
	switch e.Kind {
	case KindChange:
		moved := *e.Change
		moved.Row, e.Change = row, &moved
	case KindDrift:
		e.Drift = &Drift{Row: row}
	}
}

// Ended is the end of the wait for a response. The HTTP exchange of the request has ended, or the
// client has given up.
type Ended struct {
	ID        jsonrpc.ID
	Cancelled bool // the request was cancelled; otherwise a response can no longer arrive
}

// A Mark is a mark or a note that the user has set on a row. It replaces an earlier one.
type Mark struct {
	Row    int32 // 0-based
	Marked bool
	Note   string // note, or ""
}

// LevelInfo is the level of a note that does not warn.
const LevelInfo = "info"

// NotComplete is the start of a note: frames before the end of the recording are missing.
const NotComplete = "the recording is not complete"

// IsGap reports whether the event is a note that frames are missing from here on.
func (e *Event) IsGap() bool { return e.Kind == KindNote && strings.HasPrefix(e.Text, NotComplete) }

// A Drift reports that the server offers something that a baseline file does not have, or lacks something. Text
// of the event describes it.
type Drift struct {
	Row int32 // 0-based row of the frame with the last page of the compared list
}

// App is the transport of a connection between an app and mcptea. mcptea is the host of the app.
const App = "app"

// Connection is a change in the life of a connection to the server.
type Connection struct {
	What      ConnectionChange
	Number    uint16 // 1-based
	Transport string // "stdio", "http" or "sse"
	Target    string // command line or URL, redacted; set when the connection opens
	Revision  string // protocol version; set when the connection is ready
	Server    string // name and version of the server; set when the connection is ready
	Reason    string // reason for closing, or "" if the user ended it
	// Beside reports whether this is an additional connection. The session's connection stays open.
	Beside bool
	// Restart counts the connections that replaced an earlier one, from 1. Cause is the reason,
	// such as "main.go saved". Built is the duration of the build. They are set when the connection
	// is ready.
	Restart int
	Cause   string
	Built   time.Duration
	// Reloads reports whether the connection belongs to a tap that replaces it on command. It is set when the
	// connection opens.
	Reloads bool
}

// Update applies a later change of the connection.
func (n *Connection) Update(later *Connection) {
	n.What = later.What
	n.Transport, n.Revision = cmp.Or(later.Transport, n.Transport), cmp.Or(later.Revision, n.Revision)
	n.Server, n.Reason = cmp.Or(later.Server, n.Server), cmp.Or(later.Reason, n.Reason)
	n.Restart, n.Cause, n.Built = cmp.Or(later.Restart, n.Restart), cmp.Or(later.Cause, n.Cause), cmp.Or(later.Built, n.Built)
}

// A ConnectionChange is an event in the life of a connection.
type ConnectionChange uint8

// The changes, in their order.
const (
	ConnectionOpened ConnectionChange = iota // mcptea begins to connect
	ConnectionReady                          // negotiation is done
	ConnectionClosed
)

var connectionChanges = [...]string{"opened", "ready", "closed"}

// String returns the name of the change in the file.
func (c ConnectionChange) String() string { return connectionChanges[c] }

// Step is a step of connecting or of authorization that has ended.
type Step struct {
	Name, State, Detail string
	Took                time.Duration
	Absent              bool // done, without a result

	// The fields below are for authorization. URL is the page opened in the browser, redacted.
	// Refused is the kind of a response that mcptea refused, such as "wrong issuer". Found and
	// Expected are the two values.
	URL, Refused, Found, Expected string

	Flow    int      // written but not read
	Remarks []string // problems that did not end the flow
}

// IsRow reports whether an event is a row in the list of frames: a frame, the exit of the process, a webhook
// delivery, or an exchange without frames, such as with an authorization server.
func (e *Event) IsRow() bool {
	switch e.Kind {
	case KindFrame, KindDelivery:
		return true
	case KindProcess:
		return e.Process.What == transport.ProcessExited
	case KindHTTP:
		return e.Exchange.Phase == transport.ExchangeDone && (!e.Exchange.HasFrames() || e.Exchange.Failed)
	}
	return false
}

// Header is the first line of a recording.
type Header struct {
	Version   int
	Time      int64  // Unix nanoseconds
	Tool      string // program and version
	Transport string // "stdio", "http" or "sse"
	Target    string // command line or URL, redacted
	// Branch is the recording that the session continues: FILE#NUMBER with the number of the first
	// frame that was not sent again, or FILE if all frames were sent. It is "" for other sessions.
	Branch string
	// Insecure reports that the certificate of the server is not verified.
	Insecure bool
	// Part reports whether only selected events of the session were written.
	Part bool
	// As is the client that mcptea imitated, or "".
	As string
}

// IsTap reports whether the recording is of a tap: its client is a host.
func (h Header) IsTap() bool { return slices.Contains(strings.Fields(h.Tool), "tap") }

// MayHaveHost reports whether the client of the recording may be another program than mcptea: the recording is
// of a tap, or was not written by mcptea.
func (h Header) MayHaveHost() bool { return h.IsTap() || !strings.HasPrefix(h.Tool, "mcptea ") }

// A Payload is the position of a frame's bytes in its line.
type Payload struct {
	Offset int  // offset from the start of the line
	stored int  // bytes in the file
	Base64 bool // the frame is not stored verbatim
}

// isVerbatim reports whether a frame can be embedded in a line unchanged: complete JSON in UTF-8 without a line
// break.
func isVerbatim(frame []byte, e *jsonrpc.Envelope) bool {
	switch e.Fault {
	case jsonrpc.FaultEmpty, jsonrpc.FaultNotUTF8, jsonrpc.FaultNotJSON, jsonrpc.FaultTooDeep, jsonrpc.FaultTrailingBytes:
		return false
	}
	return e.Flaws&(jsonrpc.FlawBOM|jsonrpc.FlawTooDeep) == 0 && !hasLineBreak(frame)
}

func hasLineBreak(b []byte) bool {
	return bytes.IndexByte(b, '\n') >= 0 || bytes.IndexByte(b, '\r') >= 0
}
