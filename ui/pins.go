package ui

import (
	"context"
	"errors"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/session/diff"
	"mcptea/session/store"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
)

// pinnedMsg is what became of a change of the pins.
type pinnedMsg struct {
	name string // of the pin; empty when none is to be selected
	text string
	err  error
}

// loadPins reads the file of the pins while the screen goes on.
func (m *model) loadPins() tea.Cmd {
	return func() tea.Msg {
		_ = m.pins.Load() // the pane shows the error
		return pinnedMsg{}
	}
}

func (m *model) pinsChanged(msg pinnedMsg) {
	m.pinned.Refresh(m.spin)
	m.pins.Update(m.session.State())
	if msg.name != "" {
		m.pinned.Select(msg.name)
	}
	switch {
	case msg.err != nil:
		m.say(action.Flash{Text: sentenceOf(msg.err), Wrong: true})
	case msg.text != "":
		m.say(action.Flash{Text: msg.text})
	}
}

// showPins moves the focus to the pins.
func (m *model) showPins() {
	m.zoom, m.frameOpen = false, false
	m.setFocus(action.RegionPins)
}

// pin pins a call with its response.
func (m *model) pin(a action.Pin) tea.Cmd {
	of, pins := m.session.Store(), m.pins
	return func() tea.Msg {
		var method string
		var params []byte
		var response client.Response
		var err error
		if a.Call != nil {
			method, params = a.Call.Method, a.Call.Params
			response, err = a.Call.Outcome()
		} else {
			method, params, response, err = exchangeOf(of, a.Row)
		}
		if err != nil {
			return pinnedMsg{err: err}
		}
		name, err := pins.Add(method, params, response)
		text := fmt.Sprintf("Pinned as %s in %s. %s shows the pins.", paint.Sanitize(name), paint.Sanitize(pins.Path()), command.KeyOf(command.ShowPins))
		return pinnedMsg{name: name, text: text, err: err}
	}
}

var errNotPinned = errors.New("only a request of the client with a response can be pinned: select one")

// exchangeOf reads a request of the client and its response from the record, given the
// row of either.
func exchangeOf(s *store.Store, row int32) (method string, params []byte, response client.Response, err error) {
	request, answer := s.Related(row)
	r, ok := s.Row(request)
	if !ok || r.Kind != jsonrpc.Request || r.Dir != 0 || answer == store.None {
		return "", nil, response, errNotPinned
	}
	switch method = s.Method(r.Method); method {
	case "initialize", "server/discover", "subscriptions/listen":
		return "", nil, response, fmt.Errorf("%s belongs to connecting and cannot be pinned", method)
	}
	body, err := s.Body(request)
	if err != nil {
		return "", nil, response, err
	}
	params = jsonrpc.Scan(body).Params.Of(body)
	if response.Frame, err = s.Body(answer); err != nil {
		return "", nil, response, err
	}
	response.Envelope = jsonrpc.Scan(response.Frame)
	a, _ := s.Row(answer)
	response.Took = time.Duration(a.Time - r.Time)
	return method, params, response, nil
}

func (m *model) acceptPins(a action.AcceptPins) tea.Cmd {
	return func() tea.Msg {
		for _, name := range a.Names {
			if err := m.pins.Accept(name); err != nil {
				return pinnedMsg{err: err}
			}
		}
		return pinnedMsg{text: paint.Plural(len(a.Names), "response") + " accepted into " + paint.Sanitize(m.pins.Path()) + "."}
	}
}

func (m *model) removePin(a action.RemovePin) tea.Cmd {
	return func() tea.Msg {
		if err := m.pins.Remove(a.Name); err != nil {
			return pinnedMsg{err: err}
		}
		return pinnedMsg{text: fmt.Sprintf("Pin %s removed from %s.", paint.Sanitize(a.Name), paint.Sanitize(m.pins.Path()))}
	}
}

// comparePin compares what is expected of a pin with its response.
func (m *model) comparePin(a action.ComparePin) {
	pin, ok := m.pins.Named(a.Name)
	if !ok || pin.Response == nil {
		m.say(action.Flash{Text: "The pin has no response to compare."})
		return
	}
	values := [2][]byte{pin.Expected, pin.Response}
	m.overlay = newDiffWindow([2]string{"expected of " + paint.Sanitize(a.Name), "response"}, m.background, func(_ context.Context, o diff.Options) diffResult {
		return compareValues(values[0], values[1], o)
	})
}
