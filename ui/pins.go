package ui

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/session/pins"
	"mcptea/session/store"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/dialog"
	"mcptea/ui/diff"
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
		m.say(action.Flash{Text: dialog.Sentence(msg.err), Wrong: true})
	case msg.text != "":
		m.say(action.Flash{Text: msg.text})
	}
}

// askAboutPins asks whether pins are sent that take something from outside of their file.
func (m *model) askAboutPins() {
	q := m.pins.Question()
	switch o, open := m.overlay.(*consent); {
	case open && o.pins != nil && o.pins != q:
		m.overlay = nil // the file has changed
	case q != nil && m.overlay == nil:
		m.overlay = openConsent(pinsQuestion(q, m.state.Handshake.Server.String()+" "+m.session.Target().String()))
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

func (m *model) decidePins(agreed bool) tea.Cmd {
	q := m.pins.Question()
	if q == nil {
		return nil
	}
	return m.changePin(func() (string, error) { return "", m.pins.Decide(q, agreed) })
}

// showPins moves the focus to the pins.
func (m *model) showPins() {
	m.zoom, m.frameOpen = false, false
	m.setFocus(action.RegionPins)
}

// pin pins a call with its response.
func (m *model) pin(a action.Pin) tea.Cmd {
	of, file := m.session.Store(), m.pins
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
		name, err := file.Add(method, params, response)
		text := fmt.Sprintf("Pinned as %s in %s. %s shows the pins.", paint.Sanitize(name), paint.Sanitize(file.Path()), command.KeyOf(command.ShowPins))
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

// changePin changes the file of the pins while the screen goes on.
func (m *model) changePin(change func() (text string, err error)) tea.Cmd {
	return func() tea.Msg {
		text, err := change()
		return pinnedMsg{text: text, err: err}
	}
}

func (m *model) acceptPins(a action.AcceptPins) tea.Cmd {
	return m.changePin(func() (string, error) {
		text := paint.Plural(len(a.Names), "response") + " accepted into " + paint.Sanitize(m.pins.Path()) + "."
		if a.Row >= 0 && len(a.Names) == 1 {
			_, _, response, err := exchangeOf(m.session.Store(), a.Row)
			if err == nil {
				err = m.pins.AcceptResponse(a.Names[0], response)
			}
			return text, err
		}
		for _, name := range a.Names {
			if err := m.pins.Accept(name); err != nil {
				return "", err
			}
		}
		return text, nil
	})
}

func (m *model) removePin(a action.RemovePin) tea.Cmd {
	return m.changePin(func() (string, error) {
		return fmt.Sprintf("Pin %s removed from %s.", paint.Sanitize(a.Name), paint.Sanitize(m.pins.Path())), m.pins.Remove(a.Name)
	})
}

// comparePin compares what is expected of a pin with its response.
func (m *model) comparePin(a action.ComparePin) {
	pin, expected, ok := m.pins.Named(a.Name)
	if !ok || pin.Response == nil || expected == nil {
		m.say(action.Flash{Text: "The pin has no response to compare with an expectation."})
		return
	}
	path := m.pins.Path()
	subject := diff.Subject{
		Sides: [2]diff.Side{
			{Name: "expected", Where: filepath.Base(path)},
			{Name: "response", Took: paint.HumanDuration(pin.Took), Size: paint.HumanSize(int64(len(pin.Response)))},
		},
		About:  pin.Name + "  " + strings.TrimSpace(pin.Subject+" "+pin.Arguments),
		Ignore: pin.Ignored,
		Compare: func(_ context.Context, o diff.Options) (diff.Result, error) {
			return diff.Values([2][]byte{expected, pin.Response}, o)
		},
		Command: func(bool, []string, bool) string { return diff.Shell("mcptea", "run", path, "TARGET") },
		Accept:  func() { m.app().Do(action.AcceptPins{Names: []string{a.Name}, Row: -1}) },
		Ignored: func(rule string) { m.app().Do(action.IgnoreInPin{Name: a.Name, Path: rule}) },
	}
	diff.Open(m.app(), diff.Comparing, func(context.Context) (diff.Subject, error) { return subject, nil })
}

func (m *model) ignoreInPin(a action.IgnoreInPin) tea.Cmd {
	return m.changePin(func() (string, error) {
		return "Ignored in the pin: " + paint.Sanitize(a.Path), m.pins.Ignore(a.Name, a.Path)
	})
}
