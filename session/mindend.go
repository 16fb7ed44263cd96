package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
)

// cancelPatience is how long the server may take to answer tasks/cancel.
const cancelPatience = 5 * time.Second

// ErrTaskGoesOn is why a call was given up whose task could not be cancelled.
var ErrTaskGoesOn = errors.New("its task could not be cancelled, and goes on")

// ErrNoTaskCancel is why a task cannot be cancelled: the server has not declared
// the capability tasks.cancel (2025-11-25, basic / utilities / tasks).
var ErrNoTaskCancel = errors.New("the server does not offer to cancel tasks: the capability tasks.cancel is missing")

// ask passes on what the task asks for and has not asked before.
func (m *minder) ask(own context.Context, now client.Task, frame []byte) {
	m.s.mu.Lock()
	requests, keys := now.Requests(m.t.answered)
	if len(m.t.answered) >= maxAnswered {
		clear(m.t.answered)
	}
	for _, key := range keys {
		m.t.answered[key] = true
	}
	m.s.mu.Unlock()
	if requests == nil {
		return
	}
	if m.asking == nil {
		m.asking, m.unask = context.WithCancel(own)
	}
	open := m.asking
	m.workers.Go(func() {
		responses, err := m.c.CollectTaskInput(open, now, client.Response{Frame: frame, Envelope: jsonrpc.Scan(frame)}, requests)
		if err == nil {
			err = m.c.UpdateTask(open, now.ID, responses)
		}
		select {
		case m.inputs <- err:
		case <-open.Done():
		}
	})
}

// given takes note of what became of an answer to the task.
func (m *minder) given(err error) {
	var rpc *client.RPCError
	switch {
	case errors.Is(err, context.Canceled):
		return // it is not wanted any more
	case errors.As(err, &rpc):
		m.say("tasks/update was refused: " + err.Error())
	case err != nil:
		m.say("it does not get what it asks for: " + err.Error())
		m.cancel(nil)
		m.over(client.Response{}, err)
		return
	}
	m.look()
}

// fetch opens tasks/result, once.
func (m *minder) fetch(own context.Context) {
	if m.fetching {
		return
	}
	m.fetching = true
	m.workers.Go(func() {
		answer, err := m.c.TaskResult(own, m.id)
		select {
		case m.fetched <- outcome{answer, err}:
		case <-own.Done():
		}
	})
}

// result takes the answer to tasks/result for the outcome. When the task was
// not known to be over, it is looked at once more, so that its end is known;
// that also tells the error of a tool from that of an unknown task.
func (m *minder) result(f outcome) {
	m.s.mu.Lock()
	known := m.t.Status.Final()
	m.s.mu.Unlock()
	if f.err != nil || known {
		m.over(f.answer, f.err)
		return
	}
	now, answer, err := m.c.GetTask(context.Background(), m.id) // the client bounds it
	err = m.learn(looked{now, answer, err})
	switch {
	case err != nil && f.answer.Err() != nil:
		m.over(client.Response{}, err)
	case err == nil && now.Status == client.TaskCancelled:
		m.over(client.Response{}, client.ErrTaskCancelled)
	case err == nil && now.ID != "" && !now.Status.Final():
		m.s.mu.Lock()
		m.t.note(TaskEvent{At: time.Now(), Text: "tasks/result was answered before the task was over", Fault: true, Row: m.s.answerRow(f.answer)})
		m.s.mu.Unlock()
		m.over(f.answer, nil)
	default:
		m.over(f.answer, nil)
	}
}

// cancel has the server stop the task. When it is over by then, its outcome is
// fetched as if nothing had been; else the call ends here, and the task is
// looked after as long as it goes on.
func (m *minder) cancel(why error) {
	if !m.modern && !m.c.Handshake().HasCapability("tasks", "cancel") {
		m.say("the server does not offer to cancel tasks")
		m.goesOn = true
		m.over(client.Response{}, fmt.Errorf("%w: %w", why, ErrTaskGoesOn))
		return
	}
	m.s.mu.Lock()
	m.t.Cancelling = true
	m.s.mu.Unlock()
	m.say("to be cancelled")
	ctx, stop := context.WithTimeout(context.Background(), cancelPatience)
	defer stop()
	now, answer, err := m.c.CancelTask(ctx, m.id)
	refused := err
	if err != nil {
		m.say("tasks/cancel went wrong: " + err.Error())
	}
	if err != nil || m.modern {
		// It is only a wish with the extension, and a task that is over cannot
		// be cancelled.
		now, answer, err = m.c.GetTask(ctx, m.id)
	}
	if err == nil {
		err = m.learn(looked{now, answer, nil})
	}
	switch {
	case why == nil:
	case err == nil && now.Status == client.TaskCancelled:
		m.over(client.Response{}, fmt.Errorf("%w: %w", why, client.ErrTaskCancelled))
	case err == nil && now.Status.Final():
		m.say("it was over before it could be cancelled")
	case refused != nil:
		m.goesOn = true
		m.over(client.Response{}, fmt.Errorf("%w: %w", why, ErrTaskGoesOn))
	default:
		m.goesOn = err == nil // or there is nothing to look after
		m.over(client.Response{}, fmt.Errorf("%w: the server was told to stop its task", why))
	}
}

// settle writes the outcome down.
func (m *minder) settle() {
	answer, err := m.end.answer, m.end.err
	row := int32(-1)
	m.s.mu.Lock()
	switch {
	case answer.Frame != nil && answer.Envelope.ID.Present():
		row = m.s.answerRow(answer)
	case answer.Frame != nil:
		row = m.t.newsRow
	}
	t := m.t
	t.Over, t.minded, t.Every, t.Cancelling = true, false, 0, false
	t.Ended, t.Answer, t.AnswerRow, t.Err = time.Now(), answer, row, err
	if err != nil && !errors.Is(err, client.ErrTaskCancelled) {
		t.note(TaskEvent{At: t.Ended, Text: err.Error(), Row: -1})
	}
	m.s.forgetToken(t)
	t.trim()
	m.s.trimTasks()
	next := m.s.client
	if next == m.c || m.s.state.Phase != Ready {
		next = nil
	}
	m.s.mu.Unlock()
	m.s.unwatchTask(m.id)
	m.s.store.Poke()
	if next != nil {
		m.s.reviveTasks(next) // the next connection was faster than the end of this one
	}
}

// mostResults bounds the memory for what tasks gave; the frames have all of it.
const mostResults = 64 << 20

// trimTasks lets go of old results. The caller holds the lock.
func (s *Session) trimTasks() {
	kept := 0
	for _, t := range slices.Backward(s.tasks) {
		n := len(t.Answer.Frame)
		if kept += n; n > 0 && kept > mostResults {
			t.Answer, t.frame = client.Response{}, nil
			t.Err = &client.TaskError{ID: t.ID, Reason: "has a result that is no longer kept here; its frame has it"}
		}
	}
}

// dropTasks is for the end of a connection: of a task that nobody looks after
// nothing more will be told.
func (s *Session) dropTasks() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.tasks {
		if !t.minded && !t.Over && !t.Status.Final() {
			t.Over, t.Ended = true, time.Now()
			t.Err = &client.TaskError{ID: t.ID, Reason: "was told of on a connection that has ended"}
		}
	}
}

// LookAtTask asks the server how a task stands now, and looks after it from then
// on if it still runs. The error says why nothing can be asked.
func (s *Session) LookAtTask(id string) error {
	c, err := s.current()
	if err != nil {
		return err
	}
	s.mu.Lock()
	t := s.findTask(id)
	if t == nil {
		s.mu.Unlock()
		return &client.TaskError{ID: id, Reason: "is not among those that mcptea knows of"}
	}
	t.look = true
	if t.minded {
		t.stir()
		s.mu.Unlock()
		return nil
	}
	s.revive(t)
	s.mu.Unlock()
	s.mindAlone(c, t)
	return nil
}

// revive makes a task one that is looked after again. The caller holds the lock.
func (s *Session) revive(t *task) {
	t.minded, t.Over, t.look = true, false, true
	t.Err, t.Answer, t.AnswerRow, t.Ended = nil, client.Response{}, -1, time.Time{}
	t.Status, t.frame = client.TaskWorking, nil // until the server says otherwise
	t.Updated, t.newsRow = time.Time{}, -1
}

// mostRevived bounds how many tasks a new connection asks for.
const mostRevived = 20

// reviveTasks asks a new connection for the tasks that the one before it has
// left behind: a server may know them still.
func (s *Session) reviveTasks(c *client.Client) {
	if !c.Handshake().HasTasks() {
		return
	}
	var left []*task
	s.mu.Lock()
	for i := len(s.tasks) - 1; i >= 0 && len(left) < mostRevived; i-- {
		t := s.tasks[i]
		var closed *client.ClosedError
		if t.Over && errors.As(t.Err, &closed) {
			s.revive(t)
			t.Conn = s.state.Attempt
			t.note(TaskEvent{At: time.Now(), Text: "asked for again on the new connection", Row: -1})
			left = append(left, t)
		}
	}
	s.mu.Unlock()
	for _, t := range left {
		s.mindAlone(c, t)
	}
}

// CancelTask has the server stop a task that no call waits for; for others it is
// as [Call.Cancel].
func (s *Session) CancelTask(id string) error {
	s.mu.Lock()
	t := s.findTask(id)
	var call *Call
	if t != nil {
		call = s.calls[t.Call]
	}
	s.mu.Unlock()
	c, err := s.current()
	switch {
	case t == nil:
		return &client.TaskError{ID: id, Reason: "is not among those that mcptea knows of"}
	case err != nil:
		return err
	case !c.Handshake().Revision.IsModern() && !c.Handshake().HasCapability("tasks", "cancel"):
		return ErrNoTaskCancel
	case call != nil:
		call.Cancel()
		return nil
	}
	m := &minder{s: s, c: c, t: t, id: id, modern: c.Handshake().Revision.IsModern()}
	s.later(func() {
		m.cancel(nil)
		_ = s.LookAtTask(id) // the task tells of it
	})
	return nil
}

// ListTasks asks the server which tasks of ours it knows, where it can be asked
// for that (2025-11-25). The outcome is in [Session.Tasks]; it waits for nothing.
func (s *Session) ListTasks(then func(found int, err error)) {
	c, err := s.current()
	if err != nil {
		then(0, err)
		return
	}
	s.later(func() {
		tasks, err := c.Tasks(context.Background()) // the client bounds each call
		s.mu.Lock()
		for _, now := range tasks {
			t := s.addTask(now, time.Now())
			s.takeNews(t, now, TaskEvent{At: time.Now(), Status: now.Status, Text: now.Message, By: ByList, Row: -1}, nil)
		}
		s.mu.Unlock()
		s.store.Poke()
		then(len(tasks), err)
	})
}
