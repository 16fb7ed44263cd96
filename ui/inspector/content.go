package inspector

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/internal/shell"
	"mcptea/internal/system"
	"mcptea/internal/words/phrase"
	"mcptea/offer/content"
	"mcptea/offer/jq"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	"mcptea/ui/paint"
	"mcptea/ui/program"
)

const (
	// pipeTimeout bounds the run of a command that receives content.
	pipeTimeout = time.Minute
	// maxPiped bounds the shown part of its output, in bytes.
	maxPiped       = 8 << 20
	maxPipedStderr = 64 << 10
)

// Use implements [app.App]: it asks for the action and the item of a result.
func (m *model) Use(how app.Use, items []content.Item, likely int, to app.Receiver) {
	p := dialog.Pick{Selected: likely}
	for i := range items {
		it := &items[i]
		p.Entries = append(p.Entries, dialog.Entry{Name: it.Kind, Summary: it.MIME, Group: it.Name, Note: phrase.Size(int64(it.Size()))})
	}
	switch how {
	case app.Pipe:
		p.Title, p.Verb, p.Label, p.Value, p.Empty = "Pipe", "run", "command", m.pipe, "Type a command."
		p.Text = "The shell runs this command with the content on its stdin. Its output is shown instead of the result; it has " + phrase.Took(pipeTimeout) + "."
		p.Example = "jq '.[0]'   or   wc -c"
		p.Hint = func(line string) string {
			return paint.If(isFilter(line), "This is a jq filter: "+m.Name("dialog.accept")+" applies it here, without a shell.", "")
		}
		p.Accept = func(_ context.Context, i int, line string) (func(), error) {
			if !isFilter(line) {
				return func() { m.pipeContent(to, &items[i], line) }, nil
			}
			if _, err := jq.Compile(line); err != nil {
				return nil, fmt.Errorf("the jq filter cannot be read: %w", err)
			}
			return func() {
				m.pipe = line
				dialog.Tell(m.app(), to.PushFilter(line, items, i))
			}, nil
		}
	case app.Open:
		p.Title, p.Verb = "Open", "open"
		p.Text = "The content of the server is written to a private temporary file and opened with the default program for it. Open only what you trust."
		p.Accept = m.openContent(items)
	default:
		p.Title, p.Verb, p.Label, p.Empty = "Write", "write", "file", "Type a path."
		p.Text = "The exact bytes are written to this file, with mode 0600."
		p.File = func(i int) string { return items[i].FileName() }
		p.Accept = func(_ context.Context, i int, path string) (func(), error) {
			data, err := items[i].Data()
			if err == nil {
				err = system.WriteFileBytes(path, data)
			}
			if err != nil {
				return nil, fmt.Errorf("cannot write %s: %s", path, dialog.Reason(err).Error())
			}
			return func() {
				m.Announce(program.Flash{Text: dialog.Wrote(path, phrase.Size(int64(len(data)))) + ".", Stay: true})
			}, nil
		}
	}
	p.Open(m.app())
}

// isFilter reports whether a command line is a jq filter and no command: it begins with a dot or a bracket, and not with
// the path of a program, the command "." or the command "[".
func isFilter(line string) bool {
	switch {
	case strings.HasPrefix(line, "[ "), strings.HasPrefix(line, "[[ "), strings.HasPrefix(line, "./"), strings.HasPrefix(line, "../"):
		return false
	case strings.HasPrefix(line, "."):
		first, rest, _ := strings.Cut(line, " ")
		return first != "." || rest == "" || strings.HasPrefix(strings.TrimSpace(rest), "|")
	}
	return strings.HasPrefix(line, "[")
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

// temporaryDir returns a directory of mode 0700 that is removed when the program ends.
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

// removeTemporary removes the files that were written for other programs.
func (m *model) removeTemporary() {
	if m.temporary != "" {
		_ = os.RemoveAll(m.temporary)
	}
}

// openContent writes an item to a file in a separate directory, and opens it.
func (m *model) openContent(items []content.Item) func(context.Context, int, string) (func(), error) {
	dir, dirErr := m.temporaryDir()
	open := m.openFileWith
	return func(ctx context.Context, i int, _ string) (func(), error) {
		path := filepath.Join(dir, items[i].OpenName())
		data, err := items[i].Data()
		for _, do := range []func() error{
			func() error { return dirErr },
			func() error { return err },
			func() error { return system.WriteFileBytes(path, data) },
			func() error { return open(ctx, path) },
		} {
			if err := do(); err != nil {
				return nil, errors.New("cannot open the content: " + dialog.Reason(err).Error())
			}
		}
		return func() {
			m.Announce(program.Flash{Text: "Opened " + path + ", which is removed when mcptea ends.", Stay: true})
		}, nil
	}
}

// Follow implements [app.App]: it reads the resource of a link. If there are several, the user chooses one.
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
		Title: "Linked resources", Verb: "read", Text: "The resource is read and shown instead of the result.",
		Len: func() int { return len(links) },
		Entry: func(i int) dialog.Entry {
			return dialog.Entry{Key: links[i].URI, Name: links[i].Name, Summary: links[i].URI}
		},
		Accept: func(i int) { read(links[i]) },
	}.Open(m.app())
}
