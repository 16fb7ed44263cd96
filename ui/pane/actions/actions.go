// Package actions implements the window with what was done in a session as commands of mcptea, to copy or to write as a
// script.
//
// Tests: ui/inspector/actionswindow_test.go
package actions

import (
	"context"
	"strings"

	"mcptea/client/secret"
	"mcptea/internal/shell"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/record/store"
	"mcptea/session/export"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
	"mcptea/ui/widget"
)

// Options configures the window.
type Options struct {
	Store   *store.Store
	Secrets *secret.Values
	Server  *export.Server // server of a live session, or nil
	// Write opens the window that writes the commands of rows to a file.
	Write func(rows []int32)
	// Frame shows a frame.
	Frame func(row int32)
}

// A Dialog is the window.
type Dialog struct {
	Options
	app      app.Program
	commands []keys.Command

	work  app.Work
	list  widget.Rows[*export.Action, int]
	all   []*export.Action // newest last
	total int
	done  bool
	err   error
	spin  int
	high  int // maximum height of the document so far, in rows
}

// New returns the window. A window without a store has only its commands.
func New(a app.Program, o Options) *Dialog {
	d := &Dialog{Options: o, app: a}
	d.list.Init(func() int { return len(d.all) }, func(i int) *export.Action { return d.all[i] }, func(*export.Action) int { return 0 },
		widget.Column[*export.Action]{Width: len("15:04:05"), Cell: func(e *export.Action, pal *paint.Palette) []paint.Span {
			return []paint.Span{{Style: pal.Muted, Text: e.Time.Local().Format("15:04:05")}}
		}},
		widget.Column[*export.Action]{Cell: func(e *export.Action, pal *paint.Palette) []paint.Span {
			return []paint.Span{{Style: paint.If(e.Line == "", pal.Muted, pal.Text), Text: e.Short}}
		}},
	)
	d.list.Items.Key = func(i int) int { return i }
	d.commands = []keys.Command{
		{ID: "actions.frame", Keys: keys.On("enter"), Label: "frame", Help: "Show the frame of the request", Words: "wire traffic", Footer: 12, Run: d.showFrame, Off: d.whyNoFrame},
		{ID: "copy", Verb: keys.Copy, Label: "copy", Help: "Copy the command", Words: "clipboard cli shell", Footer: 10, Run: func() { d.app.Copy(d.selected().Line, nil, "command") }, Off: d.whyNoCommand},
		{ID: "copy.other", Verb: keys.CopyOther, Label: "copy all", Help: "Copy all commands, one per line", Words: "clipboard cli shell script", Footer: 11, Run: d.copyAll, Off: d.whyNone},
		{ID: "write", Verb: keys.Write, Label: "script", Help: "Write the commands of the requests to a file", Words: "save export shell", Footer: 13, Run: d.write, Off: d.whyNoRequest},
	}
	return d
}

// Open opens the window and reads the session.
func Open(a app.Program, o Options) {
	d := New(a, o)
	a.Open(d)
	options := export.Options{Shell: shell.OfUser(), Server: o.Server, Redactor: export.NewRedactor().Knowing(o.Secrets)}
	d.work.Start(a, func(ctx context.Context) func() {
		all, total, err := export.Actions(ctx, export.FromStore(o.Store, o.Store.Header()), options)
		return func() {
			d.done, d.total, d.err = true, total, err
			for i := range all {
				d.all = append(d.all, &all[i])
			}
			d.list.Refresh()
			d.list.SelectIndex(len(d.all) - 1)
		}
	})
}

func (d *Dialog) selected() *export.Action {
	if i := d.list.Index(); i >= 0 && i < len(d.all) {
		return d.all[i]
	}
	return nil
}

// whyNone returns why there is no action, or "".
func (d *Dialog) whyNone() string {
	switch {
	case !d.done:
		return "The session is being read."
	case len(d.all) == 0:
		return "Nothing was done yet."
	}
	return ""
}

func (d *Dialog) whyNoFrame() string {
	if why := d.whyNone(); why != "" {
		return why
	}
	return keys.Reason(d.selected().Row == store.None, "A connection has several frames.")
}

func (d *Dialog) whyNoCommand() string {
	if why := d.whyNone(); why != "" {
		return why
	}
	if e := d.selected(); e.Line == "" {
		return phrase.Capital(e.Reason) + "."
	}
	return ""
}

func (d *Dialog) whyNoRequest() string {
	if why := d.whyNone(); why != "" {
		return why
	}
	return keys.Reason(len(d.rows()) == 0, "No request was sent yet.")
}

// rows returns the rows of the requests.
func (d *Dialog) rows() (rows []int32) {
	for _, e := range d.all {
		if e.Row != store.None {
			rows = append(rows, e.Row)
		}
	}
	return rows
}

func (d *Dialog) showFrame() {
	if d.whyNoFrame() != "" {
		return
	}
	row := d.selected().Row
	d.app.Close(d)
	d.Frame(row)
}

func (d *Dialog) copyAll() {
	var b strings.Builder
	n := 0
	for _, e := range d.all {
		if e.Line != "" {
			b.WriteString(e.Line + "\n")
			n++
		}
	}
	d.app.Copy(b.String(), nil, phrase.Count(n, "command"))
}

func (d *Dialog) write() {
	d.app.Close(d)
	d.Write(d.rows())
}

// Commands implements [app.Pane].
func (d *Dialog) Commands() []keys.Command { return d.commands }

// Motion implements [app.Pane].
func (d *Dialog) Motion(m keys.Motion) bool { return keys.Scroll(&d.list, m) }

// Close implements [app.Closer].
func (d *Dialog) Close() { d.work.Stop() }

// Refresh implements [app.Pane].
func (d *Dialog) Refresh(t app.Tick) bool {
	d.spin = t.Spin
	return !d.done
}

// Size implements [app.Dialog]. The window grows with the list.
func (d *Dialog) Size(s *app.Screen, w, h int) (int, int) {
	w = min(w-2, 130)
	d.high = max(d.high, doc.Measure(s, w-2, h, d.compose))
	return w, min(h-2, d.high+2)
}

// maxCommandRows is the maximum number of rows of the selected command.
const maxCommandRows = 8

// Paint implements [app.Pane].
func (d *Dialog) Paint(c *app.Canvas, focused bool) {
	var note []paint.Span
	if d.total > len(d.all) {
		note = []paint.Span{{Style: c.Pal.Muted, Text: "newest " + phrase.Digits(len(d.all)) + " of " + phrase.Digits(d.total)}}
	}
	s := doc.On(c.Box([]paint.Span{{Style: c.Pal.TextBold, Text: "Commands of this session"}}, note, focused))
	d.compose(s)
	s.Paint()
}

func (d *Dialog) compose(s *doc.Doc) {
	pal := s.Pal
	switch {
	case !d.done:
		s.Text(pal.Muted, paint.Spinner(pal, d.spin)+" Reading the session.", 1)
		return
	case d.err != nil:
		s.Text(pal.Warn, "The session cannot be read: "+d.err.Error()+".", 4)
		return
	case len(d.all) == 0:
		s.Text(pal.Muted, "Nothing was done yet: no tool was called, nothing was read or subscribed to.", 2)
		return
	}
	s.Text(pal.Muted, "Each command repeats one step of this session. Lists, completions and polls, which mcptea sends by itself, are left out.", 2)
	s.Gap()
	s.List(&d.list, d.showFrame)
	s.Rule(paint.Span{Style: pal.Muted, Text: "the whole command"})
	if e := d.selected(); e.Line == "" {
		s.Text(pal.Warn, "None: "+e.Reason+".", maxCommandRows)
	} else {
		s.Text(pal.Text, display.Sanitize(e.Line), maxCommandRows)
	}
}
