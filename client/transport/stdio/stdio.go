package stdio

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// Config says which process to run and how.
type Config struct {
	Argv []string // the command and its arguments
	Env  []string // the whole environment, "NAME=value" each
	Dir  string   // working directory; empty means that of mcptea

	// Grace is the time that a server has to exit after its stdin was closed;
	// 3 s if zero. After SIGTERM it has half of that.
	Grace time.Duration
}

// Transport runs one child process. It implements [transport.Transport].
type Transport struct {
	cfg      Config
	receiver transport.Receiver
	cmd      *exec.Cmd
	group    group
	started  time.Time

	stdin          *os.File
	stdout, stderr *os.File
	queue          chan write
	quit           chan struct{} // closed by Close: no more writes
	closing        sync.Once
	wg             sync.WaitGroup

	stdoutEnd chan struct{} // closed at the end of stdout
	stderrEnd chan struct{} // closed at the end of stderr
	exited    chan struct{} // closed when the process was reaped
	exit      *ExitError    // set before exited is closed

	done chan struct{}
	mu   sync.Mutex
	err  error
}

type write struct {
	bytes []byte // with the newline
	done  chan error
}

var _ transport.Transport = (*Transport)(nil)

// New returns a transport that will run the command.
func New(cfg Config) *Transport {
	if cfg.Grace == 0 {
		cfg.Grace = 3 * time.Second
	}
	return &Transport{
		cfg:       cfg,
		queue:     make(chan write),
		quit:      make(chan struct{}),
		stdoutEnd: make(chan struct{}),
		stderrEnd: make(chan struct{}),
		exited:    make(chan struct{}),
		done:      make(chan struct{}),
	}
}

// Resolve finds the executable that a command means in an environment and a
// working directory, as Open will.
func Resolve(command string, env []string, dir string) (string, error) {
	if dir != "" {
		info, err := os.Stat(dir)
		if err == nil && !info.IsDir() {
			err = syscall.ENOTDIR
		}
		if err != nil {
			var failed *os.PathError
			if errors.As(err, &failed) {
				err = failed.Err // names the directory, too
			}
			return "", &StartError{Command: command, Dir: dir, Err: fmt.Errorf("%w %s: %w", ErrNoDir, dir, err)}
		}
	}
	path, err := lookPath(command, env, dir)
	if err != nil {
		failed := &StartError{Command: command, Dir: dir, Err: err}
		if errors.Is(err, exec.ErrNotFound) {
			failed.Near = nearestCommand(command, env)
		}
		return "", failed
	}
	return path, nil
}

// Open starts the process. A *StartError says why it could not.
func (t *Transport) Open(_ context.Context, r transport.Receiver) error {
	t.receiver = r
	started := make(chan error, 1)
	t.wg.Add(1)
	go t.run(started)
	if err := <-started; err != nil {
		close(t.exited)
		close(t.stdoutEnd)
		close(t.stderrEnd)
		t.setDone(err)
		return err
	}
	t.wg.Add(3)
	go t.readStdout()
	go t.readStderr()
	go t.writeStdin()
	return nil
}

// run starts the process and waits for its exit on one thread: on Linux, the
// death signal of the child is sent when the thread that started it ends.
func (t *Transport) run(started chan<- error) {
	defer t.wg.Done()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := t.start()
	started <- err
	if err == nil {
		t.wait()
	}
}

func (t *Transport) start() error {
	command := t.cfg.Argv[0]
	path, err := Resolve(command, t.cfg.Env, t.cfg.Dir)
	if err != nil {
		return err
	}
	t.cmd = &exec.Cmd{Path: path, Args: t.cfg.Argv, Env: t.cfg.Env, Dir: t.cfg.Dir}
	theirs, err := t.pipes()
	if err != nil {
		return &StartError{Command: command, Dir: t.cfg.Dir, Err: err}
	}
	defer func() {
		for _, f := range theirs {
			_ = f.Close() // ours to close; the child has its own
		}
	}()
	t.group.prepare(t.cmd)
	t.started = time.Now()
	if err := t.cmd.Start(); err != nil {
		_ = errors.Join(t.stdin.Close(), t.stdout.Close(), t.stderr.Close())
		failed := &StartError{Command: command, Dir: t.cfg.Dir, Path: path, Err: err}
		if errors.Is(err, os.ErrNotExist) {
			failed.Interpreter = missingInterpreter(path)
		}
		return failed
	}
	t.group.started(t.cmd.Process)
	t.receiver.Process(transport.ProcessEvent{
		Time: t.started, What: transport.ProcessStarted, PID: t.cmd.Process.Pid,
		Path: path, Argv: t.cfg.Argv, Dir: t.cfg.Dir,
	})
	return nil
}

// pipes makes the three pipes and returns the child's ends of them.
func (t *Transport) pipes() ([]*os.File, error) {
	inR, inW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, inR.Close(), inW.Close())
	}
	errR, errW, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, inR.Close(), inW.Close(), outR.Close(), outW.Close())
	}
	t.cmd.Stdin, t.cmd.Stdout, t.cmd.Stderr = inR, outW, errW
	t.stdin, t.stdout, t.stderr = inW, outR, errR
	return []*os.File{inR, outW, errW}, nil
}

func (t *Transport) readStdout() {
	defer t.wg.Done()
	in := newLines(t.stdout, maxLine)
	for {
		l, err := in.next()
		if err != nil {
			break
		}
		t.receiver.Frame(transport.Frame{
			Bytes: l.text, Envelope: jsonrpc.Scan(l.text), Time: time.Now(),
			Dir: transport.In, Ending: l.ending, Truncated: l.truncated,
		})
	}
	close(t.stdoutEnd)
	t.process(transport.ProcessStdoutClosed, "")
	t.afterStdout()
}

// exitGrace is the time that the exit of a process may take after the end of its
// pipes was seen: closing them is the first thing that the exit does, and on a busy
// machine the rest follows late.
const exitGrace = time.Second

// afterStdout waits a moment for the exit status, which says more than the end
// of a stream does.
func (t *Transport) afterStdout() {
	timer := time.NewTimer(exitGrace)
	defer timer.Stop()
	select {
	case <-t.exited:
	case <-timer.C:
		t.setDone(ErrStdoutClosed)
	}
}

func (t *Transport) readStderr() {
	defer t.wg.Done()
	defer close(t.stderrEnd)
	in := newLines(t.stderr, 64<<10)
	for {
		l, err := in.next()
		if err != nil {
			return
		}
		t.receiver.Stderr(transport.Line{Time: time.Now(), Text: l.text})
	}
}

// writeStdin is the only goroutine that writes, so a frame that a slow server
// takes by halves is never mixed with another.
func (t *Transport) writeStdin() {
	defer t.wg.Done()
	for {
		select {
		case w := <-t.queue:
			text := w.bytes[:len(w.bytes)-1]
			t.receiver.Frame(transport.Frame{
				Bytes: text, Envelope: jsonrpc.Scan(text), Time: time.Now(),
				Dir: transport.Out, Ending: "\n",
			})
			_, err := t.stdin.Write(w.bytes)
			if err != nil {
				err = t.writeError(err)
			}
			w.done <- err
		case <-t.quit:
			return
		}
	}
}

// writeError waits a moment for the exit of the process, which says more than
// a broken pipe does.
func (t *Transport) writeError(err error) error {
	timer := time.NewTimer(exitGrace)
	defer timer.Stop()
	select {
	case <-t.exited:
		return t.exit
	case <-t.quit:
	case <-timer.C:
	}
	return fmt.Errorf("cannot write to the server's stdin: %w", err)
}

// wait reaps the process.
func (t *Transport) wait() {
	_ = t.cmd.Wait() // the state says it all
	state := t.cmd.ProcessState
	t.exit = &ExitError{Code: state.ExitCode(), Signal: signalName(state), After: time.Since(t.started)}
	t.drain()
	expected := false
	select {
	case <-t.quit:
		expected = true
	default:
	}
	t.group.kill() // what the server left behind
	t.group.ended()
	t.receiver.Process(transport.ProcessEvent{
		Time: time.Now(), What: transport.ProcessExited, PID: t.cmd.Process.Pid,
		ExitCode: t.exit.Code, Signal: t.exit.Signal, Expected: expected,
	})
	close(t.exited)
	t.setDone(t.exit)
}

// drain lets the readers take what the process wrote last. A descendant that
// holds the pipes open does not hold us.
func (t *Transport) drain() {
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	select {
	case <-t.stdoutEnd:
	case <-timer.C:
		t.group.kill()
	}
	// Past this point reading can only block on a descendant's stderr.
	_ = t.stdout.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	_ = t.stderr.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	// What it wrote last is mostly why it ended: that comes before the end. A
	// receiver that takes its time is not waited for without end.
	timer.Reset(time.Second)
	select {
	case <-t.stderrEnd:
	case <-timer.C:
	}
}

func (t *Transport) process(what transport.ProcessChange, signal string) {
	t.receiver.Process(transport.ProcessEvent{Time: time.Now(), What: what, PID: t.cmd.Process.Pid, Signal: signal})
}

// setDone marks the connection as over, once.
func (t *Transport) setDone(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case <-t.done:
		return
	default:
	}
	select {
	case <-t.quit: // the end was ours
	default:
		t.err = err
	}
	close(t.done)
}

// PID is the process id of the server, 0 before Open.
func (t *Transport) PID() int {
	if t.cmd == nil || t.cmd.Process == nil {
		return 0
	}
	return t.cmd.Process.Pid
}

// Send implements [transport.Transport]. It waits while the server does not
// read; the context bounds that.
func (t *Transport) Send(ctx context.Context, frame []byte) error {
	w := write{bytes: append(append(make([]byte, 0, len(frame)+1), frame...), '\n'), done: make(chan error, 1)}
	select {
	case t.queue <- w:
	case <-t.done:
		return t.closedErr()
	case <-t.quit:
		return errClosed
	case <-ctx.Done():
		return fmt.Errorf("the server does not read its stdin: %w", ctx.Err())
	}
	select {
	case err := <-w.done:
		return err
	case <-t.done:
		return t.closedErr()
	case <-ctx.Done():
		return fmt.Errorf("the server does not read its stdin: %w", ctx.Err())
	}
}

var errClosed = errors.New("the connection is closed")

func (t *Transport) closedErr() error {
	if err := t.Err(); err != nil {
		return err
	}
	return errClosed
}

// Negotiated does nothing: a pipe needs no header.
func (t *Transport) Negotiated(string) {}

// Listen does nothing: the server speaks on stdout whenever it likes.
func (t *Transport) Listen() <-chan struct{} { return nil }

// Done implements [transport.Transport].
func (t *Transport) Done() <-chan struct{} { return t.done }

// Err implements [transport.Transport]: an *ExitError, a *StartError or
// ErrStdoutClosed.
func (t *Transport) Err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}

// Close closes the server's stdin, waits, sends SIGTERM to its process group,
// waits, sends SIGKILL. It returns when the process is gone and everything it
// wrote was delivered. When the context ends, the waits end with it.
func (t *Transport) Close(ctx context.Context) error {
	t.closing.Do(func() { t.shutDown(ctx) })
	t.wg.Wait()
	return nil
}

func (t *Transport) shutDown(ctx context.Context) {
	t.mu.Lock()
	close(t.quit)
	t.mu.Unlock()
	if t.cmd == nil || t.cmd.Process == nil {
		return
	}
	stopped := IsStopped(t.cmd.Process.Pid)
	_ = t.stdin.Close() // also ends a write that the server never takes
	t.receiver.Process(transport.ProcessEvent{
		Time: time.Now(), What: transport.ProcessStdinClosed, PID: t.cmd.Process.Pid, Stopped: stopped,
	})
	if !t.waitExit(ctx, t.cfg.Grace) {
		// Reported first: the exit that a signal causes must not overtake it.
		t.process(transport.ProcessSignalled, terminateSignal)
		t.group.terminate()
		if !t.waitExit(ctx, t.cfg.Grace/2) {
			t.process(transport.ProcessSignalled, killSignal)
			t.group.kill()
		}
	}
	t.wg.Wait()
	_ = errors.Join(t.stdout.Close(), t.stderr.Close())
}

// waitExit waits for the exit until the grace period or the context ends, and
// reports whether it came.
func (t *Transport) waitExit(ctx context.Context, grace time.Duration) bool {
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-t.exited:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}
