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

// How often a task is looked at: as the server wishes, within bounds.
const (
	defaultPollInterval = time.Second // when the server has no wish
	minPollInterval     = 250 * time.Millisecond
	maxPollInterval     = time.Minute
	// serverPollInterval is the least pause where the server has told of a change by
	// itself: with 2025-11-25 it need not tell of all of them.
	serverPollInterval = 5 * time.Second
	// inputPollInterval is the least pause while the task waits for an answer of ours.
	inputPollInterval = 30 * time.Second
	// maxPollFailures is how often in a row looking may go wrong.
	maxPollFailures = 3
)

// What is said of tasks that a server does not know.
const (
	reasonExpired = "is no longer known to the server, which was to keep it only for its ttl"
	reasonUnknown = "is not known to the server"
)

// taskPoller looks after one task until it is over. It is one goroutine; the others
// that it starts report to it.
type taskPoller struct {
	s      *Session
	c      *client.Client
	t      *task
	id     string // of the task
	modern bool

	cancelled <-chan struct{} // the call is given up; nil once that is dealt with
	cause     func() error

	refreshing    bool
	statusReplies chan statusReply
	failures      int

	inputResults chan error         // what became of questions that were passed on
	inputCtx     context.Context    // as long as these questions are open; nil when there are none
	cancelInputs context.CancelFunc // takes them back

	fetching       bool // tasks/result is open
	fetched        chan outcome
	resultDeadline <-chan time.Time // the result of a task that is over is due

	end      *outcome
	detached bool // the end is that of the call alone
	workers  sync.WaitGroup
}

type statusReply struct {
	now    client.Task
	answer client.Answer
	err    error
}

type outcome struct {
	answer client.Answer
	err    error
}

// pollTask looks after a task until it is over, and returns what the call behind it
// would have been answered. The end of ctx cancels the task.
func (s *Session) pollTask(ctx context.Context, c *client.Client, t *task) (client.Answer, error) {
	m := &taskPoller{
		s: s, c: c, t: t, id: s.idOf(t), modern: c.Handshake().Revision.IsModern(),
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

// pollDetached looks after a task for whose end no call waits.
func (s *Session) pollDetached(c *client.Client, t *task) {
	s.goTracked(func() { _, _ = s.pollTask(context.Background(), c, t) }) // the task keeps its outcome
}

func (m *taskPoller) finish(answer client.Answer, err error) { m.end = &outcome{answer, err} }

// advance does what the status of the task asks for.
func (m *taskPoller) advance(own context.Context) {
	if m.end != nil {
		return
	}
	m.s.mu.Lock()
	now, frame, look := m.t.Task.Task, m.t.frame, m.t.refreshNow
	m.t.refreshNow = false
	m.s.mu.Unlock()
	if now.Status != client.TaskInputRequired && m.inputCtx != nil {
		m.cancelInputs() // the server does not wait for that any more
		m.inputCtx = nil
	}
	switch {
	case now.Status == client.TaskCancelled:
		m.finish(client.Answer{}, client.ErrTaskCancelled)
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
		m.fetchResult(own) // the server asks while this is open
	}
	if look {
		m.refresh()
	}
}

// resultTimeout is how long the result of a task that is over may take.
func (s *Session) resultTimeout() time.Duration {
	if t := s.cfg.Client.Timeout; t > 0 {
		return t
	}
	return time.Minute
}

// waitNext waits for whatever comes first.
func (m *taskPoller) waitNext(clock <-chan time.Time) {
	select {
	case <-m.t.wakeup:
	case <-clock:
		m.refresh()
	case l := <-m.statusReplies:
		m.refreshing = false
		if err := m.applyReply(l); err != nil {
			m.finish(client.Answer{}, err)
		}
	case f := <-m.fetched:
		m.resultFetched(f)
	case err := <-m.inputResults:
		m.inputSent(err)
	case <-m.resultDeadline:
		m.finish(client.Answer{}, &client.TimeoutError{Method: "tasks/result", After: m.s.resultTimeout()})
	case <-m.cancelled:
		m.cancelled = nil
		m.cancel(m.cause())
	case <-m.c.Done():
		err := m.c.Err()
		if err == nil {
			err = client.ErrClosed
		}
		m.finish(client.Answer{}, &client.ClosedError{Method: "the task", Err: err})
	case <-m.s.ending:
		m.finish(client.Answer{}, &client.ClosedError{Method: "the task", Err: client.ErrClosed})
	}
}

// nextInterval is how long to wait before the next look, and notes it.
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
		t.PollInterval = maxPollInterval // the result is on its way
	case m.modern:
		if t.Notified = granted; granted {
			t.PollInterval = maxPollInterval
		}
		if granted != told {
			t.refreshNow = true // for what happened before, or is told to nobody now
			t.wake()
		}
	case t.Notified:
		t.PollInterval = min(max(10*t.PollInterval, serverPollInterval), maxPollInterval)
	}
	if m.s.waitingRequests(t) > 0 {
		t.PollInterval = max(t.PollInterval, inputPollInterval) // it waits for us, and not the other way round
	}
	return t.PollInterval
}

// refresh asks how the task stands, unless that is asked already.
func (m *taskPoller) refresh() {
	if m.refreshing {
		return
	}
	m.refreshing = true
	// The question is not taken back when nobody needs its answer any more:
	// that would be one message more.
	m.s.goTracked(func() {
		now, answer, err := m.c.GetTask(context.Background(), m.id) // the client bounds it
		m.statusReplies <- statusReply{now, answer, err}
	})
}

// applyReply takes in how the task stands. It returns why nothing more can be
// learned, if that is so.
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
		return &client.TaskError{ID: m.id, Reason: "cannot be followed", Err: l.err}
	}
	m.failures++
	m.noteText("asking for it went wrong: " + l.err.Error())
	if m.failures >= maxPollFailures {
		return &client.TaskError{ID: m.id, Reason: "was given up", Err: l.err}
	}
	return nil
}

// unknownTaskError says why a server may not know the task.
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
