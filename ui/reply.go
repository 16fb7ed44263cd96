package ui

import (
	tea "charm.land/bubbletea/v2"

	"mcptea/client/oauth"
	"mcptea/session"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/pane/browse"
)

// repliedMsg reports that a response to the server was sent, or why not.
type repliedMsg struct {
	did string // a sentence
	err error
}

// reply responds to a request of the server. Sending takes time, so it is done
// outside of Update.
func (m *model) reply(a action.Reply) tea.Cmd {
	if a.How == action.CallAgain {
		m.callAgain(a)
		return nil
	}
	return func() tea.Msg {
		switch a.How {
		case action.RespondDecline:
			return repliedMsg{"Declined.", m.session.Inbox().Decline(a.ID)}
		case action.RespondCancel:
			return repliedMsg{"Cancelled.", m.session.Inbox().Cancel(a.ID)}
		case action.RespondError:
			return repliedMsg{"Responded with an error.", m.session.Inbox().Refuse(a.ID, a.Code, a.Text)}
		}
		return repliedMsg{"Responded.", m.session.Inbox().Respond(a.ID, a.Result)}
	}
}

// callAgain sends a call again after its page was visited, and shows it at its
// tool.
func (m *model) callAgain(a action.Reply) {
	call, err := m.session.Retry(a.ID)
	if err != nil {
		m.say(action.Flash{Text: "not sent: " + err.Error(), Wrong: true})
		return
	}
	text := "Sent again as request " + string(call.ID)
	for _, t := range m.tabs {
		if p, ok := unwrap(t.pane).(*browse.Pane); ok && p.Adopt(call) {
			text += ": " + m.keyTo(t.command) + " shows it"
		}
	}
	m.say(action.Flash{Text: text})
}

func (m *model) replied(msg repliedMsg) {
	if msg.err != nil {
		m.say(action.Flash{Text: "The response was not sent: " + msg.err.Error(), Wrong: true})
		return
	}
	m.say(action.Flash{Text: msg.did})
	if m.window() == nil && m.focus == action.RegionTab && m.tabs[m.activeTab].command == command.TabInbox {
		if tab := m.inbox.Caller(); tab != "" {
			m.showTab(tab)
			if p, ok := unwrap(m.tabs[m.activeTab].pane).(*browse.Pane); ok {
				p.ShowResult() // not in a text field, where keys typed ahead would be text
			}
			m.say(action.Flash{Text: msg.did + " " + m.Key(string(command.TabInbox)) + " returns to the inbox."})
		}
	}
}

// announce names a request of the server that is not in sight. While the user
// types, only the tab counts it.
func (m *model) announce(method string, tab command.ID) {
	shown := m.tabs[m.activeTab].command == tab && !m.layout.tab.empty()
	if method == "" || m.window() != nil || m.typing || shown {
		return
	}
	m.say(action.Flash{Text: method + " requires you: " + m.keyTo(tab) + " opens it"})
}

// news says a sentence of a tab, under the same conditions.
func (m *model) news(news string, tab command.ID) {
	shown := m.tabs[m.activeTab].command == tab && !m.layout.tab.empty()
	if m.window() == nil && !m.typing && !shown && m.flash.text == "" {
		m.say(action.Flash{Text: news + ": " + m.keyTo(tab)})
	}
}

// keyTo is the key of a global command where the focus is.
func (m *model) keyTo(id command.ID) string {
	c, _ := command.Named(id)
	return c.Key(m.painted.Field() != nil)
}

// pasteAnswer takes the callback URL of a browser on another machine.
func (m *model) pasteAnswer(text string) {
	if err := m.session.AnswerAuthorization(text); err != nil {
		m.say(action.Flash{Text: err.Error(), Wrong: true})
		return
	}
	m.say(action.Flash{Text: "Callback URL accepted."})
}

// announceConsent announces a consent page once.
func (m *model) announceConsent() {
	for _, st := range m.state.Authorization {
		if st.Name == oauth.StepConsent && st.State == oauth.Running && st.URL != "" && st.Start.After(m.consentAnnounced) {
			m.consentAnnounced = st.Start
			m.announce("authorization", command.TabServer)
		}
	}
}

// announceRenewal announces a session that was started because the server did not
// know the previous one.
func (m *model) announceRenewal() {
	if m.state.Renewed == "" || m.state.Phase != session.Ready || m.renewalAnnounced == m.state.Attempt {
		return
	}
	m.renewalAnnounced = m.state.Attempt
	m.say(action.Flash{Text: "New session: " + m.state.Renewed, Wrong: true})
}

// announceServer announces that the server has ended, or wrote a line to stdout that
// is not a message. The end is announced until the next connection.
func (m *model) announceServer() {
	if m.endNews != "" && m.state.Phase != session.Ended {
		if m.flash.text == m.endNews {
			m.flash = flash{}
		}
		m.endNews = ""
	}
	if m.flash.text != "" {
		return
	}
	if news := m.server.News(); news != "" {
		text := news + "  " + m.keyTo(command.TabServer) + " server"
		if m.state.Phase == session.Ended {
			text += "  " + m.keyTo(command.Restart) + " restart"
			m.endNews = text
		}
		m.say(action.Flash{Text: text, Wrong: true, Stay: true})
	}
}
