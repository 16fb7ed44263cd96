package peer

import (
	"context"
	"encoding/json"
)

// The tasks of the extension io.modelcontextprotocol/tasks.

// view is the task as the extension shows it. It is called without the lock.
func (t *task) view() map[string]any {
	t.mu.Lock()
	defer t.mu.Unlock()
	v := map[string]any{
		"taskId": t.id, "status": t.status, "statusMessage": t.message,
		"createdAt": t.created.UTC().Format(taskTime), "lastUpdatedAt": t.updated.UTC().Format(taskTime),
		"ttlMs": t.life.Milliseconds(), "pollIntervalMs": pollInterval,
	}
	switch t.status {
	case inputRequired:
		requests := map[string]any{}
		for key, q := range t.asked {
			requests[key] = q.embedded()
		}
		v["inputRequests"] = requests
	case completed:
		v["result"] = json.RawMessage(prepend(t.result, map[string]any{"resultType": "complete"}))
	case failed:
		v["error"] = t.failure.wire()
	}
	return v
}

// wire is the error as JSON.
func (e *Error) wire() map[string]any {
	v := map[string]any{"code": e.Code, "message": e.Message}
	if e.Data != nil {
		v["data"] = e.Data
	}
	return v
}

// createdView is the answer to a call that became a task.
func (t *task) createdView() map[string]any {
	v := t.view()
	v["resultType"] = "task"
	return v
}

func (c *Call) findModernTask() (*task, error) {
	if !c.hasExtension(TasksExtension) {
		return nil, missingExtension(TasksExtension)
	}
	return c.findTask()
}

func getTask(_ context.Context, c *Call) (any, error) {
	t, err := c.findModernTask()
	if err != nil {
		return nil, err
	}
	return t.view(), nil
}

func updateTask(_ context.Context, c *Call) (any, error) {
	t, err := c.findModernTask()
	if err != nil {
		return nil, err
	}
	var params struct {
		Responses map[string]json.RawMessage `json:"inputResponses"`
	}
	if err := c.decodeParams(&params); err != nil {
		return nil, err
	}
	if params.Responses == nil {
		return nil, invalidParams("inputResponses is missing")
	}
	for key, response := range params.Responses {
		if !isObject(response) {
			return nil, invalidParams("inputResponses[%q] must be an object", key)
		}
	}
	t.answer(params.Responses)
	return struct{}{}, nil
}

func cancelTask(_ context.Context, c *Call) (any, error) {
	t, err := c.findModernTask()
	if err != nil {
		return nil, err
	}
	t.stop()
	return struct{}{}, nil
}
