package ui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"mcptea/client"
	"mcptea/internal/schema/variables"
	"mcptea/internal/shell"
	"mcptea/internal/system/atomicfile"
	"mcptea/session/offer/content"
	"mcptea/session/requests"
	"mcptea/session/runs/pins"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	"mcptea/ui/diff"
	"mcptea/ui/paint"
	"mcptea/ui/pane/browse"
	pinspane "mcptea/ui/pane/pins"
	sharingpane "mcptea/ui/pane/sharing"
)

// offers makes the panes of what the server offers.
func (m *model) offers() (tools, resources, prompts *browse.Pane) {
	list := func(kind, tab string) *browse.Pane {
		a := m.of(tab)
		p := browse.New(a, m.session, kind, m.options.Flags...)
		p.Others = browse.Others{
			Pin:      func(c *session.Call) { m.pinned.PinCall(c) },
			Compare:  func(method string, params []byte) { m.second.Compare(method, params) },
			DiffRows: m.diffRows,
			DiffValues: func(oldName, newName string, old, now []byte) {
				diff.Open(a, diff.Comparing, diff.OfValues([2]string{oldName, newName}, [2][]byte{old, now}))
			},
			Explain: func(row int32) { m.wire.frames.Card(row, false) },
			Sent:    m.noteCall,
			Used: func(method string) bool {
				return slices.ContainsFunc(m.session.Inbox().Requests(), func(r requests.Request) bool { return r.Method == method })
			},
			OpenApp: func(tool string, arguments []byte, c *session.Call) { m.apps.Open(tool, arguments, c) },
		}
		m.lists[tab] = p
		return p
	}
	return list("tools", tabTools), list("resources", tabResources), list("prompts", tabPrompts)
}

// fillIn gives the lists what arguments are made of.
func (m *model) fillIn(lookup variables.Lookup, saved browse.Arguments) {
	for _, p := range m.lists {
		p.Variables, p.Arguments = lookup, saved
	}
}

// list is the list that the active tab shows; nil for another tab.
func (m *model) list() *browse.Pane { return m.lists[m.tabs[m.activeTab].ID] }

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

const (
	// pipeTimeout is how long a command may take that content is sent through.
	pipeTimeout = time.Minute
	// maxPiped is how much of its output is shown, in bytes.
	maxPiped       = 8 << 20
	maxPipedStderr = 64 << 10
)

// Use implements [app.App]: it asks what is done with which item of a result.
func (m *model) Use(how app.Use, items []content.Item, likely int, to app.Receiver) {
	p := dialog.Pick{Selected: likely}
	for i := range items {
		it := &items[i]
		p.Entries = append(p.Entries, dialog.Entry{Name: it.Kind, Summary: it.MIME, Group: it.Name, Note: paint.HumanSize(int64(it.Size()))})
	}
	switch how {
	case app.Pipe:
		p.Title, p.Verb, p.Label, p.Value, p.Empty = "Pipe", "run", "command", m.pipe, "Type a command."
		p.Text = "The shell runs this command with the content on its stdin. Its output is shown in place of the result; it has " + paint.HumanDuration(pipeTimeout) + "."
		p.Accept = func(_ context.Context, i int, line string) (func(), error) {
			return func() { m.pipeContent(to, &items[i], line) }, nil
		}
	case app.Open:
		p.Title, p.Verb = "Open", "open"
		p.Text = "The content of the server is written to a private temporary file and opened with the program that the system has for it. Open only what you trust."
		p.Accept = m.openContent(items)
	default:
		p.Title, p.Verb, p.Label, p.Empty = "Write", "write", "file", "Type a path."
		p.Text = "The exact bytes are written to this file, with mode 0600."
		p.File = func(i int) string { return items[i].FileName() }
		p.Accept = func(_ context.Context, i int, path string) (func(), error) {
			data, err := items[i].Data()
			if err == nil {
				err = atomicfile.WriteBytes(path, data)
			}
			if err != nil {
				return nil, fmt.Errorf("cannot write %s: %s", path, dialog.Reason(err).Error())
			}
			return func() {
				m.say(flash{text: fmt.Sprintf("Wrote %s (%s).", path, paint.HumanSize(int64(len(data)))), stay: true})
			}, nil
		}
	}
	p.Open(m.app())
}

// pipeContent runs a command with the content on its stdin.
func (m *model) pipeContent(to app.Receiver, it *content.Item, line string) {
	m.pipe = line
	to.PushCommand(line, func(ctx context.Context) shell.Outcome {
		data, err := it.Data()
		if err != nil {
			return shell.Outcome{Err: err}
		}
		out, err := shell.Run(ctx, shell.Command{Line: line, Stdin: data, MaxStdout: maxPiped, MaxStderr: maxPipedStderr, Timeout: pipeTimeout})
		return shell.Outcome{Output: out, Err: err}
	})
}

// temporaryDir is a directory of mode 0700 that is removed when the program ends.
func (m *model) temporaryDir() (string, error) {
	if m.temporary == "" {
		dir, err := os.MkdirTemp("", "mcptea-")
		if err != nil {
			return "", err
		}
		m.temporary = dir
	}
	return os.MkdirTemp(m.temporary, "")
}

// removeTemporary removes what was written for other programs.
func (m *model) removeTemporary() {
	if m.temporary != "" {
		_ = os.RemoveAll(m.temporary)
	}
}

// openContent writes an item to a file in a directory of its own, and opens it.
func (m *model) openContent(items []content.Item) func(context.Context, int, string) (func(), error) {
	dir, dirErr := m.temporaryDir()
	open := m.openFileWith
	return func(ctx context.Context, i int, _ string) (func(), error) {
		path := filepath.Join(dir, items[i].OpenName())
		data, err := items[i].Data()
		for _, do := range []func() error{
			func() error { return dirErr },
			func() error { return err },
			func() error { return atomicfile.WriteBytes(path, data) },
			func() error { return open(ctx, path) },
		} {
			if err := do(); err != nil {
				return nil, errors.New("cannot open the content: " + dialog.Reason(err).Error())
			}
		}
		return func() {
			m.say(flash{text: "Opened " + path + ", which is removed when mcptea ends.", stay: true})
		}, nil
	}
}

// Follow implements [app.App]: it reads the resource of a link; of several the user chooses
// one.
func (m *model) Follow(links []content.Item, to app.Receiver) {
	read := func(it content.Item) {
		params := client.Params(map[string]string{"uri": it.URI})
		m.app().OnlineRequest("resources/read", params, func() {
			call := m.session.Start("resources/read", params)
			m.noteCall(call)
			to.PushCall(call)
		})
	}
	if len(links) == 1 {
		read(links[0])
		return
	}
	dialog.Choose{
		Title: "Linked resources", Verb: "read", Text: "The resource is read and shown in place of the result.",
		Load: func() []dialog.Entry {
			entries := make([]dialog.Entry, len(links))
			for i, it := range links {
				entries[i] = dialog.Entry{Key: it.URI, Name: it.Name, Summary: it.URI}
			}
			return entries
		},
		Accept: func(i int) { read(links[i]) },
	}.Open(m.app())
}

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
	title := "Send what these pins name?"
	if !slices.ContainsFunc(q.Pins, func(one pins.Pin) bool { return !one.Outside.Empty() }) {
		title = "Run these calls after each restart?"
	}
	o := dialog.Consent{
		Title: title, Unasked: true, Name: "requests of the file",
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
	m.visit(func() {
		m.zoom, m.frameOpen = false, false
		m.setFocus(partPins)
	})
}

// askUser asks about what others want to do in the session.
func (m *model) askUser() {
	server := m.state.Handshake.Server.String() + " " + m.session.Target().String()
	if b := m.options.Branch; b != nil {
		m.calling.Look(resending{b, server}, m.window() == nil)
	}
	if shared := m.options.Sharing; shared != nil {
		m.agents.Look(sharingpane.Agents{Session: shared, Server: server}, m.window() == nil)
	}
	m.appsAsk.Look(appQuestions{m.apps, server}, m.window() == nil)
}
