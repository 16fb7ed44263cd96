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

// cancelTimeout is how long the server may take to answer tasks/cancel.
const cancelTimeout = 5 * time.Second

// ErrTaskGoesOn is why a call was given up whose task could not be cancelled.
var ErrTaskGoesOn = errors.New("its task could not be cancelled, and goes on")

// ErrNoTaskCancel is why a task cannot be cancelled: the server has not declared
// the capability tasks.cancel (2025-11-25, basic / utilities / tasks).
var ErrNoTaskCancel = errors.New("the server does not offer to cancel tasks: the capability tasks.cancel is missing")

// requestInput passes on what the task asks for and has not asked before.
func (m *taskPoller) requestInput(own context.Context, now client.Task, frame []byte) {
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
	if m.inputCtx == nil {
		m.inputCtx, m.cancelInputs = context.WithCancel(own)
	}
	open := m.inputCtx
	m.workers.Go(func() {
		responses, err := m.c.AskForTask(open, now, client.Answer{Frame: frame, Envelope: jsonrpc.Scan(frame)}, requests)
		if err == nil {
			err = m.c.UpdateTask(open, now.ID, responses)
		}
		select {
		case m.inputResults <- err:
		case <-open.Done():
		}
	})
}

// inputSent takes note of what became of an answer to the task.
func (m *taskPoller) inputSent(err error) {
	var rpc *client.RPCError
	switch {
	case errors.Is(err, context.Canceled):
		return // it is not wanted any more
	case errors.As(err, &rpc):
		m.noteText("tasks/update was refused: " + err.Error())
	case err != nil:
		m.noteText("it does not get what it asks for: " + err.Error())
		m.cancel(nil)
		m.finish(client.Answer{}, err)
		return
	}
	m.refresh()
}

// fetchResult opens tasks/result, once.
func (m *taskPoller) fetchResult(own context.Context) {
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

// resultFetched takes the answer to tasks/result for the outcome. When the task was
// not known to be over, it is looked at once more, so that its end is known;
// that also tells the error of a tool from that of an unknown task.
func (m *taskPoller) resultFetched(f outcome) {
	m.s.mu.Lock()
	known := m.t.Status.Final()
	m.s.mu.Unlock()
	if f.err != nil || known {
		m.finish(f.answer, f.err)
		return
	}
	now, answer, err := m.c.GetTask(context.Background(), m.id) // the client bounds it
	err = m.applyReply(statusReply{now, answer, err})
	switch {
	case err != nil && f.answer.Err() != nil:
		m.finish(client.Answer{}, err)
	case err == nil && now.Status == client.TaskCancelled:
		m.finish(client.Answer{}, client.ErrTaskCancelled)
	case err == nil && now.ID != "" && !now.Status.Final():
		m.s.mu.Lock()
		m.t.note(TaskEvent{At: time.Now(), Text: "tasks/result was answered before the task was over", Fault: true, Row: m.s.answerRow(f.answer)})
		m.s.mu.Unlock()
		m.finish(f.answer, nil)
	default:
		m.finish(f.answer, nil)
	}
}

// cancel has the server stop the task. When it is over by then, its outcome is
// fetched as if nothing had been; else the call ends here, and the task is
// looked after as long as it goes on.
func (m *taskPoller) cancel(why error) {
	if !m.modern && !m.c.Handshake().HasCapability("tasks", "cancel") {
		m.noteText("the server does not offer to cancel tasks")
		m.detached = true
		m.finish(client.Answer{}, fmt.Errorf("%w: %w", why, ErrTaskGoesOn))
		return
	}
	m.s.mu.Lock()
	m.t.Cancelling = true
	m.s.mu.Unlock()
	m.noteText("to be cancelled")
	ctx, stop := context.WithTimeout(context.Background(), cancelTimeout)
	defer stop()
	now, answer, err := m.c.CancelTask(ctx, m.id)
	refused := err
	if err != nil {
		m.noteText("tasks/cancel went wrong: " + err.Error())
	}
	if err != nil || m.modern {
		// It is only a wish with the extension, and a task that is over cannot
		// be cancelled.
		now, answer, err = m.c.GetTask(ctx, m.id)
	}
	if err == nil {
		err = m.applyReply(statusReply{now, answer, nil})
	}
	switch {
	case why == nil:
	case err == nil && now.Status == client.TaskCancelled:
		m.finish(client.Answer{}, fmt.Errorf("%w: %w", why, client.ErrTaskCancelled))
	case err == nil && now.Status.Final():
		m.noteText("it was over before it could be cancelled")
	case refused != nil:
		m.detached = true
		m.finish(client.Answer{}, fmt.Errorf("%w: %w", why, ErrTaskGoesOn))
	default:
		m.detached = err == nil // or there is nothing to look after
		m.finish(client.Answer{}, fmt.Errorf("%w: the server was told to stop its task", why))
	}
}

// finishTask writes the outcome down.
func (m *taskPoller) finishTask() {
	answer, err := m.end.answer, m.end.err
	row := int32(-1)
	m.s.mu.Lock()
	switch {
	case answer.Frame != nil && answer.Envelope.ID.Present():
		row = m.s.answerRow(answer)
	case answer.Frame != nil:
		row = m.t.statusRow
	}
	t := m.t
	t.Over, t.polled, t.PollInterval, t.Cancelling = true, false, 0, false
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
		m.s.resumeTasks(next) // the next connection was faster than the end of this one
	}
}

// maxResultBytes bounds the memory for what tasks gave; the frames have all of it.
const maxResultBytes = 64 << 20

// trimTasks lets go of old results. The caller holds the lock.
func (s *Session) trimTasks() {
	kept := 0
	for _, t := range slices.Backward(s.tasks) {
		n := len(t.Answer.Frame)
		if kept += n; n > 0 && kept > maxResultBytes {
			t.Answer, t.frame = client.Answer{}, nil
			t.Err = &client.TaskError{ID: t.ID, Reason: "has a result that is no longer kept here; its frame has it"}
		}
	}
}

// endUnpolledTasks is for the end of a connection: of a task that nobody looks after
// nothing more will be told.
func (s *Session) endUnpolledTasks() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.tasks {
		if !t.polled && !t.Over && !t.Status.Final() {
			t.Over, t.Ended = true, time.Now()
			t.Err = &client.TaskError{ID: t.ID, Reason: "was told of on a connection that has ended"}
		}
	}
}

// RefreshTask asks the server how a task stands now, and looks after it from then
// on if it still runs. The error says why nothing can be asked.
func (s *Session) RefreshTask(id string) error {
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
	t.refreshNow = true
	if t.polled {
		t.wake()
		s.mu.Unlock()
		return nil
	}
	s.resumePolling(t)
	s.mu.Unlock()
	s.pollDetached(c, t)
	return nil
}

// resumePolling makes a task one that is looked after again. The caller holds the lock.
func (s *Session) resumePolling(t *task) {
	t.polled, t.Over, t.refreshNow = true, false, true
	t.Err, t.Answer, t.AnswerRow, t.Ended = nil, client.Answer{}, -1, time.Time{}
	t.Status, t.frame = client.TaskWorking, nil // until the server says otherwise
	t.Updated, t.statusRow = time.Time{}, -1
}

// maxResumed bounds how many tasks a new connection asks for.
const maxResumed = 20

// resumeTasks asks a new connection for the tasks that the one before it has
// left behind: a server may know them still.
func (s *Session) resumeTasks(c *client.Client) {
	if !c.Handshake().HasTasks() {
		return
	}
	var left []*task
	s.mu.Lock()
	for i := len(s.tasks) - 1; i >= 0 && len(left) < maxResumed; i-- {
		t := s.tasks[i]
		var closed *client.ClosedError
		if t.Over && errors.As(t.Err, &closed) {
			s.resumePolling(t)
			t.Conn = s.state.Attempt
			t.note(TaskEvent{At: time.Now(), Text: "asked for again on the new connection", Row: -1})
			left = append(left, t)
		}
	}
	s.mu.Unlock()
	for _, t := range left {
		s.pollDetached(c, t)
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
	m := &taskPoller{s: s, c: c, t: t, id: id, modern: c.Handshake().Revision.IsModern()}
	s.goTracked(func() {
		m.cancel(nil)
		_ = s.RefreshTask(id) // the task tells of it
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
	s.goTracked(func() {
		tasks, err := c.Tasks(context.Background()) // the client bounds each call
		s.mu.Lock()
		for _, now := range tasks {
			t := s.addTask(now, time.Now())
			s.applyUpdate(t, now, TaskEvent{At: time.Now(), Status: now.Status, Text: now.Message, By: ByList, Row: -1}, nil)
		}
		s.mu.Unlock()
		s.store.Poke()
		then(len(tasks), err)
	})
}
