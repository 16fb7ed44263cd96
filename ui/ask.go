package ui

import (
	"mcptea/client/jsonrpc"
	"mcptea/session/content"
	"mcptea/ui/app"
	"mcptea/ui/diff"
)

// paneApp is the inspector as one of its panes sees it, or as its windows do.
type paneApp struct {
	*model
	tab string // of the pane; empty for a window
}

// of is the inspector as the pane of a tab sees it.
func (m *model) of(tab string) app.App { return paneApp{m, tab} }

// app is the inspector as its windows see it.
func (m *model) app() app.App { return m.of("") }

// News implements [app.Program].
func (a paneApp) News(text string) { a.news(text, a.tab) }

// ShowFrame implements [app.App].
func (m *model) ShowFrame(row int32) { m.selectFrame(row) }

// ShowPlace implements [app.App].
func (m *model) ShowPlace(row int32, path string, offset int) {
	m.zoom, m.frameOpen = false, true
	m.selectFrame(row)
	m.relayout()
	m.wire.detail.Show(row)
	m.wire.detail.Point(path, offset)
}

// MarkFrame implements [app.App].
func (m *model) MarkFrame(row int32) { m.wire.frames.Mark(row) }

// ShowTab implements [app.App].
func (m *model) ShowTab(name string) { m.showTab(name) }

// Compose implements [app.App].
func (m *model) Compose(method, params string) {
	m.compose()
	m.composer.Compose(method, params)
}

// ComposeFrame implements [app.App].
func (m *model) ComposeFrame(frame []byte) {
	m.compose()
	m.composer.ComposeFrame(frame)
}

// Use implements [app.App].
func (m *model) Use(how app.Use, items []content.Item, likely int, to app.Receiver) {
	m.useContent(how, items, likely, to)
}

// Follow implements [app.App].
func (m *model) Follow(links []content.Item, to app.Receiver) { m.followLink(links, to) }

// Online implements [app.App].
func (m *model) Online(what string, do func()) { m.online(what, Draft{}, do) }

// OnlineRequest implements [app.App].
func (m *model) OnlineRequest(method string, params []byte, do func()) {
	m.online("Send "+method, Draft{Method: method, Params: params}, do)
}

// OnlineFrame implements [app.App].
func (m *model) OnlineFrame(frame []byte, do func()) {
	if e := jsonrpc.Scan(frame); e.Kind == jsonrpc.Request && e.Flaws == 0 && e.Params.Present() {
		m.OnlineRequest(e.MethodName(frame), e.Params.Of(frame), do)
		return
	}
	m.online("Send a frame", Draft{Frame: frame}, do)
}

// restart stops the server and connects again.
func (m *model) restart() {
	m.Online("Connect", func() {
		if m.options.Reload == nil {
			m.Say(reconnecting)
		}
		m.do(m.reconnect())
	})
}

// diffRows compares two frames.
func (m *model) diffRows(old, now int32) { diff.Open(m.app(), diff.Comparing, m.frames(old, now)) }
