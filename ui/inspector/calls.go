package inspector

import (
	"context"
	"slices"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/session/session"
	"mcptea/ui/dialog"
)

// noteCall records a call of the user. It closes the strip of a composer that was left while it was sending,
// because its outcome is no longer the newest.
func (m *model) noteCall(call *session.Call) {
	if m.composerOpen && m.focus != slotComposer && !m.composer.Working() {
		m.composerOpen = false
		m.relayout()
	}
	m.calls = append(m.calls, call)
	for len(m.calls) > 2 && !m.calls[len(m.calls)-2].Running() {
		m.calls = slices.Delete(m.calls, 0, 1)
	}
}

// lastResult returns the newest result of a call of the user.
func (m *model) lastResult() ([]byte, bool) {
	for _, call := range slices.Backward(m.calls) {
		if call.Running() {
			continue
		}
		if response, err := call.Outcome(); err == nil && response.Result() != nil {
			return response.Result(), true
		}
	}
	return nil, false
}

// largeFrame is the size, in bytes, from which a frame is read outside of Update.
const largeFrame = 256 << 10

// sendAgain resends a request or a frame. It sends a large one on a goroutine.
func (m *model) sendAgain(frame []byte) {
	send := func() {
		if len(frame) <= largeFrame {
			m.sentAgain(m.session.Again(frame))
			return
		}
		m.Go(func(context.Context) func() {
			call := m.session.Again(frame)
			return func() { m.sentAgain(call) }
		})
	}
	if _, recorded := m.session.Recording(); m.state.Phase == session.Failed && !recorded {
		m.Fail("Not connected: " + m.Key("restart") + " connects again.")
		return
	}
	if e := jsonrpc.Scan(frame); e.Kind == jsonrpc.Request {
		m.OnlineRequest(e.MethodName(frame), withoutToken(e.Params.Of(frame)), send)
		return
	}
	m.OnlineFrame(frame, send)
}

// withoutToken removes a progress token that mcptea added from a request for the composer of another session,
// which adds its own.
func withoutToken(params []byte) []byte {
	meta := jsonrpc.Get(params, "_meta")
	switch {
	case jsonrpc.Get(meta, "progressToken") == nil:
		return params
	case jsonrpc.Count(meta) == 1:
		return jsonrpc.Without(params, "_meta")
	}
	at := jsonrpc.SpanOf(params, meta)
	return slices.Concat(params[:at.Start], jsonrpc.Without(meta, "progressToken"), params[at.End:])
}

// callAgain resends a call after the user has visited its page, and shows it at its tool.
func (m *model) callAgain(id jsonrpc.ID) {
	call, err := m.session.Retry(id)
	if err != nil {
		m.Fail("not sent: " + err.Error())
		return
	}
	text := "Sent again as request " + call.ID.String()
	if tab := m.adopt(call); tab != "" {
		text += ": " + m.Name(tab) + " shows it"
	}
	m.Say(text)
}

// sentAgain records a call that was sent from Traffic. Its tool shows it too, because requests of the server
// during the call lead there.
func (m *model) sentAgain(call *session.Call) {
	m.noteCall(call)
	m.adopt(call)
}

// adopt shows a call in the list of its tool, and returns the tab of the list, or "".
func (m *model) adopt(call *session.Call) string {
	if !call.IsRequest() {
		return ""
	}
	for tab, p := range m.lists {
		if p.Adopt(call) {
			return tab
		}
	}
	return ""
}

// showCaller leads from a request of the server back to the call that waited for it, unless the user is
// elsewhere.
func (m *model) showCaller(tab string) bool {
	if m.Window() != nil || m.focus != slotTab || m.tabs[m.activeTab].ID != tabInbox {
		return false
	}
	m.ShowTab(tab)
	if p := m.list(); p != nil {
		p.ShowResult() // not in a text field, which would receive keys that were typed ahead
	}
	return true
}

// stopRepetition stops the newest repetition.
func (m *model) stopRepetition() bool {
	newest, began := m.composer.Repetition()
	if newest != nil && !newest.Running() {
		newest = nil
	}
	for _, list := range m.lists {
		list.Repetitions(func(_ string, one *session.Repetition, since time.Time) {
			if newest == nil || since.After(began) {
				newest, began = one, since
			}
		})
	}
	if newest != nil {
		newest.Cancel()
	}
	return newest != nil
}

func (m *model) cancelNewest() {
	if m.stopRepetition() {
		return
	}
	running := m.tasks.Running()
	for i := len(m.pending) - 1; i >= 0; i-- {
		f := m.pending[i]
		if n := len(running); n > 0 && running[n-1].FirstSeen.After(f.Start) {
			break // the request is newer
		}
		if f.Dir == 0 && !isTaskPoll(f) {
			m.Online("Cancel", func() { dialog.Tell(m, m.session.Cancel(f.ID)) })
			return
		}
	}
	if n := len(running); n > 0 {
		m.cancelTask(running[n-1].ID)
		return
	}
	m.Say("No request is pending.")
}

// cancelTask asks the server to cancel a task. It does not wait; the tab shows the outcome.
func (m *model) cancelTask(id string) {
	if err := m.session.Tasks().Cancel(id); err != nil {
		m.Fail(err.Error())
		return
	}
	m.Say("Cancelling the task.")
}
