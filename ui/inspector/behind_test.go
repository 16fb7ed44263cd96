package inspector

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcptea/client/oauth"
	"mcptea/client/transport"
	"mcptea/record"
	"mcptea/record/store"
	"mcptea/session/intercept"
	interceptpane "mcptea/ui/pane/intercept"
)

// behind is a recording that a tap writes which restarts the server behind its host.
type behind struct {
	d *driver
	w *store.Store
	n uint16
}

// driveBehind shows the inspector on such a recording, whose first server is connected.
func driveBehind(t *testing.T, w, h int, script func(b *behind)) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tap.mcptea.jsonl")
	b := &behind{}
	var err error
	if b.w, err = store.Create(store.Options{Path: path}, record.Header{Tool: "mcptea 1.0.0 tap notes", Transport: "stdio", Target: "node server.js"}); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = b.w.Close() }()
	b.opens()
	b.ready()
	driveRecording(t, w, h, path, func(d *driver) {
		b.d = d
		script(b)
	})
}

// written has what was recorded be in the file, and on the screen.
func (b *behind) written() {
	b.w.Flush()
	if b.d != nil {
		b.d.settle()
	}
}

func (b *behind) opens() {
	b.n++
	b.w.Connection(record.Connection{What: record.ConnectionOpened, Number: b.n, Transport: "stdio", Target: "node server.js", Reloads: true})
	b.written()
}

func (b *behind) ready() {
	b.w.Connection(record.Connection{What: record.ConnectionReady, Number: b.n, Transport: "stdio", Revision: "2025-11-25", Server: "notes 1", Restart: int(b.n) - 1})
	b.written()
}

func (b *behind) closes(reason string) {
	b.w.Connection(record.Connection{What: record.ConnectionClosed, Number: b.n, Reason: reason})
	b.written()
}

// The header and the chip of an active tap say that the server behind its host starts again, and
// that it does not run.
func TestBehind_HeaderAndChip(t *testing.T) {
	driveBehind(t, 200, 30, func(b *behind) {
		b.d.sees("WATCHING another client", "● live")
		b.closes("server.js saved")
		b.opens()
		b.d.sees("… server starts")
		b.d.lacks("● live")
		b.ready()
		b.d.sees("● live")
		b.closes("exit status 1")
		b.d.sees("○ no server")
		b.d.opened("other", tracking("0.9.3"))
		chip := func(want string) {
			b.d.settle()
			if first := b.d.first(); !strings.Contains(first, want) {
				t.Errorf("the first row lacks %q: %s", want, first)
			}
		}
		chip("node ○")
		b.opens()
		chip("node …")
		b.ready()
		chip("node ●")
	})
}

// R in the session of a tap restarts the server behind its host, over the socket of the tap; the reason why
// it does not is shown.
func TestBehind_RestartsServer(t *testing.T) {
	driveBehind(t, 120, 36, func(b *behind) {
		restarts := 0
		b.attach(&interceptpane.Attached{Restart: func() error { restarts++; return nil }})
		b.d.press("R")
		b.d.sees("Restarting the server behind the host")
		if b.d.settle(); restarts != 1 {
			t.Errorf("the tap was told %d times", restarts)
		}
	})
}

// The page of a tap whose server does not start has the cause that its own session would have, and enter restarts the
// server behind the host.
func TestBehind_FailureHasItsCause(t *testing.T) {
	driveBehind(t, 80, 24, func(b *behind) {
		restarts := 0
		b.attach(&interceptpane.Attached{Restart: func() error { restarts++; return nil }})
		b.closes("server.js saved")
		b.opens()
		now := time.Now()
		b.w.Process(transport.ProcessEvent{Time: now, What: transport.ProcessStarted, PID: 7, Path: "/bin/node", Argv: []string{"node", "server.js"}}, "")
		b.w.Line(transport.Line{Time: now, Text: "Error: Cannot find module 'express'"})
		b.w.Process(transport.ProcessEvent{Time: now.Add(time.Second), What: transport.ProcessExited, PID: 7, ExitCode: 1}, "process exited")
		b.closes("the server process exited with code 1 after 1 s")
		b.d.press("1")
		b.d.sees("exited with code 1 after 1 s, before responding", "Cannot find module", "npm install", "→ enter restart behind the host")
		b.d.lacks("try again")
		b.d.lacks("0 steps")
		b.d.press("<enter>")
		b.d.lacks("Connect to:")
		if b.d.settle(); restarts != 1 {
			t.Errorf("the tap was told %d times", restarts)
		}
	})
}

// o in the session of a tap opens the page on which the user signs in: the tap has it whole, the recording
// does not.
func TestBehind_OpensConsentPage(t *testing.T) {
	driveBehind(t, 120, 36, func(b *behind) {
		const page = "https://as.example.com/authorize?client_id=c&state=secret-state"
		b.attach(&interceptpane.Attached{Page: func() (string, string) { return page, "https://as.example.com" }})
		b.w.Authorization(oauth.Step{Name: oauth.StepConsent, State: oauth.Running, URL: page, Start: time.Now()})
		b.written()
		b.d.press("1")
		b.d.lacks("secret-state")
		b.d.press("o")
		b.d.settle()
		b.d.sees("as.example.com", "secret-state")
	})
}

// attach has the session attach to a tap.
func (b *behind) attach(a *interceptpane.Attached) {
	a.Gate, a.Name, a.Done, a.Close = intercept.New(intercept.Options{}), "cursor/notes", make(chan struct{}), func() error { return nil }
	b.d.model.options.Attach = func(context.Context, string) (*interceptpane.Attached, error) { return a, nil }
}

// A session that watches another client says so in the first row, in its chip, on the Server tab, and where the user
// would send something: that needs a server of its own.
func TestBehind_SaysThatItWatches(t *testing.T) {
	for _, size := range screenSizes {
		driveBehind(t, size[0], size[1], func(b *behind) {
			b.d.sees("WATCHING another client")
			b.d.lacks("RECORDING")
			b.d.press("1")
			b.d.sees("The client is another program: mcptea watches.")
			b.d.press("c<ctrl+s>")
			b.d.sees("mcptea watches another client here, and sends")
			b.d.press("<esc><esc><esc>")
			b.d.opened("other", tracking("0.9.3"))
			if row := b.d.first(); !strings.Contains(row, "tap node ●") {
				t.Errorf("the first row is %q", row)
			}
		})
	}
}
