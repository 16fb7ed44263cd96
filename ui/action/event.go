package action

import "mcptea/session"

// Event is the outcome of an action. The root delivers it to every pane that
// handles events; a pane drops those whose Ref it did not issue. A Ref begins
// with the name of its pane.
type Event interface{ event() }

// Started is the call that a Start or StartFrame began.
type Started struct {
	Ref  string
	Call *session.Call
}

// Edited is the text that came back from the user's editor.
type Edited struct{ Ref, Text string }

func (Started) event() {}
func (Edited) event()  {}
