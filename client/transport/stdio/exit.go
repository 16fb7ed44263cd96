package stdio

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mcptea/client/transport"
)

// How a server process ends. A name in brackets is a channel that is closed there, once.
//
//	run         the process exits → [reaped] → drain → ProcessExited → outlive → ProcessLeft → [exited] → [done]
//	drain       stdout ends, or after descendantGrace outlive → the last lines are delivered
//	outlive     close stdin → look for descendants → kill the group of the process
//	readStdout  stdout ends → wait for exited, or after exitGrace without reaped → [done]
//	writeStdin  a write fails → wait for exited, or until quit, or exitGrace without reaped
//	Close       [quit] → close stdin → wait for reaped, SIGTERM, wait, SIGKILL → wait for the four above
//
// The exit is the best reason for an end, and stderr often explains it: readStdout and
// writeStdin therefore wait for exited, when all output is delivered. Err returns the first
// reason; after quit it returns nil.

// exitGrace is the time that a process gets to exit after its pipes were closed.
const exitGrace = time.Second

func (t *Transport) afterStdout() {
	timer := time.NewTimer(exitGrace)
	defer timer.Stop()
	select {
	case <-t.exited:
		return
	case <-timer.C:
	}
	select {
	case <-t.reaped:
		<-t.exited
	default:
		t.setDone(ErrStdoutClosed)
	}
}

func (t *Transport) writeError(err error) error {
	timer := time.NewTimer(exitGrace)
	defer timer.Stop()
	select {
	case <-t.reaped:
		<-t.exited
		return t.exit
	case <-t.quit:
	case <-timer.C:
	}
	return fmt.Errorf("cannot write to stdin of the server: %w", err)
}

// afterReap delivers the rest of the output and reports the exit. The transport closes exited after it.
func (t *Transport) afterReap() {
	expected := false // Close may be called as soon as the exit is known
	select {
	case <-t.quit:
		expected = true
	default:
	}
	close(t.reaped)
	living := t.drain()
	// The last frame may have been read or written after the exit, but precedes it in the record.
	at := t.start.Time.Add(t.exit.After)
	if last := time.Unix(0, t.newest.Load()); last.After(at) {
		at = last
	}
	t.exit.After = at.Sub(t.start.Time)
	t.receiver.Process(transport.ProcessEvent{
		Time: at, What: transport.ProcessExited, PID: t.cmd.Process.Pid,
		ExitCode: t.exit.Code, Signal: t.exit.Signal, Expected: expected,
	})
	if living == nil {
		living = t.outlive()
	}
	t.outlived(living)
}

const (
	// descendantGrace is the maximum time in which descendants keep stdout open after the exit.
	descendantGrace = time.Second
	// deliveryTimeout bounds the time that the receiver may take for a line, which
	// can be long.
	deliveryTimeout = 10 * time.Second
)

// drain waits until the output is delivered. If descendants keep stdout open and have no time left, it kills
// the process group of the server, and returns the processes that lived until then.
func (t *Transport) drain() (living []entry) {
	timer := time.NewTimer(descendantGrace)
	defer timer.Stop()
	select {
	case <-t.stdout.end:
	case <-timer.C:
		if !t.family.hasTime() {
			living = t.outlive()
		}
	}
	t.stdout.limit()
	t.stderr.limit()
	t.stdout.await()
	t.stderr.await()
	return living
}

func (t *Transport) report(what transport.ProcessChange, signal string) {
	t.receiver.Process(transport.ProcessEvent{Time: time.Now(), What: what, PID: t.cmd.Process.Pid, Signal: signal})
}

func (t *Transport) setDone(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case <-t.done:
		return
	default:
	}
	select {
	case <-t.quit:
	default:
		t.err = err
	}
	close(t.done)
}

// Close closes stdin of the server, and terminates its process group if it does not exit
// then. It returns after the exit, when all output is delivered. The end of ctx shortens
// the waits.
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
	t.family.listLiving(&t.group, t.cmd.Process.Pid)
	if t.cfg.Abrupt {
		t.stdout.abandon()
		t.stderr.abandon()
	}
	_ = t.stdin.Close() // this also ends a blocked write
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

// idleChecks is the number of successive checks that must find a server idle. The interval is
// [Config.Idle].
const idleChecks = 4

// waitIdle is like waitExit with the grace period of the configuration, but ends early when the server has been
// idle for a while: no thread of its process group has run, and none waits for a disk.
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

// waitExit waits for reaped until the grace period or ctx ends, and reports whether the
// process has exited.
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
