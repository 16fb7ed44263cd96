package ui

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/client/jsonrpc"
	"mcptea/client/secret"
	"mcptea/session"
	"mcptea/session/state"
	"mcptea/ui/action"
	"mcptea/ui/dialog"
	"mcptea/ui/paint"
)

// maxArgumentFile is how large the file of an argument may be, in bytes.
const maxArgumentFile = 8 << 20

// readFiles reads the files that arguments name, while the screen goes on.
func readFiles(a action.ReadFiles) tea.Cmd {
	return func() tea.Msg {
		read := action.FilesRead{Ref: a.Ref, Contents: map[string][]byte{}, Errors: map[string]error{}}
		for _, path := range a.Paths {
			content, err := readArgument(path)
			if err != nil {
				read.Errors[path] = err
				continue
			}
			read.Contents[path] = content
		}
		return read
	}
}

func readArgument(path string) ([]byte, error) {
	path = dialog.Home(path)
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("not a regular file")
	case info.Size() > maxArgumentFile:
		return nil, fmt.Errorf("larger than %d MB", maxArgumentFile>>20)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(file, maxArgumentFile))
	return content, errors.Join(err, file.Close())
}

// resume has the panes go on with what they waited for.
func (m *model) resume() tea.Cmd {
	var cmds []tea.Cmd
	for _, t := range m.tabs {
		if p, ok := t.pane.(interface{ Resume() action.Action }); ok {
			cmds = append(cmds, m.act(p.Resume()))
		}
	}
	return tea.Batch(cmds...)
}

// sent are the params of an entry in the history of arguments.
type sent struct {
	Subject   string          `json:"subject"`
	Arguments json.RawMessage `json:"arguments"`
}

// argumentsKeptMsg is the error of writing the history; nil when it was written.
type argumentsKeptMsg struct{ err error }

// keepArguments notes a call of the user, and keeps its arguments for later sessions.
func (m *model) keepArguments(a action.Start, call *session.Call) tea.Cmd {
	if !a.Automatic {
		m.calls = append(m.calls, call)
		for len(m.calls) > 2 && !m.calls[len(m.calls)-2].Running() {
			m.calls = slices.Delete(m.calls, 0, 1)
		}
	}
	file := m.session.ArgumentHistory()
	if a.Arguments == nil || file == nil {
		return nil
	}
	return func() tea.Msg {
		params, err := json.Marshal(sent{a.Subject, a.Arguments})
		if err == nil {
			err = file.Add(state.Sent{Time: time.Now(), Method: a.Method, Params: string(params)})
		}
		return argumentsKeptMsg{err}
	}
}

// argumentsKept states once that the history cannot be written.
func (m *model) argumentsKept(msg argumentsKeptMsg) {
	if msg.err != nil && !m.historyFailed {
		m.historyFailed = true
		m.say(action.Flash{Text: dialog.Sentence(msg.err), Wrong: true})
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

func (m *model) pinNames() []string {
	list, _, _, _ := m.pins.List()
	names := make([]string, len(list))
	for i := range list {
		names[i] = list[i].Name
	}
	return names
}

// pinResult is the result that a pin has had last, or else the one that it expects.
func (m *model) pinResult(name string) ([]byte, bool) {
	pin, expected, ok := m.pins.Named(name)
	if !ok {
		return nil, false
	}
	result := pin.Response
	if result == nil {
		result = expected
	}
	return result, result != nil
}

// maxRecent is how many arguments that were sent are offered.
const maxRecent = 20

// argumentSet is an entry of the window of ChooseArguments.
type argumentSet struct {
	group, name string
	arguments   []byte
}

// argumentSets are the saved arguments, then those that were sent, the newest first.
func (m *model) argumentSets(a action.ChooseArguments) []argumentSet {
	var sets []argumentSet
	if m.options.Arguments != nil {
		all, err := m.options.Arguments.Load(savedAs(a.Method, a.Subject))
		if err != nil {
			m.say(action.Flash{Text: dialog.Sentence(err), Wrong: true})
		}
		for _, s := range all {
			sets = append(sets, argumentSet{"saved", s.Name, s.Result})
		}
	}
	file := m.session.ArgumentHistory()
	if file == nil {
		return sets
	}
	entries, err := file.Load()
	if err != nil {
		m.say(action.Flash{Text: dialog.Sentence(err), Wrong: true})
	}
	recent := 0
	for _, e := range slices.Backward(entries) {
		var s sent
		if e.Method != a.Method || json.Unmarshal([]byte(e.Params), &s) != nil || s.Subject != a.Subject || len(s.Arguments) == 0 {
			continue
		}
		if slices.ContainsFunc(sets, func(o argumentSet) bool { return o.group == "sent" && bytes.Equal(o.arguments, s.Arguments) }) {
			continue
		}
		sets = append(sets, argumentSet{"sent", e.Time.Local().Format("Jan 2 15:04"), s.Arguments})
		if recent++; recent == maxRecent {
			break
		}
	}
	return sets
}

// savedAs is the key of saved arguments in their file.
func savedAs(method, subject string) string { return method + " " + subject }

// chooseArguments opens the arguments that can be used again.
func (m *model) chooseArguments(a action.ChooseArguments) {
	sets := m.argumentSets(a)
	if len(sets) == 0 {
		m.say(action.Flash{Text: "No arguments were saved or sent yet. alt+n saves those of the form."})
		return
	}
	dialog.Choose{
		Title: "Arguments", Verb: "use", Text: "The arguments are filled in; nothing is sent yet.",
		Load: func() []dialog.Entry {
			entries := make([]dialog.Entry, len(sets))
			for i, s := range sets {
				entries[i] = dialog.Entry{Key: s.group + s.name + string(s.arguments), Group: s.group, Name: s.name, Summary: string(s.arguments[:min(len(s.arguments), 1<<10)])}
			}
			return entries
		},
		Accept: func(i int) { m.deliver(action.ArgumentsChosen{Ref: a.Ref, Arguments: sets[i].arguments}) },
		Remove: func(i int) {
			if sets[i].group != "saved" {
				return
			}
			if err := m.options.Arguments.Delete(savedAs(a.Method, a.Subject), sets[i].name); err != nil {
				m.say(action.Flash{Text: dialog.Sentence(err), Wrong: true})
				return
			}
			sets = append(sets[:i:i], sets[i+1:]...)
		},
	}.Open(m.app())
}

// saveArguments saves arguments under the name that the user types, without secrets.
func (m *model) saveArguments(a action.SaveArguments) tea.Cmd {
	if m.options.Arguments == nil {
		return m.act(action.Flash{Text: "There is no state directory to save the arguments in.", Wrong: true})
	}
	dialog.Prompt{
		Title: "Save the arguments", Verb: "save", Text: "A name for these arguments. Secrets are left out; write {{env.NAME}} in their place.",
		Accept: func(name string) (func(), error) {
			if name == "" {
				return nil, errors.New("type a name")
			}
			return func() { m.saveArgumentsAs(a, name) }, nil
		},
	}.Open(m.app())
	return nil
}

func (m *model) saveArgumentsAs(a action.SaveArguments, name string) {
	text := secret.Text(string(a.Arguments))
	err := errors.New("cannot save the arguments: they are no JSON object without their secrets")
	if _, isObject := jsonrpc.Member([]byte(`{"a":`+text+`}`), "a"); isObject && json.Valid([]byte(text)) {
		err = m.options.Arguments.Save(state.Saved{Method: savedAs(a.Method, a.Subject), Name: name, Result: json.RawMessage(text)})
	}
	if err != nil {
		m.app().Fail(dialog.Sentence(err))
		return
	}
	note := ""
	if text != string(a.Arguments) {
		note = " Secrets were left out."
	}
	m.app().Say("Saved as " + paint.Sanitize(name) + "." + note)
}
