// Package bench sends requests under load and measures the time to the responses.
//
// In a closed loop a number of workers send one request after another. In an open
// loop requests are due at a constant rate, whether or not the server keeps up, and
// the time of a response counts from when its request was due: so a server that
// stalls delays all requests of that time, as it does for independent clients, and
// not only those that were sent.
package bench

import (
	"context"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Load says how many requests are sent, and when.
type Load struct {
	// Workers are the requests that may be pending at once.
	Workers int
	// Rate is how many requests are due in a second; 0 is a closed loop.
	Rate float64
	// Requests ends the run after so many; 0 is no limit.
	Requests int
	// Duration ends the run after a time; 0 is no limit.
	Duration time.Duration
	// Warmup is a time before the run whose requests do not count.
	Warmup time.Duration
}

// Send sends one request and waits for its response. problem names a class of errors,
// such as "tool error"; it is empty for a success. It returns soon after the context
// has ended; the request does not count then.
type Send func(ctx context.Context) (problem string)

// Result is what was measured.
type Result struct {
	Requests int64
	Problems map[string]int64 // by class
	Took     time.Duration    // without the warm-up
	// Late is how many requests of an open loop were sent more than a millisecond after
	// they were due, because all workers were busy.
	Late int64

	times *hdrhistogram.Histogram // microseconds
}

// Failed is the number of requests that had no success.
func (r *Result) Failed() int64 {
	var n int64
	for _, k := range r.Problems {
		n += k
	}
	return n
}

// Rate is the number of responses per second.
func (r *Result) Rate() float64 {
	if r.Took <= 0 {
		return 0
	}
	return float64(r.Requests) / r.Took.Seconds()
}

// Quantile is the time within which this part of the requests had a response, from 0
// to 100.
func (r *Result) Quantile(percent float64) time.Duration {
	return time.Duration(r.times.ValueAtQuantile(percent)) * time.Microsecond
}

// Min is the shortest time.
func (r *Result) Min() time.Duration { return time.Duration(r.times.Min()) * time.Microsecond }

// Mean is the average of the times.
func (r *Result) Mean() time.Duration {
	return time.Duration(r.times.Mean() * float64(time.Microsecond))
}

// Max is the longest time.
func (r *Result) Max() time.Duration { return time.Duration(r.times.Max()) * time.Microsecond }

// Bar is a range of times with the number of responses in it.
type Bar struct {
	From, To time.Duration
	Count    int64
}

// Bars divides the times up to the quantile of 99.9 % into ranges of equal width; the
// last one holds the rest.
func (r *Result) Bars(n int) []Bar {
	if r.Requests == 0 || n < 2 {
		return nil
	}
	low, high := r.times.Min(), r.times.ValueAtQuantile(99.9)
	width := max(1, (high-low)/int64(n-1))
	bars := make([]Bar, n)
	for i := range bars {
		bars[i].From = time.Duration(low+int64(i)*width) * time.Microsecond
		bars[i].To = time.Duration(low+int64(i+1)*width) * time.Microsecond
	}
	bars[n-1].To = r.Max()
	for _, b := range r.times.Distribution() {
		if b.Count > 0 {
			bars[min(n-1, int(max(0, b.From-low)/width))].Count += b.Count
		}
	}
	for n > 1 && bars[n-1].Count == 0 {
		n--
	}
	return bars[:n]
}

// Times are those that the histogram holds: from a microsecond to an hour, with three
// digits.
const (
	shortest, longest = 1, int64(time.Hour / time.Microsecond)
	digits            = 3
)

// runner is one run.
type runner struct {
	load Load
	send Send

	mu     sync.Mutex
	result Result
	next   int64     // number of the next request
	first  time.Time // when counting began
}

// Run sends requests until the load is done or the context ends. Shown is called about
// ten times a second with the number of responses so far; it may be nil.
func Run(ctx context.Context, load Load, send Send, shown func(responses int64)) Result {
	r := &runner{load: load, send: send}
	r.result.times = hdrhistogram.New(shortest, longest, digits)
	r.result.Problems = map[string]int64{}
	if load.Warmup > 0 {
		warm, cancel := context.WithTimeout(ctx, load.Warmup)
		r.workers(warm, false)
		cancel()
	}
	if ctx.Err() != nil {
		return r.result
	}
	if load.Duration > 0 {
		var cancel func()
		ctx, cancel = context.WithTimeout(ctx, load.Duration)
		defer cancel()
	}
	if shown != nil {
		stop := r.report(shown)
		defer stop()
	}
	r.next = 0
	r.workers(ctx, true)
	r.result.Took = time.Since(r.first)
	return r.result
}

// report calls shown until it is stopped.
func (r *runner) report(shown func(int64)) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(100 * time.Millisecond)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				r.mu.Lock()
				n := r.result.Requests
				r.mu.Unlock()
				shown(n)
			case <-done:
				return
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

func (r *runner) workers(ctx context.Context, counted bool) {
	r.first = time.Now()
	var all sync.WaitGroup
	for range max(1, r.load.Workers) {
		all.Go(func() { r.work(ctx, counted) })
	}
	all.Wait()
}

func (r *runner) work(ctx context.Context, counted bool) {
	for {
		due, ok := r.turn(ctx, counted)
		if !ok {
			return
		}
		late := r.load.Rate > 0 && time.Since(due) > time.Millisecond
		problem := r.send(ctx)
		if ctx.Err() != nil {
			return
		}
		if counted {
			r.count(time.Since(due), problem, late)
		}
	}
}

// turn waits until the next request is due. ok is false at the end of the load.
func (r *runner) turn(ctx context.Context, counted bool) (due time.Time, ok bool) {
	r.mu.Lock()
	n := r.next
	r.next++
	r.mu.Unlock()
	if ctx.Err() != nil || counted && r.load.Requests > 0 && n >= int64(r.load.Requests) {
		return due, false
	}
	if r.load.Rate <= 0 {
		return time.Now(), true
	}
	due = r.first.Add(time.Duration(float64(n) / r.load.Rate * float64(time.Second)))
	wait := time.Until(due)
	if wait <= 0 {
		return due, true
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return due, true
	case <-ctx.Done():
		return due, false
	}
}

func (r *runner) count(took time.Duration, problem string, late bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Requests++
	if late {
		r.result.Late++
	}
	if problem != "" {
		r.result.Problems[problem]++
	}
	// It fails for times outside of the range, which the bounds exclude.
	_ = r.result.times.RecordValue(min(max(int64(took/time.Microsecond), shortest), longest))
}
