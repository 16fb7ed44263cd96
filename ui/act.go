package ui

import (
	tea "charm.land/bubbletea/v2"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/session/store"
	"mcptea/ui/dialog"
	"mcptea/ui/paint"
)

// askPage asks before a page is opened that a server has named.
func (m *model) askPage(url, from string) {
	dialog.Consent{
		Title: "Open this page?", Facts: []dialog.Fact{{Label: "from", Text: from}, {Label: "opens in", Text: "your browser"}},
		Name: "address", Lines: []string{url}, Blanks: true, Yes: "open", No: "do not open",
		Accept: func() { m.OpenPage(url) },
	}.Open(m.app())
}

// largeFrame is the size, in bytes, from which on a frame is read outside of Update.
const largeFrame = 256 << 10

// reconnecting is said until the connection is there, or has failed.
const reconnecting = "Reconnecting"

func (m *model) openDetail() {
	m.frameOpen = true
	m.relayout()
	if !m.layout.detail.empty() && !m.layout.traffic.empty() {
		m.setFocus(partDetail)
	}
}

// quit implements [screen]. It ends the program, after a question while requests are
// pending. ctrl+c twice ends it without one.
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
	m.Say(text)
}

func (m *model) copyRecording() {
	path := m.session.Store().Path()
	if path == "" {
		m.Say("nothing is being recorded")
		return
	}
	m.Copy(path, nil, "path of the recording")
}

func idOf(f store.Flow) jsonrpc.ID { return jsonrpc.ID(f.ID) }
