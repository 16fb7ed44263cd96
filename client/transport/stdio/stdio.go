package stdio

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	"mcptea/client/transport"
)

// Config is the command to run.
type Config struct {
	Argv []string // the command and its arguments
	Env  []string // the whole environment, "NAME=value" each
	Dir  string   // working directory, or "" for the directory of this process

	// Grace is the time within which a server must exit after its stdin was closed; 3 s if zero. After
	// SIGTERM it has half of that.
	Grace time.Duration
	// Idle ends the grace period when the server has been idle for this long, because then it does
	// not react to the end of stdin. The system must measure that (Linux). 0 disables it.
	Idle time.Duration
	// KillLeft ends descendants that have left the process group of the server, too.
	KillLeft bool
	// Abrupt closes stdout and stderr together with stdin, as the end of a client does.
	Abrupt bool
	// Mark is a variable of Env, "NAME=value", that no other process has, or "". It identifies descendants if
	// the system shows environments (Linux).
	Mark string
	// Piece is the number of bytes that are written at a time, with pauses of PieceInterval, as by a slow
	// client; 0 writes whole frames.
	Piece         int
	PieceInterval time.Duration
}

// Transport runs one child process. It implements [transport.Transport].
type Transport struct {
	process
	cfg      Config
	receiver transport.Receiver

	queue   chan write
	writing sync.Mutex // stdin
	// The states of the end: see exit.go.
	quit    chan struct{}
	reaped  chan struct{}
	done    chan struct{}
	closing sync.Once      // guards shutDown
	wg      sync.WaitGroup // waits for run, readStdout, readStderr and writeStdin

	stdoutLines atomic.Pointer[lines]         // lines of stdout, or nil before Open
	noted       atomic.Pointer[map[int]ticks] // see NoteDescendants, or nil before

	sent   atomic.Int64 // frames
	newest atomic.Int64 // the time of the newest frame, Unix time in nanoseconds

	mu  sync.Mutex
	err error
}

var (
	_ transport.Transport  = (*Transport)(nil)
	_ transport.LineSender = (*Transport)(nil)
)

// New returns a transport that is not open.
func New(cfg Config) *Transport {
	if cfg.Grace == 0 {
		cfg.Grace = 3 * time.Second
	}
	return &Transport{
		process: process{exited: make(chan struct{}), family: family{mark: cfg.Mark}}, cfg: cfg,
		queue: make(chan write), quit: make(chan struct{}), reaped: make(chan struct{}), done: make(chan struct{}),
	}
}

// Watch prepares observing the end of the server. The server and its descendants then have the time d to exit,
// even if they are idle; the living descendants are recorded. abrupt is [Config.Abrupt]. Watch is called before
// Close.
func (t *Transport) Watch(d time.Duration, abrupt bool) {
	t.cfg.Grace, t.cfg.Idle, t.cfg.Abrupt = d, 0, abrupt
	t.family.extend(d)
	if pid := t.PID(); pid != 0 {
		t.family.listLiving(&t.group, pid)
	}
}

// Resolve returns the path of the executable of a command, as Open finds it in an
// environment and a working directory.
func Resolve(command string, env []string, dir string) (string, error) {
	if dir != "" {
		info, err := os.Stat(dir)
		if err == nil && !info.IsDir() {
			err = errors.New("not a directory")
		}
		if err != nil {
			var failed *os.PathError
			if errors.As(err, &failed) {
				err = failed.Err // the PathError also names the directory, as the error returned here does
			}
			if errors.Is(err, os.ErrNotExist) {
				err = notExist{}
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

// Open starts the process. The error is a *StartError.
func (t *Transport) Open(_ context.Context, r transport.Receiver) error {
	t.receiver = r
	started := make(chan error, 1)
	t.wg.Go(func() {
		if t.run(t.cfg, started, func() { r.Process(t.start) }, t.afterReap) {
			t.setDone(t.exit)
		}
	})
	if err := <-started; err != nil {
		t.setDone(err)
		return err
	}
	t.wg.Add(3)
	go t.readStdout()
	go t.readStderr()
	go t.writeStdin()
	return nil
}

// launch starts the command in a separate process group, with the given ends of three pipes, which it closes.
// The error is a *StartError; then the command is nil.
func launch(cfg Config, g *group, theirs [3]*os.File) (*exec.Cmd, error) {
	defer func() {
		for _, f := range theirs {
			_ = f.Close() // the child has duplicates
		}
	}()
	command := cfg.Argv[0]
	path, err := Resolve(command, cfg.Env, cfg.Dir)
	if err != nil {
		return nil, err
	}
	cmd := &exec.Cmd{
		Path: path, Args: cfg.Argv, Env: cfg.Env, Dir: cfg.Dir, Stdin: theirs[0], Stdout: theirs[1], Stderr: theirs[2],
	}
	g.prepare(cmd)
	if err := cmd.Start(); err != nil {
		failed := &StartError{Command: command, Dir: cfg.Dir, Path: path, Err: err}
		if errors.Is(err, os.ErrNotExist) {
			failed.Interpreter = missingInterpreter(path)
		}
		return nil, failed
	}
	g.started(cmd.Process)
	return cmd, nil
}

// pipes creates three pipes, and returns our ends and the child's ends.
func pipes() (in *os.File, out, errs source, theirs [3]*os.File, err error) {
	if theirs[0], in, err = os.Pipe(); err != nil {
		return nil, nil, nil, theirs, err
	}
	if out, theirs[1], err = newPipe(); err != nil {
		return nil, nil, nil, theirs, errors.Join(err, in.Close(), theirs[0].Close())
	}
	if errs, theirs[2], err = newPipe(); err != nil {
		return nil, nil, nil, theirs, errors.Join(err, in.Close(), theirs[0].Close(), out.Close(), theirs[1].Close())
	}
	return in, out, errs, theirs, nil
}

// PID returns the process id of the server, or 0 before Open.
func (t *Transport) PID() int {
	if t.cmd == nil || t.cmd.Process == nil {
		return 0
	}
	return t.cmd.Process.Pid
}

// Signal sends a signal to the server, as [Process.Signal] does.
func (t *Transport) Signal(sig os.Signal) (name string) {
	select {
	case <-t.exited:
		return ""
	default:
		return t.group.signal(t.cmd.Process, sig)
	}
}

// Negotiated does nothing: stdio has no headers.
func (t *Transport) Negotiated(string) {}

// Listen returns nil: the server can send on stdout at any time.
func (t *Transport) Listen() <-chan struct{} { return nil }

// Done implements [transport.Transport].
func (t *Transport) Done() <-chan struct{} { return t.done }

// Err implements [transport.Transport]. The error is an *ExitError, a *StartError or
// [ErrStdoutClosed].
func (t *Transport) Err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}
