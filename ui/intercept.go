package ui

import (
	"context"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcptea/session/filter"
	"mcptea/session/intercept"
	"mcptea/session/store"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/dialog"
	"mcptea/ui/paint"
)

// Gate holds frames: that of the session's own connection, or that of an active tap to
// which the inspector is attached. Its methods may be called from any goroutine; those
// that change something may wait for the tap.
type Gate interface {
	State() intercept.State
	Subscribe() (changed <-chan struct{}, stop func())
	SetBreakpoints(list []intercept.Breakpoint) error
	SetFaults(list []intercept.Fault) error
	Decide(id int64, d intercept.Decision) error
	SetClock(id int64, running bool) error
	ForwardAll()
}

// Attached is a gate of an active tap.
type Attached struct {
	Gate
	Name  string          // of the tap, for display
	Done  <-chan struct{} // closed when the tap has ended
	Close func() error
}

// useGate shows a gate in its pane, and wakes the screen when it changes.
func (m *model) useGate(g Gate, name string) {
	if m.gateStop != nil {
		m.gateStop()
	}
	m.gate = g
	if g == nil {
		m.intercept.SetGate(nil, "")
		return
	}
	m.intercept.SetGate(g, name)
	changed, unsubscribe := g.Subscribe()
	stop := m.background(func(ctx context.Context) {
		for {
			select {
			case <-changed:
				m.session.Store().Notify()
			case <-ctx.Done():
				return
			}
		}
	})
	m.gateStop = func() { stop(); unsubscribe() }
}

// attachedMsg is the gate of the tap that writes the recording, or the error.
type attachedMsg struct {
	attached *Attached
	err      error
	then     action.Action // what the user wanted
}

// tapEndedMsg says that an attached tap has ended.
type tapEndedMsg struct{}

// withGate carries out an action that needs a gate. In a recording it attaches to the
// tap that writes it first.
func (m *model) withGate(a action.Action, do func(g Gate) tea.Cmd) tea.Cmd {
	rec, recorded := m.session.Recording()
	switch {
	case m.gate != nil:
		return do(m.gate)
	case !recorded:
		return nil
	case !rec.Growing || m.options.Attach == nil:
		return m.act(action.Flash{Text: "A recording has no frames to hold: only a connection has, or an active tap.", Wrong: true})
	}
	m.say(action.Flash{Text: "Attaching to the tap", Stay: true})
	attach, path := m.options.Attach, rec.Path
	return func() tea.Msg {
		attached, err := attach(m.ctx, path)
		return attachedMsg{attached, err, a}
	}
}

func (m *model) tookGate(msg attachedMsg) tea.Cmd {
	if msg.err != nil {
		return m.act(action.Flash{Text: msg.err.Error(), Wrong: true})
	}
	if m.attached != nil { // asked for twice
		_ = msg.attached.Close()
		return m.actLater(msg.then)
	}
	m.attached = msg.attached
	m.useGate(msg.attached.Gate, "tap "+msg.attached.Name)
	m.say(action.Flash{Text: "Attached to the tap. Its frames are forwarded when mcptea closes."})
	done := msg.attached.Done
	ended := func() tea.Msg {
		select {
		case <-done:
			return tapEndedMsg{}
		case <-m.ctx.Done():
			return nil
		}
	}
	return tea.Batch(m.actLater(msg.then), ended)
}

// tapEnded drops the gate of a tap that has ended.
func (m *model) tapEnded() {
	m.detach()
	m.say(action.Flash{Text: "The tap has ended."})
	if m.tabs[m.activeTab].pane == tabPane(m.intercept) {
		m.activeTab = 0
	}
}

// detach has all frames forwarded, and ends the connection to a tap.
func (m *model) detach() {
	if m.gate != nil && m.attached == nil {
		m.gate.ForwardAll()
	}
	if m.gateStop != nil {
		m.gateStop()
		m.gateStop = nil
	}
	if m.attached != nil {
		_ = m.attached.Close()
		m.attached = nil
		m.useGate(nil, "")
	}
}

// decidedMsg is the outcome of a change of the gate.
type decidedMsg struct {
	err  error
	text string // what was done
	show bool   // the pane is wanted
	// lost is what the user has written for a frame, if that was not possible.
	lost *action.Decide
}

// change changes the gate outside of Update: that of a tap answers later.
func (m *model) change(a action.Action, text string, show bool, do func(g Gate) error) tea.Cmd {
	return m.withGate(a, func(g Gate) tea.Cmd {
		return func() tea.Msg { return decidedMsg{err: do(g), text: text, show: show} }
	})
}

func (m *model) decided(msg decidedMsg) tea.Cmd {
	m.intercept.Refresh(m.state, nil, m.now, m.spin)
	if msg.err != nil && msg.lost != nil {
		m.intercept.SetDraft(msg.lost.ID, msg.lost.Decision.Action == intercept.Respond, msg.lost.Decision.Bytes)
	}
	switch {
	case msg.err != nil:
		m.say(action.Flash{Text: dialog.Sentence(msg.err), Wrong: true})
	case msg.text != "":
		m.say(action.Flash{Text: msg.text})
	}
	if msg.show && msg.err == nil {
		return m.actLater(action.ShowTab{Tab: command.TabIntercept})
	}
	return nil
}

// intercepting carries out the actions about held frames, breakpoints and faults. It
// reports false for another action.
func (m *model) intercepting(a action.Action) (cmd tea.Cmd, ok bool) {
	switch a := a.(type) {
	case action.Decide:
		return m.withGate(a, func(g Gate) tea.Cmd {
			m.intercept.Decided(a.ID)
			return func() tea.Msg {
				return decidedMsg{err: g.Decide(a.ID, a.Decision), text: decisionText(a.Decision), lost: &a}
			}
		}), true
	case action.ForwardAll:
		return m.change(a, "All held frames were forwarded.", false, func(g Gate) error { g.ForwardAll(); return nil }), true
	case action.EditHeld:
		m.overlay = newHeldWindow(a, func() (intercept.Held, bool) { return m.intercept.Held(a.ID) }, m.whyGone)
		return m.change(a, "", false, func(g Gate) error { return g.SetClock(a.ID, false) }), true
	case action.SetHeld:
		m.intercept.SetEdited(a.ID, a.Bytes)
		return m.startClock(a.ID), true
	case action.DraftHeld:
		m.intercept.SetDraft(a.ID, a.Respond, a.Bytes)
		return m.startClock(a.ID), true
	case action.DelayHeld:
		m.askDelay(a)
	case action.EditBreakpoint:
		return m.withGate(a, func(Gate) tea.Cmd {
			m.askBreakpoint(a)
			return nil
		}), true
	case action.SetBreakpoint:
		return m.change(a, "", true, func(g Gate) error {
			list := g.State().Breakpoints
			if i := slices.IndexFunc(list, func(b intercept.Breakpoint) bool { return a.ID != 0 && b.ID == a.ID }); i >= 0 {
				list[i].Filter = a.Filter
			} else {
				list = append(list, intercept.Breakpoint{Filter: a.Filter})
			}
			return g.SetBreakpoints(list)
		}), true
	case action.SetBreakpoints:
		return m.change(a, "", false, func(g Gate) error { return g.SetBreakpoints(a.List) }), true
	case action.EditFault:
		return m.withGate(a, func(Gate) tea.Cmd {
			m.askFault(a)
			return nil
		}), true
	case action.SetFault:
		return m.change(a, "", true, func(g Gate) error {
			list := g.State().Faults
			if i := slices.IndexFunc(list, func(f intercept.Fault) bool { return a.Fault.ID != 0 && f.ID == a.Fault.ID }); i >= 0 {
				a.Fault.Disabled = list[i].Disabled
				list[i] = a.Fault
			} else {
				list = append(list, a.Fault)
			}
			return g.SetFaults(list)
		}), true
	case action.SetFaults:
		return m.change(a, "", false, func(g Gate) error { return g.SetFaults(a.List) }), true
	default:
		return nil, false
	}
	return nil, true
}

// startClock has a frame go on by itself again. That it is not held any more is no error.
func (m *model) startClock(id int64) tea.Cmd {
	g := m.gate
	if _, held := m.intercept.Held(id); !held || g == nil {
		return nil
	}
	return func() tea.Msg {
		_ = g.SetClock(id, true)
		return decidedMsg{}
	}
}

// whyGone says what became of a frame that is not held any more.
func (m *model) whyGone(h intercept.Held) string {
	const kept = "Your text is kept: "
	row := h.Row
	if row == store.None && h.MessageID != "" {
		row = m.session.Store().RequestRow(h.Dir, string(h.MessageID))
	}
	if c, ok := m.session.Store().Change(row); ok {
		return fmt.Sprintf("%s#%d %s.", kept, row+1, c.Text())
	}
	return kept + "the frame is not held any more; its connection or its request has ended, or it was released."
}

func decisionText(d intercept.Decision) string {
	switch d.Action {
	case intercept.Drop:
		return "The frame was dropped."
	case intercept.Duplicate:
		return "The frame was forwarded twice."
	case intercept.Delay:
		return fmt.Sprintf("The frame is forwarded in %s.", d.Delay)
	case intercept.Respond:
		return "Responded by hand."
	}
	if d.Bytes != nil {
		return "The frame was forwarded as edited."
	}
	return "The frame was forwarded."
}

// breakpointFor is the filter that a new breakpoint begins with: one that passes the
// selected frame.
func (m *model) breakpointFor() string {
	if m.inTraffic() {
		if text := filter.Propose(m.session.Store(), m.traffic.Selected()); text != "" {
			return text
		}
	}
	return "method:tools/call dir:out"
}

// The frames that are looked at for matching: the newest ones, up to some size.
const (
	maxMatchedRows  = 1000
	maxMatchedBytes = 4 << 20
)

// matching says how many of the newest frames pass a filter.
func (m *model) matching(f *filter.Filter) string {
	s := m.session.Store()
	rows, scanner := s.Snapshot().Rows, s.NewScanner()
	var fr filter.Frame
	fr.OfRow(s, scanner)
	passed, of, size := 0, 0, 0
	from := int32(max(0, rows-maxMatchedRows))
	scanner.Rows(from, rows-int(from), func(_ int32, r *store.Row) bool {
		if size += int(r.Size); size > maxMatchedBytes {
			return false
		}
		if fr.Row, fr.Method = r, s.Method(r.Method); r.IsFrame() {
			of++
			if f.Match(fr) {
				passed++
			}
		}
		return true
	})
	if of == 0 {
		return ""
	}
	return fmt.Sprintf("It matches %s of %s.", paint.HumanCount(passed), paint.Plural(of, "recorded frame"))
}
