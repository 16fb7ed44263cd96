package ui

// showAgents asks about the calls of agents.
func (m *model) showAgents() {
	if shared := m.options.Sharing; shared != nil {
		m.agents.Look(shared, m.state.Handshake.Server.String()+" "+m.session.Target().String(), m.window() == nil)
	}
}
