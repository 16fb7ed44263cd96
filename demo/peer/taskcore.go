package peer

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"mcptea/client/revision"

	"mcptea/client/jsonrpc"
)

// The tasks that 2025-11-25 has in its core.

// maxTaskLife bounds what a client may wish for.
const maxTaskLife = time.Hour

// taskWish is the member "task" of a request.
type taskWish struct {
	TTL *int64 `json:"ttl"`
}

func (w *taskWish) life() time.Duration {
	if w.TTL == nil || *w.TTL <= 0 {
		return taskLife
	}
	return min(time.Duration(min(*w.TTL, maxTaskLife.Milliseconds()))*time.Millisecond, maxTaskLife)
}

// coreView is the task as 2025-11-25 shows it. It is called without the lock.
func (t *task) coreView() map[string]any {
	t.mu.Lock()
	defer t.mu.Unlock()
	return map[string]any{
		"taskId": t.id, "status": t.status, "statusMessage": t.message,
		"createdAt": t.created.UTC().Format(taskTime), "lastUpdatedAt": t.updated.UTC().Format(taskTime),
		"ttl": t.life.Milliseconds(), "pollInterval": pollInterval,
	}
}

// related puts the name of the task into the _meta of an object.
func (t *task) related(object []byte) []byte {
	return prepend(object, map[string]any{"_meta": map[string]any{revision.MetaRelatedTask: map[string]string{"taskId": t.id}}})
}

func getCoreTask(_ context.Context, c *Call) (any, error) {
	t, err := c.findTask()
	if err != nil {
		return nil, err
	}
	return t.coreView(), nil
}

func listCoreTasks(_ context.Context, c *Call) (any, error) {
	var all []map[string]any
	for _, t := range c.server().tasks.of(c.session) {
		all = append(all, t.coreView())
	}
	return list(c, "tasks", all)
}

func cancelCoreTask(_ context.Context, c *Call) (any, error) {
	t, err := c.findTask()
	if err != nil {
		return nil, err
	}
	if !t.stop() {
		return nil, invalidParams("the task is over already: %s", t.id)
	}
	return t.coreView(), nil
}

// coreTaskResult waits for the end of a task. Meanwhile it passes on what the
// task has to ask.
func coreTaskResult(ctx context.Context, c *Call) (any, error) {
	t, err := c.findTask()
	if err != nil {
		return nil, err
	}
	for {
		changed := t.wait()
		t.mu.Lock()
		status, result, failure := t.status, t.result, t.failure
		t.mu.Unlock()
		switch {
		case status == cancelled:
			return nil, invalidRequest("the task was cancelled and has no result: %s", t.id)
		case failure != nil:
			return nil, failure
		case status.final():
			return json.RawMessage(t.related(result)), nil
		}
		if q, ok := t.take(); ok {
			if err := t.passOn(ctx, c, q); err != nil {
				return nil, err
			}
			continue
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// take returns a question that has not been passed on yet.
func (t *task) take() (Question, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for key, q := range t.asked {
		if !t.taken[key] {
			t.taken[key] = true
			return q, true
		}
	}
	return Question{}, false
}

func (t *task) passOn(ctx context.Context, c *Call, q Question) error {
	params := encodeData(q.Params)
	if params == nil {
		params = []byte("{}")
	}
	raw, err := c.session.ask(ctx, c.reply, q.Method, t.related(params))
	var refusal *Error
	switch {
	case errors.As(err, &refusal):
		t.change(func() { t.refusal = refusal })
	case err != nil: // the client does not wait any more; the next one will hear of it
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.taken, q.Key)
		return err
	default:
		t.answer(map[string]json.RawMessage{q.Key: raw})
	}
	return nil
}

// asTask makes a call a task, if the client or the tool requires that. It
// returns nil for calls that are answered in the usual way.
func (c *Call) asTask(t *Tool, wish *taskWish) (any, error) {
	r := c.Revision()
	switch {
	case c.terms.modern && !t.Task.allows():
		return nil, nil
	case c.terms.modern && c.hasExtension(TasksExtension):
		return c.startTask(t, taskLife, (*task).createdView), nil
	case c.terms.modern && t.Task == TaskRequired:
		return nil, missingExtension(TasksExtension)
	case c.terms.modern, !coreTasks.In(r):
		return nil, nil
	case wish != nil && !t.Task.allows():
		return nil, &Error{Code: jsonrpc.CodeMethodNotFound, Message: "the tool cannot work as a task: " + t.Name}
	case wish == nil && t.Task == TaskRequired:
		return nil, &Error{Code: jsonrpc.CodeMethodNotFound, Message: "the tool works as a task only, and the call has no \"task\": " + t.Name}
	case wish == nil:
		return nil, nil
	}
	return map[string]any{"task": c.startTask(t, wish.life(), (*task).coreView)}, nil
}
