package sessions

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcptea/ui/program"
)

// urgency are the states of a program from the one that matters least to a user who looks elsewhere: a question
// waits for the user, what works goes on by itself.
var urgency = []tea.ProgramState{tea.ProgramStateIdle, tea.ProgramStateDone, tea.ProgramStateError, tea.ProgramStateWorking, tea.ProgramStateBlocked}

// status is what all programs together do, for a terminal that shows it beside its window (OSC 7501): that of the one
// that is most urgent; of equal ones that with the keys. It is nil when none says anything.
func (h *Host) status(front *program.Program) *tea.ProgramStatus {
	most := front.Status()
	for _, p := range h.programs {
		if st := p.Status(); p != front && st != nil && (most == nil || slices.Index(urgency, st.State) > slices.Index(urgency, most.State)) {
			most = st
		}
	}
	return most
}
