package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/client/transport/inmemory"
	"mcptea/demo"
	"mcptea/internal/sessiontest"
	"mcptea/session"
	"mcptea/session/inbox"
)

// recordDemo records a session with the demo server and returns the file.
func recordDemo(t *testing.T, script func(d *driver)) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "demo.mcptea.jsonl")
	cfg := session.Config{
		Target: client.Target{Argv: []string{"demo-server", "--api-key", "sk-secret"}}, Record: path, Lists: client.ListKinds, Lint: true,
		Client:   client.Config{Name: "mcptea", Version: "test", Revision: revision.R20251125},
		Policies: inbox.Policies{Elicitation: inbox.Policy{Mode: inbox.PolicyUser}},
		Dial: func(tap client.Tap, cfg client.Config) *client.Client {
			return client.NewOver(inmemory.New(sessiontest.Demo(demo.Options{})), tap, cfg)
		},
	}
	driveSession(t, 120, 36, cfg, script)
	return path
}

func driveRecording(t *testing.T, w, h int, path string, script func(d *driver)) {
	t.Helper()
	driveOpened(t, w, h, func() (*session.Session, error) {
		return session.OpenRecording(path, session.Config{Lint: true, Lists: client.ListKinds})
	}, script)
}

// The inspector shows a recording as it showed the session, and connects to nothing
// unless the user accepts a target.
func TestRecording_InspectorWithoutServer(t *testing.T) {
	path := recordDemo(t, func(d *driver) {
		d.press("2<enter>hello<enter>")
		d.sees("hello")
		d.press("<esc><esc>")
	})
	driveRecording(t, 120, 36, path, func(d *driver) {
		d.sees("mcptea-demo", "RECORDING", "demo.mcptea.jsonl", "9 Traffic", "tools/call echo", "enter open")
		d.lacks("connected in")
		d.press("<end><enter>")
		d.sees("hello")
		d.press("<esc><esc>1")
		d.sees("as offered", "functions to call")
		d.press("2")
		d.sees("make-report")
		d.press("<enter>again<enter>")
		d.sees("Send tools/call", "This needs a server, and a recording has none.", "demo-server --api-key ••••", "Redacted: ••••")
		d.press("<enter>")
		d.sees("Replace ••••")
		if d.model.chosen != nil {
			t.Fatal("it connects to a target without its secret")
		}
		d.press("<esc>")
		d.lacks("This needs a server")
		d.press("<esc>R")
		d.sees("This needs a server")
		d.press("<ctrl+u>http://127.0.0.1:1/mcp<enter>")
	})
}

func TestRecording_TargetIsChosen(t *testing.T) {
	path := recordDemo(t, func(d *driver) { d.press("2<enter>hello<enter>") })
	driveRecording(t, 120, 36, path, func(d *driver) {
		d.press("2<enter>again<enter><ctrl+u>./server --x<enter>")
		c := d.model.chosen
		if c == nil || c.Target != "./server --x" || c.Draft.Method != "tools/call" || !strings.Contains(string(c.Draft.Params), `"again"`) {
			t.Errorf("%+v", c)
		}
	})
}

// What of a recording could not be read is said, at every size.
func TestRecording_Damaged(t *testing.T) {
	path := recordDemo(t, func(*driver) {})
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), "\n", "\ngarbage\n", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, size := range [][2]int{{80, 24}, {200, 60}} {
		driveRecording(t, size[0], size[1], path, func(d *driver) {
			d.sees("Line 2 is not an event and was skipped", "damaged", "RECORDING")
			d.press("1")
			d.sees("mcptea-demo")
		})
	}
}
