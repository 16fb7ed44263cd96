// Package bench sends requests under load and measures the time to the responses.
//
// In a closed loop a number of workers send one request after another. In an open loop requests are due at
// a constant rate, whether or not the server keeps up, and the time of a response counts from when its
// request was due: so a server that stalls delays all requests of that time, as it does for independent
// clients, and not only the requests that were sent.
package bench

import (
	"context"
	"math"
	"strconv"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/words/phrase"
	"mcptea/record"
)

// A Load describes how many requests are sent, and when.
type Load struct {
	// Workers is the maximum number of concurrently pending requests.
	Workers int
	// Rate is the number of requests per second; 0 is a closed loop.
	Rate float64
	// Requests ends the run after this number of requests; 0 is not a limit.
	Requests int
	// Duration ends the run after a time; 0 is not a limit.
	Duration time.Duration
	// Warmup is a time before the run whose requests do not count.
	Warmup time.Duration
}

// Send sends one request and waits for its response. It returns soon after the context
// has ended; the request does not count then.
type Send func(ctx context.Context) Outcome

// An Outcome is the outcome of a request.
type Outcome struct {
	// Problem names a class of errors, such as "tool error"; it is empty for a success.
	Problem string
	// Limited reports that the server has rejected the request because of a rate limit. Pause is the pause that
	// the server requests, or 0.
	Limited bool
	Pause   time.Duration
}

// A Result holds the measurements.
type Result struct {
	Request     string           `json:"request"`               // method, and name of the tool
	Mode        string           `json:"mode"`                  // "closed" or "open"
	Concurrency int              `json:"concurrency"`           // maximum number of pending requests
	Rate        float64          `json:"rate_wanted,omitempty"` // requests that are due in a second, of an open loop
	Took        phrase.Millis    `json:"took_ms"`               // duration without the warm-up
	Requests    int64            `json:"requests"`              // requests that had a response
	PerSecond   float64          `json:"per_second"`            // responses
	Failed      int64            `json:"failed"`                // requests that had no success
	Errors      map[string]int64 `json:"errors"`                // failed requests by class, such as "timeout", "tool error" and "error -32602"
	// Limited is the number of requests that the server rejected because of a rate limit (HTTP status 429, or
	// 503 with Retry-After). They were sent again after a pause, and are not counted elsewhere.
	Limited int64         `json:"limited,omitempty"`
	Waited  phrase.Millis `json:"waited_ms,omitempty"` // duration of all pauses because of the rate limit; part of took_ms, but of no response time
	// Late is the number of requests of an open loop that were sent more than a millisecond late, because all
	// workers were busy.
	Late      int64                    `json:"late,omitempty"`
	Min       phrase.Millis            `json:"min_ms"`       // the shortest time to a response
	Mean      phrase.Millis            `json:"mean_ms"`      // the average
	Max       phrase.Millis            `json:"max_ms"`       // the longest
	Quantiles map[string]phrase.Millis `json:"quantiles_ms"` // quantiles by percentage: "50", "75", "90", "95", "99", "99.9"

	times *hdrhistogram.Histogram // microseconds
}

// Percentages holds the percentages of [Result.Quantiles].
var Percentages = []float64{50, 75, 90, 95, 99, 99.9}

// sum fills in what follows from the times.
func (r *Result) sum() {
	for _, n := range r.Errors {
		r.Failed += n
	}
	if took := time.Duration(r.Took); took > 0 {
		r.PerSecond = math.Trunc(float64(r.Requests)/took.Seconds()*10) / 10
	}
	const unit = float64(time.Microsecond)
	r.Min, r.Mean, r.Max = phrase.Millis(float64(r.times.Min())*unit), phrase.Millis(r.times.Mean()*unit), phrase.Millis(float64(r.times.Max())*unit)
	r.Quantiles = map[string]phrase.Millis{}
	for _, q := range Percentages {
		r.Quantiles[strconv.FormatFloat(q, 'g', -1, 64)] = phrase.Millis(r.Quantile(q))
	}
}

// Quantile returns the time within which this part of the requests had a response, from 0 to
// 100.
func (r *Result) Quantile(percent float64) time.Duration {
	return time.Duration(record.HistogramQuantile(r.times, percent)) * time.Microsecond
}

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
	low, high := r.times.Min(), record.HistogramQuantile(r.times, 99.9)
	width := max(1, (high-low)/int64(n-1))
	bars := make([]Bar, n)
	for i := range bars {
		bars[i].From = time.Duration(low+int64(i)*width) * time.Microsecond
		bars[i].To = time.Duration(low+int64(i+1)*width) * time.Microsecond
	}
	bars[n-1].To = time.Duration(r.Max)
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

// The range of the histogram: from a microsecond to an hour, with three digits.
const (
	shortest, longest = 1, int64(time.Hour / time.Microsecond)
	digits            = 3
)

// runner sends the requests of one run and collects its result.
type runner struct {
	load Load
	send Send

	mu     sync.Mutex
	result Result
	next   int64     // number of the next request
	first  time.Time // due time of the first request of an open loop; each pause moves it
	pauses mcphttp.Pauses
}

// Run sends requests until the load is done or the context ends. Shown is called about
// ten times a second with the number of responses so far; it may be nil.
func Run(ctx context.Context, load Load, send Send, shown func(responses int64)) Result {
	r := &runner{load: load, send: send}
	r.result = Result{Mode: "closed", Concurrency: load.Workers, Rate: load.Rate, Errors: map[string]int64{}, times: hdrhistogram.New(shortest, longest, digits)}
	if load.Rate > 0 {
		r.result.Mode = "open"
	}
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
	begun := time.Now()
	r.next = 0
	r.workers(ctx, true)
	r.result.Took = phrase.Millis(time.Since(begun))
	r.result.sum()
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
		o := r.send(ctx)
		for o.Limited && ctx.Err() == nil && r.pause(ctx, o.Pause, counted) {
			due, late = time.Now(), false // time that the server did not accept requests does not count
			o = r.send(ctx)
		}
		if ctx.Err() != nil {
			return
		}
		if r.taken(o); counted {
			r.count(time.Since(due), o.Problem, late)
		}
		if o.Limited {
			return // more requests would only be refused
		}
	}
}

// pause waits until the server takes requests again: one pause for all workers. It is false where waiting has not
// helped, or would last longer than the load.
func (r *runner) pause(ctx context.Context, asked time.Duration, counted bool) bool {
	r.mu.Lock()
	now := time.Now()
	if counted {
		r.result.Limited++
	}
	deadline, _ := ctx.Deadline()
	more, outcome := r.pauses.Begin(now, r.pauses.Length(asked, asked > 0), deadline)
	if outcome != mcphttp.PauseBegins {
		r.mu.Unlock()
		return false
	}
	r.first = r.first.Add(more)
	if counted {
		r.result.Waited += phrase.Millis(more)
	}
	wait := r.pauses.Until.Sub(now)
	r.mu.Unlock()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// taken notes that the server takes requests again.
func (r *runner) taken(o Outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !o.Limited {
		r.pauses.Taken(time.Now())
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
	r.mu.Lock()
	due = r.first.Add(time.Duration(float64(n) / r.load.Rate * float64(time.Second)))
	r.mu.Unlock()
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
		r.result.Errors[problem]++
	}
	// It fails for times outside of the range, which the bounds exclude.
	_ = r.result.times.RecordValue(min(max(int64(took/time.Microsecond), shortest), longest))
}
