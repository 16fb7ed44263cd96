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

// cancelTimeout is the timeout of tasks/cancel.
const cancelTimeout = 5 * time.Second

// ErrTaskGoesOn is the outcome of a cancelled call whose task is still running.
var ErrTaskGoesOn = errors.New("its task could not be cancelled and is still running")

// ErrNoTaskCancel is why a task cannot be cancelled: the server has not declared
// the capability tasks.cancel (2025-11-25, basic / utilities / tasks).
var ErrNoTaskCancel = errors.New("the server does not support tasks/cancel: capability tasks.cancel is missing")

// requestInput passes on the input requests of the task that are new.
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
		responses, err := m.c.CollectTaskInput(open, now, client.Response{Frame: frame, Envelope: jsonrpc.Scan(frame)}, requests)
		if err == nil {
			err = m.c.UpdateTask(open, now.ID, responses)
		}
		select {
		case m.inputResults <- err:
		case <-open.Done():
		}
	})
}

// inputSent handles the outcome of an input request.
func (m *taskPoller) inputSent(err error) {
	var rpc *client.RPCError
	switch {
	case errors.Is(err, context.Canceled):
		return // no longer needed
	case errors.As(err, &rpc):
		m.noteText("tasks/update failed: " + err.Error())
	case err != nil:
		m.noteText("cannot answer this task's input request: " + err.Error())
		m.cancel(nil)
		m.finish(client.Response{}, err)
		return
	}
	m.refresh()
}

// fetchResult sends tasks/result, once.
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

// resultFetched makes the response to tasks/result the outcome. If the status is
// not final yet, it is fetched once more; that also distinguishes an error of the
// tool from one for an unknown task.
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
		m.finish(client.Response{}, err)
	case err == nil && now.Status == client.TaskCancelled:
		m.finish(client.Response{}, client.ErrTaskCancelled)
	case err == nil && now.ID != "" && !now.Status.Final():
		m.s.mu.Lock()
		m.t.note(TaskEvent{At: time.Now(), Text: "the server answered tasks/result before the task had ended", Fault: true, Row: m.s.answerRow(f.answer)})
		m.s.mu.Unlock()
		m.finish(f.answer, nil)
	default:
		m.finish(f.answer, nil)
	}
}

// cancel sends tasks/cancel. If the task has ended by then, its outcome is fetched
// as usual; else the call ends here, and the task is polled while it runs.
func (m *taskPoller) cancel(why error) {
	if !m.modern && !m.c.Handshake().HasCapability("tasks", "cancel") {
		m.noteText("the server does not support tasks/cancel")
		m.detached = true
		m.finish(client.Response{}, fmt.Errorf("%w: %w", why, ErrTaskGoesOn))
		return
	}
	m.s.mu.Lock()
	m.t.Cancelling = true
	m.s.mu.Unlock()
	m.noteText("cancelling")
	ctx, stop := context.WithTimeout(context.Background(), cancelTimeout)
	defer stop()
	now, answer, err := m.c.CancelTask(ctx, m.id)
	refused := err
	if err != nil {
		m.noteText("tasks/cancel failed: " + err.Error())
	}
	if err != nil || m.modern {
		// With the extension tasks/cancel is only advisory, and a task that has
		// ended cannot be cancelled.
		now, answer, err = m.c.GetTask(ctx, m.id)
	}
	if err == nil {
		err = m.applyReply(statusReply{now, answer, nil})
	}
	switch {
	case why == nil:
	case err == nil && now.Status == client.TaskCancelled:
		m.finish(client.Response{}, fmt.Errorf("%w: %w", why, client.ErrTaskCancelled))
	case err == nil && now.Status.Final():
		m.noteText("the task ended before it could be cancelled")
	case refused != nil:
		m.detached = true
		m.finish(client.Response{}, fmt.Errorf("%w: %w", why, ErrTaskGoesOn))
	default:
		m.detached = err == nil // else there is nothing to poll
		m.finish(client.Response{}, fmt.Errorf("%w: mcptea asked the server to cancel its task", why))
	}
}

// finishTask stores the outcome in the task.
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
		m.s.resumeTasks(next) // the next connection was ready before this one ended
	}
}

// maxResultBytes bounds the memory for results of tasks; the record has them all.
const maxResultBytes = 64 << 20

// trimTasks releases old results. The caller holds Session.mu.
func (s *Session) trimTasks() {
	kept := 0
	for _, t := range slices.Backward(s.tasks) {
		n := len(t.Answer.Frame)
		if kept += n; n > 0 && kept > maxResultBytes {
			t.Answer, t.frame = client.Response{}, nil
			t.Err = &client.TaskError{ID: t.ID, Reason: "has a result that is no longer in memory; see its frame in the traffic"}
		}
	}
}

// endUnpolledTasks ends the tasks without a poller when the connection ends: no
// notification about them will arrive.
func (s *Session) endUnpolledTasks() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.tasks {
		if !t.polled && !t.Over && !t.Status.Final() {
			t.Over, t.Ended = true, time.Now()
			t.Err = &client.TaskError{ID: t.ID, Reason: "belongs to a connection that has ended"}
		}
	}
}

// RefreshTask polls a task now, and from then on if it is still running. The error
// is the reason why that is not possible.
func (s *Session) RefreshTask(id string) error {
	c, err := s.current()
	if err != nil {
		return err
	}
	s.mu.Lock()
	t := s.findTask(id)
	if t == nil {
		s.mu.Unlock()
		return &client.TaskError{ID: id, Reason: "is unknown"}
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

// resumePolling resets a task so that it is polled again. The caller holds
// Session.mu.
func (s *Session) resumePolling(t *task) {
	t.polled, t.Over, t.refreshNow = true, false, true
	t.Err, t.Answer, t.AnswerRow, t.Ended = nil, client.Response{}, -1, time.Time{}
	t.Status, t.frame = client.TaskWorking, nil // until the next poll
	t.Updated, t.statusRow = time.Time{}, -1
}

// maxResumed bounds how many tasks are polled again on a new connection.
const maxResumed = 20

// resumeTasks polls the tasks of the previous connection on a new one: the server
// may still know them.
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
			t.note(TaskEvent{At: time.Now(), Text: "requested again on the new connection", Row: -1})
			left = append(left, t)
		}
	}
	s.mu.Unlock()
	for _, t := range left {
		s.pollDetached(c, t)
	}
}

// CancelTask cancels a task; if a call waits for it, like [Call.Cancel].
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
		return &client.TaskError{ID: id, Reason: "is unknown"}
	case err != nil:
		return err
	case !c.Handshake().Revision.IsStateless() && !c.Handshake().HasCapability("tasks", "cancel"):
		return ErrNoTaskCancel
	case call != nil:
		call.Cancel()
		return nil
	}
	m := &taskPoller{s: s, c: c, t: t, id: id, modern: c.Handshake().Revision.IsStateless()}
	s.goTracked(func() {
		m.cancel(nil)
		_ = s.RefreshTask(id) // the history of the task has the error
	})
	return nil
}

// ListTasks sends tasks/list where the server supports it (2025-11-25). The tasks
// are added to [Session.Tasks]; it does not wait.
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
