package session

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
	// serverPollInterval is the minimum where the server sends status notifications:
	// with 2025-11-25 it need not send all of them.
	serverPollInterval = 5 * time.Second
	// inputPollInterval is the minimum while the task waits for input.
	inputPollInterval = 30 * time.Second
	// maxPollFailures is how many polls in a row may fail.
	maxPollFailures = 3
)

// The reasons of a [client.TaskError] for a task that the server does not know.
const (
	reasonExpired = "is no longer known to the server: its ttl has expired"
	reasonUnknown = "is not known to the server"
)

// taskPoller polls one task until it ends and answers its input requests. It runs
// on one goroutine; its workers report to it over channels.
type taskPoller struct {
	s      *Session
	c      *client.Client
	t      *task
	id     string // of the task
	modern bool

	cancelled <-chan struct{} // the call was cancelled; nil once that is handled
	cause     func() error

	refreshing    bool
	statusReplies chan statusReply
	failures      int

	inputResults chan error         // the outcome of each input request
	inputCtx     context.Context    // of the open input requests; nil when there are none
	cancelInputs context.CancelFunc // ends inputCtx

	fetching       bool // tasks/result is open
	fetched        chan outcome
	resultDeadline <-chan time.Time // for tasks/result of a task that has ended

	end      *outcome
	detached bool // the call has ended and the task has not
	workers  sync.WaitGroup
}

type statusReply struct {
	now    client.Task
	answer client.Response
	err    error
}

type outcome struct {
	answer client.Response
	err    error
}

// pollTask polls a task until it ends and returns the response that its call would
// have had. The end of ctx cancels the task.
func (s *Session) pollTask(ctx context.Context, c *client.Client, t *task) (client.Response, error) {
	m := &taskPoller{
		s: s, c: c, t: t, id: s.idOf(t), modern: c.Handshake().Revision.IsStateless(),
		cancelled: ctx.Done(), cause: func() error { return context.Cause(ctx) },
		statusReplies: make(chan statusReply, 1), inputResults: make(chan error, 1), fetched: make(chan outcome, 1),
	}
	s.watchTask(m.id)
	own, stop := context.WithCancel(context.Background())
	for m.advance(own); m.end == nil; m.advance(own) {
		timer := time.NewTimer(m.nextInterval())
		m.waitNext(timer.C)
		timer.Stop()
	}
	stop()
	m.workers.Wait()
	if m.detached {
		s.pollDetached(c, t)
	} else {
		m.finishTask()
	}
	return m.end.answer, m.end.err
}

func (s *Session) idOf(t *task) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return t.ID
}

// pollDetached polls a task without a waiting call.
func (s *Session) pollDetached(c *client.Client, t *task) {
	s.goTracked(func() { _, _ = s.pollTask(context.Background(), c, t) }) // the task keeps its outcome
}

func (m *taskPoller) finish(answer client.Response, err error) { m.end = &outcome{answer, err} }

// advance acts on the status of the task.
func (m *taskPoller) advance(own context.Context) {
	if m.end != nil {
		return
	}
	m.s.mu.Lock()
	now, frame, look := m.t.Task.Task, m.t.frame, m.t.refreshNow
	m.t.refreshNow = false
	m.s.mu.Unlock()
	if now.Status != client.TaskInputRequired && m.inputCtx != nil {
		m.cancelInputs() // the server no longer waits for it
		m.inputCtx = nil
	}
	switch {
	case now.Status == client.TaskCancelled:
		m.finish(client.Response{}, client.ErrTaskCancelled)
		return
	case now.Status.Final() && m.modern && frame != nil:
		m.finish(client.TaskOutcome(now, frame))
		return
	case now.Status.Final() && !m.modern:
		m.fetchResult(own)
		if m.resultDeadline == nil {
			m.resultDeadline = time.After(m.s.resultTimeout())
		}
	case now.Status == client.TaskInputRequired && m.modern:
		m.requestInput(own, now, frame)
	case now.Status == client.TaskInputRequired:
		m.fetchResult(own) // input requests arrive while tasks/result is pending
	}
	if look {
		m.refresh()
	}
}

// resultTimeout is the timeout of tasks/result for a task that has ended.
func (s *Session) resultTimeout() time.Duration {
	if t := s.cfg.Client.Timeout; t > 0 {
		return t
	}
	return time.Minute
}

// waitNext waits for the next event and handles it.
func (m *taskPoller) waitNext(clock <-chan time.Time) {
	select {
	case <-m.t.wakeup:
	case <-clock:
		m.refresh()
	case l := <-m.statusReplies:
		m.refreshing = false
		if err := m.applyReply(l); err != nil {
			m.finish(client.Response{}, err)
		}
	case f := <-m.fetched:
		m.resultFetched(f)
	case err := <-m.inputResults:
		m.inputSent(err)
	case <-m.resultDeadline:
		m.finish(client.Response{}, &client.TimeoutError{Method: "tasks/result", After: m.s.resultTimeout()})
	case <-m.cancelled:
		m.cancelled = nil
		m.cancel(m.cause())
	case <-m.c.Done():
		err := m.c.Err()
		if err == nil {
			err = client.ErrClosed
		}
		m.finish(client.Response{}, &client.ClosedError{Method: "the task", Err: err})
	case <-m.s.ending:
		m.finish(client.Response{}, &client.ClosedError{Method: "the task", Err: client.ErrClosed})
	}
}

// nextInterval returns the time until the next poll and stores it in the task.
func (m *taskPoller) nextInterval() time.Duration {
	m.s.mu.Lock()
	defer m.s.mu.Unlock()
	t, told := m.t, m.t.Notified
	t.PollInterval = defaultPollInterval
	if t.Poll > 0 {
		t.PollInterval = min(max(t.Poll, minPollInterval), maxPollInterval)
	}
	switch granted := m.s.taskSubscribed(m.id); {
	case t.Status.Final():
		t.PollInterval = maxPollInterval // tasks/result is pending
	case m.modern:
		if t.Notified = granted; granted {
			t.PollInterval = maxPollInterval
		}
		if granted != told {
			t.refreshNow = true // changes before the subscription, or after its end, were not reported
			t.wake()
		}
	case t.Notified:
		t.PollInterval = min(max(10*t.PollInterval, serverPollInterval), maxPollInterval)
	}
	if m.s.waitingRequests(t) > 0 {
		t.PollInterval = max(t.PollInterval, inputPollInterval) // the server waits for the client
	}
	return t.PollInterval
}

// refresh sends tasks/get unless one is pending.
func (m *taskPoller) refresh() {
	if m.refreshing {
		return
	}
	m.refreshing = true
	// The request is not cancelled when its response is no longer needed: that
	// would only be another message.
	m.s.goTracked(func() {
		now, answer, err := m.c.GetTask(context.Background(), m.id) // the client bounds it
		m.statusReplies <- statusReply{now, answer, err}
	})
}

// applyReply applies the response to tasks/get. It returns an error when polling
// cannot continue.
func (m *taskPoller) applyReply(l statusReply) error {
	var rpc *client.RPCError
	var closed *client.ClosedError
	switch {
	case l.err == nil:
		m.failures = 0
		m.s.mu.Lock()
		m.s.applyUpdate(m.t, l.now, TaskEvent{
			At: time.Now(), Status: l.now.Status, Text: l.now.Message, By: ByPoll, Row: m.s.answerRow(l.answer),
		}, l.answer.Frame)
		m.s.mu.Unlock()
		m.s.store.Poke()
		return nil
	case errors.As(l.err, &closed):
		return l.err
	case errors.As(l.err, &rpc) && rpc.Code == jsonrpc.CodeInvalidParams:
		return m.unknownTaskError(l.err)
	case errors.As(l.err, &rpc) && (rpc.Code == jsonrpc.CodeMethodNotFound || rpc.Code == revision.CodeMissingCapability):
		return &client.TaskError{ID: m.id, Reason: "cannot be polled", Err: l.err}
	}
	m.failures++
	m.noteText("tasks/get failed: " + l.err.Error())
	if m.failures >= maxPollFailures {
		return &client.TaskError{ID: m.id, Reason: "was abandoned", Err: l.err}
	}
	return nil
}

// unknownTaskError tells an expired task from an unknown one.
func (m *taskPoller) unknownTaskError(err error) error {
	m.s.mu.Lock()
	expires := m.t.Expires()
	m.s.mu.Unlock()
	if !expires.IsZero() && !time.Now().Before(expires) {
		return &client.TaskError{ID: m.id, Reason: reasonExpired, Err: err}
	}
	return &client.TaskError{ID: m.id, Reason: reasonUnknown, Err: err}
}

func (m *taskPoller) noteText(text string) {
	m.s.mu.Lock()
	m.t.note(TaskEvent{At: time.Now(), Text: text, Row: -1})
	m.s.mu.Unlock()
	m.s.store.Poke()
}
