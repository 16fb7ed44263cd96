package inspector

import (
	"errors"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/client/jsonrpc"
	"mcptea/client/oauth"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/record/store"
	"mcptea/session/requests"
	"mcptea/session/session"
	"mcptea/ui/program"
)

// maxNotice bounds the part of a name in a notice, in cells.
const maxNotice = 60

// notify tells a user who is looking elsewhere which actions have ended, and what is waiting for the user. Only
// live sessions notify.
func (m *model) notify() {
	if _, recorded := m.session.Recording(); recorded {
		return
	}
	n := &m.notices
	running := m.atWork()
	for key, one := range n.running {
		if _, runs := running[key]; runs {
			continue
		}
		how := one.how()
		if how == "" { // it is still pending, although not among the newest
			running[key] = one
			continue
		}
		if took := m.Tick.Now.Sub(one.since); took >= program.LongWork {
			n.done = true
			m.Ended(one.what, how, took)
		}
	}
	n.running = running
	asks, consent := m.asking(), m.consents()
	if asks > n.asks {
		m.Notify("The server asks you: " + m.asked())
	}
	if consent && !n.consent {
		m.Notify("The server asks you to authorize")
	}
	n.asks, n.consent = asks, consent
	n.done = n.done && m.Away()
}

// atWork returns the running actions of the user. Names are untrusted.
func (m *model) atWork() map[string]running {
	all := map[string]running{}
	if m.state.Phase == session.Connecting {
		all["connecting"] = running{"Connecting", m.state.Started, func() string {
			if m.state.Phase == session.Ready {
				return "ok"
			}
			return "error"
		}}
	}
	for i := range m.pending {
		f := &m.pending[i]
		if f.Dir != transport.Out || isTaskPoll(*f) || revision.Lasts(f.Method) {
			continue
		}
		name, row := f.Method, f.Row()
		if f.Name != "" {
			name += " " + f.Name
		}
		all["request "+strconv.Itoa(int(row))] = running{notice(name), f.Start, func() string { return m.outcome(row) }}
	}
	for _, t := range m.tasks.Running() {
		all["task "+t.ID] = running{notice("Task " + t.ID), t.FirstSeen, func() string { return outcomeOf(t) }}
	}
	if m.checker != nil {
		if st := m.checker.State(); st.Running {
			all["probes"] = running{"The probes", st.Started, func() string {
				if st := m.checker.State(); st.Err != nil || st.Stopped != nil {
					return "error"
				}
				return "ok"
			}}
		}
	}
	if r, since := m.composer.Repetition(); r != nil && r.Running() {
		all["repetition"] = running{"The repetition", since, func() string { return repeated(r) }}
	}
	for tab, list := range m.lists {
		list.Repetitions(func(name string, r *session.Repetition, since time.Time) {
			all["repetition "+tab+" "+name] = running{notice("The repetition of " + name), since, func() string { return repeated(r) }}
		})
	}
	return all
}

// repeated returns how a repetition ended.
func repeated(r *session.Repetition) string {
	switch got := r.Progress(); {
	case got.Err != nil || got.Stopped > 0:
		return "stopped"
	case got.Errors+got.Failed > 0:
		return phrase.Count(got.Errors+got.Failed, "error")
	}
	return "ok"
}

func notice(name string) string { return display.Cut(display.Sanitize(name), maxNotice) }

// outcome returns how a request ended, or "" while it is pending.
func (m *model) outcome(row int32) string {
	st := m.session.Store()
	r, _ := st.Row(row)
	switch {
	case r.Flags&store.Cancelled != 0:
		return "cancelled"
	case r.Flags&store.Abandoned != 0:
		return "no response"
	case r.Pair == store.None:
		return ""
	}
	if response, _ := st.Row(r.Pair); response.Kind == jsonrpc.ErrorResponse || response.Flags&store.ToolError != 0 {
		return "error"
	}
	return "ok"
}

// outcomeOf returns how a task ended, or "" while it runs.
func outcomeOf(t *requests.Task) string {
	switch {
	case t.Running():
		return ""
	case t.Err != nil, t.ToolError:
		return "error"
	}
	return "ok"
}

// asking returns the number of questions of the server that wait for the user.
func (m *model) asking() int { return m.Chip().Asks }

// asked returns the subject of the newest question.
func (m *model) asked() string {
	all := m.session.Inbox().Requests()
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].State == requests.Waiting {
			return notice(all[i].Method)
		}
	}
	return "a question"
}

// consents reports whether a consent page waits for the user.
func (m *model) consents() bool {
	for _, st := range m.state.Authorization {
		if st.Name == oauth.StepConsent && st.State == oauth.Running && st.URL != "" {
			return true
		}
	}
	return false
}

// ProgramStatus returns the status of the session, for a terminal that shows it next to its window (OSC 7501).
// The host of the sessions reports the most urgent one; a recording is idle.
func (m *model) ProgramStatus() *tea.ProgramStatus {
	st := &tea.ProgramStatus{State: tea.ProgramStateIdle, App: "mcptea", Title: m.Title()}
	if _, recorded := m.session.Recording(); recorded {
		return st
	}
	switch {
	case m.notices.asks > 0:
		st.State, st.Kind, st.Message = tea.ProgramStateBlocked, tea.ProgramStatusKindQuestion, "The server asks you."
	case m.notices.consent, m.state.Phase == session.Failed && errors.As(m.state.Err, new(*transport.AuthorizationError)):
		st.State, st.Kind, st.Message = tea.ProgramStateBlocked, tea.ProgramStatusKindAuth, "The server requires authorization."
	case m.intercept.Waiting() > 0:
		st.State, st.Kind, st.Message = tea.ProgramStateBlocked, tea.ProgramStatusKindPermission, "A frame is held at a breakpoint."
	case m.state.Phase == session.Failed:
		st.State, st.Message = tea.ProgramStateError, "not connected"
	case m.state.Phase == session.Ended:
		st.State, st.Message = tea.ProgramStateError, "The connection has ended."
	case m.busySince(slowAfter):
		st.State = tea.ProgramStateWorking
		if bar := m.TerminalProgress(); bar != nil {
			st.Progress, st.HasProgress = bar.Value, true
		}
	case m.notices.done:
		st.State = tea.ProgramStateDone
	}
	return st
}

// busySince reports whether something has run for at least so long. For quick calls, the status
// would flicker.
func (m *model) busySince(least time.Duration) bool {
	for _, one := range m.notices.running {
		if m.Tick.Now.Sub(one.since) >= least {
			return true
		}
	}
	return false
}
