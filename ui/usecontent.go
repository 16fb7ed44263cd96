package ui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/client"
	"mcptea/session/atomicfile"
	"mcptea/session/content"
	"mcptea/session/shell"
	"mcptea/ui/action"
	"mcptea/ui/paint"
)

const (
	// pipeTimeout is how long a command may take that content is sent through.
	pipeTimeout = time.Minute
	// maxPiped is how much of its output is shown, in bytes.
	maxPiped       = 8 << 20
	maxPipedStderr = 64 << 10
)

// usedContentMsg reports what became of content that was written or opened.
type usedContentMsg struct{ flash action.Flash }

// contentChosen writes, pipes or opens content while the screen goes on.
func (m *model) contentChosen(a action.ContentChosen) tea.Cmd {
	switch a.How {
	case action.PipeContent:
		m.pipeContent(a)
		return nil
	case action.OpenContent:
		dir, err := m.temporaryDir()
		if err != nil {
			m.say(action.Flash{Text: "Cannot open the content: " + err.Error() + ".", Wrong: true})
			return nil
		}
		open := m.openFileWith
		return func() tea.Msg { return usedContentMsg{openContent(m.ctx, dir, a.Item, open)} }
	}
	return func() tea.Msg {
		data, err := a.Item.Data()
		if err == nil {
			err = atomicfile.WriteBytes(a.Text, data)
		}
		if err != nil {
			return usedContentMsg{action.Flash{Text: "Cannot write " + a.Text + ": " + reason(err) + ".", Wrong: true, Stay: true}}
		}
		return usedContentMsg{action.Flash{Text: fmt.Sprintf("Wrote %s (%s).", a.Text, paint.HumanSize(int64(len(data)))), Stay: true}}
	}
}

// pipeContent runs a command with the content on its stdin.
func (m *model) pipeContent(a action.ContentChosen) {
	m.pipe = a.Text
	output := make(chan shell.Outcome, 1)
	stop := m.background(func(ctx context.Context) {
		data, err := a.Item.Data()
		if err != nil {
			output <- shell.Outcome{Err: err}
			return
		}
		out, err := shell.Run(ctx, shell.Command{Line: a.Text, Stdin: data, MaxStdout: maxPiped, MaxStderr: maxPipedStderr, Timeout: pipeTimeout})
		output <- shell.Outcome{Output: out, Err: err}
	})
	m.deliver(action.Piping{Ref: a.Ref, Line: a.Text, Output: output, Stop: stop})
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

// openContent writes content to a file in a directory and opens it.
func openContent(ctx context.Context, dir string, it content.Item, open func(context.Context, string) error) action.Flash {
	data, err := it.Data()
	path := filepath.Join(dir, it.OpenName())
	if err == nil {
		err = atomicfile.WriteBytes(path, data)
	}
	if err == nil {
		err = open(ctx, path)
	}
	if err != nil {
		var failed *os.PathError
		if errors.As(err, &failed) {
			err = failed.Err
		}
		return action.Flash{Text: "Cannot open the content: " + err.Error() + ".", Wrong: true, Stay: true}
	}
	return action.Flash{Text: "Opened " + path + ", which is removed when mcptea ends.", Stay: true}
}

// readParams are the params of resources/read.
func readParams(uri string) []byte { return client.Params(map[string]string{"uri": uri}) }
