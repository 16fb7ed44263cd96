package ui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	tea "charm.land/bubbletea/v2"

	"mcptea/ui/action"
	"mcptea/ui/paint"
)

// exportedMsg reports what became of an export.
type exportedMsg struct {
	window *exportWindow
	path   string // empty if it was copied
	format string
	text   string // to be copied
	size   int64
	notes  int // sentences about what could not be written
	err    error
}

// writeExport writes the export of the window to a file, or for the clipboard.
func (m *model) writeExport(a action.WriteExport) tea.Cmd {
	o, ok := m.overlay.(*exportWindow)
	if !ok {
		return nil
	}
	m.exportFormat = o.format
	write := o.write()
	done := make(chan exportedMsg, 1)
	name, writeFile := o.chosen().Name, m.writeFile
	stop := m.background(func(ctx context.Context) {
		msg := exportedMsg{window: o, path: a.Path, format: name}
		report := func(string) { msg.notes++ }
		if a.Path == "" {
			var text limitedBuffer
			msg.err = write(ctx, &text, report)
			msg.text = text.String()
		} else {
			msg.err = writeFile(a.Path, func(w io.Writer) error {
				counted := &countingWriter{to: w}
				defer func() { msg.size = counted.n }()
				return write(ctx, counted, report)
			})
		}
		done <- msg
	})
	previous := o.stop
	o.stop = func() { previous(); stop() }
	return func() tea.Msg { return <-done }
}

// countingWriter counts what passes.
type countingWriter struct {
	to io.Writer
	n  int64
}

func (w *countingWriter) Write(b []byte) (int, error) {
	n, err := w.to.Write(b)
	w.n += int64(n)
	return n, err
}

// limitedBuffer takes what fits on a clipboard.
type limitedBuffer struct{ bytes.Buffer }

func (b *limitedBuffer) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxCopied {
		return 0, errors.New("it is too large for the clipboard: write it to a file")
	}
	return b.Buffer.Write(p)
}

// exported announces what became of an export. After an error the window stays.
func (m *model) exported(msg exportedMsg) tea.Cmd {
	open := m.overlay == overlay(msg.window)
	msg.window.writing = false
	switch {
	case errors.Is(msg.err, context.Canceled):
		return nil
	case msg.err != nil && open:
		msg.window.problem = "Cannot export: " + reason(msg.err)
		return nil
	case msg.err != nil:
		m.say(action.Flash{Text: "Cannot export: " + reason(msg.err), Wrong: true})
		return nil
	case open:
		msg.window.close()
		m.overlay = nil
	}
	if msg.path == "" {
		return m.act(action.Copy{Text: msg.text, What: msg.format})
	}
	text := fmt.Sprintf("Wrote %s (%s, %s)", msg.path, msg.format, paint.HumanSize(msg.size))
	if msg.notes > 0 {
		text += fmt.Sprintf("; %d notes about what was left out are shown by mcptea export", msg.notes)
	}
	m.say(action.Flash{Text: text + ".", Stay: true})
	return nil
}

// reason is an error without the name of the temporary file, which says nothing.
func reason(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}
