package ui

import (
	"path/filepath"
	"slices"

	"mcptea/session/pins"
	"mcptea/ui/action"
	"mcptea/ui/command"
	pinspane "mcptea/ui/pane/pins"
)

// usePins has the pane show the pins of a file.
func (m *model) usePins(of *pins.Pins) {
	m.pins, m.pinned = of, pinspane.New(m.bridge(command.ShowPins), of)
}

// askAboutPins asks whether pins are sent that take something from outside of their file.
func (m *model) askAboutPins() {
	q := m.pins.Question()
	switch o, open := m.overlay().(*consent); {
	case open && o.pins != nil && o.pins != q:
		m.show(nil) // the file has changed
	case q != nil && m.window() == nil:
		m.show(openConsent(pinsQuestion(q, m.state.Handshake.Server.String()+" "+m.session.Target().String())))
	}
}

func pinsQuestion(q *pins.Question, server string) *consent {
	path, err := filepath.Abs(q.Path)
	if err != nil {
		path = q.Path
	}
	o := &consent{
		title: "Send what these pins name?", pins: q, grace: consentGrace, name: "requests of the file",
		facts: []consentFact{{label: "from", text: path}, {label: "to", text: server}},
		yes:   "send, now and after each restart", no: "do not send", after: "enter on a pin asks again",
		accept: action.DecidePins{Agreed: true}, decline: action.DecidePins{},
	}
	var variables, files []string
	for _, one := range q.Pins {
		o.lines = append(o.lines, one.Outside.Request)
		variables, files = append(variables, one.Outside.Variables...), append(files, one.Outside.Files...)
	}
	for _, list := range []struct {
		label string
		names []string
	}{{"variable", variables}, {"file", files}} {
		slices.Sort(list.names)
		for _, name := range slices.Compact(list.names) {
			o.facts = append(o.facts, consentFact{label: list.label, text: name})
		}
	}
	return o
}

func (m *model) decidePins(agreed bool) {
	if q := m.pins.Question(); q != nil {
		m.pinned.Decide(q, agreed)
	}
}

// showPins moves the focus to the pins.
func (m *model) showPins() {
	m.pinned.Show()
	m.zoom, m.frameOpen = false, false
	m.setFocus(action.RegionPins)
}
