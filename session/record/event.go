package record

import (
	"bytes"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// Version is the number in the header of a recording.
const Version = 1

// The kinds of events, as they stand under "k".
const (
	KindOut     = "out" // a frame, client to server
	KindIn      = "in"  // a frame, server to client
	KindHTTP    = "http"
	KindStderr  = "err"
	KindProcess = "process"
	KindStep    = "step"
	KindAuth    = "auth" // a step of authorization
	KindNote    = "note"
)

// Header is the first line.
type Header struct {
	Time      int64  // Unix nanoseconds
	Tool      string // program and version
	Transport string // "stdio" or "http"
	Target    string // command line or URL, secrets masked
}

// Payload says where a frame's bytes stand in its line.
type Payload struct {
	Offset int  // from the start of the line
	Stored int  // bytes in the file
	Base64 bool // not verbatim
}

// Verbatim reports whether a frame can stand in a line as it is: whole JSON in
// UTF-8 without a line break.
func Verbatim(frame []byte, e jsonrpc.Envelope) bool {
	switch e.Fault {
	case jsonrpc.FaultEmpty, jsonrpc.FaultNotUTF8, jsonrpc.FaultNotJSON, jsonrpc.FaultTooDeep, jsonrpc.FaultTrailingBytes:
		return false
	}
	return e.Flaws&jsonrpc.FlawBOM == 0 && !hasLineBreak(frame)
}

func hasLineBreak(b []byte) bool {
	return bytes.IndexByte(b, '\n') >= 0 || bytes.IndexByte(b, '\r') >= 0
}

// Event is one line, read back.
type Event struct {
	Seq  int64
	Time int64 // Unix nanoseconds
	Kind string

	// For frames.
	Frame    []byte // exactly as on the wire
	Ending   string // line ending, "\n" when the line says nothing
	Torn     bool
	Exchange uint32
	EventID  string

	// For everything else: the raw members of the line.
	Members []byte
}

// Dir is the direction of a frame event.
func (e Event) Dir() transport.Direction {
	if e.Kind == KindOut {
		return transport.Out
	}
	return transport.In
}

// IsFrame reports whether the event is a frame.
func (e Event) IsFrame() bool { return e.Kind == KindOut || e.Kind == KindIn }
