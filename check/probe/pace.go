package probe

import (
	"slices"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/record"
)

// The pace of a server is the time that it takes to respond to correct requests. All timeouts of a
// run grow with the pace, so that a slow server is not mistaken for a silent one. The constants
// below are the minimums, for a fast server. Probes must not have their own timeouts. They use
// [Run.Quiet], [Run.Linger] and [Run.Until].
const (
	// maxPaced is the number of newest responses from which the pace is computed.
	maxPaced = 50
	// paceFactor bounds a response time, as a multiple of the pace.
	paceFactor = 4
	// minResponseTimeout is the minimum time before a response is called missing.
	minResponseTimeout = 3 * time.Second
	// callTimeout is the time allowed for a tool result. A slower tool is not judged.
	callTimeout  = 3 * time.Second
	aliveTimeout = 5 * time.Second       // bounds the wait for a sign of life after a frame
	minQuiet     = 40 * time.Millisecond // wait for a response that should not arrive
	maxQuiet     = time.Second
	minLinger    = 300 * time.Millisecond // wait for unsolicited messages
	// streamGrace bounds the wait for the first message of an event stream. listenGrace is the
	// bound for a GET stream, which may stay empty.
	streamGrace = 5 * time.Second
	listenGrace = time.Second
	exitTime    = 2 * time.Second // time from a signal to the exit
	unreadTime  = time.Second     // time during which stdout is not read
	slowBody    = 2 * time.Second // duration of a slowly sent body
	longCall    = time.Second     // minimum duration of a call that can be cancelled
	lastingCall = 2 * time.Second // minimum duration of a call that others can overlap
	slowPing    = 5 * time.Second // response time of a ping after which clients close the connection
	slowLoad    = 5 * time.Second // limit for the response to a large request
	slowStart   = 5 * time.Second // limit for the response to initialize
	slowOthers  = time.Second     // limit for a response while slow clients are connected
	interval    = 250 * time.Millisecond
	fuzzTime    = 20 * time.Second // bounds the fuzzing of a tool
)

// largeFrame is the size from which a response to a frame may take longer than the pace, in bytes.
const largeFrame = 64 << 10

// shownTook is the precision of durations in messages.
const shownTook = 100 * time.Millisecond

// note records the duration of a response.
func (r *Runner) note(window *[]time.Duration, took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if *window = append(*window, took); len(*window) > maxPaced {
		*window = (*window)[1:]
	}
}

// pace returns the median duration of responses, or 0 before the first.
func (r *Runner) pace() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return median(r.paces)
}

func median(all []time.Duration) time.Duration {
	if len(all) == 0 {
		return 0
	}
	return record.Quantile(slices.Sorted(slices.Values(all)), 50)
}

// latency returns the median duration of requests that cost the server nothing, such as pings. A
// tool call takes longer because of the work of the tool.
func (r *Runner) latency() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return median(r.pings)
}

// atLeast returns d, or paceFactor times the pace if that is longer.
func (r *Runner) atLeast(d time.Duration) time.Duration { return max(d, paceFactor*r.pace()) }

// start returns the time that the server took to start and respond for the first time.
func (r *Runner) start() time.Duration { return time.Duration(r.server.Took) * time.Millisecond }

// responseTimeout returns the time after which a response is called missing. It allows for the start of the
// process.
func (r *Runner) responseTimeout() time.Duration {
	return r.atLeast(min(minResponseTimeout, r.cfg.Timeout)) + r.start()
}

// responseTimeoutOf returns the timeout for the response to a frame of the given size. It is longer than responseTimeout
// for large frames.
func (r *Runner) responseTimeoutOf(size int) time.Duration {
	if size < largeFrame {
		return r.responseTimeout()
	}
	return paceFactor*slowLoad + r.responseTimeout()
}

// firstTimeout returns the timeout of the first request on a connection. It allows for the start of the
// process, and for starts that slow each other down.
func (r *Runner) firstTimeout(timeout time.Duration) time.Duration {
	return timeout + paceFactor*r.start()
}

// requestTimeout returns the timeout of a correct request.
func (r *Runner) requestTimeout() time.Duration { return r.atLeast(r.cfg.Timeout) }

// burstTimeout returns the timeout of n concurrent requests, which the server may handle one by one.
func (r *Runner) burstTimeout(n int) time.Duration {
	return max(r.requestTimeout(), time.Duration(n)*2*r.pace())
}

// callTime returns the timeout of a tool result. It is longer for a slow server.
func (r *Runner) callTime() time.Duration { return r.atLeast(min(callTimeout, r.cfg.Timeout)) }

// quietTime returns how long to wait for a response after the server has answered a later ping: eight times a
// usual ping, or twice the pace.
func (r *Runner) quietTime() time.Duration {
	return max(min(max(8*r.latency(), minQuiet), maxQuiet), 2*r.pace())
}

// returnInterval returns the interval between checks whether a server that has ended is back.
func (r *Runner) returnInterval() time.Duration { return max(returnInterval, r.latency()) }

// Quiet gives the server time to send a response that it should not send.
func (r *Run) Quiet() { r.Sleep(r.runner.quietTime()) }

// Linger gives the server time to send unsolicited messages.
func (r *Run) Linger() { r.Sleep(max(minLinger, 2*r.runner.quietTime())) }

// Until calls done repeatedly until it returns true or the time for a tool result is over.
func (r *Run) Until(done func() bool) {
	limit := r.runner.callTime() + 2*time.Second
	for start := time.Now(); r.ended == "" && !done() && time.Since(start) < limit; {
		r.Sleep(max(interval, r.runner.latency()))
	}
}

// Awaits reports whether a notification arrives within the time allowed for a response. A concurrent server may
// send it after the responses to later requests.
func (r *Run) Awaits(c *Conn, method string) bool {
	limit := r.runner.requestTimeout()
	for start := time.Now(); r.ended == ""; r.Sleep(max(minQuiet, r.runner.latency())) {
		for _, f := range c.Take() {
			if jsonrpc.Scan(f.Bytes).HasMethod(f.Bytes, method) {
				return true
			}
		}
		if time.Since(start) >= limit || !c.link().alive() {
			break
		}
	}
	return false
}

// age is the wait before a poll with a maximum age. Earlier events are then too old for it.
const age = 4 * time.Second

// leaseWait bounds the wait for the end of a subscription, and leaseMargin is the wait after it.
const (
	leaseWait   = 15 * time.Second
	leaseMargin = 4 * time.Second
)

// Outlasts waits until shortly after a time that the server has set. It returns false if that time
// is too far away, or if the run has ended.
func (r *Run) Outlasts(until time.Time) bool {
	left := time.Until(until)
	if left > leaseWait {
		return false
	}
	r.Sleep(max(left, 0) + leaseMargin)
	return r.ended == ""
}

// Age waits until the previous events are old. It reports whether the probe continues.
func (r *Run) Age() bool {
	r.Sleep(age)
	return r.ended == ""
}

// heartbeatTime is slightly more than the maximum heartbeat interval of an event stream that SEP-3415
// recommends.
const heartbeatTime = 31 * time.Second

// UntilHeartbeat is like [Run.Until], but waits long enough for a heartbeat.
func (r *Run) UntilHeartbeat(done func() bool) {
	limit := max(heartbeatTime, r.runner.callTime())
	for start := time.Now(); r.ended == "" && !done() && time.Since(start) < limit; {
		r.Sleep(max(interval, r.runner.latency()))
	}
}

// HeartbeatTime returns the timeout of [Run.UntilHeartbeat].
func (r *Run) HeartbeatTime() time.Duration { return max(heartbeatTime, r.runner.callTime()) }

// Brief returns the timeout for something that either arrives immediately or not at all.
func (r *Run) Brief() time.Duration { return r.runner.atLeast(minLinger) }

// ResponseTime returns the time after which a response is called missing.
func (r *Run) ResponseTime() time.Duration { return r.runner.responseTimeout() }

// CallTime returns the timeout of a tool result.
func (r *Run) CallTime() time.Duration { return r.runner.callTime() }

// ExitTime returns how long a process may take to exit after a signal.
func (r *Run) ExitTime() time.Duration { return max(exitTime, r.runner.quietTime()) }

// UnreadTime returns how long stdout is left unread.
func (r *Run) UnreadTime() time.Duration { return r.runner.atLeast(unreadTime) }

// SlowBody returns the duration of a slowly sent body and the interval between its bytes.
func (r *Run) SlowBody() (whole, each time.Duration) {
	whole = r.runner.atLeast(slowBody)
	return whole, whole / 40
}

// FuzzTime returns how long a tool is fuzzed.
func (r *Run) FuzzTime() time.Duration { return max(fuzzTime, 10*r.runner.callTime()) }

// Slow selects a limit for slow responses.
type Slow uint8

// Durations that may be too long.
const (
	SlowLoad   Slow = iota // response to a large request
	SlowStart              // response to initialize
	SlowOthers             // response while slow clients are connected
	SlowPing               // the response to a ping sent together with other requests
)

// IsSlow reports whether a response took long, both absolutely and relative to the pace.
func (r *Run) IsSlow(what Slow, took time.Duration) bool {
	return took > r.runner.atLeast([]time.Duration{slowLoad, slowStart, slowOthers, slowPing}[what])
}

// IsLong reports whether a call takes long enough to be cancelled.
func (r *Run) IsLong(took time.Duration) bool { return took >= longCall }

// IsNoticeable reports whether a call takes long enough that a cancellation may succeed; see
// [Run.Cancelled].
func (r *Run) IsNoticeable(took time.Duration) bool { return took >= minQuiet/2 }

// IsLasting reports whether a call takes long enough for other calls to overlap it.
func (r *Run) IsLasting(took time.Duration) bool { return took >= lastingCall }

// Piece is the number of bytes that are written at once when a frame is written slowly. It is so
// small that it splits characters. PieceInterval is the pause after each piece.
const (
	Piece         = 37
	PieceInterval = 30 * time.Millisecond
)

// AwaitStart waits until the process of an unused connection has had time to start: one and a half times as
// long as the first process took.
func (r *Run) AwaitStart(c *Conn) {
	l := c.link()
	if l == nil || !c.raw {
		return
	}
	r.Sleep(time.Until(l.started.Add(r.runner.start() * 3 / 2)))
}

// AwaitStartBeside is like AwaitStart, but for starts that may take longer than the first one. It
// starts another process to measure that time.
func (r *Run) AwaitStartBeside(c *Conn) {
	if c.link() == nil || !c.raw || r.runner.restarted() != nil {
		return
	}
	plain, began := &Conn{r: r.runner}, time.Now()
	defer r.abandon(plain)
	if plain.connect(r.ctx) == nil {
		r.Sleep(time.Since(began) / 2)
	}
}

// StartTime returns the time that the first process took to start and respond.
func (r *Run) StartTime() time.Duration { return r.runner.start() }

// StartsSlower reports whether the server starts more slowly than limit. Then a limit of that
// length proves nothing.
func (r *Run) StartsSlower(limit time.Duration) bool { return r.runner.start() > limit }

// LimitTime returns a threshold in seconds as a duration.
func (r *Run) LimitTime(name string) time.Duration {
	return time.Duration(r.Limit(name) * float64(time.Second))
}
