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
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mcptea/client/transport"
	"mcptea/internal/test/transporttest"
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
		select {}
	},
	"leaves-descendant": func() {
		descendant := exec.Command("sleep", "300") // it has none of the pipes
		_ = descendant.Start()
		fmt.Println(descendant.Process.Pid)
		os.Exit(4)
	},
	"deaf":   func() { select {} },
	"sigint": func() { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL); select {} },
}

// leftLines is how many lines the server "lines" writes: less than a pipe holds.
const leftLines = 10_000

// tape is a Receiver that keeps everything.
type tape struct {
	transporttest.Discard
	mu     sync.Mutex
	frames []transport.Frame
	stderr []string
	events []transport.ProcessEvent
	news   chan struct{}
}

func newTape() *tape { return &tape{news: make(chan struct{}, 1)} }

func (r *tape) poke() {
	select {
	case r.news <- struct{}{}:
	default:
	}
}

func (r *tape) Frame(f transport.Frame) (at transport.Ref) {
	f.Bytes = bytes.Clone(f.Bytes)
	r.mu.Lock()
	r.frames = append(r.frames, f)
	r.mu.Unlock()
	r.poke()
	return at
}

func (r *tape) Stderr(l transport.Line) {
	r.mu.Lock()
	r.stderr = append(r.stderr, l.Text)
	r.mu.Unlock()
	r.poke()
}

func (r *tape) Process(e transport.ProcessEvent) {
	r.mu.Lock()
	r.events = append(r.events, e)
	r.mu.Unlock()
	r.poke()
}

func (r *tape) incoming() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var texts []string
	for _, f := range r.frames {
		if f.Dir == transport.In {
			texts = append(texts, fmt.Sprintf("%s|%q", shorten(f.Bytes), f.Ending))
		}
	}
	return texts
}

func shorten(b []byte) string {
	if len(b) > 64 {
		return fmt.Sprintf("(%d bytes)", len(b))
	}
	return string(b)
}

// await waits until the condition holds.
func (r *tape) await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.After(time.Minute)
	for !ok() {
		select {
		case <-r.news:
		case <-deadline:
			t.Fatalf("no %s within 10 s; got %q", what, r.incoming())
		}
	}
}

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

// The text of a long line stays as it is while the next ones are read.
func TestLines_LongTextIsLeft(t *testing.T) {
	long := strings.Repeat("long", keepSize/2)
	in := newLines(strings.NewReader(long+"\nshort\n"+long+"\n"), maxLine)
	var kept [][]byte
	for {
		l, err := in.next()
		if err != nil {
			break
		}
		if l.own != (len(l.text) > keepSize) {
			t.Errorf("%d bytes: own is %v", len(l.text), l.own)
		}
		if l.own {
			kept = append(kept, l.text)
		}
	}
	if len(kept) != 2 || string(kept[0]) != long || string(kept[1]) != long {
		t.Errorf("%d long lines, or they were changed", len(kept))
	}
}

// A line of the maximum size is whole; one byte more is the next piece.
func TestLines_MaxLine(t *testing.T) {
	if maxLine != 64<<20 {
		t.Errorf("a line may have %d bytes", maxLine)
	}
	const limit = 100
	for size, want := range map[int]string{
		limit - 1: "99 whole",
		limit:     "100 truncated, 0 whole", // its newline is not in the buffer any more
		limit + 1: "100 truncated, 1 whole",
	} {
		in := newLines(&dribble{append(bytes.Repeat([]byte("x"), size), '\n'), 7}, limit)
		var got []string
		for {
			l, err := in.next()
			if err != nil {
				break
			}
			got = append(got, fmt.Sprintf("%d %s", len(l.text), map[bool]string{true: "truncated", false: "whole"}[l.truncated]))
		}
		if text := strings.Join(got, ", "); text != want {
			t.Errorf("a line of %d bytes, limit %d: %s, want %s", size, limit, text, want)
		}
	}
}

// reading calls a function before each read.
type reading struct {
	r      io.Reader
	before func()
}

func (r reading) Read(p []byte) (int, error) { r.before(); return r.r.Read(p) }

// What has come of a line without its end is known while more is waited for, also where its
// beginning was returned already.
func TestLines_Open(t *testing.T) {
	var in *lines
	var open []int64
	in = newLines(reading{&dribble{[]byte("aaa\nbbbbbbbbb\nc"), 4}, func() { open = append(open, in.open.Load()) }}, 6)
	for {
		if _, err := in.next(); err != nil {
			break
		}
	}
	if want := []int64{0, 0, 4, 6, 0, 1}; !slices.Equal(open, want) {
		t.Errorf("before each read there were %d bytes of an open line, want %d", open, want)
	}
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("a\r\nb\n\nc"), 3)
	f.Add(bytes.Repeat([]byte("long "), 100), 7)
	f.Fuzz(func(t *testing.T, b []byte, chunk int) {
		if chunk < 1 || chunk > 1000 {
			return
		}
		in := newLines(&dribble{b, chunk}, 128)
		var back []byte
		for {
			l, err := in.next()
			if err != nil {
				break
			}
			if bytes.IndexByte(l.text, '\n') >= 0 || len(l.text) > 128 {
				t.Fatalf("line %q", l.text)
			}
			if !l.truncated && l.ending == "" {
				t.Fatal("a whole line without ending")
			}
			back = append(append(back, l.text...), l.ending...)
		}
		if !bytes.Equal(back, b) {
			t.Fatalf("the lines join to %q, not %q", back, b)
		}
	})
}

// dribble hands out a few bytes at a time.
type dribble struct {
	b []byte
	n int
}

func (d *dribble) Read(p []byte) (int, error) {
	if len(d.b) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(d.n, len(p))], d.b)
	d.b = d.b[n:]
	return n, nil
}

func BenchmarkLines(b *testing.B) {
	text := bytes.Repeat([]byte(strings.Repeat("x", 190)+"\n"), 10000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		in := newLines(bytes.NewReader(text), maxLine)
		for {
			if _, err := in.next(); err != nil {
				break
			}
		}
	}
}

// BenchmarkLinesBaseline is bufio.Reader.ReadBytes, which has no limit either.
func BenchmarkLinesBaseline(b *testing.B) {
	text := bytes.Repeat([]byte(strings.Repeat("x", 190)+"\n"), 10000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		in := bufio.NewReaderSize(bytes.NewReader(text), readSize)
		for {
			if _, err := in.ReadBytes('\n'); err != nil {
				break
			}
		}
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
