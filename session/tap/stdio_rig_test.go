package tap_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mcptea/client/transport"
	"mcptea/client/transport/stdio"
	"mcptea/demo"
	"mcptea/record"
	"mcptea/record/store"
	"mcptea/session/intercept"
	"mcptea/session/tap"
	"mcptea/session/tap/control"
	"mcptea/session/tap/pipeline"
)

// TestMain makes this binary a server when it is started by a test.
func TestMain(m *testing.M) {
	switch os.Getenv("MCPTEA_TEST_SERVER") {
	case "":
		goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("os.(*File).Read"))
	case "echo":
		_, _ = io.Copy(os.Stdout, os.Stdin)
		os.Exit(0)
	case "demo":
		if demo.New(demo.Options{Pace: time.Millisecond}).ServeStdio(context.Background(), os.Stdin, os.Stdout, io.Discard) != nil {
			os.Exit(1)
		}
		os.Exit(0)
	case "fail":
		fmt.Fprint(os.Stderr, "cannot start: the kettle is missing\nno newline at the end")
		os.Exit(7)
	case "respond":
		// one line in, one line out
		b := make([]byte, 64<<10)
		for {
			n, err := os.Stdin.Read(b)
			if err != nil {
				os.Exit(0)
			}
			if _, err := os.Stdout.Write(b[:n]); err != nil {
				os.Exit(1)
			}
		}
	}
}

// host runs a tap in front of a server of TestMain.
type host struct {
	t         *testing.T
	path      string // of the recording
	gate      *intercept.Gate
	control   *control.Control
	stdin     *os.File
	stdout    *os.File
	stderr    lockedBuffer
	warnings  lockedBuffer
	signals   chan os.Signal
	ended     chan struct{}
	exit      *stdio.ExitError
	err       error
	record    func() (*store.Writer, error)
	observe   pipeline.Observe
	tapStdin  *os.File
	tapStdout *os.File
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func startHost(t *testing.T, server string, change func(*host)) *host {
	t.Helper()
	h := &host{t: t, path: filepath.Join(t.TempDir(), "s.mcptea.jsonl"), gate: intercept.New(intercept.Options{}), signals: make(chan os.Signal, 1), ended: make(chan struct{})}
	h.record = func() (*store.Writer, error) { return store.NewWriter(store.Options{Path: h.path}, record.Header{}) }
	if change != nil {
		change(h)
	}
	var err error
	if h.tapStdin, h.stdin, err = os.Pipe(); err != nil {
		t.Fatal(err)
	}
	if h.stdout, h.tapStdout, err = os.Pipe(); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := &tap.Stdio{
		Command: stdio.Config{Argv: []string{self}, Env: append(os.Environ(), "MCPTEA_TEST_SERVER="+server)},
		Target:  "server", Stdin: h.tapStdin, Stdout: h.tapStdout, Stderr: &h.stderr, Signals: h.signals,
		Record: h.record, Observe: h.observe, Gate: h.gate, Control: h.control, Warn: func(text string) { fmt.Fprintln(&h.warnings, text) },
	}
	go func() {
		defer close(h.ended)
		h.exit, h.err = s.Run()
		h.control.Close()
		_ = h.tapStdout.Close() // as the exit of the tap does
	}()
	t.Cleanup(func() {
		_ = errors.Join(h.stdin.Close(), h.stdout.Close())
		<-h.ended
		_ = h.tapStdin.Close()
	})
	return h
}

func (h *host) send(text string) {
	h.t.Helper()
	if _, err := io.WriteString(h.stdin, text); err != nil {
		h.t.Fatal(err)
	}
}

// recorded returns the bytes of the frames of a direction with their endings, and the
// notes.
func recorded(t testing.TB, path string, dir transport.Direction) (stream []byte, notes []string) {
	t.Helper()
	for _, e := range events(t, path) {
		switch {
		case e.Kind == record.KindFrame && e.Frame.Dir == dir:
			stream = append(append(stream, e.Frame.Bytes...), e.Frame.Ending...)
		case e.Kind == record.KindNote:
			notes = append(notes, e.Text)
		}
	}
	return stream, notes
}

func events(t testing.TB, path string) (all []record.Event) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	lines := record.NewLines(context.Background(), file)
	defer lines.Close()
	first, err := lines.Next()
	if err != nil {
		t.Fatal(err)
	}
	r, err := record.NewReader(first, lines)
	if err != nil {
		t.Fatal(err)
	}
	seq := int64(0)
	for e, err := range r.Events() {
		if err != nil || e.Kind == record.KindProblem {
			t.Fatalf("line %d: %v %s", r.Line(), err, e.Text)
		}
		if e.Seq <= seq {
			t.Fatalf("event %d follows event %d", e.Seq, seq)
		}
		seq = e.Seq
		event := *e
		event.Frame.Bytes = bytes.Clone(e.Frame.Bytes)
		all = append(all, event)
	}
	return all
}

// changeOf is what a recording says that was made of a frame; nil if it says nothing.
func changeOf(t *testing.T, path string, row int32) (found *record.Change) {
	for _, e := range events(t, path) {
		if e.Change != nil && e.Change.Row == row {
			found = e.Change
		}
	}
	return found
}
