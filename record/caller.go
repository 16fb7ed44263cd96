package record

import "mcptea/client/transport"

// A Caller identifies who sent a request over the connection of a session, if it was not its user or the host
// of a tap.
type Caller uint8

// The callers that a recording shows.
const (
	NoOther    Caller = iota
	ByApp             // an app; Frame.Cause is its message
	ByAttached        // a command that uses the connection of the session
	ByTap             // a tap that has restarted its server
)

var callerNames = [...]string{"", "app", "attached", "mcptea"}

// String returns the caller in one word; empty for [NoOther].
func (c Caller) String() string { return callerNames[c] }

// Named returns the caller in a sentence; empty for [NoOther].
func (c Caller) Named() string {
	return [...]string{"", "an app", "a command over --attach", "mcptea"}[c]
}

// CallerOf returns who sent a frame, according to the recording.
func CallerOf(f *transport.Frame) Caller {
	switch {
	case f.Cause.Present():
		return ByApp
	case f.Side == transport.Attached:
		return ByAttached
	case f.Side == transport.Own:
		return ByTap
	}
	return NoOther
}
