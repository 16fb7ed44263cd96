package pipeline

import (
	"errors"
	"fmt"
	"time"

	"mcptea/client/secret"
	"mcptea/lint/baseline"
	"mcptea/record"
	"mcptea/record/store"
	"mcptea/session/intercept"
)

// Recording holds the settings for recording a session of a tap.
type Recording struct {
	Create   func() (*store.Writer, error) // creates the file; nil to write none
	Observe  Observe                       // observer, or nil
	Secrets  *secret.Values                // secrets to redact, or nil
	Baseline string                        // file with which the lists are compared, or ""
	Warn     func(text string)
}

// Begin returns the recorder of a session. If the file cannot be created, it prints a warning, and the session
// continues.
func (c Recording) Begin(transport, target string) *Recorder {
	r := &Recorder{
		Observer: c.Observe.Session(transport, target), Transport: transport, Target: target, Secrets: c.Secrets, Warn: c.Warn,
		Watch: baseline.NewWatch(c.Baseline, c.Warn),
	}
	if c.Create != nil {
		var err error
		if r.Writer, err = c.Create(); err != nil {
			c.Warn(fmt.Sprintf("this session is not recorded: %v", err))
		}
	}
	return r
}

// Start runs a queue; the channel is closed when all that was put into it is recorded.
func Start(q *store.Queue) (recorded <-chan struct{}) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		q.Run()
	}()
	return done
}

// Changes makes the recorder record the changes of a gate, which may be nil.
func (r *Recorder) Changes(g *intercept.Gate, q *store.Queue) {
	if g == nil {
		return
	}
	g.OnChange(func(_ string, c *record.Change) {
		now := time.Now()
		q.Call(func() { r.Change(now, c) })
	})
}

// ChangesOf is like Changes, except for one of several sessions, until stop is called.
func (r *Recorder) ChangesOf(session string, g *intercept.Gate, q *store.Queue) (stop func()) {
	if g == nil {
		return func() {}
	}
	return g.OnChangeOf(session, func(c *record.Change) {
		now := time.Now()
		q.Call(func() { r.Change(now, c) })
	})
}

// End ends the recording of a queue, records the bytes that were dropped, and warns about failures.
func (r *Recorder) End(q *store.Queue, at time.Time, reason string) {
	err := q.Err()
	r.Gap(at, err)
	if err := errors.Join(err, r.Close(at, reason)); err != nil {
		r.Warn(err.Error())
	}
}

// Gap notes that a queue had no room for what follows, if that is its error.
func (r *Recorder) Gap(at time.Time, err error) {
	if err != nil {
		r.Note(at, fmt.Sprintf(record.NotComplete+", its temporary storage was full: %v; what follows is not in it", err))
	}
}
