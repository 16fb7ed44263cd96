package action

// DecideAgentCall decides about a call of an agent that shares the session.
type DecideAgentCall struct {
	ID     int
	Agreed bool
}

func (DecideAgentCall) action() {}
