package action

import "mcptea/session"

// Compare compares the versions of the protocol that the server speaks.
type Compare struct{}

// DiffFrames compares the marked frames, or a frame with the marked one.
type DiffFrames struct{ Row int32 }

// DiffRows compares two frames.
type DiffRows struct{ Old, New int32 }

// CompareServers sends a request to this server and to the second one and compares the
// responses; without a method it compares what the servers offer.
type CompareServers struct {
	Method string
	Params []byte
}

// Pin pins a call with its response.
type Pin struct{ Call *session.Call }

func (Compare) action()        {}
func (DiffFrames) action()     {}
func (DiffRows) action()       {}
func (CompareServers) action() {}
func (Pin) action()            {}
