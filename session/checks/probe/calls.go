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
	"mcptea/session/checks/lint"
)

// maxHung is how many calls without a response, one after another, are taken as a
// sign that no call gets one.
const maxHung = 4

// callsEnd is why a probe is skipped after that.
const callsEnd = "tools/call gets no response, or ends the server"

// calls is what a run knows of calls of tools.
type calls struct {
	mu         sync.Mutex
	callable   []Subject // those that may be called, best first; never changed in place
	took       map[string]time.Duration
	progressed map[string]bool // by calls that asked for it
	hung       int             // the last calls, one after another, without a response
}

func newCalls() calls { return calls{took: map[string]time.Duration{}, progressed: map[string]bool{}} }

// returned notes how long a call took that has got a result.
func (c *calls) returned(tool string, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.took[tool] = took
}

// noteResponse notes whether a call has got a response.
func (c *calls) noteResponse(came bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hung++; came {
		c.hung = 0
	}
}

// hang counts the last calls, one after another, without a response.
func (c *calls) hang() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.hung
}

// leaveOut has a tool not be called again.
func (c *calls) leaveOut(tool string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.callable = slices.DeleteFunc(slices.Clone(c.callable), func(s Subject) bool { return s.Name == tool })
}

// Callables are the tools that may be called, best first.
func (r *Run) Callables() []Subject {
	c := &r.runner.calls
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.callable
}

// Call calls a tool with arguments; empty ones are left out. ok is false when there
// is no result in time: the call is then cancelled, and the tool not called again.
func (r *Run) Call(c *Conn, name string, tool, arguments string) (o Outcome, ok bool) {
	params := `{"name":` + JSON(tool)
	if arguments != "" {
		params += `,"arguments":` + arguments
	}
	return r.Exchange(c, name, tool, c.Request("tools/call", params+"}"))
}

// Exchange is Call with the frame of the request.
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
		r.Of(o).Advise("Nothing to fix if the tool has to work that long; progress notifications show that it does.").About(lint.Info, "tool:"+tool, "The tool %s returns no result within %s; it is not called again.", tool, phrase.Duration(limit.Round(shownTook)))
		return o, false
	}
	return o, true
}

// CallWithProgress calls a tool with the arguments of a subject, and asks for progress.
// The token is an integer, as that of most clients.
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

// Progressed reports whether a call of [Run.CallWithProgress] had progress.
func (r *Run) Progressed(tool string) bool {
	c := &r.runner.calls
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.progressed[tool]
}

// During sends a request, and another one a little later, while the first is pending.
func (r *Run) During(c *Conn, name string, first, second []byte) (a, b Outcome) {
	if !r.begin(name, first, c) || !r.begin(name, second, c) {
		return Outcome{Kind: Unsent}, Outcome{Kind: Unsent}
	}
	l, done := c.link(), make(chan Outcome, 1)
	go func() { done <- c.through(r.ctx, l, first, patient, r.runner.requestTimeout()) }() // ends with the timeout
	r.Quiet()
	b = c.through(r.ctx, l, second, expected, r.runner.requestTimeout())
	a = <-done
	a.x, b.x = &exchange{name: name, conn: c}, &exchange{name: name, conn: c}
	return a, b
}

// Returned reports whether a call of a tool has got a result, other than as a task.
func (r *Run) Returned(tool string) bool {
	_, known := r.took(tool)
	return known
}

// Took is how long the newest successful call of a tool took; 0 without one.
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

// Cancelled sends a request that takes a while, cancels it after a quarter of that, and
// waits for a response that should not come. late reports one that came although the server
// had seen the cancellation: over stdio after the response to a ping that was sent behind
// it, for messages are read in their order, if that was there before the request could be
// done; over HTTP much later.
func (r *Run) Cancelled(c *Conn, name string, frame []byte, took, wait time.Duration) (o Outcome, late bool) {
	id := jsonrpc.Scan(frame).ID.Of(frame)
	seen := make(chan int, 1) // the newest frame when the cancellation had been seen
	after, begun := took/4, time.Now()
	timer := time.AfterFunc(after, func() {
		_ = c.Notify(r.ctx, "notifications/cancelled", `{"requestId":`+string(id.Shown())+`,"reason":"mcptea"}`) // the response shows a failure
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

// Attempt sends a call and judges nothing. frame makes it from the arguments, once
// the connection is open.
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

// awaitReading waits while messages of the server are not read.
func (l *link) awaitReading() {
	l.mu.Lock()
	held := l.held
	l.mu.Unlock()
	if held != nil {
		<-held // [Run.Unread] always closes it
	}
}

// Unread sends frames on a connection whose messages are not read for a while, and
// waits for all responses. The order of the outcomes is that of the frames.
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
	defer release() // also when the run is stopped
	timer := time.AfterFunc(d, release)
	defer timer.Stop()
	return r.Burst(c, name, frames)
}

// Pid is the process of a connection; 0 without one.
func (c *Conn) Pid() int {
	if l := c.link(); l != nil {
		return l.pid
	}
	return 0
}

// Send sends bytes and waits for nothing.
func (r *Run) Send(c *Conn, frame []byte) {
	if r.ended != "" {
		return
	}
	r.report.Sent++
	_ = c.send(r.ctx, frame) // the end of the server shows a failure
}

// Shutdown starts processes, closes stdin of all at once, and waits for their end and that of
// their descendants; after the limit they are signalled. One that was signalled, or was outlived,
// is started and asked once more, alone; and a third time if it went then, since a busy machine
// tells nothing about the server: see [Exit.Once] and [Exit.Unsteady].
func (r *Run) Shutdown(starts []func() *Conn, limit time.Duration) []Exit {
	return r.shutDown(starts, limit, false, (*Exit).stays)
}

// Leftover is Shutdown of one process, of which only those count that outlive it: when it is
// signalled, it is not asked once more.
func (r *Run) Leftover(start func() *Conn, limit time.Duration) Exit {
	return r.shutDown([]func() *Conn{start}, limit, false, func(e *Exit) bool { return len(e.Left) > 0 })[0]
}

// Vanish is Shutdown that also closes stdout and stderr, at once, as the end of a client does.
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

// repeat has a process that stayed asked once more, and a third time if it went.
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

// Once reports a process that stayed in the first of three attempts alone.
func (e *Exit) Once() bool { return e.Stayed == 1 && e.Attempts == 3 }

// Unsteady reports one that stayed in two of three attempts, with another one between them.
func (e *Exit) Unsteady() bool { return e.Stayed == 2 && e.Attempts == 3 }

// stays reports a process that was ended by a signal, or that others have outlived.
func (e *Exit) stays() bool { return e.Signalled != "" || len(e.Left) > 0 }

func (r *Run) closeStdin(conns []*Conn, limit time.Duration, abrupt bool) []Exit {
	ctx, stop := context.WithTimeout(r.ctx, limit+r.ExitTime()) // signals need a while, too
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
			_ = l.client.Close(ctx) // how the process ended is in the link
			l.finish()
			endings[i] = *l.exit(context.WithoutCancel(ctx))
		})
	}
	wg.Wait()
	return endings
}

// Terminate starts a process, sends SIGTERM to it alone and waits for its end and that of its
// descendants. One that does not end, or was outlived, is asked again as by [Run.Shutdown]. ok is false without a process, and on Windows.
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
		_ = l.client.Close(ctx) // it returns when the descendants have ended, or were
		l.finish()
	case <-timer.C:
	case <-r.ctx.Done():
	}
	return *l.exit(context.WithoutCancel(r.ctx)), true
}
