package app

import (
	"context"
	"time"
)

// Work is work outside of Update of which only the last counts: that before is ended, and
// what it has found is dropped. The zero Work has nothing to do.
type Work struct {
	// Ended is what has ended and how, for a user who is elsewhere by then; nil for what needs no notice.
	Ended func() (what, how string)
	stop  context.CancelFunc
}

// Start begins work in the place of that before; see [Program.Go].
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

// Busy reports whether the work goes on.
func (w *Work) Busy() bool { return w.stop != nil }

// Stop ends the work.
func (w *Work) Stop() {
	if w.stop != nil {
		w.stop()
		w.stop = nil
	}
}
