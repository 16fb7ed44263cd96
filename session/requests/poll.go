package requests

import (
	"context"
	"errors"
	"sync"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// The poll interval of a task: the server's pollInterval, within bounds.
const (
	defaultPollInterval = time.Second // without a pollInterval
	minPollInterval     = 250 * time.Millisecond
	maxPollInterval     = time.Minute
	// serverPollInterval is the minimum while the server sends status notifications: with 2025-11-25 it may
	// leave out some.
	serverPollInterval = 5 * time.Second
	// inputPollInterval is the minimum while the task waits for input.
	inputPollInterval = 30 * time.Second
	// maxPollFailures bounds the polls in a row that may fail.
	maxPollFailures = 3
)

// The reasons of a [client.TaskError] for a task that the server does not know.
const (
	reasonExpired = "is no longer known to the server: its ttl has expired"
	reasonUnknown = "is not known to the server"
)

// poller polls one task until it ends and passes on its input requests. It runs
// on one goroutine; its workers report to it over channels.
type poller struct {
	k         *Tracker
	c         *client.Client
	t         *entry
	id        string // id of the task
	extension bool   // the task belongs to the extension

	cancelled <-chan struct{} // the call was cancelled; nil once that is handled
	cause     func() error

	ctx      context.Context // canceled when the poller ends
	workers  sync.WaitGroup
	outcomes chan func() // results of the workers, to be called on the poller's goroutine

	refreshing   bool
	failures     int
	inputCtx     context.Context    // context of the open input requests, or nil
	cancelInputs context.CancelFunc // ends inputCtx

	fetching       bool             // tasks/result is open
	resultDeadline <-chan time.Time // timeout of tasks/result for a task that has ended

	end      *outcome
	detached bool // the call has ended and the task has not
}

type outcome struct {
	response client.Response
	err      error
}

// Poll polls a task until it ends and returns the response that its call would
// have had. The end of ctx cancels the task.
func (k *Tracker) Poll(ctx context.Context, c *client.Client, t *Tracked) (client.Response, error) {
	return k.poll(ctx, c, t.entry)
}

func (k *Tracker) poll(ctx context.Context, c *client.Client, t *entry) (client.Response, error) {
	p := &poller{
		k: k, c: c, t: t, id: k.idOf(t), extension: c.Handshake().Revision.IsStateless(),
		cancelled: ctx.Done(), cause: func() error { return context.Cause(ctx) },
		outcomes: make(chan func()),
	}
	k.session.Subscribe(p.id, true)
	var stop context.CancelFunc
	p.ctx, stop = context.WithCancel(context.Background())
	for p.advance(); p.end == nil; p.advance() {
		timer := time.NewTimer(p.nextInterval())
		p.waitNext(timer.C)
		timer.Stop()
	}
	stop()
	p.workers.Wait()
	if p.detached {
		k.pollDetached(c, t)
	} else {
		p.finishTask()
	}
	return p.end.response, p.end.err
}

func (k *Tracker) idOf(t *entry) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return t.ID
}

// pollDetached polls a task without a waiting call.
func (k *Tracker) pollDetached(c *client.Client, t *entry) {
	k.session.Go(func() { _, _ = k.poll(context.Background(), c, t) }) // the task keeps its outcome
}

func (p *poller) finish(response client.Response, err error) { p.end = &outcome{response, err} }

// advance acts on the status of the task.
func (p *poller) advance() {
	if p.end != nil {
		return
	}
	p.k.mu.Lock()
	now, frame, refresh := p.t.Task.Task, p.t.frame, p.t.refreshNow
	p.t.refreshNow = false
	p.k.mu.Unlock()
	if now.Status != client.TaskInputRequired && p.inputCtx != nil {
		p.cancelInputs() // the server no longer waits for it
		p.inputCtx = nil
	}
	switch {
	case now.Status == client.TaskCancelled:
		p.finish(client.Response{}, client.ErrTaskCancelled)
		return
	case now.Status.Final() && p.extension && frame != nil:
		p.finish(client.TaskOutcome(now, frame))
		return
	case now.Status.Final() && !p.extension:
		p.fetchResult()
		if p.resultDeadline == nil {
			p.resultDeadline = time.After(p.k.resultTimeout)
		}
	case now.Status == client.TaskInputRequired && p.extension:
		p.requestInput(now, frame)
	case now.Status == client.TaskInputRequired:
		p.fetchResult() // input requests arrive while tasks/result is pending
	}
	if refresh {
		p.refresh()
	}
}

// waitNext waits for the next event and handles it.
func (p *poller) waitNext(clock <-chan time.Time) {
	select {
	case <-p.t.wakeup:
	case <-clock:
		p.refresh()
	case handle := <-p.outcomes:
		handle()
	case <-p.resultDeadline:
		p.finish(client.Response{}, &client.TimeoutError{Method: "tasks/result", After: p.k.resultTimeout})
	case <-p.cancelled:
		p.cancelled = nil
		p.cancel(p.cause())
	case <-p.c.Done():
		err := p.c.Err()
		if err == nil {
			err = client.ErrClosed
		}
		p.finish(client.Response{}, &client.ClosedError{Method: "the task", Err: err})
	case <-p.k.session.Closing():
		p.finish(client.Response{}, &client.ClosedError{Method: "the task", Err: client.ErrClosed})
	}
}

// nextInterval returns the time until the next poll and stores it in the task.
func (p *poller) nextInterval() time.Duration {
	granted, waiting := p.k.session.Subscribed(p.id), p.k.waiting()[p.id]
	p.k.mu.Lock()
	defer p.k.mu.Unlock()
	t, before := p.t, p.t.Notified
	t.PollInterval = defaultPollInterval
	if t.Poll > 0 {
		t.PollInterval = min(max(t.Poll, minPollInterval), maxPollInterval)
	}
	switch {
	case t.Status.Final():
		t.PollInterval = maxPollInterval // tasks/result is pending
	case p.extension:
		if t.Notified = granted; granted {
			t.PollInterval = maxPollInterval
		}
		if granted != before {
			t.refreshNow = true // changes before the subscription, or after its end, were not reported
			t.wake()
		}
	case t.Notified:
		t.PollInterval = min(max(10*t.PollInterval, serverPollInterval), maxPollInterval)
	}
	if waiting > 0 {
		t.PollInterval = max(t.PollInterval, inputPollInterval) // the server waits for the client
	}
	return t.PollInterval
}

// refresh sends tasks/get unless one is pending.
func (p *poller) refresh() {
	if p.refreshing {
		return
	}
	p.refreshing = true
	// The request is not cancelled when its response is no longer needed: that
	// would only be another message.
	p.k.session.Go(func() {
		now, response, err := p.c.GetTask(context.Background(), p.id) // the client bounds it
		p.hand(p.ctx, func() {
			p.refreshing = false
			if err := p.applyReply(now, response, err); err != nil {
				p.finish(client.Response{}, err)
			}
		})
	})
}

// hand passes the outcome of a worker to the poller, unless it is no longer needed.
func (p *poller) hand(ctx context.Context, outcome func()) {
	select {
	case p.outcomes <- outcome:
	case <-ctx.Done():
	}
}

// applyReply applies the response to tasks/get. It returns an error when polling
// cannot continue.
func (p *poller) applyReply(now client.Task, response client.Response, err error) error {
	var rpc *client.RPCError
	var closed *client.ClosedError
	switch {
	case err == nil:
		p.failures = 0
		f := frameOf(response)
		_, conn, _ := p.k.session.Connection()
		p.k.mu.Lock()
		p.t.update(now, conn, Event{At: f.Time, Status: now.Status, Text: now.Message, By: ByPoll, Row: f.Row}, f.Bytes)
		p.k.mu.Unlock()
		p.k.session.Changed()
		return nil
	case errors.As(err, &closed):
		return err
	case errors.As(err, &rpc) && rpc.Code.Is(jsonrpc.CodeInvalidParams):
		return p.unknownTaskError(err)
	case errors.As(err, &rpc) && (rpc.Code.Is(jsonrpc.CodeMethodNotFound) || rpc.Code.Is(revision.CodeMissingCapability)):
		return &client.TaskError{ID: p.id, Reason: "cannot be polled", Err: err}
	}
	p.failures++
	p.noteText("tasks/get failed: " + err.Error())
	if p.failures >= maxPollFailures {
		return &client.TaskError{ID: p.id, Reason: "was abandoned", Err: err}
	}
	return nil
}

// unknownTaskError distinguishes an expired task from an unknown one.
func (p *poller) unknownTaskError(err error) error {
	p.k.mu.Lock()
	expires := p.t.Expires()
	p.k.mu.Unlock()
	if !expires.IsZero() && !time.Now().Before(expires) {
		return &client.TaskError{ID: p.id, Reason: reasonExpired, Err: err}
	}
	return &client.TaskError{ID: p.id, Reason: reasonUnknown, Err: err}
}

func (p *poller) noteText(text string) {
	p.k.mu.Lock()
	p.t.note(Event{At: time.Now(), Text: text, Row: -1})
	p.k.mu.Unlock()
	p.k.session.Changed()
}
