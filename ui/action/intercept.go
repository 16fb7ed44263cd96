package action

import "mcptea/session/intercept"

// Decide decides about a held frame.
type Decide struct {
	ID       int64
	Decision intercept.Decision
}

// ForwardAll forwards all held frames.
type ForwardAll struct{}

// EditHeld opens an editor on the bytes of a held frame, or on a response to it.
type EditHeld struct {
	ID      int64
	Name    string // of the frame, for display; from the wire
	Bytes   []byte
	Respond bool
}

// SetHeld is what the user has written in the editor of EditHeld.
type SetHeld struct {
	ID    int64
	Bytes []byte
}

// DraftHeld is what the user has written in the editor of EditHeld, and not accepted.
type DraftHeld struct {
	ID      int64
	Bytes   []byte
	Respond bool
}

// DelayHeld asks for how long a held frame is delayed. The bytes are those that go on,
// nil those that were received.
type DelayHeld struct {
	ID    int64
	Bytes []byte
}

// EditBreakpoint opens the filter of a breakpoint; ID is 0 for a new one.
type EditBreakpoint struct {
	ID     int
	Filter string
}

// SetBreakpoint adds a breakpoint, or replaces the filter of one.
type SetBreakpoint struct {
	ID     int
	Filter string
}

// SetBreakpoints replaces all breakpoints.
type SetBreakpoints struct{ List []intercept.Breakpoint }

// EditFault opens a fault; its ID is 0 for a new one.
type EditFault struct {
	ID    int
	Fault intercept.Fault
}

// SetFault adds a fault, or replaces the one of the same ID.
type SetFault struct{ Fault intercept.Fault }

// SetFaults replaces all faults.
type SetFaults struct{ List []intercept.Fault }

func (Decide) action()         {}
func (ForwardAll) action()     {}
func (EditHeld) action()       {}
func (SetHeld) action()        {}
func (DraftHeld) action()      {}
func (DelayHeld) action()      {}
func (EditBreakpoint) action() {}
func (SetBreakpoint) action()  {}
func (SetBreakpoints) action() {}
func (EditFault) action()      {}
func (SetFault) action()       {}
func (SetFaults) action()      {}
