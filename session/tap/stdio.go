package tap

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/client/transport/stdio"
	"mcptea/session/checks/baseline"
	"mcptea/session/intercept"
	"mcptea/session/record"
	"mcptea/session/record/store"
)

// Stdio is a tap that a host starts in place of a server: it starts the server and
// copies stdin, stdout and stderr.
type Stdio struct {
	Command stdio.Config
	// Target is the command line with its secrets redacted, Secrets are those of it.
	Target  string
	Secrets *secret.Values
	// Stdin, Stdout and Stderr are those of the host. A Stdout that can be closed is
	// closed when that of the server has ended and is passed on.
	Stdin          io.ReadCloser
	Stdout, Stderr io.Writer
	// Signals are passed to the server.
	Signals <-chan os.Signal
	// Record creates the recording once the server runs; nil for none. Its error does
	// not keep the server from running.
	Record  func() (*store.Writer, error)
	Observe Observe // nil without
	// Baseline is a file that what the server offers is compared with; empty for none. See
	// [baseline.Watch].
	Baseline string
	Gate     *intercept.Gate // nil without
	Control  *Control        // of the Gate; nil without
	// Warn is called with a sentence for the user, from any goroutine.
	Warn func(text string)

	recorder *recorder
	queue    *store.Queue
	process  *stdio.Process
	// hostClosed says that the host has closed stdin.
	hostClosed atomic.Bool
}

// Run returns when the server has exited and its output is passed on, with how it
// exited. The error is a *stdio.StartError.
func (s *Stdio) Run() (*stdio.ExitError, error) {
	process, err := stdio.Start(s.Command)
	if err != nil {
		return nil, err
	}
	s.process = process
	s.recorder = &recorder{
		observer: s.Observe.session("stdio", s.Target), transport: "stdio", target: s.Target, secrets: s.Secrets, warn: s.Warn,
		watch: baseline.NewWatch(s.Baseline, s.Warn),
	}
	if s.Record != nil {
		if s.recorder.writer, err = s.Record(); err != nil {
			s.Warn(fmt.Sprintf("this session is not recorded: %v", err))
		}
	}
	s.queue = store.NewQueue()
	started := process.Started()
	s.Control.begin(Session{Recording: s.recorder.path(), Since: started.Time})
	defer s.Control.end("")
	s.queue.Call(func() {
		s.recorder.open(started.Time)
		s.recorder.process(started, started.Time)
	})
	if s.Gate != nil {
		s.Gate.OnChange(func(_ string, c *record.Change) {
			now := time.Now()
			s.queue.Call(func() { s.recorder.change(now, c) })
		})
	}
	recorded := make(chan struct{})
	go func() {
		defer close(recorded)
		s.queue.Run()
	}()
	s.copy()
	exit := process.Exit()
	s.finish(exit, recorded)
	return exit, nil
}

// copy copies the streams until the server has exited and its output is passed on.
func (s *Stdio) copy() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	out := s.direction(transport.Out, s.process.Stdin())
	in := s.direction(transport.In, s.Stdout)
	out.back, in.back = in, out
	in.shared = s.Control.shareStdio(out)
	if in.shared != nil {
		defer in.shared.settleAll(errTapEnded)
		s.queue.Call(func() { s.recorder.negotiated = in.shared.negotiated })
	}
	go func() { // it ends with the program: a read of stdin cannot be ended
		err := out.run(ctx, s.Stdin, s.Gate)
		s.queue.Call(out.sink.end)
		s.stdinEnded(err)
	}()
	var outputs sync.WaitGroup
	outputs.Go(func() {
		if in.run(ctx, s.process.Stdout(), s.Gate) != nil {
			_ = s.process.Stdout().Close() // the server gets EPIPE, as without the tap
		}
		if c, ok := s.Stdout.(io.Closer); ok {
			_ = c.Close() // the host need not wait for the recording
		}
		s.queue.Call(in.sink.end)
	})
	outputs.Go(s.copyStderr)
	done := make(chan struct{})
	go func() {
		<-s.process.Exited()
		outputs.Wait()
		close(done)
	}()
	for {
		select {
		case sig := <-s.Signals:
			select {
			case <-s.process.Exited():
				return // the host does not read what is left
			default:
			}
			s.signalled(sig)
		case <-done:
			return
		}
	}
}

func (s *Stdio) direction(dir transport.Direction, dst io.Writer) *direction {
	d := &direction{dir: dir, dst: dst, queue: s.queue, note: func(text string) {
		now := time.Now()
		s.queue.Call(func() { s.recorder.note(now, text) })
	}}
	d.sink, d.row = s.recorder.frames(dir)
	if s.Gate != nil {
		d.lane = s.Gate.NewLane("")
	}
	return d
}

// stdinEnded passes the end of stdin on, in the direction that it came from.
func (s *Stdio) stdinEnded(err error) {
	now := time.Now()
	s.process.Look()
	if err == nil {
		s.hostClosed.Store(true)
	}
	s.queue.Call(func() {
		s.recorder.process(transport.ProcessEvent{
			Time: now, What: transport.ProcessStdinClosed, PID: s.process.Started().PID,
			Stopped: stdio.IsStopped(s.process.Started().PID),
		}, now)
	})
	_ = s.process.Stdin().Close()
	if err != nil {
		_ = s.Stdin.Close() // the host gets EPIPE, as without the tap
	}
}

// copyStderr copies stderr. The lines are recorded as they end.
func (s *Stdio) copyStderr() {
	sink := &lines{max: maxStderr, take: func(at time.Time, text []byte, _ string, _ bool) {
		s.recorder.stderr(transport.Line{Time: at, Text: string(text)})
	}}
	buf := make([]byte, 32<<10)
	for {
		n, err := s.process.Stderr().Read(buf)
		if n > 0 {
			s.queue.Put(sink, time.Now(), buf[:n])
			if _, failed := s.Stderr.Write(buf[:n]); failed != nil {
				_ = s.process.Stderr().Close()
				err = failed
			}
		}
		if err != nil {
			s.queue.Call(sink.end)
			return
		}
	}
}

func (s *Stdio) signalled(sig os.Signal) {
	now := time.Now()
	name := s.process.Signal(sig)
	s.queue.Call(func() {
		s.recorder.process(transport.ProcessEvent{
			Time: now, What: transport.ProcessSignalled, PID: s.process.Started().PID, Signal: name,
		}, now)
	})
}

// finish writes the end of the recording. The output has been passed on, so that only
// the exit of the tap waits for it.
func (s *Stdio) finish(exit *stdio.ExitError, recorded <-chan struct{}) {
	now := time.Now()
	started := s.process.Started()
	expected := s.hostClosed.Load()
	s.queue.Call(func() {
		s.recorder.process(transport.ProcessEvent{
			Time: now, What: transport.ProcessExited, PID: started.PID, ExitCode: exit.Code, Signal: exit.Signal, Expected: expected,
		}, started.Time)
		if left := s.process.Left(); len(left) > 0 {
			s.recorder.process(transport.ProcessEvent{Time: now, What: transport.ProcessLeft, PID: started.PID, Left: left, After: transport.LeftAtExit}, started.Time)
		}
		reason := ""
		if !expected {
			reason = exit.Error()
		}
		err := s.queue.Err()
		if err != nil {
			s.recorder.note(now, gapText(err))
		}
		if err := errors.Join(err, s.recorder.close(now, reason)); err != nil {
			s.Warn(err.Error())
		}
	})
	s.queue.Close()
	awaitRecorder(s.queue, recorded, s.Warn)
}
