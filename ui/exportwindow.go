package ui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/client/transport"
	"mcptea/session"
	"mcptea/session/export"
	"mcptea/session/filter"
	"mcptea/session/recordings"
	"mcptea/session/shell"
	"mcptea/session/store"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/dialog"
	"mcptea/ui/widget/input"
	"mcptea/ui/widget/viewport"
)

// exportScope is a part of the session that can be exported.
type exportScope struct {
	label string
	// rows returns the selection; nil is the whole session. It may take long.
	rows func() (func(row int32) bool, error)
}

// exportWindow writes frames in a format that the user chooses by its preview.
type exportWindow struct {
	session *session.Session
	version string
	start   func(work func(ctx context.Context)) (stop func())

	formats []export.Format
	format  int
	scopes  []exportScope
	scope   int
	secrets bool // they are written
	dir     transport.Direction
	path    input.Input
	typed   bool   // the user has changed the path
	replace string // path of a file that the user accepts to replace
	problem string
	writing bool

	preview chan exportPreview // of what is shown now
	stop    func()
	shown   *exportPreview // nil while it is being made
	window  viewport.Viewport
	spin    int
	at      [2]int // the cursor
}

// exportPreview is the beginning of an export.
type exportPreview struct {
	lines []string
	more  bool
	notes []string // what could not be written
	err   error
}

// maxPreview is how much of an export is shown, in bytes, and maxCopied how much is
// copied at the most.
const (
	maxPreview = 64 << 10
	maxCopied  = 10 << 20
)

// export opens the window.
func (m *model) export() tea.Cmd {
	o := &exportWindow{session: m.session, version: m.options.Version, start: m.background, formats: export.Formats(), dir: transport.In}
	if rows := m.annotated(); len(rows) > 0 {
		marked := scopeOfRows(rows)
		marked.label = "marked " + marked.label
		o.scopes = append(o.scopes, marked)
	}
	if row := m.wire().Selected(); row != store.None && m.inTraffic() {
		o.scopes = append(o.scopes, scopeOfRows([]int32{row}))
	}
	if text := m.traffic.Filter(); text != "" {
		o.scopes = append(o.scopes, exportScope{"filter " + text, func() (func(int32) bool, error) {
			f, err := filter.Parse(text)
			if err != nil {
				return nil, err
			}
			return export.Filtered(m.session.Store(), &f), nil
		}})
	}
	o.scopes = append(o.scopes, exportScope{"whole session", func() (func(int32) bool, error) { return nil, nil }})
	o.format = m.exportFormat
	if m.wire() == trafficRegion(m.sequence) {
		exchange := scopeOfRows(m.sequence.Exchange())
		exchange.label = "exchange, " + exchange.label
		o.scopes = slices.Insert(o.scopes, 0, exchange)
		o.format = slices.IndexFunc(o.formats, func(f export.Format) bool { return f.Name == "mermaid" })
	}
	o.suggest()
	o.look()
	m.overlay = o
	return nil
}

// scopeOfRows is the selection of a few frames.
func scopeOfRows(rows []int32) exportScope {
	label := "frame"
	if len(rows) > 1 {
		label = "frames"
	}
	selected := map[int32]bool{}
	for i, row := range rows {
		selected[row] = true
		switch {
		case i < 4:
			label += fmt.Sprintf(" #%d", row+1)
		case i == 4:
			label += " …"
		}
	}
	return exportScope{label, func() (func(int32) bool, error) {
		return func(row int32) bool { return selected[row] }, nil
	}}
}

// background runs work on a goroutine that ends with the program.
func (m *model) background(work func(ctx context.Context)) (stop func()) {
	ctx, stop := context.WithCancel(m.ctx)
	m.working.Go(func() {
		defer stop()
		work(ctx)
		m.session.Store().Notify()
	})
	return stop
}

func (o *exportWindow) chosen() export.Format { return o.formats[o.format] }

// suggest names a file for the format, unless the user has.
func (o *exportWindow) suggest() {
	if o.typed {
		return
	}
	name := "session"
	if path := o.session.Store().Path(); path != "" {
		name = strings.TrimSuffix(filepath.Base(path), recordings.Suffix)
	} else if server := o.session.State().Handshake.Server.Name; server != "" {
		name = strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '.' {
				return r
			}
			return '-'
		}, server[:min(len(server), 40)])
	}
	name = strings.TrimLeft(name, ".-")
	if o.chosen().Name == "jsonl" {
		name += "-redacted" // the recording itself may be in this directory
	}
	o.path.SetValue(name + o.chosen().Extension)
}

// options are those of the export, for one goroutine.
func (o *exportWindow) exportOptions(rows func(int32) bool, report func(string)) export.Options {
	e := export.Options{
		Rows: rows, Dir: o.dir, Shell: shell.Of(os.Getenv("SHELL"), runtime.GOOS), Tool: "mcptea " + o.version, Report: report,
		Marks: o.session.Store().Marks(),
	}
	if !o.secrets {
		e.Redactor = export.NewRedactor()
	}
	return e
}

// write returns a function that writes the export as it is chosen now.
func (o *exportWindow) write() func(ctx context.Context, w io.Writer, report func(string)) error {
	st, format, scope, e := o.session.Store(), o.chosen(), o.scopes[o.scope], o.exportOptions(nil, nil)
	return func(ctx context.Context, w io.Writer, report func(string)) error {
		rows, err := scope.rows()
		if err != nil {
			return err
		}
		e.Rows, e.Report = format.Extend(st, rows), report
		return export.Write(ctx, w, format, export.FromStore(st, st.Header()), e)
	}
}

// look has the preview made of what is chosen.
func (o *exportWindow) look() {
	o.close()
	o.shown, o.problem, o.replace = nil, "", ""
	o.window.Home()
	result := make(chan exportPreview, 1)
	write := o.write()
	o.preview = result
	o.stop = o.start(func(ctx context.Context) {
		var p exportPreview
		var head previewWriter
		p.err = write(ctx, &head, func(text string) {
			if len(p.notes) < 3 {
				p.notes = append(p.notes, text)
			}
		})
		if errors.Is(p.err, errPreviewFull) {
			p.err, p.more = nil, true
		}
		p.lines = strings.Split(strings.TrimSuffix(head.String(), "\n"), "\n")
		result <- p
	})
}

// previewWriter keeps the beginning of what is written to it.
type previewWriter struct{ bytes.Buffer }

var errPreviewFull = errors.New("the preview is full")

func (w *previewWriter) Write(b []byte) (int, error) {
	n := min(len(b), maxPreview-w.Len())
	w.Buffer.Write(b[:n])
	if n < len(b) {
		return n, errPreviewFull
	}
	return n, nil
}

// refresh implements [worker].
func (o *exportWindow) refresh(_ time.Time, spin int) bool {
	o.spin = spin
	if o.shown == nil {
		select {
		case p := <-o.preview:
			o.shown = &p
		default:
		}
	}
	return o.shown == nil || o.writing
}

func (o *exportWindow) close() {
	if o.stop != nil {
		o.stop()
	}
}

// do implements [worker].
func (o *exportWindow) do(k tea.KeyPressMsg) (action.Action, bool) {
	c, _ := command.Lookup(command.Export, k.String())
	if c.Context != command.Export || o.writing {
		return nil, o.writing && c.ID != command.Dismiss
	}
	switch c.ID {
	case command.Accept:
		if o.path.Empty() {
			o.problem = "Type the path of a file."
			return nil, true
		}
		path := dialog.Home(strings.TrimSpace(o.path.Value()))
		if info, err := os.Stat(path); err == nil && o.replace != path {
			o.problem, o.replace = "This file exists. "+command.KeyIn(command.Export, command.Accept, true)+" replaces it.", path
			if info.IsDir() {
				o.problem, o.replace = "This is a directory. Type the path of a file in it.", ""
			} else if own, err := os.Stat(o.session.Store().Path()); err == nil && os.SameFile(info, own) {
				o.problem, o.replace = "This is the recording itself. Type another path.", ""
			}
			return nil, true
		}
		o.problem, o.writing = "", true
		return action.WriteExport{Path: path}, true
	case command.CopyExport:
		o.problem, o.writing = "", true
		return action.WriteExport{}, true
	case command.CycleScope:
		o.scope = (o.scope + 1) % len(o.scopes)
	case command.ToggleRedaction:
		o.secrets = !o.secrets
	case command.ToggleDirection:
		o.dir = 1 - o.dir
	case command.Up, command.Down:
		by, _ := command.Steps(c.ID, 1, 1, 1)
		o.format = (o.format + by + len(o.formats)) % len(o.formats)
		o.suggest()
	case command.PageUp, command.PageDown:
		command.ApplyScroll(&o.window, c.ID)
		return nil, true
	default:
		return nil, false
	}
	o.look()
	return nil, true
}

func (o *exportWindow) key(k tea.KeyPressMsg) (*command.Command, bool) {
	if c, _ := command.Lookup(command.Export, k.String()); c.ID == command.Dismiss {
		return nil, true
	}
	before := o.path.Version()
	o.path.Key(k)
	if o.path.Version() != before {
		o.typed, o.problem, o.replace = true, "", ""
	}
	return nil, false
}

func (o *exportWindow) paste(text string) {
	o.path.Insert(text)
	o.typed = true
}

func (o *exportWindow) scroll(n int) { o.window.Move(n) }
