package session

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/record"
)

// Repetition is a frame that is sent several times. Its methods may be called from any
// goroutine.
type Repetition struct {
	cancel context.CancelFunc
	done   chan struct{}

	mu       sync.Mutex
	progress RepeatProgress
	took     []time.Duration
}

// RepeatProgress is the progress of a [Repetition].
type RepeatProgress struct {
	Total  int
	Sent   int
	OK     int // responses with a result
	Errors int // error responses
	Failed int // number of requests that ended without a response
	// Stopped is the number of requests that were pending when the user stopped the repetition.
	Stopped int
	// Min, Median and Max summarize the response times. They are zero if there are none.
	Min, Median, Max time.Duration
	// Err is the reason why the repetition stopped early, or nil.
	Err error
}

// Progress returns how far it is.
func (r *Repetition) Progress() RepeatProgress {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.progress
	if sorted := slices.Sorted(slices.Values(r.took)); len(sorted) > 0 {
		p.Min, p.Median, p.Max = sorted[0], record.Quantile(sorted, 50), sorted[len(sorted)-1]
	}
	return p
}

// Running reports whether frames are being sent or responses are pending.
func (r *Repetition) Running() bool {
	select {
	case <-r.done:
		return false
	default:
		return true
	}
}

// Cancel stops it and cancels its pending requests.
func (r *Repetition) Cancel() { r.cancel() }

// AfterResponse is the interval that sends each frame when the response to the previous one has arrived.
const AfterResponse time.Duration = -1

// Repeat sends a frame n times: one per interval, all concurrently if the interval is 0, or each
// [AfterResponse]. frame builds it with its own id, on another goroutine.
func (s *Session) Repeat(n int, interval time.Duration, frame func(id jsonrpc.ID) []byte) *Repetition {
	return s.startRepeating(n, interval, func() (*Call, error) {
		id, err := s.NextID()
		if err != nil {
			return nil, err
		}
		return s.StartFrame(frame(id)), nil
	})
}

// RepeatRequest is like [Session.Repeat], but sends a request, each time with a new id as in [Session.Start].
// before is the id that params were sent with earlier, or the zero ID.
func (s *Session) RepeatRequest(n int, interval time.Duration, method string, params []byte, before jsonrpc.ID) *Repetition {
	return s.startRepeating(n, interval, func() (*Call, error) {
		if _, err := s.current(); err != nil && !s.follows() {
			return nil, err
		}
		return s.request(method, params, before), nil
	})
}

// startRepeating starts a repetition that calls send each time.
func (s *Session) startRepeating(n int, interval time.Duration, send func() (*Call, error)) *Repetition {
	ctx, cancel := context.WithCancel(context.Background())
	r := &Repetition{cancel: cancel, done: make(chan struct{}), progress: RepeatProgress{Total: n}}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed() {
		cancel()
		close(r.done)
		return r
	}
	s.wg.Go(func() {
		defer cancel()
		defer close(r.done)
		defer s.store.Notify()
		err := s.repeat(ctx, r, n, interval, send)
		r.mu.Lock()
		r.progress.Err = err
		r.mu.Unlock()
	})
	return r
}

// errStopped is the cause of a cancelled repetition.
var errStopped = errors.New("stopped by the user")

func (s *Session) repeat(ctx context.Context, r *Repetition, n int, interval time.Duration, send func() (*Call, error)) error {
	var pending sync.WaitGroup
	defer pending.Wait()
	for i := range n {
		call, err := send()
		if err != nil {
			return err
		}
		counted := make(chan struct{})
		r.sent()
		pending.Go(func() {
			defer close(counted)
			defer context.AfterFunc(ctx, call.Cancel)()
			<-call.Done()
			r.count(call, ctx.Err() != nil)
		})
		var next <-chan struct{} = counted
		var clock <-chan time.Time
		if interval >= 0 && i+1 < n {
			next, clock = nil, time.After(interval)
		}
		select {
		case <-next:
		case <-clock:
		case <-ctx.Done():
			return errStopped
		case <-s.life.Done():
			return errNotConnected
		}
	}
	if pending.Wait(); ctx.Err() != nil {
		return errStopped
	}
	return nil
}

func (r *Repetition) sent() {
	r.mu.Lock()
	r.progress.Sent++
	r.mu.Unlock()
}

// count counts the outcome of a call; stopped reports that the user has stopped it.
func (r *Repetition) count(c *Call, stopped bool) {
	response, err := c.Outcome()
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case err != nil && stopped:
		r.progress.Stopped++
		return
	case err != nil:
		r.progress.Failed++
		return
	case response.Frame == nil:
		return // a notification has no response
	case response.Err() != nil:
		r.progress.Errors++
	default:
		r.progress.OK++
	}
	r.took = append(r.took, response.Took)
}
