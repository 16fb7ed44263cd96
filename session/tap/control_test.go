package tap_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"mcptea/session/intercept"
	"mcptea/session/tap/control"
)

// controlled starts a tap that can be attached to, in front of a server that sends back
// what it gets.
func controlled(t *testing.T, faults ...intercept.Fault) (h *host, state string) {
	t.Helper()
	state = stateDir(t)
	h = startControlled(t, "echo", state, faults...)
	h.send("{}\n") // the session has begun when it comes back
	if _, err := io.ReadFull(h.stdout, make([]byte, 3)); err != nil {
		t.Fatal(err)
	}
	return h, state
}

// stateDir is a directory with a path that is short enough for sockets.
func stateDir(t *testing.T) string {
	t.Helper()
	base := "/tmp"
	if runtime.GOOS == "windows" {
		base = ""
	}
	dir, err := os.MkdirTemp(base, "mcptea-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// startControlled starts a tap with a control under a state directory.
func startControlled(t *testing.T, server, state string, faults ...intercept.Fault) *host {
	t.Helper()
	return startHost(t, server, func(h *host) {
		if err := h.gate.SetFaults(faults); err != nil {
			t.Fatal(err)
		}
		control, err := control.Serve(state, control.Info{Target: "the server", Transport: "stdio"}, h.gate)
		if err != nil {
			t.Fatal(err)
		}
		h.control = control
	})
}

func attachTo(t *testing.T, state string) *control.Attached {
	t.Helper()
	taps, err := control.List(t.Context(), state)
	if err != nil || len(taps) != 1 {
		t.Fatalf("active taps %+v, %v", taps, err)
	}
	a, err := control.Attach(t.Context(), taps[0].Socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	return a
}

// awaitHeld waits until a number of frames is held.
func awaitHeld(t *testing.T, a *control.Attached, n int) []intercept.Held {
	t.Helper()
	changes, stop := a.Subscribe()
	defer stop()
	for {
		held := a.State().Held
		recorded := !slices.ContainsFunc(held, func(h intercept.Held) bool { return h.Row < 0 })
		if len(held) == n && recorded {
			return held
		}
		select {
		case <-changes:
		case <-a.Done():
			t.Fatal("the tap has ended the connection")
		}
	}
}

const toolCall = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"v":"` + "\xff" + `"}}` + "\n"

func TestList_DescribesTap(t *testing.T) {
	h, state := controlled(t)
	taps, err := control.List(t.Context(), state)
	if err != nil || len(taps) != 1 {
		t.Fatalf("active taps %+v, %v", taps, err)
	}
	info := taps[0]
	if info.PID != os.Getpid() || info.Target != "the server" || info.Transport != "stdio" || info.Since.IsZero() {
		t.Errorf("tap %+v", info)
	}
	if len(info.Sessions) != 1 || info.Sessions[0].Recording != h.path {
		t.Errorf("sessions %+v", info.Sessions)
	}
	if sockets, err := filepath.Glob(filepath.Join(state, "*", "*")); err != nil || len(sockets) != 1 || sockets[0] != info.Socket {
		t.Errorf("the sockets are %v, the tap has %s", sockets, info.Socket)
	}
}

func TestAttach_HoldsEditsAndForwards(t *testing.T) {
	h, state := controlled(t)
	a := attachTo(t, state)
	if err := a.SetBreakpoints([]intercept.Breakpoint{{Filter: "dir:out method:tools/call"}}); err != nil {
		t.Fatal(err)
	}
	if b := a.State().Breakpoints; len(b) != 1 || b[0].ID == 0 {
		t.Fatalf("breakpoints %+v", b)
	}
	h.send(toolCall + toolCall)
	held := awaitHeld(t, a, 2)
	for _, f := range held {
		if string(f.Bytes)+"\n" != toolCall || f.Method != "tools/call" || f.Row <= 0 {
			t.Errorf("held %+v", f)
		}
	}
	if err := a.Decide(held[0].ID, intercept.Decision{Action: intercept.Forward, Bytes: []byte("edited\xff")}); err != nil {
		t.Error(err)
	}
	if rest := awaitHeld(t, a, 1); !bytes.Equal(rest[0].Bytes, held[1].Bytes) {
		t.Errorf("the other frame is %q", rest[0].Bytes)
	}
	if err := a.Decide(held[0].ID, intercept.Decision{Action: intercept.Drop}); err == nil || !strings.Contains(err.Error(), "no longer held") {
		t.Errorf("error %v", err)
	}
	a.ForwardAll()
	want := "edited\xff\n" + toolCall
	got := make([]byte, len(want))
	if _, err := io.ReadFull(h.stdout, got); err != nil || string(got) != want {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestAttach_ReportsErrors(t *testing.T) {
	_, state := controlled(t)
	a := attachTo(t, state)
	if err := a.SetBreakpoints([]intercept.Breakpoint{{Filter: "kind:nonsense"}}); err == nil || !strings.Contains(err.Error(), "nonsense") {
		t.Errorf("error %v", err)
	}
	if err := a.SetFaults([]intercept.Fault{{Name: "nonsense"}}); err == nil || !strings.Contains(err.Error(), "unknown fault") {
		t.Errorf("error %v", err)
	}
}

func TestAttach_ForwardsWhenInspectorCloses(t *testing.T) {
	h, state := controlled(t, intercept.Fault{Name: "wrong-id", Filter: "method:fault"})
	a, watching := attachTo(t, state), attachTo(t, state)
	if err := a.SetBreakpoints([]intercept.Breakpoint{{Filter: "method:tools/call"}}); err != nil {
		t.Fatal(err)
	}
	if err := a.SetFaults(nil); err != nil {
		t.Fatal(err)
	}
	h.send(toolCall)
	awaitHeld(t, watching, 1)
	_ = a.Close()
	got := make([]byte, len(toolCall))
	if _, err := io.ReadFull(h.stdout, got); err != nil || string(got) != toolCall {
		t.Errorf("got %q, %v", got, err)
	}
	awaitHeld(t, watching, 0)
	if s := h.gate.State(); len(s.Breakpoints) != 0 || len(s.Faults) != 1 || s.Faults[0].Name != "wrong-id" {
		t.Errorf("the gate is not as at the start: %+v", s)
	}
}

func TestAttach_EndsWithTap(t *testing.T) {
	h, state := controlled(t)
	a := attachTo(t, state)
	_ = h.stdin.Close()
	<-h.ended
	<-a.Done()
	if err := a.SetBreakpoints(nil); err == nil || !strings.Contains(err.Error(), "has ended") {
		t.Errorf("error %v", err)
	}
	if taps, err := control.List(t.Context(), state); err != nil || len(taps) != 0 {
		t.Errorf("active taps %+v, %v", taps, err)
	}
}

func TestAttach_RefusesOtherVersion(t *testing.T) {
	dir, err := os.MkdirTemp("/tmp", "mcptea-test-")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	sockets := filepath.Join(dir, "connections")
	if err := os.Mkdir(sockets, 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(sockets, "1.sock"))
	if err == nil {
		err = os.Chmod(l.Addr().String(), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	go func() {
		for {
			conn, err := l.Accept()
			if errors.Is(err, os.ErrClosed) || err != nil {
				return
			}
			_ = json.NewEncoder(conn).Encode(map[string]any{"version": 99})
			_ = conn.Close()
		}
	}()
	if _, err := control.Attach(t.Context(), l.Addr().String()); err == nil || !strings.Contains(err.Error(), "another version") {
		t.Errorf("error %v", err)
	}
	if taps, err := control.List(t.Context(), dir); err != nil || len(taps) != 0 {
		t.Errorf("active taps %+v, %v", taps, err)
	}
}

// TestAttach_StopsTheClock edits a frame of a tap for longer than it is held.
func TestAttach_StopsTheClock(t *testing.T) {
	h, state := controlled(t)
	a := attachTo(t, state)
	if err := a.SetBreakpoints([]intercept.Breakpoint{{Filter: "method:ping dir:out"}}); err != nil {
		t.Fatal(err)
	}
	h.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n")
	id := awaitHeld(t, a, 1)[0].ID
	for _, running := range []bool{false, true} {
		if err := a.SetClock(id, running); err != nil {
			t.Fatal(err)
		}
		if held := a.State().Held; len(held) != 1 || held[0].Stopped == running || len(held[0].Bytes) == 0 {
			t.Errorf("clock %v: held %+v", running, held)
		}
	}
	if err := a.SetClock(id+1, false); err == nil || !strings.Contains(err.Error(), "no longer held") {
		t.Errorf("the clock of no frame: %v", err)
	}
	a.ForwardAll()
	_ = h.stdin.Close()
	_, _ = io.ReadAll(h.stdout)
	<-h.ended
}
