// Package export implements the window that exports frames: it previews each format, and the user chooses
// one.
//
// Tests: ui/pane/export_test.go, ui/inspector/exportwindow_test.go
package export

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/internal/shell"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/record/recordings"
	"mcptea/record/store"
	"mcptea/session/export"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
	"mcptea/ui/widget"
)

// Session is the part of a session that the window uses.
type Session interface {
	Store() *store.Store
	State() session.State
	Secrets() *secret.Values
}

// Scope is a part of the session that can be exported.
type Scope struct {
	Label string // untrusted
	// Rows returns the selection; nil is the whole session. It may take long.
	Rows func() (func(row int32) bool, error)
	Side *transport.Direction // direction of its only frame; nil for several
}

// Options configures the window.
type Options struct {
	Scopes  []Scope
	Formats []export.Format // nil for all
	Format  string          // initially selected format
	Dir     transport.Direction
	Version string // version of the program
	// Write writes a file. Chosen records the format of an export.
	Write  func(path string, write func(io.Writer) error) error
	Chosen func(format string)
	Server *export.Server // server of a live session, or nil
	Reduce func()         // opens the window that reduces the session to its worst finding
}

// Rows returns the scope of a few frames.
func Rows(what string, rows ...int32) Scope {
	label := what + "frame"
	if len(rows) > 1 {
		label += "s"
	}
	selected := map[int32]bool{}
	for i, row := range rows {
		selected[row] = true
		switch {
		case i < 4:
			label += fmt.Sprintf(" #%d", row+1)
		case i == 4:
			label += phrase.Signs(" …")
		}
	}
	return Scope{Label: label, Rows: func() (func(int32) bool, error) {
		return func(row int32) bool { return selected[row] }, nil
	}}
}

// Exchange returns the scope of the frames of an exchange.
func Exchange(s *store.Store, root int32) Scope {
	return Scope{Label: fmt.Sprintf("exchange #%d", root+1), Rows: func() (func(int32) bool, error) {
		return func(row int32) bool { return s.Root(row) == root }, nil
	}}
}

// A Dialog is the window.
type Dialog struct {
	Options
	app      app.Program
	session  Session
	commands []keys.Command

	formats widget.Rows[*export.Format, string]
	all     []export.Format
	scope   int
	secrets bool // they are written
	file    dialog.File
	made    choice // choice that the preview is for

	previewWork, work app.Work // the preview, and the export
	shown             *preview // nil while it is being generated
	window            doc.Scroll
	spin              int
}

// A choice holds the settings that an export depends on.
type choice struct {
	format, scope int
	secrets       bool
	dir           transport.Direction
}

// preview is the beginning of an export.
type preview struct {
	lines []string
	more  bool
	notes []string // what could not be written
	err   error
}

// maxPreview is the number of bytes shown of an export, and maxCopied the maximum number that is copied.
const (
	maxPreview = 64 << 10
	maxCopied  = 10 << 20
)

// New returns the window, which has no session yet if s is nil.
func New(a app.Program, s Session, o Options) *Dialog {
	d := &Dialog{Options: o, app: a, session: s, made: choice{format: -1}}
	if d.all = o.Formats; d.all == nil {
		d.all = export.Formats()
	}
	if s != nil && !s.Store().Header().MayHaveHost() {
		d.all = slices.DeleteFunc(slices.Clone(d.all), func(f export.Format) bool { return f.Host })
	}
	d.formats.Init(func() int { return len(d.all) }, func(i int) *export.Format { return &d.all[i] }, func(f *export.Format) string { return f.Name },
		widget.Column[*export.Format]{Width: widestName(d.all), Cell: func(f *export.Format, pal *paint.Palette) []paint.Span {
			return []paint.Span{{Style: pal.Text, Text: f.Name}}
		}},
		widget.Column[*export.Format]{Yields: true, Least: leastTitle, Cell: func(f *export.Format, pal *paint.Palette) []paint.Span {
			return []paint.Span{{Style: pal.Muted, Text: f.Title}}
		}},
	)
	d.formats.Refresh()
	// The first one that has the frames of both sides: all that is named as exported is in it.
	d.formats.SelectIndex(max(slices.IndexFunc(d.all, func(f export.Format) bool { return !f.Directed }), 0))
	d.formats.Select(o.Format)
	d.commands = []keys.Command{
		{ID: "dialog.accept", Keys: keys.On("enter"), Label: "write", Help: "Write the file", Words: "save", Footer: 10, Run: d.write, Off: d.busy},
		{ID: "export.frames", Keys: keys.On("tab"), Label: "frames", Help: "Choose the frames: selected or marked, filtered, or all", Words: "selection filter", Footer: 12, Run: d.nextScope, Off: func() string {
			if len(d.Scopes) < 2 {
				return "Nothing is selected, marked or filtered: the whole session is exported."
			}
			return d.busy()
		}},
		{ID: "copy", Verb: keys.Copy, Label: "copy", Help: "Copy it to the clipboard", Footer: 14, Run: d.copy, Off: d.busy},
		{ID: "view.shown", Verb: keys.NextView, Label: "side", Help: "Choose whose bytes are written as raw", Words: "direction", Footer: 16, Run: func() { d.Dir = 1 - d.Dir }, Off: func() string {
			if !d.format().Directed {
				return "This format has the frames of both sides."
			}
			return d.busy()
		}},
		{ID: "finding.reduce", Verb: keys.Write, Label: "reduce", Help: "Reduce the session to the frames of its worst finding, with invented values, for an issue", Words: "minimize smallest report anonymize", Footer: 13, Run: func() { d.Reduce() }, Off: func() string {
			if !d.format().Report {
				return "Choose a report first, such as markdown."
			}
			return d.busy()
		}},
		{ID: "export.redact", Keys: keys.On("ctrl+x"), Label: "secrets", Help: "Redact secrets, or write them unchanged", Words: "redaction", Footer: 18, Run: func() { d.secrets = !d.secrets }, Off: d.busy},
	}
	if s != nil {
		d.file.Own = s.Store().Path()
	}
	return d
}

// widestName returns the width of the longest name of a format.
func widestName(all []export.Format) (w int) {
	for _, f := range all {
		w = max(w, display.Width(f.Name))
	}
	return w
}

// Open opens the window.
func Open(a app.Program, s Session, o Options) { a.Open(New(a, s, o)) }

// Commands implements [app.Pane].
func (d *Dialog) Commands() []keys.Command { return d.commands }

func (d *Dialog) busy() string { return keys.Reason(d.work.Busy(), "The export is being written.") }

// Motion implements [app.Pane]. Page motions scroll the preview.
func (d *Dialog) Motion(m keys.Motion) bool {
	switch m {
	case keys.PageDown, keys.PageUp, keys.HalfDown, keys.HalfUp:
		return keys.Scroll(&d.window, m)
	}
	return d.busy() == "" && keys.Scroll(&d.formats, m)
}

// Close implements [app.Closer].
func (d *Dialog) Close() {
	d.previewWork.Stop()
	d.work.Stop()
}

// Refresh implements [app.Pane].
func (d *Dialog) Refresh(t app.Tick) bool {
	d.spin = t.Spin
	if now := (choice{d.formats.Index(), d.scope, d.secrets, d.Dir}); now != d.made {
		d.made = now
		d.file.Suggest(d.name())
		d.preview()
	}
	return d.shown == nil || d.work.Busy()
}

func (d *Dialog) format() export.Format { return d.all[d.formats.Index()] }

func (d *Dialog) nextScope() {
	d.scope = (d.scope + 1) % len(d.Scopes)
	if side := d.Scopes[d.scope].Side; side != nil {
		d.Dir = *side
	}
}

// ownName matches the name that mcptea gives a recording: date and time, milliseconds, the command or the server, and the
// number of the process.
var ownName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\d{8}-\d{6})\.\d+-(.+)-\d+$`) })

// name returns a file name for the format.
func (d *Dialog) name() string {
	name := "session"
	if path := d.session.Store().Path(); path != "" {
		name = strings.TrimSuffix(filepath.Base(path), recordings.Suffix)
		if parts := ownName().FindStringSubmatch(name); parts != nil {
			name = parts[2] + "-" + parts[1]
		}
	} else if server := d.session.State().Handshake.Server.Name; server != "" {
		name = strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '.' {
				return r
			}
			return '-'
		}, server[:min(len(server), 40)])
	}
	name = strings.TrimLeft(name, ".-")
	if d.format().Name == "jsonl" {
		name += "-redacted" // the recording itself may be in this directory
	}
	return name + d.format().Extension
}

// export returns a function that writes the export with the current settings.
func (d *Dialog) export() func(ctx context.Context, w io.Writer, report func(string)) error {
	st, format, scope := d.session.Store(), d.format(), d.Scopes[d.scope]
	e := export.Options{Dir: d.Dir, Shell: shell.OfUser(), Server: d.Server, Tool: "mcptea " + d.Version, Marks: st.Marks()}
	if !d.secrets {
		e.Redactor = export.NewRedactor().Knowing(d.session.Secrets())
	}
	return func(ctx context.Context, w io.Writer, report func(string)) error {
		rows, err := scope.Rows()
		if err != nil {
			return err
		}
		e.Rows, e.Report = format.Extend(st, rows), report
		return export.Write(ctx, w, format, export.FromStore(st, st.Header()), e)
	}
}

// preview starts generating the preview.
func (d *Dialog) preview() {
	d.shown = nil
	d.window.Home()
	write, page := d.export(), d.format().Name == "html"
	d.previewWork.Start(d.app, func(ctx context.Context) func() {
		var p preview
		head := limited{most: maxPreview}
		p.err = write(ctx, &head, func(text string) {
			if len(p.notes) < 3 {
				p.notes = append(p.notes, text)
			}
		})
		if errors.Is(p.err, errFull) {
			p.err, p.more = nil, true
		}
		text := head.kept.String()
		if from := strings.Index(text, "<body"); page && from > 0 { // skip its style
			text = text[from:]
		}
		p.lines = strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		return func() { d.shown = &p }
	})
}

// limited keeps the text written to it, up to a number of bytes.
type limited struct {
	kept bytes.Buffer // not embedded: its ReadFrom has no limit
	most int
}

var errFull = errors.New("it is too large for the clipboard: write it to a file")

func (w *limited) Write(b []byte) (int, error) {
	n := min(len(b), w.most-w.kept.Len())
	w.kept.Write(b[:n])
	if n < len(b) {
		return n, errFull
	}
	return n, nil
}

// counted counts what passes.
type counted struct {
	to io.Writer
	n  int64
}

func (w *counted) Write(b []byte) (int, error) {
	n, err := w.to.Write(b)
	w.n += int64(n)
	return n, err
}

// edited follows each change of the path: its ending chooses a format, as in other programs.
func (d *Dialog) edited() {
	d.file.Edited()
	if text := d.file.Text(); !strings.HasSuffix(text, d.format().Extension) {
		fits := func(f export.Format) bool { return f.Name != "raw" && strings.HasSuffix(text, f.Extension) }
		if i := slices.IndexFunc(d.all, fits); i >= 0 {
			d.formats.SelectIndex(i)
		}
	}
}

// write writes the file. If the name of a format is typed as the path, it selects that format.
func (d *Dialog) write() {
	text := d.file.Text()
	if d.formats.Select(text) {
		d.file.Replace(d.name())
		return
	}
	if text == "" {
		d.file.Problem = "Type the path of a file."
		return
	}
	find, write, format, scope := d.file.Path(), d.export(), d.format().Name, display.Sanitize(d.Scopes[d.scope].Label)
	d.work.Start(d.app, func(ctx context.Context) func() {
		path, err := find()
		notes, size := 0, int64(0)
		if err == nil {
			err = d.Write(path, func(w io.Writer) error {
				to := &counted{to: w}
				defer func() { size = to.n }()
				return write(ctx, to, func(string) { notes++ })
			})
			if err != nil {
				err = fmt.Errorf("cannot export: %w", dialog.Reason(err))
			}
		}
		return func() {
			if err != nil {
				d.file.Failed(d.app, path, err)
				return
			}
			text := dialog.Wrote(path, format+", "+phrase.Size(size)) + ": " + scope
			if notes > 0 {
				text += "; mcptea export prints " + phrase.Count(notes, "note") + " about what was left out"
			}
			d.end(format)
			d.app.Say(text + ".")
		}
	})
}

// copy copies the whole export.
func (d *Dialog) copy() {
	write, format := d.export(), d.format().Name
	d.work.Start(d.app, func(ctx context.Context) func() {
		text := limited{most: maxCopied}
		err := write(ctx, &text, func(string) {})
		return func() {
			if err != nil {
				d.file.Problem = dialog.Sentence(fmt.Errorf("cannot export: %w", err))
				return
			}
			d.end(format)
			d.app.Copy(text.kept.String(), nil, format)
		}
	})
}

func (d *Dialog) end(format string) {
	d.app.Close(d)
	d.Chosen(format)
}
