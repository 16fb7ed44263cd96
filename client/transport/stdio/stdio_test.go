//go:build unix

package stdio

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mcptea/client/transport"
	procs "mcptea/internal/test/processes"
)

// The test binary is also the server: the variable names how it behaves.
const behaviour = "MCPTEA_TEST_CHILD"

func TestMain(m *testing.M) {
	if name := os.Getenv(behaviour); name != "" {
		if run := children[name]; run != nil {
			run()
		} else {
			daemons[name]()
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

var children = map[string]func(){
	"echo": func() { _, _ = io.Copy(os.Stdout, os.Stdin) },
	"odd": func() {
		fmt.Print("Server listening\n\r\n\n{\"a\":1}\r\n\xef\xbb\xbf{}\n\xff\xfe\nlast line")
	},
	"huge": func() {
		w := bufio.NewWriter(os.Stdout)
		_, _ = w.Write(bytes.Repeat([]byte("x"), 50<<20))
		_, _ = w.WriteString("\nafter\n")
		_ = w.Flush()
	},
	"lines": func() {
		for i := range leftLines {
			fmt.Println(i)
		}
	},
	"exit3": func() {
		fmt.Fprintln(os.Stderr, "Error: cannot find module")
		os.Exit(3)
	},
	"close-stdout": func() {
		_ = os.Stdout.Close()
		_, _ = io.Copy(io.Discard, os.Stdin)
	},
	"stubborn": func() {
		signal.Ignore(syscall.SIGTERM)
		grandchild := exec.Command("sleep", "300")
		grandchild.Stdout = os.Stdout
		_ = grandchild.Start()
		fmt.Println(grandchild.Process.Pid)
		procs.Hang()
	},
	"leaves-descendant": func() {
		descendant := exec.Command("sleep", "300") // it has none of the pipes
		_ = descendant.Start()
		fmt.Println(descendant.Process.Pid)
		os.Exit(4)
	},
	"deaf":   func() { procs.Hang() },
	"sigint": func() { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL); procs.Hang() },
}

// leftLines is the number of lines that the server "lines" writes: fewer than a pipe holds.
const leftLines = 10_000

func run(t *testing.T, name string) (*Transport, *tape) {
	t.Helper()
	tr := New(Config{Argv: []string{os.Args[0]}, Env: append(os.Environ(), behaviour+"="+name), Grace: 200 * time.Millisecond})
	r := newTape()
	if err := tr.Open(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tr.Close(context.Background()) })
	return tr, r
}

func TestFrames_Unchanged(t *testing.T) {
	tr, r := run(t, "echo")
	frames := []string{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, ` {"a" : 1.0} `, "caf\xe9", ""}
	for _, f := range frames {
		if err := tr.Send(t.Context(), transport.Outgoing{Bytes: []byte(f)}); err != nil {
			t.Fatal(err)
		}
	}
	r.await(t, "echo", func() bool { return len(r.incoming()) == len(frames) })
	for i, got := range r.incoming() {
		if want := frames[i] + `|"\n"`; got != want {
			t.Errorf("frame %d: got %q want %q", i, got, want)
		}
	}
	if r.frames[0].Dir != transport.Out {
		t.Error("an answer was reported before its request")
	}
}

func TestFrames_InvalidOutput(t *testing.T) {
	tr, r := run(t, "odd")
	<-tr.Done()
	want := []string{`Server listening|"\n"`, `|"\r\n"`, `|"\n"`, `{"a":1}|"\r\n"`, "\xef\xbb\xbf{}|\"\\n\"", "\xff\xfe|\"\\n\"", `last line|""`}
	if got := r.incoming(); strings.Join(got, "\x00") != strings.Join(want, "\x00") {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if last := r.frames[len(r.frames)-1]; !last.Truncated {
		t.Error("the last line without newline is not marked as torn")
	}
}

func TestFrames_LargeLine(t *testing.T) {
	tr, r := run(t, "huge")
	<-tr.Done()
	got := r.incoming()
	if len(got) != 2 || got[0] != `(52428800 bytes)|"\n"` || got[1] != `after|"\n"` {
		t.Errorf("got %q", got)
	}
}

func TestExit_CodeAndStderr(t *testing.T) {
	tr, r := run(t, "exit3")
	<-tr.Done()
	var exit *ExitError
	if !errors.As(tr.Err(), &exit) || exit.Code != 3 {
		t.Fatalf("got error %v", tr.Err())
	}
	if !strings.Contains(tr.Err().Error(), "exited with code 3") {
		t.Errorf("the error does not name the code: %v", tr.Err())
	}
	for range 50 {
		if err := tr.Send(t.Context(), transport.Outgoing{Bytes: []byte("{}")}); err == nil {
			t.Error("sending to a dead server gives no error")
		}
	}
	_ = tr.Close(t.Context())
	if len(r.frames) != 0 {
		t.Errorf("%d frames are said to be sent to a dead server", len(r.frames))
	}
	if len(r.stderr) != 1 || r.stderr[0] != "Error: cannot find module" {
		t.Errorf("stderr %q", r.stderr)
	}
	if err := tr.Send(t.Context(), transport.Outgoing{Bytes: []byte("{}")}); err == nil {
		t.Error("sending over a closed connection gives no error")
	}
	// The error and the event say the same of how long it ran.
	i := slices.IndexFunc(r.events, func(e transport.ProcessEvent) bool { return e.What == transport.ProcessExited })
	if i < 0 || r.events[i].Time.Sub(r.events[0].Time) != exit.After {
		t.Errorf("the error says %v, the events %+v", exit.After, r.events)
	}
}

func TestExit_Signal(t *testing.T) {
	tr, _ := run(t, "sigint")
	<-tr.Done()
	if err := tr.Err(); err == nil || !strings.Contains(err.Error(), "SIGKILL") {
		t.Errorf("got %v", err)
	}
}

// The id of the process is that of the server, and 0 without one.
func TestPID(t *testing.T) {
	if pid := New(Config{}).PID(); pid != 0 {
		t.Errorf("%d without a process", pid)
	}
	tr, r := run(t, "sigint")
	<-tr.Done()
	if pid := tr.PID(); pid == 0 || pid != r.events[0].PID {
		t.Errorf("%d, want %d", pid, r.events[0].PID)
	}
}

func TestStdout_ClosedWhileRunning(t *testing.T) {
	tr, _ := run(t, "close-stdout")
	<-tr.Done()
	if !errors.Is(tr.Err(), ErrStdoutClosed) {
		t.Errorf("got %v", tr.Err())
	}
}

func TestClose_KillsProcessGroup(t *testing.T) {
	tr, r := run(t, "stubborn")
	r.await(t, "pid", func() bool { return len(r.incoming()) > 0 })
	pid, err := strconv.Atoi(strings.Split(r.incoming()[0], "|")[0])
	if err != nil {
		t.Fatal(err)
	}
	_ = tr.Close(t.Context())
	if err := tr.Err(); err != nil {
		t.Errorf("what mcptea has ended itself is the error %v", err)
	}
	var story []string
	for _, e := range r.events {
		story = append(story, strings.TrimSpace(e.What.String()+" "+e.Signal))
	}
	if got := strings.Join(story, ", "); !strings.HasPrefix(got, "started, stdin closed, signalled SIGTERM, signalled SIGKILL") || !strings.Contains(got, "exited SIGKILL") {
		t.Errorf("events: %s", got)
	}
	// The grandchild is a zombie of init at most.
	for deadline := time.Now().Add(5 * time.Second); alive(pid); {
		if time.Now().After(deadline) {
			t.Fatalf("the server's own child %d is still alive", pid)
		}
	}
}

// A server that exits alone takes its descendants with it, before the connection is closed.
func TestExit_KillsDescendants(t *testing.T) {
	tr, r := run(t, "leaves-descendant")
	<-tr.Done()
	pid, err := strconv.Atoi(strings.Split(r.incoming()[0], "|")[0])
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(5 * time.Second); alive(pid); runtime.Gosched() {
		if time.Now().After(deadline) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			t.Fatalf("the descendant %d of the server that exited is still alive", pid)
		}
	}
}

func alive(pid int) bool {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !bytes.Contains(status, []byte(") Z "))
}

func TestSend_ServerDoesNotRead(t *testing.T) {
	tr, _ := run(t, "deaf")
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	big := bytes.Repeat([]byte("x"), 1<<20) // more than a pipe holds
	if err := tr.Send(ctx, transport.Outgoing{Bytes: big}); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "does not read its stdin") {
		t.Errorf("got %v", err)
	}
}

func TestStartError_Messages(t *testing.T) {
	plain := t.TempDir() + "/plain"
	if err := os.WriteFile(plain, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ command, dir, want string }{
		{"./does-not-exist", "", `cannot start "./does-not-exist": no such file`},
		{"mcptea-no-such-command", "", `cannot start "mcptea-no-such-command": executable file not found in $PATH`},
		{plain, "", "permission denied"},
		{os.Args[0], "/no/such/dir", "cannot use the working directory /no/such/dir: no such file or directory"},
	}
	for _, tt := range tests {
		tr := New(Config{Argv: []string{tt.command}, Env: os.Environ(), Dir: tt.dir})
		err := tr.Open(t.Context(), newTape())
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v", tt.command, err)
		}
		_ = tr.Close(t.Context())
	}
}

// A process that has exited gets no signal: another one may have its number.
func TestProcess_SignalAfterExit(t *testing.T) {
	p, err := Start(Config{Argv: []string{os.Args[0]}, Env: append(os.Environ(), behaviour+"=exit3")})
	if err != nil {
		t.Fatal(err)
	}
	_ = p.Stdin().Close()
	for _, r := range []io.ReadCloser{p.Stdout(), p.Stderr()} {
		_, _ = io.Copy(io.Discard, r)
		_ = r.Close()
	}
	<-p.Exited()
	if name := p.Signal(syscall.SIGTERM); name != "" {
		t.Errorf("%s is sent to a process that has exited", name)
	}
	if p.Exit().Code != 3 {
		t.Errorf("exit code %d", p.Exit().Code)
	}
	groups.mu.Lock()
	defer groups.mu.Unlock()
	if _, known := groups.all[&p.group]; known {
		t.Error("a forced exit would kill the process group, whose number may be that of another one")
	}
}
