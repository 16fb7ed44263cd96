package events

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/internal/backoff"
	"mcptea/internal/words/phrase"
	"mcptea/record/webhook"
)

// Options configure a subscription.
type Options struct {
	Params
	// Mode is [revision.DeliveryPush] or [revision.DeliveryPoll].
	Mode string
	// Most is the number of events requested by a poll. 0 leaves it to the server.
	Most int
	// Floor is the least pause between two polls; 0 is a second.
	Floor time.Duration
	// Heartbeat is the expected interval of heartbeats on a stream; 0 is 30 s. A stream that is silent for
	// twice the interval counts as dead.
	Heartbeat time.Duration
}

// The pauses of a subscription.
const (
	// defaultFloor and defaultHeartbeat are from the specification (SEP-3415, events/poll and events/stream).
	defaultFloor     = time.Second
	defaultHeartbeat = 30 * time.Second

	defaultPoll = 5 * time.Second // pause after a poll whose result does not set one
	maxPoll     = 10 * time.Minute
	openTimeout = 30 * time.Second // timeout for the first notification of a stream
	finalGrace  = 2 * time.Second  // time allowed for the response of a terminated stream
	readTimeout = 30 * time.Second // timeout for reading an arrived response from the record

	// maxOpens bounds the attempts of a subscription whose delivery has never begun.
	maxOpens = 5
)

// betweenAttempts are the pauses before another attempt after one that was lost.
var betweenAttempts = backoff.Backoff{First: 500 * time.Millisecond, Most: 30 * time.Second}

// Follower keeps a subscription going. Its methods may be called from any goroutine.
type Follower struct {
	t      *Tracker
	o      Options
	hook   *webhook.Server // webhook receiver, or nil
	ttl    time.Duration   // requested lifetime of a webhook
	rotate chan struct{}   // requests a new secret
	left   atomic.Bool     // the server has not confirmed the end of a webhook
	number int
	stop   chan struct{}
	done   chan struct{}
}

// Follow subscribes, and continues until the server or [Follower.Stop] ends the subscription, or the session is
// closed. An error response to the first request ends it.
func (t *Tracker) Follow(o Options) *Follower {
	t.start()
	if o.Floor <= 0 {
		o.Floor = defaultFloor
	}
	if o.Heartbeat <= 0 {
		o.Heartbeat = defaultHeartbeat
	}
	t.mu.Lock()
	s := t.add(State{Name: o.Name, Arguments: o.arguments(), Mode: o.Mode, Began: time.Now(), Row: -1, Followed: true, Cursor: o.Cursor}, 0)
	t.mu.Unlock()
	f := &Follower{t: t, o: o, number: s.Number, stop: make(chan struct{}, 1), done: make(chan struct{})}
	if !t.session.Go(f.run) {
		f.ended("the session is closed")
		close(f.done)
	}
	t.session.Changed()
	return f
}

// Number returns the number of the subscription: see [Tracker.Of].
func (f *Follower) Number() int { return f.number }

// State returns a snapshot of the subscription.
func (f *Follower) State() State {
	s, _ := f.t.Of(f.number)
	return s
}

// Done returns a channel that is closed when the follower has ended.
func (f *Follower) Done() <-chan struct{} { return f.done }

// Stop ends the subscription, and has the server know. It does not wait for the end.
func (f *Follower) Stop() {
	select {
	case f.stop <- struct{}{}:
	default:
	}
}

// An outcome is the next step after an attempt.
type outcome uint8

const (
	again   outcome = iota // after the pause
	atOnce                 // without a pause: the next poll is due
	over                   // the subscription has ended
	stopped                // the user, or the end of the session
)

func (f *Follower) run() {
	defer close(f.done)
	if f.hook != nil && !f.hook.Lingers {
		defer f.hook.Stop(context.Background())
	}
	attempt := f.stream
	if f.o.Mode == revision.DeliveryPoll {
		attempt = f.poll
	} else if f.hook != nil {
		attempt = f.subscribe
	}
	pauses := backoff.Series{Backoff: betweenAttempts}
	for opens := 1; ; opens++ {
		if !f.awaitConnection() {
			f.stopped()
			f.ended("")
			return
		}
		began := time.Now()
		switch attempt() {
		case over:
			return
		case stopped:
			f.ended("")
			return
		case atOnce:
			pauses.Reset()
			continue
		}
		if s, _, _ := f.look(); s.Since.IsZero() && opens >= maxOpens {
			f.ended(fmt.Sprintf("given up: the server has not begun to deliver in %d attempts", opens))
			return
		}
		pauses.Lasted(time.Since(began))
		pause := pauses.Next()
		f.update(func(s *subscription) { s.Next = time.Now().Add(pause) })
		if !f.pause(pause) {
			f.stopped()
			f.ended("")
			return
		}
	}
}

// update changes the subscription, and wakes what shows it.
func (f *Follower) update(change func(*subscription)) {
	f.t.mu.Lock()
	if s := f.t.find(f.number); s != nil {
		change(s)
	}
	f.t.wakeAll()
	f.t.mu.Unlock()
	f.t.session.Changed()
}

// look reads the subscription.
func (f *Follower) look() (s subscription, passed int32, ended bool) {
	f.t.mu.Lock()
	defer f.t.mu.Unlock()
	if found := f.t.find(f.number); found != nil {
		s = *found
	}
	return s, f.t.passed, f.t.ended
}

// ended records an end by the client.
func (f *Follower) ended(text string) {
	f.update(func(s *subscription) { s.stopped(-1, time.Now(), text) })
}

// pause waits. It returns false if the subscription must end.
func (f *Follower) pause(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-f.stop:
	case <-f.t.session.Closing():
	}
	return false
}

// awaitConnection waits for a connection. It returns false if the subscription must end.
func (f *Follower) awaitConnection() bool {
	changed, stop := f.t.session.Store().Subscribe()
	defer stop()
	for {
		if _, ready := f.t.session.Connected(); ready {
			return true
		}
		if s, _, _ := f.look(); !s.Next.IsZero() { // no time is known: continue with the next connection
			f.update(func(s *subscription) { s.Next = time.Time{} })
		}
		select {
		case <-changed:
		case <-f.stop:
			return false
		case <-f.t.session.Closing():
			return false
		}
	}
}

// params returns the params of the next request, which continues from the newest cursor.
func (f *Follower) params() Params {
	p := f.o.Params
	s, _, _ := f.look()
	p.Cursor = s.Cursor
	return p
}

// stream opens a stream, and follows it to its end.
func (f *Follower) stream() outcome {
	sent := time.Now()
	call := f.t.session.Send(revision.EventsStream, f.params().Stream())
	answered, final := call.Done(), time.Time{}
	for {
		changed := f.t.changes()
		s, _, ended := f.look()
		deadline := f.deadline(&s, sent)
		if s.Phase == Ended {
			if final.IsZero() {
				final = time.Now().Add(finalGrace)
			}
			deadline = final
		}
		timer := time.NewTimer(time.Until(deadline))
		select {
		case <-changed:
		case <-answered:
			timer.Stop()
			return f.answered(call)
		case <-timer.C:
			cancel(call)
			if s.Phase == Ended {
				return over
			}
			f.lost(f.silence(&s))
			return again
		case <-f.stop:
			timer.Stop()
			cancel(call)
			return stopped
		case <-f.t.session.Closing():
			timer.Stop()
			return stopped
		}
		timer.Stop()
		if ended {
			cancel(call)
			f.lost("the record of the session cannot be read any more")
			return stopped
		}
	}
}

// cancelGrace is the time allowed for a cancelled request to end and for the server to be notified.
const cancelGrace = time.Second

// cancel cancels a request, and waits until the cancellation is on its way.
func cancel(call Call) {
	call.Cancel()
	timer := time.NewTimer(cancelGrace)
	defer timer.Stop()
	select {
	case <-call.Done():
	case <-timer.C:
	}
}

// deadline returns when a silent stream counts as dead.
func (f *Follower) deadline(s *subscription, sent time.Time) time.Time {
	if !s.opened || s.Heard.Before(sent) {
		return sent.Add(max(openTimeout, 2*f.o.Heartbeat))
	}
	return s.Heard.Add(2 * f.o.Heartbeat)
}

// silence describes why a stream counts as dead.
func (f *Follower) silence(s *subscription) string {
	if !s.opened {
		return "the server has not begun to deliver within " + phrase.Duration(max(openTimeout, 2*f.o.Heartbeat))
	}
	return "neither an event nor a heartbeat came for " + phrase.Duration(2*f.o.Heartbeat)
}

// lost records a lost stream or poll.
func (f *Follower) lost(text string) {
	f.update(func(s *subscription) { s.lost(time.Now(), text) })
}

// answered handles the end of a request.
func (f *Follower) answered(call Call) outcome {
	response, err := call.Outcome()
	if err != nil {
		// The request is recorded before its end, even if the attempt fails before the record is read.
		if !f.await(call.Ref().Row()) {
			return stopped
		}
		if _, ready := f.t.session.Connected(); !ready {
			var closed *client.ClosedError
			if errors.As(err, &closed) {
				f.lost("the connection has ended")
				return again
			}
		}
		if errors.Is(err, client.ErrCancelled) { // by the user: the follower does not wait for what it cancels
			return stopped
		}
		f.lost(err.Error())
		return again
	}
	if !f.await(response.Ref.Row()) {
		return stopped
	}
	s, _, _ := f.look()
	switch {
	case s.Phase == Ended:
		return over
	case response.Err() != nil && s.Since.IsZero():
		failure := s.entries[len(s.entries)-1].Err
		f.update(func(s *subscription) { s.ended(Entry{Time: time.Now(), Kind: Terminated, Row: s.read, Err: failure}) })
		return over
	}
	return again
}

// await waits until a row of the record has been read. It returns false if the subscription must end, or if the
// record is not read in time.
func (f *Follower) await(row int32) bool {
	late := time.NewTimer(readTimeout)
	defer late.Stop()
	for {
		changed := f.t.changes()
		_, passed, ended := f.look()
		if passed > row || ended {
			return !ended
		}
		select {
		case <-changed:
		case <-late.C:
			f.lost("the response was not read in the record within " + phrase.Duration(readTimeout))
			return false
		case <-f.stop:
			return false
		case <-f.t.session.Closing():
			return false
		}
	}
}

// poll polls once, and waits until it is time for the next poll.
func (f *Follower) poll() outcome {
	call := f.t.session.Send(revision.EventsPoll, f.params().Poll(f.o.Most))
	select {
	case <-call.Done():
	case <-f.stop:
		cancel(call)
		return stopped
	case <-f.t.session.Closing():
		return stopped
	}
	if next := f.answered(call); next != again {
		return next
	}
	s, _, _ := f.look()
	if s.Phase != Live {
		return again
	}
	if s.more {
		return atOnce
	}
	wait := defaultPoll
	if s.hasWait {
		wait = min(max(s.wait, f.o.Floor), maxPoll)
	}
	f.update(func(s *subscription) { s.Next = time.Now().Add(wait) })
	if !f.pause(wait) {
		return stopped
	}
	return atOnce
}
