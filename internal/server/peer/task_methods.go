package peer

import (
	"context"
	"encoding/json"

	"mcptea/client/revision"
)

func getTask(_ context.Context, c *Call) (any, error) {
	t, err := c.findTask()
	if err != nil {
		return nil, err
	}
	return t.view(), nil
}

func listTasks(_ context.Context, c *Call) (any, error) {
	var all []any
	for _, t := range c.server().tasks.of(c.session, c.principal) {
		all = append(all, t.view())
	}
	return page(c, "tasks", all)
}

func cancelTask(_ context.Context, c *Call) (any, error) {
	t, err := c.findTask()
	if err != nil {
		return nil, err
	}
	stopped := t.stop()
	switch {
	case c.terms.modern:
		return struct{}{}, nil
	case !stopped:
		return nil, invalidParams("the task is over already: %s", t.id)
	}
	return t.view(), nil
}

func updateTask(_ context.Context, c *Call) (any, error) {
	t, err := c.findTask()
	if err != nil {
		return nil, err
	}
	responses, err := c.responses()
	if err != nil {
		return nil, err
	}
	if responses == nil {
		return nil, invalidParams("inputResponses is missing")
	}
	for key, response := range responses {
		t.answer(key, answer{result: response})
	}
	return struct{}{}, nil
}

// taskResult waits for the end of a task of a session. In the meantime it forwards the questions of the task.
func taskResult(ctx context.Context, c *Call) (any, error) {
	t, err := c.findTask()
	if err != nil {
		return nil, err
	}
	for {
		t.mu.Lock()
		changed, status, result, failure := t.changed, t.status, t.result, t.failure
		var next *asking
		for _, q := range t.asked {
			if next == nil && !q.taken {
				q.taken, next = true, q
			}
		}
		t.mu.Unlock()
		switch {
		case status == revision.TaskCancelled:
			return nil, invalidRequest("the task was cancelled and has no result: %s", t.id)
		case failure != nil:
			return nil, failure
		case status.Final():
			return json.RawMessage(t.related(result)), nil
		case next != nil:
			raw, err := c.session.ask(ctx, c.reply, next.Method, t.related(Encode(next.params())))
			if ctx.Err() != nil { // the client no longer waits; the next client gets it
				t.mu.Lock()
				defer t.mu.Unlock()
				next.taken = false
				return nil, err
			}
			t.answer(next.Key, answer{raw, err})
			continue
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}
