package probe

import (
	"slices"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/session/record"
)

// The pace of a server is how long its responses to correct requests take. Each wait of a
// run is made of it here, so that a slow server is not called silent; the times below are
// the least, for a fast one. Probes have no waits of their own: see [Run.Quiet],
// [Run.Linger], [Run.Until].
const (
	// maxPaced bounds how many responses it is taken from, the newest.
	maxPaced = 50
	// paceFactor is how many times longer a response may take than others.
	paceFactor = 4
	// minResponseTimeout is how long a missing response is waited for in any case.
	minResponseTimeout = 3 * time.Second
	// callTimeout is how long the result of a tool is waited for. Tools may take longer;
	// nothing is judged then.
	callTimeout  = 3 * time.Second
	aliveTimeout = 5 * time.Second       // for a sign of life after a frame
	minQuiet     = 40 * time.Millisecond // for a response that should not come
	maxQuiet     = time.Second
	minLinger    = 300 * time.Millisecond // for what the server may send on its own
	// streamGrace is how long the first message of an event stream is waited for; on a
	// stream of GET, which need not have one, listenGrace.
	streamGrace = 5 * time.Second
	listenGrace = time.Second
	exitTime    = 2 * time.Second // from a signal to the exit
	unreadTime  = time.Second     // in which stdout is not read
	slowBody    = 2 * time.Second // that the body of a slow client takes
	longCall    = time.Second     // that a call takes which can be cancelled
	lastingCall = 2 * time.Second // that a call takes beside which others are sent
	slowPing    = 5 * time.Second // that a ping takes after which clients close the connection
	slowLoad    = 5 * time.Second // a response to a large request, above which it is slow
	slowStart   = 5 * time.Second // the response to initialize, above which it is slow
	slowOthers  = time.Second     // a response beside slow clients, above which it is slow
	interval    = 250 * time.Millisecond
	fuzzTime    = 20 * time.Second // for the calls of a tool with odd arguments
)

// largeFrame is the size of a frame, in bytes, from which on it takes a server longer than
// the requests that its pace comes from.
const largeFrame = 64 << 10

// shownTook is the precision of durations in messages.
const shownTook = 100 * time.Millisecond

// note remembers how long a response took.
func (r *Runner) note(window *[]time.Duration, took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if *window = append(*window, took); len(*window) > maxPaced {
		*window = (*window)[1:]
	}
}

// pace is the median; 0 before the first response.
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

// latency is how long a request that costs nothing takes: the way, and what delays every
// response alike. What a tool needs is what is left.
func (r *Runner) latency() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return median(r.pings)
}

// atLeast is a time, or as many times the pace of the server as that is longer.
func (r *Runner) atLeast(d time.Duration) time.Duration { return max(d, paceFactor*r.pace()) }

// start is how long the server took to start and to answer for the first time.
func (r *Runner) start() time.Duration { return time.Duration(r.server.Took) * time.Millisecond }

// responseTimeout is how long a response may take before it is called missing. What was
// sent first on a connection waits for the start of the process.
func (r *Runner) responseTimeout() time.Duration {
	return r.atLeast(min(minResponseTimeout, r.cfg.Timeout)) + r.start()
}

// responseTimeoutOf is responseTimeout for a frame of a size. Other requests say nothing
// about how long a large one takes, so its response is not called missing before it is
// called slow.
func (r *Runner) responseTimeoutOf(size int) time.Duration {
	if size < largeFrame {
		return r.responseTimeout()
	}
	return paceFactor*slowLoad + r.responseTimeout()
}

// firstTimeout is how long the response to what was sent first on a connection is waited
// for: the process has to start before, and processes that start beside each other take
// longer than the first one did.
func (r *Runner) firstTimeout(timeout time.Duration) time.Duration {
	return timeout + paceFactor*r.start()
}

// requestTimeout is how long the response to a correct request is waited for.
func (r *Runner) requestTimeout() time.Duration { return r.atLeast(r.cfg.Timeout) }

// burstTimeout is that of n requests at once: a server may take them one after the other.
func (r *Runner) burstTimeout(n int) time.Duration {
	return max(r.requestTimeout(), time.Duration(n)*2*r.pace())
}

// callTime is how long the result of a tool is waited for: longer where the server takes
// long for everything.
func (r *Runner) callTime() time.Duration { return r.atLeast(min(callTimeout, r.cfg.Timeout)) }

// quietTime is how long a response is waited for after a ping behind the request was
// answered: eight times what a ping usually takes, or twice what other requests take.
func (r *Runner) quietTime() time.Duration {
	return max(min(max(8*r.latency(), minQuiet), maxQuiet), 2*r.pace())
}

// returnInterval is how often a server that has ended is looked for.
func (r *Runner) returnInterval() time.Duration { return max(returnInterval, r.latency()) }

// Quiet waits as long as the server may need to send what it should not.
func (r *Run) Quiet() { r.Sleep(r.runner.quietTime()) }

// Linger waits as long as the server may need to send what nothing has asked for.
func (r *Run) Linger() { r.Sleep(max(minLinger, 2*r.runner.quietTime())) }

// Until calls done at intervals, as long as the result of a tool is waited for, until it
// reports true.
func (r *Run) Until(done func() bool) {
	limit := r.runner.callTime() + 2*time.Second
	for start := time.Now(); r.ended == "" && !done() && time.Since(start) < limit; {
		r.Sleep(max(interval, r.runner.latency()))
	}
}

// Awaits waits for a notification of the server as long as for the response to a request, and reports whether it has
// come: a server that works on requests side by side may send it after the responses to later ones.
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

// age is how long events wait until a poll excludes them by their age.
const age = 4 * time.Second

// leaseWait bounds the wait for the end of a subscription, and leaseMargin is the wait after it.
const (
	leaseWait   = 15 * time.Second
	leaseMargin = 4 * time.Second
)

// Outlasts waits until a time has passed, which the server has set, and a little longer. It reports false for a time that
// is too far away.
func (r *Run) Outlasts(until time.Time) bool {
	left := time.Until(until)
	if left > leaseWait {
		return false
	}
	r.Sleep(max(left, 0) + leaseMargin)
	return r.ended == ""
}

// Age waits until the events so far are old. It reports whether the probe goes on.
func (r *Run) Age() bool {
	r.Sleep(age)
	return r.ended == ""
}

// heartbeatTime is the longest time between two heartbeats of a stream of events that SEP-3415 recommends, and a
// little more.
const heartbeatTime = 31 * time.Second

// UntilHeartbeat is [Run.Until] for what a heartbeat brings.
func (r *Run) UntilHeartbeat(done func() bool) {
	limit := max(heartbeatTime, r.runner.callTime())
	for start := time.Now(); r.ended == "" && !done() && time.Since(start) < limit; {
		r.Sleep(max(interval, r.runner.latency()))
	}
}

// HeartbeatTime is how long [Run.UntilHeartbeat] waits.
func (r *Run) HeartbeatTime() time.Duration { return max(heartbeatTime, r.runner.callTime()) }

// Brief is how long something is waited for that comes at once or not at all.
func (r *Run) Brief() time.Duration { return r.runner.atLeast(minLinger) }

// ResponseTime is how long a response is waited for before it is called missing.
func (r *Run) ResponseTime() time.Duration { return r.runner.responseTimeout() }

// CallTime is how long the result of a tool is waited for.
func (r *Run) CallTime() time.Duration { return r.runner.callTime() }

// ExitTime is how long the exit of a process is waited for after a signal.
func (r *Run) ExitTime() time.Duration { return max(exitTime, r.runner.quietTime()) }

// UnreadTime is how long stdout is not read.
func (r *Run) UnreadTime() time.Duration { return r.runner.atLeast(unreadTime) }

// SlowBody is how long the body of a slow client takes, and how often it sends a byte.
func (r *Run) SlowBody() (whole, each time.Duration) {
	whole = r.runner.atLeast(slowBody)
	return whole, whole / 40
}

// FuzzTime is how long a tool is called with odd arguments.
func (r *Run) FuzzTime() time.Duration { return max(fuzzTime, 10*r.runner.callTime()) }

// Slow are responses that take longer than others of the server explain.
type Slow uint8

// What may be slow.
const (
	SlowLoad   Slow = iota // the response to a large request
	SlowStart              // the response to initialize
	SlowOthers             // a response beside slow clients
	SlowPing               // the response to a ping beside those to other requests
)

// IsSlow reports a response that takes long, and much longer than others of the server.
func (r *Run) IsSlow(what Slow, took time.Duration) bool {
	return took > r.runner.atLeast([]time.Duration{slowLoad, slowStart, slowOthers, slowPing}[what])
}

// IsLong reports a call that takes long enough to be cancelled.
func (r *Run) IsLong(took time.Duration) bool { return took >= longCall }

// IsNoticeable reports a call that takes long enough for a cancellation that arrives sooner
// than most, see [Run.Cancelled].
func (r *Run) IsNoticeable(took time.Duration) bool { return took >= minQuiet/2 }

// IsLasting reports a call that takes long enough for others beside it.
func (r *Run) IsLasting(took time.Duration) bool { return took >= lastingCall }

// Piece is how many bytes of a frame that is written slowly are written at once, which cuts
// characters, and PieceInterval how long it waits after each.
const (
	Piece         = 37
	PieceInterval = 30 * time.Millisecond
)

// AwaitStart waits until the process of a connection that nothing was sent on has had the
// time that the first one took to start, half as much more.
func (r *Run) AwaitStart(c *Conn) {
	l := c.link()
	if l == nil || !c.raw {
		return
	}
	r.Sleep(time.Until(l.started.Add(r.runner.start() * 3 / 2)))
}

// AwaitStartBeside is AwaitStart for a process whose start may take longer now than that of the
// first one did: another one is started beside it, and its handshake shows how long that takes.
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

// StartTime is how long the first process took to start and to answer.
func (r *Run) StartTime() time.Duration { return r.runner.start() }

// StartsSlower reports a server whose start takes so long that a limit says nothing.
func (r *Run) StartsSlower(limit time.Duration) bool { return r.runner.start() > limit }

// LimitTime is a threshold that is a number of seconds.
func (r *Run) LimitTime(name string) time.Duration {
	return time.Duration(r.Limit(name) * float64(time.Second))
}
