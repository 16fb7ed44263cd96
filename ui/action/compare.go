package action

import "mcptea/session"

// Compare compares the versions of the protocol that the server speaks.
type Compare struct{}

// DiffFrames compares the marked frames, or a frame with the marked one.
type DiffFrames struct{ Row int32 }

// DiffValues shows the differences of two JSON values. The names are trusted.
type DiffValues struct {
	OldName, NewName string
	Old, New         []byte
}

// DiffRows compares two frames.
type DiffRows struct{ Old, New int32 }

// CompareServers sends a request to this server and to the second one and compares the
// responses; without a method it compares what the servers offer.
type CompareServers struct {
	Method string
	Params []byte
}

// Pin pins a call with its response: that of a frame, or a call of the session, of which
// the row is ignored.
type Pin struct {
	Row  int32
	Call *session.Call
}

// RunPins runs pins; without names those that only read.
type RunPins struct{ Names []string }

// AcceptPins makes responses what is expected of pins: those that they had last, or for
// one pin that of a frame. Row is -1 without one.
type AcceptPins struct {
	Names []string
	Row   int32
}

// IgnoreInPin leaves the values at a path out of the comparison of a pin.
type IgnoreInPin struct{ Name, Path string }

// RejectPin marks the response of a pin as known to be wrong.
type RejectPin struct{ Name string }

// RemovePin removes a pin from its file.
type RemovePin struct{ Name string }

// ComparePin compares what is expected of a pin with its response.
type ComparePin struct{ Name string }

func (Compare) action()        {}
func (DiffFrames) action()     {}
func (DiffValues) action()     {}
func (DiffRows) action()       {}
func (CompareServers) action() {}
func (Pin) action()            {}
func (RunPins) action()        {}
func (AcceptPins) action()     {}
func (IgnoreInPin) action()    {}
func (RejectPin) action()      {}
func (RemovePin) action()      {}
func (ComparePin) action()     {}
