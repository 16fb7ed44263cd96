package tap

import (
	"context"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/client/transport/stdio"
	"mcptea/record/store"
	"mcptea/session/intercept"
	"mcptea/session/tap/control"
	"mcptea/session/tap/pipeline"
)

// Stdio is a tap that a host starts instead of a server: it starts the server and copies stdin, stdout and
// stderr.
type Stdio struct {
	Command stdio.Config
	// Target is the command line with its secrets redacted. Secrets holds these secrets.
	Target  string
	Secrets *secret.Values
	// Stdin, Stdout and Stderr are the streams of the host. If Stdout can be closed, the tap closes
	// it after it has forwarded all of the server's stdout.
	Stdin          io.ReadCloser
	Stdout, Stderr io.Writer
	// Signals are passed to the server.
	Signals <-chan os.Signal
	// Record creates the recording once the server runs. It may be nil. If it fails, the server
	// runs without a recording.
	Record  func() (*store.Writer, error)
	Observe pipeline.Observe // observer, or nil
	// Baseline is a file with which the lists of the server are compared, or "". See
	// [baseline.Watch].
	Baseline string
	Gate     *intercept.Gate  // gate, or nil
	Control  *control.Control // control of the gate, or nil
	// Warn is called with a sentence for the user, from any goroutine.
	Warn func(text string)

	recorder *pipeline.Recorder
	queue    *store.Queue
	process  *stdio.Process
	// hostClosed is set when the host has closed stdin.
	hostClosed atomic.Bool
}

// Run starts the server, and returns when the server has exited and its output is forwarded. It
// returns how the server exited. The error is a *stdio.StartError.
func (s *Stdio) Run() (*stdio.ExitError, error) {
	process, err := stdio.Start(s.Command)
	if err != nil {
		return nil, err
	}
	s.process = process
	s.recorder = pipeline.Recording{Create: s.Record, Observe: s.Observe, Secrets: s.Secrets, Baseline: s.Baseline, Warn: s.Warn}.Begin("stdio", s.Target)
	s.queue = store.NewQueue()
	started := process.Started()
	s.Control.Begin(control.Session{Recording: s.recorder.Path(), Since: started.Time})
	defer s.Control.End("")
	s.queue.Call(func() {
		s.recorder.Open(started.Time)
		s.recorder.Process(started, started.Time)
	})
	s.recorder.Changes(s.Gate, s.queue)
	recorded := pipeline.Start(s.queue)
	s.copy()
	exit := process.Exit()
	s.finish(exit, recorded)
	return exit, nil
}

// copy copies the streams until the server has exited and its output is forwarded.
func (s *Stdio) copy() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	out, in := s.direction(transport.Out, s.process.Stdin()), s.direction(transport.In, s.Stdout)
	out.Back, in.Back = in, out
	if in.Shared = s.Control.Share(func(line []byte) bool { return out.Reply(line, transport.Attached) }); in.Shared != nil {
		defer in.Shared.SettleAll(pipeline.ErrEnded)
		s.queue.Call(func() { s.recorder.Negotiated = in.Shared.Negotiated })
	}
	go func() { // the goroutine ends with the program: a read of stdin cannot be interrupted
		err := out.Run(ctx, s.Stdin)
		out.End()
		s.stdinEnded(err)
	}()
	var outputs sync.WaitGroup
	outputs.Go(func() {
		if in.Run(ctx, s.process.Stdout()) != nil {
			_ = s.process.Stdout().Close() // the server gets EPIPE, as without the tap
		}
		if c, ok := s.Stdout.(io.Closer); ok {
			_ = c.Close() // the host need not wait for the recording
		}
		in.End()
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
				return // the host no longer reads
			default:
			}
			s.signalled(sig)
		case <-done:
			return
		}
	}
}

func (s *Stdio) direction(dir transport.Direction, dst io.Writer) *pipeline.Direction {
	d := pipeline.NewDirection(dir, s.recorder, s.queue, s.Gate)
	d.Dst, d.Note = dst, func(text string) {
		now := time.Now()
		s.queue.Call(func() { s.recorder.Note(now, text) })
	}
	return d
}

// stdinEnded passes the end of stdin on: to the server, or to the host.
func (s *Stdio) stdinEnded(err error) {
	now := time.Now()
	s.process.Look()
	if err == nil {
		s.hostClosed.Store(true)
	}
	s.queue.Call(func() {
		s.recorder.Process(transport.ProcessEvent{
			Time: now, What: transport.ProcessStdinClosed, PID: s.process.Started().PID,
			Stopped: stdio.IsStopped(s.process.Started().PID),
		}, now)
	})
	_ = s.process.Stdin().Close()
	if err != nil {
		_ = s.Stdin.Close() // the host gets EPIPE, as without the tap
	}
}

// copyStderr copies stderr. It records each line when the line ends.
func (s *Stdio) copyStderr() {
	sink := &pipeline.Lines{Max: pipeline.MaxStderr, Take: func(at time.Time, l pipeline.Line) {
		s.recorder.Stderr(transport.Line{Time: at, Text: string(l.Text)})
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
			s.queue.Call(sink.End)
			return
		}
	}
}

func (s *Stdio) signalled(sig os.Signal) {
	now := time.Now()
	name := s.process.Signal(sig)
	s.queue.Call(func() {
		s.recorder.Process(transport.ProcessEvent{
			Time: now, What: transport.ProcessSignalled, PID: s.process.Started().PID, Signal: name,
		}, now)
	})
}

// finish writes the end of the recording. The output is already forwarded, so only the exit of the
// tap waits for finish.
func (s *Stdio) finish(exit *stdio.ExitError, recorded <-chan struct{}) {
	now := time.Now()
	started := s.process.Started()
	expected := s.hostClosed.Load()
	s.queue.Call(func() {
		s.recorder.Process(transport.ProcessEvent{
			Time: now, What: transport.ProcessExited, PID: started.PID, ExitCode: exit.Code, Signal: exit.Signal, Expected: expected,
		}, started.Time)
		if left := s.process.Left(); len(left) > 0 {
			s.recorder.Process(transport.ProcessEvent{Time: now, What: transport.ProcessLeft, PID: started.PID, Left: left, After: transport.LeftAtExit}, started.Time)
		}
		reason := ""
		if !expected {
			reason = exit.Error()
		}
		s.recorder.End(s.queue, now, reason)
	})
	s.queue.Close()
	pipeline.Await(s.queue, recorded, s.Warn)
}
