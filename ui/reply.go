package ui

import (
	"mcptea/client/jsonrpc"
	"mcptea/client/oauth"
	"mcptea/session"
)

// callAgain sends a call again after its page was visited, and shows it at its
// tool.
func (m *model) callAgain(id jsonrpc.ID) {
	call, err := m.session.Retry(id)
	if err != nil {
		m.Fail("not sent: " + err.Error())
		return
	}
	text := "Sent again as request " + string(call.ID)
	for tab, p := range m.lists {
		if p.Adopt(call) {
			text += ": " + m.keyTo(tab) + " shows it"
		}
	}
	m.Say(text)
}

// showCaller leads from a request of the server to the call that has waited for it, unless
// the user is elsewhere.
func (m *model) showCaller(tab string) bool {
	if m.window() != nil || m.focus != partTab || m.tabs[m.activeTab].command != tabInbox {
		return false
	}
	m.showTab(tab)
	if p := m.list(); p != nil {
		p.ShowResult() // not in a text field, where keys typed ahead would be text
	}
	return true
}

// news says a sentence of a tab that is not in sight. While the user types, and over an
// error, only the tab row has it.
func (m *model) news(news string, tab string) {
	shown := m.tabs[m.activeTab].command == tab && !m.layout.tab.empty()
	if m.window() == nil && !m.typing && !shown && (m.flash.text == "" || !m.flash.wrong) {
		m.Say(news + ": " + m.keyTo(tab) + " opens it")
	}
}

// keyTo is the key of a global command where the focus is.
func (m *model) keyTo(id string) string {
	return m.Name(id)
}

// pasteAnswer takes the callback URL of a browser on another machine.
func (m *model) pasteAnswer(text string) {
	if err := m.session.AnswerAuthorization(text); err != nil {
		m.Fail(err.Error())
		return
	}
	m.Say("Callback URL accepted.")
}

// announceConsent announces a consent page once.
func (m *model) announceConsent() {
	for _, st := range m.state.Authorization {
		if st.Name == oauth.StepConsent && st.State == oauth.Running && st.URL != "" && st.Start.After(m.consentAnnounced) {
			m.consentAnnounced = st.Start
			m.news("authorization requires you", tabServer)
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
	m.Fail("New session: " + m.state.Renewed)
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
		text := news + "  " + m.keyTo(tabServer) + " server"
		if m.state.Phase == session.Ended {
			text += "  " + m.keyTo("restart") + " restart"
			m.endNews = text
		}
		m.say(flash{text: text, wrong: true, stay: true})
	}
}
