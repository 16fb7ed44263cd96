package ui

import (
	tea "charm.land/bubbletea/v2"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/session/store"
	"mcptea/ui/action"
	"mcptea/ui/browser"
	"mcptea/ui/dialog"
	"mcptea/ui/diff"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
	"mcptea/ui/pane/servers"
)

// act carries an action out.
func (m *model) act(a action.Action) tea.Cmd {
	if m.offersTarget(a) {
		return nil
	}
	switch a := a.(type) {
	case action.Accepted:
		m.show(nil)
		return m.act(a.Action)
	case action.CloseWindow:
		m.show(nil)
	case action.ConnectTo:
		if a.Recorded {
			return m.askToConnect(a)
		}
		m.chosen = &a
		return tea.Quit
	case action.Quit:
		return tea.Quit
	case action.Start:
		call := m.session.Start(a.Method, a.Params)
		m.deliver(action.Started{Ref: a.Ref, Call: call})
		m.noteCall(call)
	case action.StartFrame:
		m.deliver(action.Started{Ref: a.Ref, Call: m.session.StartFrame(a.Frame)})
	case action.SetLevel:
		m.deliver(action.Started{Ref: a.Ref, Call: m.session.SetLevel(a.Level)})
	case action.Cancel:
		m.session.Cancel(a.ID)
	case action.ShowTab:
		return m.showTab(a.Tab)
	case action.SelectFrame:
		m.selectFrame(a.Row)
	case action.SelectPlace:
		m.selectPlace(a)
	case action.Copy:
		return m.copy(a)
	case action.Compose:
		m.compose()
		m.composer.Compose(a.Method, a.Params)
	case action.ComposeFrame:
		m.compose()
		m.composer.ComposeFrame(a.Frame)
	case action.Edit:
		return m.edit(a)
	case action.OpenFile:
		return m.openFile(a)
	case action.Restart:
		if m.options.Reload == nil {
			m.say(action.Flash{Text: reconnecting})
		}
		return m.reconnect()
	case action.Compare:
		servers.CompareVersions(m.app(), m.session)
	case action.ExtendTimeout:
		if !m.session.Extend(a.ID, action.Extension) {
			m.say(action.Flash{Text: "nothing is pending"})
		}
	case action.OpenPage:
		if a.From == "" {
			return m.browse(a.URL)
		}
		dialog.Consent{
			Title: "Open this page?", Facts: []dialog.Fact{{Label: "from", Text: a.From}, {Label: "opens in", Text: "your browser"}},
			Name: "address", Lines: []string{a.URL}, Blanks: true, Yes: "open", No: "do not open",
			Accept: func() { m.app().OpenPage(a.URL) },
		}.Open(m.app())
	case action.Focus:
		m.setFocus(a.Region)
	case action.Leave:
		if a.Forward {
			m.leave(keys.Next)
			break
		}
		m.leave(keys.Back)
	case action.Flash:
		m.say(a)
	case action.Explain:
		dialog.Card(m.app(), a.Card)
	case action.ExplainRow:
		m.wire.frames.Card(a.Row, a.AsHTTP)
	case action.MarkFrame:
		m.wire.frames.Mark(a.Row)
	case action.DiffFrames:
		return m.diff(a.Row)
	case action.DiffRows:
		diff.Open(m.app(), diff.Comparing, m.frames(a.Old, a.New))
	case action.Pin:
		m.pinned.PinCall(a.Call)
	case action.CompareServers:
		m.second.Compare(a.Method, a.Params)
	}
	return nil
}

// handler is a pane that takes events.
type handler interface{ Handle(e action.Event) }

// deliver gives an event to the panes.
func (m *model) deliver(e action.Event) {
	for _, t := range m.tabs {
		if h, ok := unwrap(t.pane).(handler); ok {
			h.Handle(e)
		}
	}
}

// startedMsg is the event of a large frame that was sent.
type startedMsg struct{ action.Started }

// largeFrame is the size, in bytes, from which on a frame is read outside of Update.
const largeFrame = 256 << 10

// readMsg is what comes of a command on a large frame that was read for it.
type readMsg struct{ action.Action }

// reconnecting is said until the connection is there, or has failed.
const reconnecting = "Reconnecting"

// say shows a sentence in the last line; the next news start its clock.
func (m *model) say(f action.Flash) {
	m.program.say(flash{f.Text, f.Wrong, f.Stay})
}

// browsedMsg says what became of a page that was to be opened.
type browsedMsg struct{ err error }

// browse opens a page while the screen goes on.
func (m *model) browse(page string) tea.Cmd {
	m.say(action.Flash{Text: "opening your browser"})
	return func() tea.Msg { return browsedMsg{browser.Open(m.ctx, page)} }
}

func (m *model) openDetail() {
	m.frameOpen = true
	m.relayout()
	if !m.layout.detail.empty() && !m.layout.traffic.empty() {
		m.setFocus(action.RegionDetail)
	}
}

// quit implements [screen]. It ends the program, after a question while requests are pending. ctrl+c
// twice ends it without one.
func (m *model) quit(interrupt bool) {
	// The lists that the program fetches by itself do not count.
	waiting := m.session.Running()
	if waiting == 0 {
		m.do(tea.Quit)
		return
	}
	dialog.Consent{
		Title: "Quit?", Facts: []dialog.Fact{{Label: "pending", Text: lostByQuitting(waiting, m.session.Target())}}, Yes: "quit", No: "cancel",
		Accept: func() { m.do(tea.Quit) }, Interrupt: interrupt,
	}.Open(m.app())
}

// lostByQuitting says what the end of the program means for pending requests.
func lostByQuitting(waiting int, target client.Target) string {
	text := "1 request is pending."
	if waiting > 1 {
		text = paint.HumanCount(waiting) + " requests are pending."
	}
	if target.URL != "" {
		return text + " The connection will be closed; the server goes on."
	}
	return text + " The server will be stopped."
}

// toggleMarkdown shows Markdown everywhere as its source, or rendered.
func (m *model) toggleMarkdown() {
	m.source = !m.source
	m.retheme()
	text := "Markdown is rendered."
	if m.source {
		text = "Markdown is shown as its source."
	}
	m.say(action.Flash{Text: text})
}

func (m *model) copyRecording() tea.Cmd {
	path := m.session.Store().Path()
	if path == "" {
		m.say(action.Flash{Text: "nothing is being recorded"})
		return nil
	}
	return m.act(action.Copy{Text: path, What: "path of the recording"})
}

func idOf(f store.Flow) jsonrpc.ID { return jsonrpc.ID(f.ID) }
