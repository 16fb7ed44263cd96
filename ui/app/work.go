package app

import (
	"context"
	"time"
)

// Work runs work outside of Update. Only the newest work counts: starting cancels the previous work and drops
// its result. The zero Work is idle.
type Work struct {
	// Ended returns what has ended, and how, for a user who is looking elsewhere. Ended is nil if
	// no notice is needed.
	Ended func() (what, how string)
	stop  context.CancelFunc
}

// Start starts work and cancels the previous work; see [Program.Go].
func (w *Work) Start(a Program, work func(context.Context) (done func())) {
	w.Stop()
	ctx, stop := context.WithCancel(context.Background())
	w.stop = stop
	began := time.Now()
	a.Go(func(program context.Context) func() {
		defer context.AfterFunc(program, stop)()
		done := work(ctx)
		took := time.Since(began)
		return func() {
			if ctx.Err() != nil {
				return
			}
			w.Stop()
			if done != nil {
				done()
			}
			if n, ok := a.(Notified); ok && w.Ended != nil && !w.Busy() {
				what, how := w.Ended()
				n.Ended(what, how, took)
			}
		}
	})
}

// Busy reports whether the work is running.
func (w *Work) Busy() bool { return w.stop != nil }

// Stop ends the work.
func (w *Work) Stop() {
	if w.stop != nil {
		w.stop()
		w.stop = nil
	}
}
