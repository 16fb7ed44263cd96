package stdio

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"mcptea/client/transport"
)

// process is a child process, in a separate process group that ends with this program.
type process struct {
	cmd    *exec.Cmd
	group  group
	family family
	start  transport.ProcessEvent
	stdin  *os.File
	stdout *output
	stderr *output
	exited chan struct{}
	exit   *ExitError // set before exited is closed
}

// run starts the process and waits for its exit on one thread: on Linux, the death
// signal of the child is sent when the thread that started it ends. begun is called
// after the start, and reaped after the exit. It returns false if the process has not
// started; the error is a *StartError.
func (p *process) run(cfg Config, started chan<- error, begun, reaped func()) bool {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	in, out, errs, theirs, err := pipes()
	if err != nil {
		started <- &StartError{Command: cfg.Argv[0], Dir: cfg.Dir, Err: err}
		return false
	}
	p.stdin, p.stdout, p.stderr = in, newOutput(out), newOutput(errs)
	p.start.Time = time.Now()
	if p.cmd, err = launch(cfg, &p.group, theirs); err != nil {
		_ = errors.Join(in.Close(), out.Close(), errs.Close())
		started <- err
		return false
	}
	p.start.What, p.start.PID, p.start.Path = transport.ProcessStarted, p.cmd.Process.Pid, p.cmd.Path
	p.start.Argv, p.start.Dir = cfg.Argv, cfg.Dir
	if dir, err := filepath.Abs(cfg.Dir); err == nil { // a recording contains the directory, even if it is the current one
		p.start.Dir = dir
	}
	begun()
	started <- nil
	awaitExit(p.cmd.Process.Pid)
	_ = p.cmd.Wait() // the result is in ProcessState
	state := p.cmd.ProcessState
	p.exit = &ExitError{Code: state.ExitCode(), Signal: signalName(state), After: time.Since(p.start.Time)}
	reaped()
	p.group.ended()
	p.stdout.limit()
	p.stderr.limit()
	close(p.exited)
	return true
}

// Process is a server process whose streams the caller copies, byte for byte.
type Process struct{ process }

// Start starts the command. The error is a *StartError.
func Start(cfg Config) (*Process, error) {
	p := &Process{process{exited: make(chan struct{})}}
	started := make(chan error, 1)
	go p.run(cfg, started, func() {}, func() {})
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// Started returns the event of the start.
func (p *Process) Started() transport.ProcessEvent { return p.start }

// Stdin returns the writer to the process's stdin.
func (p *Process) Stdin() io.WriteCloser { return p.stdin }

// Stdout returns the output of the process. After the process has exited, it waits only briefly for descendants
// that keep the pipe open.
func (p *Process) Stdout() io.ReadCloser { return p.stdout }

// Stderr is like Stdout.
func (p *Process) Stderr() io.ReadCloser { return p.stderr }

// Exited returns a channel that is closed when the process has exited. Its output may not have been read yet.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Exit returns how the process ended. It must be called after Exited is closed.
func (p *Process) Exit() *ExitError { return p.exit }

// Look records the current descendants of the process.
func (p *Process) Look() { p.family.listLiving(&p.group, p.cmd.Process.Pid) }

// Left returns the descendants that still ran after the process: those that Look has found, and the
// members of its process group. It must be called after Exited is closed.
func (p *Process) Left() []transport.Descendant {
	pid := p.cmd.Process.Pid
	if p.family.isEmpty() && !p.group.exists() {
		return nil
	}
	return described(named(p.family.listLiving(&p.group, pid)), pid)
}

// Signal sends a signal to the process. One of the terminal, such as an interrupt, goes to its
// whole group, as a terminal sends it. If the system has no signals, the process group is
// terminated. It returns the name of the signal that was sent.
func (p *Process) Signal(sig os.Signal) (name string) {
	select {
	case <-p.exited:
		return ""
	default:
		return p.group.signal(p.cmd.Process, sig)
	}
}
