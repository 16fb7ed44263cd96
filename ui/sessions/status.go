package sessions

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcptea/ui/program"
)

// urgency orders the states of programs by importance to a user who is looking elsewhere, least important
// first: a question waits for the user, and work continues by itself.
var urgency = []tea.ProgramState{tea.ProgramStateIdle, tea.ProgramStateDone, tea.ProgramStateError, tea.ProgramStateWorking, tea.ProgramStateBlocked}

// status returns the combined status of all programs, for a terminal that shows it next to its window (OSC
// 7501): the most urgent, preferably the status of the program with the keys, or nil.
func (h *Host) status(front *program.Program) *tea.ProgramStatus {
	most := front.Status()
	for _, p := range h.programs {
		if st := p.Status(); p != front && st != nil && (most == nil || slices.Index(urgency, st.State) > slices.Index(urgency, most.State)) {
			most = st
		}
	}
	return most
}
