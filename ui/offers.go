package ui

import (
	"slices"

	"mcptea/session"
	"mcptea/session/variables"
	"mcptea/ui/diff"
	"mcptea/ui/pane/browse"
)

// offers makes the tabs of what the server offers.
func (m *model) offers() []tab {
	var tabs []tab
	for _, of := range []struct {
		name, short, kind string
		tab               string
	}{{"Tools", "Tools", "tools", tabTools}, {"Resources", "Res", "resources", tabResources}, {"Prompts", "Prompts", "prompts", tabPrompts}} {
		a := m.of(of.tab)
		p := browse.New(a, m.session, of.kind, m.options.Flags...)
		p.Others = browse.Others{
			Pin:      func(c *session.Call) { m.pinned.PinCall(c) },
			Compare:  func(method string, params []byte) { m.second.Compare(method, params) },
			DiffRows: m.diffRows,
			DiffValues: func(oldName, newName string, old, now []byte) {
				diff.Open(a, diff.Comparing, diff.OfValues([2]string{oldName, newName}, [2][]byte{old, now}))
			},
			Explain: func(row int32) { m.wire.frames.Card(row, false) },
			Sent:    m.noteCall,
		}
		m.lists[of.tab] = p
		tabs = append(tabs, tab{of.name, of.short, of.tab, false, p, "list", ""})
	}
	return tabs
}

// fillIn gives the lists what arguments are made of.
func (m *model) fillIn(lookup variables.Lookup, saved browse.Arguments) {
	for _, p := range m.lists {
		p.Variables, p.Arguments = lookup, saved
	}
}

// list is the list that the active tab shows; nil for another tab.
func (m *model) list() *browse.Pane { return m.lists[m.tabs[m.activeTab].command] }

// noteCall notes a call of the user.
func (m *model) noteCall(call *session.Call) {
	m.calls = append(m.calls, call)
	for len(m.calls) > 2 && !m.calls[len(m.calls)-2].Running() {
		m.calls = slices.Delete(m.calls, 0, 1)
	}
}

// lastResult is the result of the newest call of the user that has one.
func (m *model) lastResult() ([]byte, bool) {
	for _, call := range slices.Backward(m.calls) {
		if call.Running() {
			continue
		}
		if response, err := call.Outcome(); err == nil && response.Result() != nil {
			return response.Result(), true
		}
	}
	return nil, false
}
