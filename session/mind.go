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
	usualLook = time.Second // when the server has no wish
	firstLook = 250 * time.Millisecond
	lastLook  = time.Minute
	// toldLook is the least pause where the server has told of a change by
	// itself: with 2025-11-25 it need not tell of all of them.
	toldLook = 5 * time.Second
	// askedLook is the least pause while the task waits for an answer of ours.
	askedLook = 30 * time.Second
	// mostMisses is how often in a row looking may go wrong.
	mostMisses = 3
)

// What is said of tasks that a server does not know.
const (
	sayExpired = "is no longer known to the server, which was to keep it only for its ttl"
	sayUnknown = "is not known to the server"
)

// minder looks after one task until it is over. It is one goroutine; the others
// that it starts report to it.
type minder struct {
	s      *Session
	c      *client.Client
	t      *task
	id     string // of the task
	modern bool

	cancelled <-chan struct{} // the call is given up; nil once that is dealt with
	why       func() error

	looking bool
	looked  chan looked
	misses  int

	inputs chan error         // what became of questions that were passed on
	asking context.Context    // as long as these questions are open; nil when there are none
	unask  context.CancelFunc // takes them back

	fetching bool // tasks/result is open
	fetched  chan outcome
	late     <-chan time.Time // the result of a task that is over is due

	end     *outcome
	goesOn  bool // the end is that of the call alone
	workers sync.WaitGroup
}

type looked struct {
	now    client.Task
	answer client.Response
	err    error
}

type outcome struct {
	answer client.Response
	err    error
}

// mind looks after a task until it is over, and returns what the call behind it
// would have been answered. The end of ctx cancels the task.
func (s *Session) mind(ctx context.Context, c *client.Client, t *task) (client.Response, error) {
	m := &minder{
		s: s, c: c, t: t, id: s.idOf(t), modern: c.Handshake().Revision.IsModern(),
		cancelled: ctx.Done(), why: func() error { return context.Cause(ctx) },
		looked: make(chan looked, 1), inputs: make(chan error, 1), fetched: make(chan outcome, 1),
	}
	s.watchTask(m.id)
	own, stop := context.WithCancel(context.Background())
	for m.step(own); m.end == nil; m.step(own) {
		timer := time.NewTimer(m.pause())
		m.wait(timer.C)
		timer.Stop()
	}
	stop()
	m.workers.Wait()
	if m.goesOn {
		s.mindAlone(c, t)
	} else {
		m.settle()
	}
	return m.end.answer, m.end.err
}

func (s *Session) idOf(t *task) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return t.ID
}

// mindAlone looks after a task for whose end no call waits.
func (s *Session) mindAlone(c *client.Client, t *task) {
	s.later(func() { _, _ = s.mind(context.Background(), c, t) }) // the task keeps its outcome
}

func (m *minder) over(answer client.Response, err error) { m.end = &outcome{answer, err} }

// step does what the status of the task asks for.
func (m *minder) step(own context.Context) {
	if m.end != nil {
		return
	}
	m.s.mu.Lock()
	now, frame, look := m.t.Task.Task, m.t.frame, m.t.look
	m.t.look = false
	m.s.mu.Unlock()
	if now.Status != client.TaskInputRequired && m.asking != nil {
		m.unask() // the server does not wait for that any more
		m.asking = nil
	}
	switch {
	case now.Status == client.TaskCancelled:
		m.over(client.Response{}, client.ErrTaskCancelled)
		return
	case now.Status.Final() && m.modern && frame != nil:
		m.over(client.TaskOutcome(now, frame))
		return
	case now.Status.Final() && !m.modern:
		m.fetch(own)
		if m.late == nil {
			m.late = time.After(m.s.resultPatience())
		}
	case now.Status == client.TaskInputRequired && m.modern:
		m.ask(own, now, frame)
	case now.Status == client.TaskInputRequired:
		m.fetch(own) // the server asks while this is open
	}
	if look {
		m.look()
	}
}

// resultPatience is how long the result of a task that is over may take.
func (s *Session) resultPatience() time.Duration {
	if t := s.cfg.Client.Timeout; t > 0 {
		return t
	}
	return time.Minute
}

// wait waits for whatever comes first.
func (m *minder) wait(clock <-chan time.Time) {
	select {
	case <-m.t.news:
	case <-clock:
		m.look()
	case l := <-m.looked:
		m.looking = false
		if err := m.learn(l); err != nil {
			m.over(client.Response{}, err)
		}
	case f := <-m.fetched:
		m.result(f)
	case err := <-m.inputs:
		m.given(err)
	case <-m.late:
		m.over(client.Response{}, &client.TimeoutError{Method: "tasks/result", After: m.s.resultPatience()})
	case <-m.cancelled:
		m.cancelled = nil
		m.cancel(m.why())
	case <-m.c.Done():
		err := m.c.Err()
		if err == nil {
			err = client.ErrClosed
		}
		m.over(client.Response{}, &client.ClosedError{Method: "the task", Err: err})
	case <-m.s.ending:
		m.over(client.Response{}, &client.ClosedError{Method: "the task", Err: client.ErrClosed})
	}
}

// pause is how long to wait before the next look, and notes it.
func (m *minder) pause() time.Duration {
	m.s.mu.Lock()
	defer m.s.mu.Unlock()
	t, told := m.t, m.t.Told
	t.Every = usualLook
	if t.Poll > 0 {
		t.Every = min(max(t.Poll, firstLook), lastLook)
	}
	switch granted := m.s.tellsOfTask(m.id); {
	case t.Status.Final():
		t.Every = lastLook // the result is on its way
	case m.modern:
		if t.Told = granted; granted {
			t.Every = lastLook
		}
		if granted != told {
			t.look = true // for what happened before, or is told to nobody now
			t.stir()
		}
	case t.Told:
		t.Every = min(max(10*t.Every, toldLook), lastLook)
	}
	if m.s.asksOf(t) > 0 {
		t.Every = max(t.Every, askedLook) // it waits for us, and not the other way round
	}
	return t.Every
}

// look asks how the task stands, unless that is asked already.
func (m *minder) look() {
	if m.looking {
		return
	}
	m.looking = true
	// The question is not taken back when nobody needs its answer any more:
	// that would be one message more.
	m.s.later(func() {
		now, answer, err := m.c.GetTask(context.Background(), m.id) // the client bounds it
		m.looked <- looked{now, answer, err}
	})
}

// learn takes in how the task stands. It returns why nothing more can be
// learned, if that is so.
func (m *minder) learn(l looked) error {
	var rpc *client.RPCError
	var closed *client.ClosedError
	switch {
	case l.err == nil:
		m.misses = 0
		m.s.mu.Lock()
		m.s.takeNews(m.t, l.now, TaskEvent{
			At: time.Now(), Status: l.now.Status, Text: l.now.Message, By: ByLooking, Row: m.s.answerRow(l.answer),
		}, l.answer.Frame)
		m.s.mu.Unlock()
		m.s.store.Poke()
		return nil
	case errors.As(l.err, &closed):
		return l.err
	case errors.As(l.err, &rpc) && rpc.Code == jsonrpc.CodeInvalidParams:
		return m.gone(l.err)
	case errors.As(l.err, &rpc) && (rpc.Code == jsonrpc.CodeMethodNotFound || rpc.Code == revision.CodeMissingCapability):
		return &client.TaskError{ID: m.id, Reason: "cannot be followed", Err: l.err}
	}
	m.misses++
	m.say("asking for it went wrong: " + l.err.Error())
	if m.misses >= mostMisses {
		return &client.TaskError{ID: m.id, Reason: "was given up", Err: l.err}
	}
	return nil
}

// gone says why a server may not know the task.
func (m *minder) gone(err error) error {
	m.s.mu.Lock()
	expires := m.t.Expires()
	m.s.mu.Unlock()
	if !expires.IsZero() && !time.Now().Before(expires) {
		return &client.TaskError{ID: m.id, Reason: sayExpired, Err: err}
	}
	return &client.TaskError{ID: m.id, Reason: sayUnknown, Err: err}
}

func (m *minder) say(text string) {
	m.s.mu.Lock()
	m.t.note(TaskEvent{At: time.Now(), Text: text, Row: -1})
	m.s.mu.Unlock()
	m.s.store.Poke()
}
