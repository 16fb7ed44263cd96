package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// Task is a request that the server processes after it has sent the response.
type Task = revision.Task

// TaskStatus is the status of a task.
type TaskStatus = revision.TaskStatus

// The statuses. The last three are final.
const (
	TaskWorking       = revision.TaskWorking
	TaskInputRequired = revision.TaskInputRequired
	TaskCompleted     = revision.TaskCompleted
	TaskFailed        = revision.TaskFailed
	TaskCancelled     = revision.TaskCancelled
)

// Forever is the TTL of a task that the server keeps without limit.
const Forever = revision.Forever

// TaskError reports a task that cannot be followed, or whose outcome is missing.
type TaskError struct {
	ID     string // task id, or ""
	Reason string
	Err    error // error of the server, or nil
}

// Error names the task and the reason.
func (e *TaskError) Error() string {
	text := "the task " + e.ID + " " + e.Reason
	if e.ID == "" {
		text = "the task " + e.Reason
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns the error of the server.
func (e *TaskError) Unwrap() error { return e.Err }

// ErrTaskCancelled is the error of a call whose task was cancelled.
var ErrTaskCancelled = errors.New("the task was cancelled")

// ReadTask parses a task object. The error is a *[TaskError] if it has no id or no
// status.
func ReadTask(raw []byte) (Task, error) {
	t := revision.DecodeTask(raw)
	switch {
	case t.ID == "":
		return t, &TaskError{Reason: `has no "taskId" and cannot be followed`}
	case t.Status == "":
		return t, &TaskError{ID: t.ID, Reason: `has no "status"`}
	}
	return t, nil
}

// CreatedTask returns the task that a server created for a request; created is
// false for all other responses. The error is a *[TaskError] for a task that
// cannot be followed.
func (c *Client) CreatedTask(method string, a Response) (t Task, created bool, err error) {
	if method != "tools/call" || a.Result() == nil || c.isStateless() && !c.cfg.Tasks {
		return Task{}, false, nil
	}
	raw := revision.CreatedTask(c.Revision(), a.Result())
	if raw == nil {
		return Task{}, false, nil
	}
	t, err = ReadTask(raw)
	return t, true, err
}

// AsTask adds a task request to the params of a request (2025-11-25). ttl asks the server to keep
// the task for that long; 0 leaves the time to the server.
func AsTask(params []byte, ttl time.Duration) []byte {
	task := []byte(`{}`)
	if ttl > 0 {
		task = fmt.Appendf(nil, `{"ttl":%d}`, ttl.Milliseconds())
	}
	if len(params) == 0 {
		params = []byte(`{}`)
	}
	return insert(params, []member{{"task", task}})
}

// requestsTask reports whether a request is for a task.
func (c *Client) requestsTask(method string, params []byte) bool {
	if method != "tools/call" || c.isStateless() {
		return false
	}
	_, ok := jsonrpc.Member(params, "task")
	return ok
}

// A TaskUse is the setting of a tool for calls as tasks.
type TaskUse uint8

// The values.
const (
	TaskNever    TaskUse = iota
	TaskOptional         // the caller may request a task
	TaskRequired         // the call must request a task
	TaskByChoice         // the server decides
)

// TaskUse returns the task support of a tool definition. A client must not request tasks without the
// server capability, whatever the definition of the tool.
func (h Handshake) TaskUse(tool []byte) TaskUse {
	switch {
	case h.Revision.IsStateless() && h.HasCapability("extensions", revision.TasksExtension):
		return TaskByChoice
	case h.Revision != revision.R20251125 || !h.HasCapability("tasks", "requests", "tools", "call"):
		return TaskNever
	}
	switch jsonrpc.Text(tool, "execution", "taskSupport") {
	case "optional":
		return TaskOptional
	case "required":
		return TaskRequired
	}
	return TaskNever
}

// HasTasks reports whether the server supports tasks of either design.
func (h Handshake) HasTasks() bool {
	if h.Revision.IsStateless() {
		return h.HasCapability("extensions", revision.TasksExtension)
	}
	return h.Revision == revision.R20251125 && h.HasCapability("tasks")
}

func taskParams(id string) []byte { return Params(map[string]string{"taskId": id}) }

// GetTask requests the status of a task. It returns the task and the response. An error response is
// returned as *[RPCError], other errors as by [Client.Call].
func (c *Client) GetTask(ctx context.Context, id string) (Task, Response, error) {
	return c.requestTask(ctx, "tasks/get", taskParams(id))
}

// CancelTask cancels a task. In 2025-11-25 the result is the cancelled task; in the
// extension it is an acknowledgement, and the Task is zero.
func (c *Client) CancelTask(ctx context.Context, id string) (Task, Response, error) {
	return c.requestTask(ctx, "tasks/cancel", taskParams(id))
}

// UpdateTask sends the input that a task requested: a raw object of results by
// their keys (2026-07-28, extensions / tasks).
func (c *Client) UpdateTask(ctx context.Context, id string, responses []byte) error {
	params := insert([]byte(`{}`), []member{{"taskId", Params(id)}, {"inputResponses", responses}})
	response, err := c.Call(ctx, "tasks/update", params)
	if err == nil {
		err = response.Err()
	}
	return err
}

func (c *Client) requestTask(ctx context.Context, method string, params []byte) (Task, Response, error) {
	response, err := c.Call(ctx, method, params)
	if err == nil {
		err = response.Err()
	}
	if err != nil || c.isStateless() && method == "tasks/cancel" {
		return Task{}, response, err
	}
	raw := response.Result()
	if nested, ok := jsonrpc.Member(raw, "task"); ok && jsonrpc.Text(raw, "taskId") == "" {
		raw = nested // does not conform, but is common
	}
	t, err := ReadTask(raw)
	return t, response, err
}

// Tasks lists the tasks of the client (2025-11-25).
func (c *Client) Tasks(ctx context.Context) ([]Task, error) {
	raws, err := c.List(ctx, ListKind{Method: "tasks/list", Member: "tasks"})
	tasks := make([]Task, 0, len(raws))
	for _, raw := range raws {
		if t, wrong := ReadTask(raw); wrong == nil {
			tasks = append(tasks, t)
		}
	}
	return tasks, err
}

// TaskResult waits for the end of a task and returns its response. Meanwhile the
// server may send requests for the task. Only the context bounds the wait
// (2025-11-25).
func (c *Client) TaskResult(ctx context.Context, id string) (Response, error) {
	if err := c.waitRenegotiation(ctx); err != nil {
		return Response{}, err
	}
	return c.Do(ctx, c.NewRequest(c.NextID(), "tasks/result", taskParams(id)), WithoutTimeout())
}

// TaskOutcome returns the response of a call from a frame with its final task: the
// envelope refers to the result or to the error inside the task. The error is
// [ErrTaskCancelled] or a *[TaskError] (2026-07-28, extensions / tasks).
func TaskOutcome(t Task, frame []byte) (Response, error) {
	a := Response{Frame: frame, Envelope: jsonrpc.Scan(frame)}
	within := func(name string) (jsonrpc.Span, []byte) {
		v, ok := jsonrpc.Member(t.Raw, name)
		if !ok {
			return jsonrpc.Span{}, nil
		}
		return jsonrpc.SpanOf(frame, v), v
	}
	a.Envelope.Result, a.Envelope.Error = jsonrpc.Span{}, jsonrpc.Span{}
	switch t.Status {
	case TaskCancelled:
		return a, ErrTaskCancelled
	case TaskFailed:
		at, object := within("error")
		if a.Envelope.Kind = jsonrpc.ErrorResponse; object == nil {
			return a, &TaskError{ID: t.ID, Reason: `has failed without an "error"`}
		}
		a.Envelope.SetError(frame, at)
	default:
		a.Envelope.Kind = jsonrpc.Response
		var result []byte
		if a.Envelope.Result, result = within("result"); result == nil {
			return a, &TaskError{ID: t.ID, Reason: `is completed without a "result"`}
		}
	}
	return a, nil
}

// CollectTaskInput passes the input requests of a task on, as [WithInput] does, and waits for all
// results. It returns one raw object with the results by their keys, for [Client.UpdateTask]. a is
// the response with the requests. The error is [ErrInputRefused], an *[InputError], or the cause of
// the context. After an error, requests without a result are dropped.
func (c *Client) CollectTaskInput(ctx context.Context, t Task, a Response, requests []byte) ([]byte, error) {
	of := a.Envelope.ID.Of(a.Frame).ID()
	return c.requestInputs(ctx, inputSource{request: of, task: t.ID, method: "tasks/get"}, requests)
}
