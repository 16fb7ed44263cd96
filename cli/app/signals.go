package app

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"

	"mcptea/client/transport/stdio"
)

// SignalError is the cause of a context that was canceled by a signal, or because
// stdout is a pipe without a reader.
type SignalError struct {
	text string
	Code int // exit code, 128 plus the number of the signal
}

func (e *SignalError) Error() string { return e.text }

// ErrBrokenPipe ends the program like SIGPIPE, which mcptea turns into an error
// of the write so that the server can be shut down first.
var ErrBrokenPipe = &SignalError{"stdout: broken pipe", 128 + int(syscall.SIGPIPE)}

// errOutput ends a command without end whose output cannot be written, see [App.EndWithoutOutput].
var errOutput = &SignalError{"stdout cannot be written", ExitError}

// ErrHangup ends the program like the SIGHUP of a terminal that was closed.
var ErrHangup = &SignalError{"the terminal was closed", 128 + int(syscall.SIGHUP)}

// SignalOf returns the signal that caused an error, or nil.
func SignalOf(err error) *SignalError {
	var e *SignalError
	if errors.As(err, &e) {
		return e
	}
	return nil
}

const (
	// progressTimeout is the time without progress after the first signal until
	// the program exits without waiting for anything.
	progressTimeout = 2 * time.Second
	// InterruptedTimeout bounds the graceful end of a server after a signal.
	InterruptedTimeout = 1750 * time.Millisecond
	// ShutdownTimeout bounds it at the end of a command.
	ShutdownTimeout = 10 * time.Second
	// InterruptedLimit covers InterruptedTimeout and the work after it: SIGKILL, the last output, the end of
	// the recording.
	InterruptedLimit = 4 * time.Second
	// forceTimeout is progressTimeout after the second signal.
	forceTimeout = 500 * time.Millisecond
	// flushTimeout bounds the actions of a forced exit after the process groups were killed: closing the
	// recordings, restoring the terminal.
	flushTimeout = 250 * time.Millisecond
)

// Listen handles signals until the function that it returns is called. The first
// one cancels ctx, which ends the session: stdin closed, SIGTERM, SIGKILL. The
// second one cancels forceCtx, which skips the grace periods. A program that
// waits elsewhere (a FIFO, a pipe without a reader, a stalled terminal) is ended
// by the watchdog.
func (p *App) Listen() (done func()) {
	signals := make(chan os.Signal, 4)
	quit, gone := make(chan struct{}), make(chan struct{})
	signal.Notify(signals, endingSignals()...)
	// With a handler, a write to a closed pipe fails with EPIPE. Ignoring the
	// signal would do the same, and servers would inherit that.
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	go func() {
		defer close(gone)
		for {
			select {
			case sig := <-signals:
				if sig == os.Interrupt && p.Lent.Load() {
					continue
				}
				if relay := p.Relay.Load(); relay != nil {
					select {
					case *relay <- sig:
					default: // many are waiting
					}
					continue
				}
				p.interrupt(sig)
			case <-broken: // the write reports it
			case <-p.Ctx.Done():
				p.Watchdog.start(progressTimeout, p.exitNow)
				for {
					select {
					case <-signals:
						p.force()
						p.Watchdog.limit(forceTimeout)
					case <-broken:
					case <-quit:
						return
					}
				}
			case <-quit:
				return
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		close(quit)
		<-gone
		p.Watchdog.stop()
		signal.Stop(broken)
		p.stop(nil)
		p.force()
	}
}

// EndWithReader makes the exit of the process that reads stdout the normal end of the command,
// without waiting for the next write, which may never come.
func (p *App) EndWithReader() {
	p.EndlessOutput = true
	p.EndWithoutOutput()
	pipe, ok := p.Out.Writer.(*os.File)
	if !ok {
		return
	}
	if info, err := pipe.Stat(); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return
	}
	go func() {
		if awaitReaderExit(pipe, p.Ctx.Done()) {
			p.stop(ErrBrokenPipe)
		}
	}()
}

// EndWithoutOutput makes an endless command end when its output cannot be written, as on a full disk.
func (p *App) EndWithoutOutput() {
	p.Out.mu.Lock()
	defer p.Out.mu.Unlock()
	p.Out.failed = func() { p.stop(errOutput) }
}

// endingSignals returns the signals that end the program. SIGHUP stays ignored under nohup.
func endingSignals() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}

// signalNames maps signals to descriptions of how the program ended.
var signalNames = map[syscall.Signal]string{
	syscall.SIGTERM: "ended by SIGTERM", syscall.SIGQUIT: "ended by SIGQUIT", syscall.SIGHUP: "ended by SIGHUP",
}

func (p *App) interrupt(sig os.Signal) {
	code, text := ExitInterrupted, "interrupted"
	if s, ok := sig.(syscall.Signal); ok {
		code = 128 + int(s)
		text = cmp.Or(signalNames[s], text)
	}
	p.stop(&SignalError{text, code})
}

// exitNow ends the program while other goroutines are blocked.
func (p *App) exitNow() {
	stdio.KillAll()
	flushed := make(chan struct{})
	go func() {
		defer close(flushed)
		p.AtExit.run()
	}()
	select {
	case <-flushed:
	case <-time.After(flushTimeout):
	}
	code := ExitInterrupted
	if cause := SignalOf(context.Cause(p.Ctx)); cause != nil {
		code = cause.Code
	}
	os.Exit(code)
}

// watchdog calls a function when a deadline passes. The zero value has no deadline.
type watchdog struct {
	mu      sync.Mutex
	timer   *time.Timer // timer, or nil before start
	limited bool
}

func (w *watchdog) start(timeout time.Duration, expired func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(timeout, expired)
}

// limit permanently replaces the rest of the timeout.
func (w *watchdog) limit(timeout time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil && !w.limited {
		w.limited = true
		w.timer.Reset(timeout)
	}
}

// Extend replaces the rest of the timeout, unless it was limited: the program has begun a step that has its own
// bound.
func (w *watchdog) Extend(timeout time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil && !w.limited {
		w.timer.Reset(timeout)
	}
}

func (w *watchdog) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil {
		w.timer.Stop()
	}
}

// exitFuncs are functions that a forced exit calls, the last one first.
type exitFuncs struct {
	mu  sync.Mutex
	all []*func()
}

// Add registers a function; the returned function removes it.
func (e *exitFuncs) Add(f func()) (remove func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	entry := &f
	e.all = append(e.all, entry)
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.all = slices.DeleteFunc(slices.Clone(e.all), func(other *func()) bool { return other == entry })
	}
}

func (e *exitFuncs) run() {
	e.mu.Lock()
	all := e.all
	e.mu.Unlock()
	for _, f := range slices.Backward(all) {
		(*f)()
	}
}
