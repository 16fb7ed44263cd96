package ui

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcptea/session"
	"mcptea/ui/action"
	"mcptea/ui/dialog"
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
		if p, ok := unwrap(t.pane).(interface{ Resume() action.Action }); ok {
			cmds = append(cmds, m.act(p.Resume()))
		}
	}
	return tea.Batch(cmds...)
}

// noteCall notes a call of the user, and keeps its arguments for later sessions.
func (m *model) noteCall(a action.Start, call *session.Call) {
	if !a.Automatic {
		m.calls = append(m.calls, call)
		for len(m.calls) > 2 && !m.calls[len(m.calls)-2].Running() {
			m.calls = slices.Delete(m.calls, 0, 1)
		}
	}
	if a.Arguments != nil {
		m.arguments.Keep(a.Method, a.Subject, a.Arguments)
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
