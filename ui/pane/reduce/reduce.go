// Package reduce implements the window that reduces the session to what a finding needs, without the values of the
// user, and writes the text of an issue. It sends nothing, and needs no server.
//
// Tests: ui/pane/reduce_test.go, ui/inspector/reducewindow_test.go
package reduce

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"mcptea/internal/words/phrase"
	"mcptea/lint"
	"mcptea/record/recordings"
	"mcptea/record/store"
	"mcptea/session/runs/reduce"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
)

// Options configures the window.
type Options struct {
	Store *store.Store
	// Finding is a finding of the store; nil for the worst one, preferably about the server.
	Finding *lint.Finding
	Write   func(path string, write func(io.Writer) error) error
}

// maxWait bounds the time of a reduction.
const maxWait = 20 * time.Second

// A Dialog is the window.
type Dialog struct {
	Options
	app      app.Program
	commands []keys.Command

	work     app.Work
	end      context.CancelFunc // ends the reduction with the smallest frames so far, or nil
	deadline time.Time
	progress atomic.Pointer[reduce.Progress]

	out     outcome
	done    bool
	frames  bool // the frames are written, instead of the text of an issue
	allowed bool // the user agreed to the words that are left
	file    dialog.File
	window  doc.Scroll
	tick    app.Tick
}

// outcome is the outcome of a reduction.
type outcome struct {
	found  reduce.Finding
	before int      // frames
	left   []string // texts of the session that the frames still have
	err    error
}

// New returns the window. A window without a store has only its commands.
func New(a app.Program, o Options) *Dialog {
	d := &Dialog{Options: o, app: a}
	d.commands = []keys.Command{
		{ID: "dialog.accept", Keys: keys.On("enter"), Label: "write", Help: "Write the file", Words: "save", Footer: 10, Run: d.write, Off: d.whyNotWritten},
		{ID: "reduce.needed", Keys: keys.On("ctrl+x"), Label: "allow words", Help: "Write the words of the session that the finding needs, or do not", Words: "agree needed", Footer: 11, Run: func() { d.allowed = !d.allowed }, Off: func() string {
			if why := d.whyNoResult(); why != "" {
				return why
			}
			return keys.Reason(len(d.out.left) == 0, "No word of the session is left.")
		}},
		{ID: "copy", Verb: keys.Copy, Label: "copy", Help: "Copy it to the clipboard", Footer: 14, Run: func() { d.app.Copy(d.text(), nil, d.kind()) }, Off: d.whyNotWritten},
		{ID: "view.shown", Verb: keys.NextView, Label: "issue/frames", Help: "Write the text of an issue, or only the frames", Words: "format", Footer: 16, Run: func() {
			d.frames = !d.frames
			d.window.Home()
			d.file.Suggest(d.name())
		}, Off: d.whyNoResult},
	}
	return d
}

// Open opens the window and starts to reduce.
func Open(a app.Program, o Options) {
	d := New(a, o)
	d.file.Own = o.Store.Path()
	a.Open(d)
	d.start()
}

// start starts the reduction.
func (d *Dialog) start() {
	ctx, end := context.WithTimeout(context.Background(), maxWait)
	d.end, d.deadline = end, time.Now().Add(maxWait)
	d.work.Start(d.app, func(window context.Context) func() {
		defer context.AfterFunc(window, end)()
		out := d.reduce(ctx)
		return func() {
			end()
			d.out, d.done, d.end = out, true, nil
			d.file.Suggest(d.name())
		}
	})
}

// reduce reduces the session to the finding.
func (d *Dialog) reduce(ctx context.Context) (out outcome) {
	all, err := reduce.Dialogues(d.Store)
	if err != nil {
		return outcome{err: err}
	}
	var of *reduce.Dialogue
	var want lint.Finding
	ok := false
	if d.Finding != nil {
		of, want, ok = reduce.Lookup(ctx, all, d.Finding)
	} else {
		of, want, ok = reduce.Worst(ctx, all, "")
	}
	switch {
	case ctx.Err() != nil && !ok:
		return outcome{err: fmt.Errorf("it ended before the finding was found")}
	case !ok && d.Finding == nil:
		return outcome{err: fmt.Errorf("the session has no error and no warning. Problems lists what else was found: reduce a finding there")}
	case !ok:
		return outcome{err: fmt.Errorf("the recorded events do not have the finding by themselves")}
	}
	out.before = reduce.Len(of.Frames)
	if out.found, ok = of.ToFinding(ctx, want, func(p reduce.Progress) { d.progress.Store(&p) }); !ok {
		return outcome{err: fmt.Errorf("no file keeps the finding %s", want.Rule.ID)}
	}
	out.left, out.err = out.found.Left(d.Store)
	return out
}

// Commands implements [app.Pane].
func (d *Dialog) Commands() []keys.Command { return d.commands }

// Motion implements [app.Pane]. The first esc ends the reduction.
func (d *Dialog) Motion(m keys.Motion) bool {
	if m == keys.Back {
		if d.end == nil {
			return false
		}
		d.end()
		d.end = nil
		return true
	}
	return keys.Scroll(&d.window, m)
}

// Closes implements [app.Closed].
func (d *Dialog) Closes() string {
	if d.end != nil {
		return "end now"
	}
	return "close"
}

// Close implements [app.Closer].
func (d *Dialog) Close() {
	if d.end != nil {
		d.end()
	}
	d.work.Stop()
}

// Refresh implements [app.Pane].
func (d *Dialog) Refresh(t app.Tick) bool {
	d.tick = t
	return !d.done || d.work.Busy()
}

// whyNoResult returns why there is nothing to write yet, or "".
func (d *Dialog) whyNoResult() string {
	switch {
	case !d.done:
		return "The session is being reduced."
	case d.out.err != nil:
		return "There is nothing to write."
	}
	return ""
}

func (d *Dialog) whyNotWritten() string {
	switch {
	case d.whyNoResult() != "":
		return d.whyNoResult()
	case len(d.out.left) > 0 && !d.allowed:
		return "Read the words of the session that are left: " + d.app.Key("reduce.needed") + " allows them."
	}
	return keys.Reason(d.work.Busy(), "The file is being written.")
}

// text returns the text to write.
func (d *Dialog) text() string {
	if d.frames {
		return d.out.found.Text
	}
	return d.out.found.Issue()
}

func (d *Dialog) kind() string {
	if d.frames {
		return "frames"
	}
	return "issue"
}

// name returns a file name.
func (d *Dialog) name() string {
	if d.out.err != nil || !d.done {
		return ""
	}
	name := d.out.found.Rule.ID
	if path := d.Store.Path(); path != "" {
		name = strings.TrimSuffix(filepath.Base(path), recordings.Suffix) + "-" + name
	}
	switch {
	case !d.frames:
		return name + ".md"
	case d.out.found.IsRecording:
		return name + recordings.Suffix
	}
	return name + ".frames"
}

// write writes the file.
func (d *Dialog) write() {
	if d.file.Text() == "" {
		d.file.Problem = "Type the path of a file."
		return
	}
	find, text, kind := d.file.Path(), d.text(), d.kind()
	d.work.Start(d.app, func(context.Context) func() {
		path, err := find()
		if err == nil {
			if err = d.Write(path, func(w io.Writer) error {
				_, err := io.WriteString(w, text)
				return err
			}); err != nil {
				err = fmt.Errorf("cannot write it: %w", dialog.Reason(err))
			}
		}
		return func() {
			if err != nil {
				d.file.Failed(d.app, path, err)
				return
			}
			d.app.Close(d)
			d.app.Say(dialog.Wrote(path, kind+", "+phrase.Size(int64(len(text)))) + ".")
		}
	})
}
