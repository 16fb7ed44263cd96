package stdio

import (
	"io"
	"os"
	"os/exec"
	"runtime"
	"time"

	"mcptea/client/transport"
)

// Process is a server process whose streams the caller copies, byte for byte. It is
// in a process group of its own that ends with this program, as that of a
// [Transport].
type Process struct {
	cmd    *exec.Cmd
	group  group
	start  transport.ProcessEvent
	stdin  *os.File
	stdout *output
	stderr *output
	exited chan struct{}
	exit   *ExitError // set before exited is closed
}

// Start starts the command. The error is a *StartError.
func Start(cfg Config) (*Process, error) {
	p := &Process{exited: make(chan struct{})}
	started := make(chan error, 1)
	go p.run(cfg, started)
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// run starts the process and waits for its exit on one thread; see [Transport].
func (p *Process) run(cfg Config, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	in, out, errs, theirs, err := pipes()
	if err != nil {
		started <- &StartError{Command: cfg.Argv[0], Dir: cfg.Dir, Err: err}
		return
	}
	p.stdin, p.stdout, p.stderr = in, newOutput(out), newOutput(errs)
	p.start.Time = time.Now()
	p.cmd, err = launch(cfg, &p.group, theirs)
	if err != nil {
		for _, f := range []*os.File{in, out, errs} {
			_ = f.Close()
		}
		started <- err
		return
	}
	p.start.What, p.start.PID, p.start.Path = transport.ProcessStarted, p.cmd.Process.Pid, p.cmd.Path
	p.start.Argv, p.start.Dir = cfg.Argv, cfg.Dir
	started <- nil
	_ = p.cmd.Wait() // ProcessState has the result
	state := p.cmd.ProcessState
	p.exit = &ExitError{Code: state.ExitCode(), Signal: signalName(state), After: time.Since(p.start.Time)}
	p.group.ended()
	p.stdout.limit()
	p.stderr.limit()
	close(p.exited)
}

// Started is the event of the start.
func (p *Process) Started() transport.ProcessEvent { return p.start }

// Stdin is written to the process.
func (p *Process) Stdin() io.WriteCloser { return p.stdin }

// Stdout is what the process writes there. When the process has exited, descendants
// that keep the pipe open are waited for only a short time.
func (p *Process) Stdout() io.ReadCloser { return p.stdout }

// Stderr is like Stdout.
func (p *Process) Stderr() io.ReadCloser { return p.stderr }

// Exited is closed when the process has exited; its output may not have been read yet.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Exit is how the process ended. It must be called after Exited is closed.
func (p *Process) Exit() *ExitError { return p.exit }

// Signal sends a signal to the process. One of the terminal, such as an interrupt,
// goes to its whole group, as a terminal sends it. Where the system has no signals,
// the process group is terminated. It returns the name of the signal that was sent.
func (p *Process) Signal(sig os.Signal) (name string) {
	select {
	case <-p.exited:
		return ""
	default:
		return p.group.signal(p.cmd.Process, sig)
	}
}
