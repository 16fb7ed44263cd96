package probe

import (
	"context"
	"os"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
)

// maxHung is the number of consecutive calls without a response after which no call is expected to get one.
const maxHung = 4

// callsEnd is the reason for skipping later probes that call tools.
const callsEnd = "tools/call gets no response, or ends the server"

// calls holds what the run knows about tool calls.
type calls struct {
	mu         sync.Mutex
	callable   []Subject // tools that may be called, best first; replaced, never modified
	took       map[string]time.Duration
	progressed map[string]bool // tools that reported progress on request
	hung       int             // consecutive calls without a response
}

func newCalls() calls { return calls{took: map[string]time.Duration{}, progressed: map[string]bool{}} }

// returned records the duration of a call that returned a result.
func (c *calls) returned(tool string, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.took[tool] = took
}

// noteResponse records whether a call got a response.
func (c *calls) noteResponse(came bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hung++; came {
		c.hung = 0
	}
}

// hang returns the number of consecutive calls without a response.
func (c *calls) hang() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.hung
}

// leaveOut excludes a tool from later calls.
func (c *calls) leaveOut(tool string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.callable = slices.DeleteFunc(slices.Clone(c.callable), func(s Subject) bool { return s.Name == tool })
}

// Callables returns the tools that may be called, best first.
func (r *Run) Callables() []Subject {
	c := &r.runner.calls
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.callable
}

// Call calls a tool. If arguments is empty, the member is omitted. If the call does not return in time, Call
// cancels it, excludes the tool from later calls, and returns false.
func (r *Run) Call(c *Conn, name string, tool, arguments string) (o Outcome, ok bool) {
	params := `{"name":` + JSON(tool)
	if arguments != "" {
		params += `,"arguments":` + arguments
	}
	return r.Exchange(c, name, tool, c.Request("tools/call", params+"}"))
}

// Exchange is like Call, but takes the request frame.
func (r *Run) Exchange(c *Conn, name, tool string, frame []byte) (o Outcome, ok bool) {
	limit := r.runner.callTime()
	o = r.exchange(c, name, frame, patient, limit)
	switch {
	case o.Kind == Dead, o.Kind == Silent && o.Status < 400:
		r.runner.calls.noteResponse(false)
	case o.Kind <= Error:
		r.runner.calls.noteResponse(true)
	}
	if o.Kind == Silent && o.Status < 400 {
		_ = c.Notify(r.ctx, "notifications/cancelled", `{"requestId":`+string(jsonrpc.Scan(frame).ID.Of(frame).Shown())+`,"reason":"mcptea does not wait longer"}`)
		r.runner.calls.leaveOut(tool)
		r.Of(o).Advise("Nothing to fix if the tool must work that long; progress notifications show that it does.").About(lint.Info, "tool:"+tool, "The tool %s returns no result within %s; it is not called again.", tool, phrase.Duration(limit.Round(shownTook)))
		return o, false
	}
	return o, true
}

// CallWithProgress calls a tool with the arguments of a subject and requests progress. Like most clients, it
// uses an integer as the progress token.
func (r *Run) CallWithProgress(c *Conn, name string, s Subject) (o Outcome, ok bool) {
	r.use(c)
	c.Take()
	id := c.ID()
	frame := c.RequestAs(id, "tools/call", `{"name":`+JSON(s.Name)+`,"arguments":`+s.Arguments+`,"_meta":{"progressToken":`+id.String()+`}}`)
	o, ok = r.Exchange(c, name, s.Name, frame)
	if slices.ContainsFunc(c.Take(), func(f Frame) bool { return jsonrpc.Scan(f.Bytes).HasMethod(f.Bytes, "notifications/progress") }) {
		known := &r.runner.calls
		known.mu.Lock()
		known.progressed[s.Name] = true
		known.mu.Unlock()
	}
	return o, ok
}

// Progressed reports whether a call made by [Run.CallWithProgress] reported progress.
func (r *Run) Progressed(tool string) bool {
	c := &r.runner.calls
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.progressed[tool]
}

// During sends first and then, while it is pending, second.
func (r *Run) During(c *Conn, name string, first, second []byte) (a, b Outcome) {
	if !r.begin(name, first, c) || !r.begin(name, second, c) {
		return Outcome{Kind: Unsent}, Outcome{Kind: Unsent}
	}
	l, done := c.link(), make(chan Outcome, 1)
	go func() { done <- c.through(r.ctx, l, first, patient, r.runner.requestTimeout()) }() // returns at the timeout
	r.Quiet()
	b = c.through(r.ctx, l, second, expected, r.runner.requestTimeout())
	a = <-done
	a.x, b.x = &exchange{name: name, conn: c}, &exchange{name: name, conn: c}
	return a, b
}

// Returned reports whether a call of the tool has returned a result other than a task.
func (r *Run) Returned(tool string) bool {
	_, known := r.took(tool)
	return known
}

// Took returns the duration of the newest successful call of a tool, or 0.
func (r *Run) Took(tool string) time.Duration {
	took, _ := r.took(tool)
	return took
}

func (r *Run) took(tool string) (took time.Duration, known bool) {
	c := &r.runner.calls
	c.mu.Lock()
	defer c.mu.Unlock()
	took, known = c.took[tool]
	return took, known
}

// Cancelled sends a request, cancels it after a quarter of its expected duration, and waits for a
// response that should not come. late reports whether the server sent a response although it had
// seen the cancellation. Over stdio, messages are read in order: the server has seen the
// cancellation once it has responded to a ping that was sent afterwards. That ping must return
// before the request could have finished. Over HTTP, a response is late if it comes much later than
// the cancellation.
func (r *Run) Cancelled(c *Conn, name string, frame []byte, took, wait time.Duration) (o Outcome, late bool) {
	id := jsonrpc.Scan(frame).ID.Of(frame)
	seen := make(chan int, 1) // number of the newest frame when the server had seen the cancellation
	after, begun := took/4, time.Now()
	timer := time.AfterFunc(after, func() {
		_ = c.Notify(r.ctx, "notifications/cancelled", `{"requestId":`+string(id.Shown())+`,"reason":"mcptea"}`) // the exchange reports a failure
		if r.runner.isStream() && c.ping(r.ctx).Kind == Result && time.Since(begun) < took {
			seen <- r.runner.journal.last()
		}
	})
	defer timer.Stop()
	o = r.exchange(c, name, frame, patient, wait)
	if !r.runner.isStream() {
		return o, o.Took > after+max(minLinger, r.runner.quietTime())
	}
	select {
	case last := <-seen:
		return o, len(o.evidence) > 1 && o.evidence[1].Seq > last
	default:
		return o, false
	}
}

// Attempt calls a tool without judging the outcome. It calls frame once the connection is open.
func (r *Run) Attempt(c *Conn, name string, frame func(arguments string) []byte, arguments string, timeout time.Duration) Outcome {
	b := frame(arguments)
	if !r.begin(name, b, r.use(c)) {
		return Outcome{Kind: Unsent}
	}
	o := c.exchange(r.ctx, b, patient, timeout)
	o.x = &exchange{name: name, conn: c}
	if r.isStopped() {
		return Outcome{Kind: Unsent}
	}
	return o
}

// awaitReading blocks while reading is suspended.
func (l *link) awaitReading() {
	l.mu.Lock()
	held := l.held
	l.mu.Unlock()
	if held != nil {
		<-held // always closed by [Run.Unread]
	}
}

// Unread sends frames while the messages of the server are not read for the duration d, and then waits for all
// responses. Outcomes are in the order of the frames.
func (r *Run) Unread(c *Conn, name string, frames [][]byte, d time.Duration) Burst {
	if r.use(c); r.ended != "" {
		return Burst{Name: name}
	}
	l := c.link()
	l.did("did not read stdout for " + phrase.Duration(d))
	held := make(chan struct{})
	l.mu.Lock()
	l.held = held
	l.mu.Unlock()
	release := sync.OnceFunc(func() {
		l.mu.Lock()
		l.held = nil
		l.mu.Unlock()
		close(held)
	})
	defer release() // even if the run is stopped
	timer := time.AfterFunc(d, release)
	defer timer.Stop()
	return r.Burst(c, name, frames)
}

// Pid returns the process id of the server, or 0.
func (c *Conn) Pid() int {
	if l := c.link(); l != nil {
		return l.pid
	}
	return 0
}

// Send sends bytes without waiting for a response.
func (r *Run) Send(c *Conn, frame []byte) {
	if r.ended != "" {
		return
	}
	r.report.Sent++
	_ = c.send(r.ctx, frame) // a later exchange reports a failure
}

// Shutdown starts processes, closes the stdin of all of them concurrently, and waits for them and
// their descendants to exit. It signals processes that still run after the limit. If a process was
// signalled or left descendants behind, Shutdown repeats the attempt with a single process. If the
// second process exits, Shutdown makes a third attempt, because a busy machine can delay an exit.
// See [Exit.Once] and [Exit.Unsteady].
func (r *Run) Shutdown(starts []func() *Conn, limit time.Duration) []Exit {
	return r.shutDown(starts, limit, false, (*Exit).stays)
}

// Leftover is like Shutdown for one process, but repeats only if descendants are left behind.
func (r *Run) Leftover(start func() *Conn, limit time.Duration) Exit {
	return r.shutDown([]func() *Conn{start}, limit, false, func(e *Exit) bool { return len(e.Left) > 0 })[0]
}

// Vanish is like Shutdown for one process, but also closes stdout and stderr, as when a client is killed.
func (r *Run) Vanish(start func() *Conn, limit time.Duration) Exit {
	return r.shutDown([]func() *Conn{start}, limit, true, (*Exit).stays)[0]
}

func (r *Run) shutDown(starts []func() *Conn, limit time.Duration, abrupt bool, stays func(e *Exit) bool) []Exit {
	conns := make([]*Conn, len(starts))
	for i, start := range starts {
		conns[i] = start()
	}
	endings := r.closeStdin(conns, limit, abrupt)
	for i := range endings {
		if e := &endings[i]; stays(e) && !r.StartsSlower(limit) {
			e.repeat(func() bool {
				again := r.closeStdin([]*Conn{starts[i]()}, limit, abrupt)[0]
				return stays(&again)
			})
		}
	}
	return endings
}

// repeat repeats a failed shutdown. If the second attempt succeeds, it makes a third one.
func (e *Exit) repeat(stays func() bool) {
	e.Stayed, e.Attempts = 1, 2
	if stays() {
		e.Stayed = 2
		return
	}
	if e.Attempts = 3; stays() {
		e.Stayed = 2
	}
}

// Once reports whether only the first of three attempts failed.
func (e *Exit) Once() bool { return e.Stayed == 1 && e.Attempts == 3 }

// Unsteady reports whether two of three attempts failed, but not two in a row.
func (e *Exit) Unsteady() bool { return e.Stayed == 2 && e.Attempts == 3 }

// stays reports whether the process was ended by a signal or left descendants behind.
func (e *Exit) stays() bool { return e.Signalled != "" || len(e.Left) > 0 }

func (r *Run) closeStdin(conns []*Conn, limit time.Duration, abrupt bool) []Exit {
	ctx, stop := context.WithTimeout(r.ctx, limit+r.ExitTime()) // allow time for the signals
	defer stop()
	endings := make([]Exit, len(conns))
	if r.ended != "" {
		return endings
	}
	var wg sync.WaitGroup
	for i, c := range conns {
		wg.Go(func() {
			l := c.link()
			l.client.Watch(limit, abrupt)
			_ = l.client.Close(ctx) // the link records how the process ended
			l.finish()
			endings[i] = *l.exit(context.WithoutCancel(ctx))
		})
	}
	wg.Wait()
	return endings
}

// Terminate starts a process, sends SIGTERM to that process only, and waits for it and its descendants to exit.
// It repeats failed attempts like [Run.Shutdown]. ok is false if there is no process, and on Windows.
func (r *Run) Terminate(start func() *Conn, limit time.Duration) (e Exit, ok bool) {
	stays := func(e *Exit) bool { return !e.Exited || len(e.Left) > 0 }
	if e, ok = r.sendTerm(start(), limit); ok && stays(&e) {
		e.repeat(func() bool {
			again, _ := r.sendTerm(start(), limit)
			return stays(&again)
		})
	}
	return e, ok
}

func (r *Run) sendTerm(c *Conn, limit time.Duration) (e Exit, ok bool) {
	l := c.link()
	if r.ended != "" || l.pid == 0 || runtime.GOOS == "windows" {
		return e, false
	}
	l.client.Watch(limit, false)
	process, err := os.FindProcess(l.pid)
	if err != nil || process.Signal(syscall.SIGTERM) != nil {
		return e, false
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-l.gone:
		ctx, stop := context.WithTimeout(r.ctx, 2*limit)
		defer stop()
		_ = l.client.Close(ctx) // returns when the descendants have exited or were killed
		l.finish()
	case <-timer.C:
	case <-r.ctx.Done():
	}
	return *l.exit(context.WithoutCancel(r.ctx)), true
}
