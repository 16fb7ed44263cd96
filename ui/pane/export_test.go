package pane_test

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/internal/test/panetest"
	"mcptea/internal/test/raced"
	"mcptea/record"
	"mcptea/record/store"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/keys"
	"mcptea/ui/pane/export"
)

type fake struct{ st *store.Store }

func (f fake) Secrets() *secret.Values { return new(secret.Values) }

func (f fake) Store() *store.Store  { return f.st }
func (f fake) State() session.State { return session.State{} }

// later keeps work until the test runs it.
type later struct {
	*panetest.Program
	work []func(context.Context) func()
}

func (l *later) Go(work func(context.Context) func()) { l.work = append(l.work, work) }

func (l *later) run(i int) {
	if done := l.work[i](l.T.Context()); done != nil {
		done()
	}
}

func exportOpen(t *testing.T, text string) (*later, *export.Dialog) {
	return exportOf(t, record.Header{}, text)
}

func exportOf(t *testing.T, header record.Header, text string) (*later, *export.Dialog) {
	t.Helper()
	st, err := store.Create(store.Options{}, header)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	if text != "" {
		st.Append(transport.Frame{Dir: transport.In, Bytes: []byte(text)})
	}
	a := &later{Program: panetest.New(t)}
	d := export.New(a, fake{st}, export.Options{
		Scopes: []export.Scope{{Label: "whole session", Rows: func() (func(int32) bool, error) { return nil, nil }}}, Dir: transport.In,
		Write:  func(_ string, write func(io.Writer) error) error { return write(io.Discard) },
		Chosen: func(string) {},
	})
	a.Pane = d
	a.Refresh()
	return a, d
}

// Refresh has the dialog look at the time.
func (l *later) Refresh() bool { return l.Pane.Refresh(app.Tick{}) }

// What a preview has found is dropped when another format is selected.
func TestExport_LatePreview(t *testing.T) {
	a, d := exportOpen(t, "not JSON \x1b[2J")
	d.Motion(keys.Up)
	a.Refresh()
	a.run(0)
	if !a.Refresh() || !strings.Contains(a.Paint(100, 30, true), "Reading the session.") {
		t.Error("the preview of the other format is shown")
	}
	a.run(1)
	if screen := a.Paint(100, 30, true); a.Refresh() || !strings.Contains(screen, "not JSON") {
		t.Errorf("no preview:\n%s", screen)
	}
}

// What is exported without a choice has the frames of both sides, as the window says.
func TestExport_FirstFormatIsComplete(t *testing.T) {
	a, _ := exportOpen(t, `{"jsonrpc":"2.0","method":"ping","id":1}`)
	if screen := a.Paint(100, 30, true); !strings.Contains(screen, "▌jsonl") || !strings.Contains(screen, "● whole session") || strings.Contains(screen, "side ") {
		t.Errorf("not complete:\n%s", screen)
	}
}

// A report about the host is offered only of a session that may have one, and each name is shown whole.
func TestExport_ReportAboutHost(t *testing.T) {
	for tool, offered := range map[string]bool{"mcptea 1.0.0": false, "mcptea 1.0.0 tap cursor/notes": true, "": true} {
		a, _ := exportOf(t, record.Header{Tool: tool}, "x")
		screen := a.Paint(118, 30, true)
		if strings.Contains(screen, "issue         report about the host") != offered || !strings.Contains(screen, "types-python  types of the tools") {
			t.Errorf("recorded by %q:\n%s", tool, screen)
		}
	}
}

func TestExport_OtherSide(t *testing.T) {
	a, d := exportOpen(t, `{"jsonrpc":"2.0","method":"ping","id":1}`)
	d.Motion(keys.Up)
	a.Refresh()
	a.run(1)
	if screen := a.Paint(100, 30, true); !strings.Contains(screen, `"ping"`) {
		t.Errorf("no preview:\n%s", screen)
	}
	a.Press("alt+v")
	a.Refresh()
	a.run(2)
	if screen := a.Paint(100, 30, true); !strings.Contains(screen, "This side has sent no frame") {
		t.Errorf("frames of the other side:\n%s", screen)
	}
}

// A file that is written late says nothing after the window was closed.
func TestExport_ClosedWhileWriting(t *testing.T) {
	a, d := exportOpen(t, "")
	a.Press("enter")
	if off := a.Press("enter"); off != "off: The export is being written." {
		t.Errorf("asked %q", off)
	}
	d.Close()
	a.run(1)
	if len(a.Asked) != 1 {
		t.Errorf("asked %q", a.Asked)
	}
}

func TestExport_EverySize(t *testing.T) {
	raced.Never(t, "repeats one drawing over sizes")
	a, _ := exportOpen(t, "x")
	a.run(0)
	for w := 4; w < 160; w += 13 {
		for h := 3; h < 50; h += 5 {
			a.Paint(w, h, true)
		}
	}
}

// The proposed name begins with the server, and has neither milliseconds nor the number of a process.
func TestExport_ShortName(t *testing.T) {
	for recording, want := range map[string]string{
		"20261130-195632.411-python3-base.py-24657.mcptea.jsonl": "python3-base.py-20261130-195632",
		"weather.mcptea.jsonl": "weather",
	} {
		st, err := store.Create(store.Options{Path: filepath.Join(t.TempDir(), recording)}, record.Header{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { st.Close() })
		a := &later{Program: panetest.New(t)}
		a.Pane = export.New(a, fake{st}, export.Options{
			Scopes: []export.Scope{{Label: "whole session", Rows: func() (func(int32) bool, error) { return nil, nil }}}, Dir: transport.In,
		})
		a.Refresh()
		if screen := a.Paint(100, 30, true); !strings.Contains(screen, "› "+want+"-redacted.mcptea.jsonl") {
			t.Errorf("the name is not %s:\n%s", want, screen)
		}
	}
}
