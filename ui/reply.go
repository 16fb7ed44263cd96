package ui

import (
	tea "charm.land/bubbletea/v2"

	"mcptea/client/oauth"
	"mcptea/session"
	"mcptea/ui/command"
	"mcptea/ui/pane/browse"
)

// repliedMsg says that an answer to the server is on the wire, or why it is
// not.
type repliedMsg struct {
	did string
	err error
}

// reply answers a request of the server. It goes over the wire, so it is not
// waited for here.
func (m *model) reply(a command.Reply) tea.Cmd {
	if a.How == command.AnswerAgain {
		m.callAgain(a)
		return nil
	}
	return func() tea.Msg {
		switch a.How {
		case command.AnswerDecline:
			return repliedMsg{"declined", m.session.Inbox().Decline(a.ID)}
		case command.AnswerDismiss:
			return repliedMsg{"cancelled", m.session.Inbox().Cancel(a.ID)}
		case command.AnswerError:
			return repliedMsg{"answered with an error", m.session.Inbox().Refuse(a.ID, a.Code, a.Text)}
		}
		return repliedMsg{"answered", m.session.Inbox().Respond(a.ID, a.Result)}
	}
}

// callAgain sends a call again after its page was visited, and shows it where the
// tool is.
func (m *model) callAgain(a command.Reply) {
	call, err := m.session.Retry(a.ID)
	if err != nil {
		m.say(command.Flash{Text: "not sent: " + err.Error(), Wrong: true})
		return
	}
	text := "sent again as request " + string(call.ID)
	for _, t := range m.tabs {
		if p, ok := t.pane.(*browse.Pane); ok && p.Adopt(call) {
			text += ": " + m.keyTo(t.command) + " shows it"
		}
	}
	m.say(command.Flash{Text: text})
}

func (m *model) replied(msg repliedMsg) {
	if msg.err != nil {
		m.say(command.Flash{Text: "not " + msg.did + ": " + msg.err.Error(), Wrong: true})
		return
	}
	m.say(command.Flash{Text: msg.did})
}

// announce tells of a request of the server where nobody would see it
// otherwise. Whoever is in the middle of a text is left alone: the tab counts
// it.
func (m *model) announce(method string, tab command.Name) {
	shown := m.tabs[m.at].command == tab && !m.layout.tab.empty()
	if method == "" || m.overlay != nil || m.midway || shown {
		return
	}
	m.say(command.Flash{Text: method + " waits for you: " + m.keyTo(tab) + " opens it"})
}

// announceEnd tells of a task that has come to its end, on the same terms.
func (m *model) announceEnd(news string) {
	shown := m.tabs[m.at].pane == m.tasks && !m.layout.tab.empty()
	if news != "" && m.overlay == nil && !m.midway && !shown && m.flash.Text == "" {
		m.say(command.Flash{Text: news + ": " + m.keyTo(command.TabTasks) + " shows it"})
	}
}

// keyTo is what to press for a tab.
func (m *model) keyTo(tab command.Name) string {
	key := command.KeyOf(tab)
	if m.focused().Typing() {
		key = command.KeyOf(command.Back) + " " + key // a digit is text there
	}
	return key
}

// pasteAnswer takes the address at which a browser on another machine ended.
func (m *model) pasteAnswer(text string) {
	if err := m.session.AnswerAuthorization(text); err != nil {
		m.say(command.Flash{Text: err.Error(), Wrong: true})
		return
	}
	m.say(command.Flash{Text: "taken for the answer"})
}

// announceConsent says once that there is a page to agree on.
func (m *model) announceConsent() {
	for _, st := range m.state.Authorization {
		if st.Name == oauth.StepConsent && st.State == oauth.Running && st.URL != "" && st.Start.After(m.asked) {
			m.asked = st.Start
			m.announce("the authorization", command.TabServer)
		}
	}
}

// announceRenewal tells of a session that was started because the server did not
// know the one before it.
func (m *model) announceRenewal() {
	if m.state.Renewed == "" || m.state.Phase != session.Ready || m.renewed == m.state.Attempt {
		return
	}
	m.renewed = m.state.Attempt
	m.say(command.Flash{Text: "New session: " + m.state.Renewed, Wrong: true})
}
