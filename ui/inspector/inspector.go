// Package inspector implements the screen of a session: its panes, their layout, the tabs, the header and the
// announcements. It shows the record of the session, and sends the user's requests.
//
// Two kinds of windows belong to it, since they need panes or the session: the frames of probes, as Traffic
// shows them (evidence.go), and the questions about actions of others that need the user's agreement: of an
// app, an agent that shares the session, or a recording that is sent again (questions.go; question_queue.go
// asks one after the other).
//
// A picture of the documentation is a row in screens_test.go: a server, and commands by id.
package inspector

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/session/session"
	"mcptea/ui/keys"
	"mcptea/ui/sessions"
)

// newModel returns the inspector in its initial state: with a draft, or in the traffic of a recording. The
// returned function ends its subscription.
func newModel(ctx context.Context, s *session.Session, o Options, sections func() ([]keys.Section, error)) (*model, func()) {
	m, stop := newWired(ctx, s, o, sections)
	switch d := o.Draft; {
	case d.Frame != nil:
		m.ComposeFrame(d.Frame)
	case d.Method != "":
		m.Compose(d.Method, string(d.Params))
	}
	m.views.frames.Filter.Set(o.Filter)
	m.restore()
	if rec, ok := s.Recording(); ok {
		m.activeTab = 1
		m.visit(func() { m.focus = slotTraffic })
		if !rec.Growing {
			m.views.traffic.ToggleFollow() // the first frame remains visible
		}
		s.Store().Notify() // it may already have been read
	}
	return m, stop
}

// recordingTime is the maximum wait of the screen for the disk. After that, it displays frames that are
// not yet in the recording.
const recordingTime = 20 * time.Millisecond

// Receive implements [program.Screen].
func (m *model) Receive(msg tea.Msg) {
	if _, ok := msg.(connectedMsg); ok {
		m.connected()
	}
	m.Wake()
}

// Run shows the inspector on a session, connects, and returns when the user quits. The caller closes the
// session. In a recording, the user may choose to connect to a target, which Run then returns; otherwise it is
// nil. The error is about the terminal or the options. A server that cannot be reached is shown on the screen
// and is not an error. sections returns the commands of all screens.
func Run(ctx context.Context, s *session.Session, o Options, sections func() ([]keys.Section, error)) (*ConnectTo, error) {
	m, unsubscribe := newModel(ctx, s, o, sections)
	defer unsubscribe()
	if err := m.Prepare(); err != nil {
		return nil, err // before anything is started
	}
	m.Record = func() { s.Store().HandOver(recordingTime) }
	go m.begin() // the server starts while the terminal is prepared; closing the session waits for it
	host := o.Host
	if host == nil {
		host = &sessions.Host{}
	}
	err := host.Show(m.Program)
	if m.lesson.isLast() && m.lesson.End != nil {
		m.lesson.End()
	}
	if o.Left != nil && err == nil {
		o.Left(m.place())
	}
	m.end(ctx)
	return m.chosen, err
}

// end ends the work on goroutines, and removes its files.
func (m *model) end(ctx context.Context) {
	m.intercept.Detach()
	m.apps.Close(context.WithoutCancel(ctx))
	m.pins.Wait()
	m.checker.Close()
	m.removeTemporary()
}
