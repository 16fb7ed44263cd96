package ui

import (
	"path/filepath"
	"slices"

	"mcptea/session/pins"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	pinspane "mcptea/ui/pane/pins"
)

// usePins has the pane show the pins of a file.
func (m *model) usePins(of *pins.Pins) {
	m.pins, m.pinned = of, pinspane.New(m.of("pins"), of)
}

// askAboutPins asks whether pins are sent that take something from outside of their file.
func (m *model) askAboutPins() {
	q := m.pins.Question()
	switch {
	case m.pinsQuestion != nil && m.pinsAsked != q:
		m.app().Close(m.pinsQuestion) // the file has changed
		m.pinsQuestion = nil
	case q != nil && m.window() == nil:
		m.pinsQuestion, m.pinsAsked = m.askPins(q), q
	}
}

func (m *model) askPins(q *pins.Question) app.Dialog {
	path, err := filepath.Abs(q.Path)
	if err != nil {
		path = q.Path
	}
	decide := func(agreed bool) func() {
		return func() {
			m.pinsQuestion = nil
			m.pinned.Decide(q, agreed)
		}
	}
	o := dialog.Consent{
		Title: "Send what these pins name?", Unasked: true, Name: "requests of the file",
		Facts: []dialog.Fact{{Label: "from", Text: path}, {Label: "to", Text: m.state.Handshake.Server.String() + " " + m.session.Target().String()}},
		Yes:   "send, now and after each restart", No: "do not send", After: "enter on a pin asks again",
		Accept: decide(true), Decline: decide(false),
	}
	var variables, files []string
	for _, one := range q.Pins {
		o.Lines = append(o.Lines, one.Outside.Request)
		variables, files = append(variables, one.Outside.Variables...), append(files, one.Outside.Files...)
	}
	for _, list := range []struct {
		label string
		names []string
	}{{"variable", variables}, {"file", files}} {
		slices.Sort(list.names)
		for _, name := range slices.Compact(list.names) {
			o.Facts = append(o.Facts, dialog.Fact{Label: list.label, Text: name})
		}
	}
	return o.Open(m.app())
}

// showPins moves the focus to the pins.
func (m *model) showPins() {
	m.pinned.Show()
	m.zoom, m.frameOpen = false, false
	m.setFocus(partPins)
}
