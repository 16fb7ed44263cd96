package inspector

import (
	"slices"
	"time"

	"mcptea/client/secret"
	"mcptea/session/state"
	"mcptea/ui/frames"
)

// place returns how the user leaves the screen. A filter with a secret is left out.
func (m *model) place() state.Place {
	p := state.Place{Time: time.Now(), Tab: m.tabs[m.activeTab].ID, View: frames.Views()[m.listView()]}
	if m.focus == slotTraffic || m.focus == slotDetail {
		p.Tab = tabTraffic
	}
	if text := m.views.frames.Filter.Words(); secret.Text(m.session.Redact(text)) == text {
		p.Filter = text
	}
	if rec, recorded := m.session.Recording(); recorded && !rec.Growing && !m.views.each[m.views.view].Following() {
		p.Frame = m.views.each[m.views.view].Selected() + 1
	}
	for at, b := range m.borders {
		if b != (borders{}) {
			p.Borders = append(p.Borders, state.Border{Traffic: at.frame, Across: b.across, Over: b.over})
		}
	}
	return p
}

// listView returns the view of Traffic, and of a list its mode.
func (m *model) listView() frames.View {
	if view := m.views.view; !view.IsList() {
		return view
	}
	if m.views.traffic.ByExchange() {
		return frames.ExchangeList
	}
	return frames.FrameList
}

// restore shows borders, filter and list as the user left them.
func (m *model) restore() {
	p := m.options.Place
	for _, b := range p.Borders {
		if isShare(b.Across) && isShare(b.Over) {
			if m.borders == nil {
				m.borders = map[stop]borders{}
			}
			m.borders[stop{frame: b.Traffic}] = borders{b.Across, b.Over}
		}
	}
	if m.options.Filter == "" && p.Filter != "" {
		if _, err := m.views.frames.Filter.Language.Parse(p.Filter); err == nil {
			m.views.frames.Filter.Set(p.Filter)
			m.Say("The filter of the last time applies: " + p.Filter)
		}
	}
	if p.View == frames.Views()[frames.FrameList] {
		m.views.traffic.ShowExchanges(false)
	}
}

func isShare(f float64) bool { return f >= 0 && f < 1 }

// restorePlace leads to the tab and the frame that the user left, and reports whether there are any. A tab that is empty
// is not shown.
func (m *model) restorePlace() bool {
	p := m.options.Place
	if m.userNavigated || p.Tab == "" || m.composerOpen {
		return false
	}
	if p.Frame > 0 && p.Frame <= int32(m.snap.Rows) {
		m.views.traffic.SelectNear(p.Frame - 1)
	}
	if p.Tab != tabTraffic {
		i := m.tab(p.Tab)
		if i < 0 || m.hidden(i) {
			return false
		}
		m.toTab(i)
		return true
	}
	m.visit(func() { m.setFocus(slotTraffic) })
	if view := frames.View(slices.Index(frames.Views(), p.View)); int(view) < len(m.views.each) && !view.IsList() {
		m.showView(view)
		if p.Frame > 0 {
			m.views.each[view].Select(min(p.Frame-1, int32(m.snap.Rows)-1))
		}
	}
	return true
}
