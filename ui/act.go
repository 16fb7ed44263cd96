package ui

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/session/store"
	"mcptea/ui/action"
	"mcptea/ui/browser"
	"mcptea/ui/command"
)

// act carries an action out.
func (m *model) act(a action.Action) tea.Cmd {
	switch a := a.(type) {
	case action.Start:
		call := m.session.Start(a.Method, a.Params)
		if a.Then != nil {
			a.Then(call)
		}
	case action.StartFrame:
		call := m.session.StartFrame(a.Frame)
		if a.Then != nil {
			a.Then(call)
		}
	case action.Follow:
		a.Then(m.session.SubscribeResource(a.URI, a.On))
	case action.SetLevel:
		a.Then(m.session.SetLevel(a.Level))
	case action.Cancel:
		m.session.Cancel(a.ID)
	case action.Task:
		return m.task(a)
	case action.ShowTab:
		return m.showTab(a.Tab)
	case action.Reply:
		return m.reply(a)
	case action.SelectFrame:
		m.selectFrame(a.Row)
	case action.SelectPlace:
		return m.selectPlace(a)
	case action.ExplainFindings:
		if m.layout.detail.empty() {
			m.openDetail()
			m.detail.Explain(true)
			break
		}
		m.detail.Do(command.ExplainFindings)
	case action.Mute:
		return m.mute(a)
	case action.OpenDetail:
		m.openDetail()
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
	case action.Fetch:
		m.fetch(a.Kind)
	case action.Restart:
		m.say(action.Flash{Text: reconnecting})
		return m.connect(true)
	case action.Compare:
		return m.compare(a)
	case action.OpenPage:
		return m.browse(a.URL)
	case action.CancelAuthorization:
		m.session.CancelAuthorization()
	case action.Focus:
		m.setFocus(a.Region)
	case action.Leave:
		m.leave(a)
	case action.Flash:
		m.say(a)
	case action.Explain:
		m.overlay = &cardWindow{card: a.Card}
	case action.ExplainRow:
		return m.explainRow(a)
	case action.Filter:
		m.traffic.SetFilter(a.Text)
		m.setFocus(action.RegionTraffic)
	}
	return nil
}

// reconnecting is said until the connection is there, or has failed.
const reconnecting = "Reconnecting"

// say shows a sentence in the last line; the next news start its clock.
func (m *model) say(f action.Flash) {
	m.flash, m.flashShown = f, time.Time{}
	m.session.Store().Notify()
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

func (m *model) fetch(kind string) {
	for _, k := range client.ListKinds {
		if k.Name == kind || kind == "resources" && k.Needs == "resources" {
			m.session.Fetch(k)
		}
	}
}

// quit ends the program, after a question while requests are pending. ctrl+c
// twice ends it without one.
func (m *model) quit(interrupt bool) tea.Cmd {
	// The lists that the program fetches by itself do not count.
	waiting := m.session.Running()
	if waiting == 0 {
		return tea.Quit
	}
	m.overlay = newQuestion(waiting, interrupt)
	return nil
}

func (m *model) nextTheme() tea.Cmd {
	names := m.options.Themes.For(m.dark)
	at := 0
	for i, n := range names {
		if n == m.pal.Theme.Name {
			at = i
		}
	}
	m.chosenTheme = names[(at+1)%len(names)]
	m.chooseTheme()
	m.say(action.Flash{Text: "theme " + m.chosenTheme})
	return nil
}

func (m *model) copyRecording() tea.Cmd {
	path := m.session.Store().Path()
	if path == "" {
		m.say(action.Flash{Text: "nothing is being recorded"})
		return nil
	}
	return m.act(action.Copy{Text: path, What: "path of the recording"})
}

// editedMsg is the text that the user's editor has saved.
type editedMsg struct {
	text string
	err  error
	then func(string)
}

// edit opens a text in the user's editor. The file has the mode 0600 and is
// removed afterwards.
func (m *model) edit(a action.Edit) tea.Cmd {
	editor := os.Getenv("VISUAL")
	if editor == "" {
		editor = os.Getenv("EDITOR")
	}
	if editor == "" {
		m.say(action.Flash{Text: "no editor: set $EDITOR", Wrong: true})
		return nil
	}
	f, err := os.CreateTemp("", "mcptea-*"+a.Suffix) // 0600
	if err == nil {
		_, err = f.WriteString(a.Text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		m.say(action.Flash{Text: err.Error(), Wrong: true})
		return nil
	}
	argv := append(strings.Fields(editor), f.Name())
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin = os.Stdin // the terminal itself, and not the filtered input of the program
	return tea.ExecProcess(cmd, func(err error) tea.Msg {
		defer func() { _ = os.Remove(f.Name()) }()
		if err != nil {
			return editedMsg{err: err}
		}
		b, err := os.ReadFile(f.Name())
		return editedMsg{text: strings.TrimRight(string(b), "\n"), err: err, then: a.Then}
	})
}

func (m *model) edited(msg editedMsg) {
	if msg.err != nil {
		m.say(action.Flash{Text: "the editor failed: " + msg.err.Error(), Wrong: true})
	} else if msg.then != nil {
		msg.then(msg.text)
	}
}

func idOf(f store.Flow) jsonrpc.ID { return jsonrpc.ID(f.ID) }
