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
	"mcptea/themes"
	"mcptea/ui/browser"
	"mcptea/ui/command"
	"mcptea/ui/paint"
)

// act carries an action out.
func (m *model) act(a command.Action) tea.Cmd {
	switch a := a.(type) {
	case command.Start:
		call := m.session.Start(a.Method, a.Params)
		if a.Then != nil {
			a.Then(call)
		}
	case command.StartFrame:
		call := m.session.StartFrame(a.Frame)
		if a.Then != nil {
			a.Then(call)
		}
	case command.Follow:
		a.Then(m.session.SubscribeResource(a.URI, a.On))
	case command.SetLevel:
		a.Then(m.session.SetLevel(a.Level))
	case command.Cancel:
		m.session.Cancel(a.ID)
	case command.Task:
		return m.task(a)
	case command.ShowTab:
		return m.showTab(a.Tab)
	case command.Reply:
		return m.reply(a)
	case command.SelectFrame:
		m.selectFrame(a.Row)
	case command.SelectPlace:
		return m.selectPlace(a)
	case command.ExplainFindings:
		if m.layout.detail.empty() {
			m.openDetail()
			m.detail.Explain(true)
			break
		}
		m.detail.Do(command.DetailWhy)
	case command.Mute:
		return m.mute(a)
	case command.OpenDetail:
		m.openDetail()
	case command.Copy:
		text := "copied " + a.What + " (" + paint.HumanSize(int64(len(a.Text))) + ")"
		if len(a.Needs) > 0 {
			text += "; set " + strings.Join(a.Needs, ", ") + " to the secret before you run it"
		}
		m.say(command.Flash{Text: text})
		return tea.SetClipboard(a.Text)
	case command.Compose:
		m.compose()
		m.composer.Compose(a.Method, a.Params)
	case command.ComposeFrame:
		m.compose()
		m.composer.ComposeFrame(a.Frame)
	case command.Edit:
		return m.edit(a)
	case command.Fetch:
		m.fetch(a.Kind)
	case command.Restart:
		m.say(command.Flash{Text: reconnecting})
		return m.connect(true)
	case command.Compare:
		return m.compare(a)
	case command.OpenPage:
		return m.browse(a.URL)
	case command.CancelAuthorization:
		m.session.CancelAuthorization()
	case command.Focus:
		m.setFocus(a.Region)
	case command.Leave:
		m.leave(a)
	case command.Flash:
		m.say(a)
	case command.Explain:
		m.overlay = &cardWindow{card: a.Card}
	case command.ExplainRow:
		return m.explainRow(a)
	case command.Filter:
		m.traffic.SetFilter(a.Text)
		m.setFocus(command.RegionTraffic)
	}
	return nil
}

// reconnecting is said until the connection is there, or has failed.
const reconnecting = "Reconnecting"

// say shows a sentence in the last line; the next news start its clock.
func (m *model) say(f command.Flash) {
	m.flash, m.flashed = f, time.Time{}
	m.session.Store().Notify()
}

// browsedMsg says what became of a page that was to be opened.
type browsedMsg struct{ err error }

// browse opens a page while the screen goes on.
func (m *model) browse(page string) tea.Cmd {
	m.say(command.Flash{Text: "opening your browser"})
	return func() tea.Msg { return browsedMsg{browser.Open(m.ctx, page)} }
}

func (m *model) openDetail() {
	m.large = true
	m.relayout()
	if !m.layout.detail.empty() && !m.layout.traffic.empty() {
		m.setFocus(command.RegionDetail)
	}
}

func (m *model) fetch(kind string) {
	for _, k := range client.ListKinds {
		if k.Name == kind || kind == "resources" && k.Needs == "resources" {
			m.session.Fetch(k)
		}
	}
}

// quit leaves, after a question when somebody waits for an answer. ctrl+c
// twice leaves whatever waits.
func (m *model) quit(interrupt bool) tea.Cmd {
	// The lists that the program fetches by itself hold nobody up.
	waiting := m.session.Running()
	if waiting == 0 {
		return tea.Quit
	}
	m.overlay = newQuestion(waiting, interrupt)
	return nil
}

func (m *model) nextTheme() tea.Cmd {
	names := themes.Names()
	at := 0
	for i, n := range names {
		if n == m.pal.Theme.Name {
			at = i
		}
	}
	m.themed = names[(at+1)%len(names)]
	m.chooseTheme()
	m.say(command.Flash{Text: "theme " + m.themed})
	return nil
}

func (m *model) copyRecording() tea.Cmd {
	path := m.session.Store().Path()
	if path == "" {
		m.say(command.Flash{Text: "nothing is being recorded"})
		return nil
	}
	return m.act(command.Copy{Text: path, What: "path of the recording"})
}

// editedMsg is the text that came back from the person's editor.
type editedMsg struct {
	text string
	err  error
	then func(string)
}

// edit gives a text to the person's editor. The file is for nobody else to
// read, and gone afterwards.
func (m *model) edit(a command.Edit) tea.Cmd {
	editor := os.Getenv("VISUAL")
	if editor == "" {
		editor = os.Getenv("EDITOR")
	}
	if editor == "" {
		m.say(command.Flash{Text: "no editor: set $EDITOR", Wrong: true})
		return nil
	}
	f, err := os.CreateTemp("", "mcptea-*"+a.Suffix) // 0600
	if err == nil {
		_, err = f.WriteString(a.Text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		m.say(command.Flash{Text: err.Error(), Wrong: true})
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
		m.say(command.Flash{Text: "the editor failed: " + msg.err.Error(), Wrong: true})
	} else if msg.then != nil {
		msg.then(msg.text)
	}
}

func idOf(f store.Flow) jsonrpc.ID { return jsonrpc.ID(f.ID) }
