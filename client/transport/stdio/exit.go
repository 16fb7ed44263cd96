package stdio

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mcptea/client/transport"
)

// exitGrace is how long to wait for the exit of a process after its pipes were
// closed, which happens before the exit status is available.
const exitGrace = time.Second

// afterStdout waits for the exit, which is the better reason for the end of stdout.
func (t *Transport) afterStdout() {
	timer := time.NewTimer(exitGrace)
	defer timer.Stop()
	select {
	case <-t.exited:
		return
	case <-timer.C:
	}
	select {
	case <-t.reaped: // its stderr is being delivered
		<-t.exited
	default:
		t.setDone(ErrStdoutClosed)
	}
}

// writeError waits for the exit, which is a better reason than a broken pipe.
func (t *Transport) writeError(err error) error {
	timer := time.NewTimer(exitGrace)
	defer timer.Stop()
	select {
	case <-t.reaped:
		<-t.exited // its stderr has the reason
		return t.exit
	case <-t.quit:
	case <-timer.C:
	}
	return fmt.Errorf("cannot write to stdin of the server: %w", err)
}

// afterReap delivers what the process has written before its exit.
func (t *Transport) afterReap() {
	expected := false // Close may be called as soon as the exit is known
	select {
	case <-t.quit:
		expected = true
	default:
	}
	close(t.reaped)
	t.drain()
	t.group.kill() // its remaining descendants
	// The last frame may have been read or written after the exit, and comes before it.
	at := t.start.Time.Add(t.exit.After)
	if last := time.Unix(0, t.newest.Load()); last.After(at) {
		at = last
	}
	t.exit.After = at.Sub(t.start.Time)
	t.receiver.Process(transport.ProcessEvent{
		Time: at, What: transport.ProcessExited, PID: t.cmd.Process.Pid,
		ExitCode: t.exit.Code, Signal: t.exit.Signal, Expected: expected,
	})
}

const (
	// descendantGrace is how long descendants may keep stdout open after the exit.
	descendantGrace = time.Second
	// deliveryTimeout bounds the time that the receiver may take for a line, which
	// can be long.
	deliveryTimeout = 10 * time.Second
)

// drain waits until the last output of the process is delivered, but not for
// descendants that keep the pipes open. It often has the reason of the exit.
func (t *Transport) drain() {
	timer := time.NewTimer(descendantGrace)
	defer timer.Stop()
	select {
	case <-t.stdout.end:
	case <-timer.C:
		t.group.kill()
	}
	t.stdout.limit()
	t.stderr.limit()
	t.stdout.await()
	t.stderr.await()
}

func (t *Transport) report(what transport.ProcessChange, signal string) {
	t.receiver.Process(transport.ProcessEvent{Time: time.Now(), What: what, PID: t.cmd.Process.Pid, Signal: signal})
}

// setDone closes done, once.
func (t *Transport) setDone(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case <-t.done:
		return
	default:
	}
	select {
	case <-t.quit: // after Close there is no error
	default:
		t.err = err
	}
	close(t.done)
}

// Close closes stdin of the server, waits, sends SIGTERM to its process group, waits,
// and sends SIGKILL. It returns after the exit, when all output is delivered. The end
// of ctx shortens the waits.
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
	_ = t.stdin.Close() // also ends a blocked write
	t.receiver.Process(transport.ProcessEvent{
		Time: time.Now(), What: transport.ProcessStdinClosed, PID: t.cmd.Process.Pid, Stopped: stopped,
	})
	if !t.waitIdle(ctx) {
		// Reported before the exit that the signal causes.
		t.report(transport.ProcessSignalled, terminateSignal)
		t.group.terminate()
		if !t.waitExit(ctx, t.cfg.Grace/2) {
			t.report(transport.ProcessSignalled, killSignal)
			t.group.kill()
		}
	}
	t.wg.Wait()
	_ = errors.Join(t.stdout.Close(), t.stderr.Close())
}

// idleChecks is how many times in a row a server must be found idle, at equal intervals
// of [Config.Idle].
const idleChecks = 4

// waitIdle is waitExit with the grace period of the configuration, which ends early when
// the server has been idle for a while: no thread of its process group has run, and none
// waits for a disk.
func (t *Transport) waitIdle(ctx context.Context) bool {
	if t.cfg.Idle <= 0 {
		return t.waitExit(ctx, t.cfg.Grace)
	}
	ctx, stop := context.WithTimeout(ctx, t.cfg.Grace)
	defer stop()
	ticker := time.NewTicker(t.cfg.Idle / idleChecks)
	defer ticker.Stop()
	before, idle := uint64(0), 0
	for idle < idleChecks {
		select {
		case <-t.reaped:
			return true
		case <-ctx.Done():
			return false
		case <-ticker.C:
		}
		ran, busy, ok := activity(t.cmd.Process.Pid)
		if idle++; !ok || busy || ran != before {
			idle = 0
		}
		before = ran
	}
	return false
}

// waitExit waits for the exit until the grace period or ctx ends, and reports whether
// the process has exited.
func (t *Transport) waitExit(ctx context.Context, grace time.Duration) bool {
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-t.reaped:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}
