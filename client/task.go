package client

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// TaskStatus is the status of a task (2025-11-25, basic / utilities / tasks;
// 2026-07-28, extensions / tasks).
type TaskStatus string

// The statuses. The last three are final.
const (
	TaskWorking       TaskStatus = "working"
	TaskInputRequired TaskStatus = "input_required"
	TaskCompleted     TaskStatus = "completed"
	TaskFailed        TaskStatus = "failed"
	TaskCancelled     TaskStatus = "cancelled"
)

// Final reports whether the status never changes again.
func (s TaskStatus) Final() bool {
	return s == TaskCompleted || s == TaskFailed || s == TaskCancelled
}

// Known reports whether the specification defines the status.
func (s TaskStatus) Known() bool { return s == TaskWorking || s == TaskInputRequired || s.Final() }

// Forever is the TTL of a task that the server keeps without limit.
const Forever time.Duration = -1

// Task is a request that the server processes after its response. It represents
// both designs: that of 2025-11-25 and the extension of 2026-07-28.
type Task struct {
	ID      string
	Status  TaskStatus
	Message string
	// Created and Updated are times of the server's clock; zero if unknown.
	Created, Updated time.Time
	TTL              time.Duration // from Created; Forever, or 0 if unknown
	Poll             time.Duration // interval between polls; 0 if unknown
	Raw              []byte        // the whole object; not to be changed
}

// TaskError reports a task that cannot be followed, or whose outcome is missing.
type TaskError struct {
	ID     string // empty without
	Reason string
	Err    error // of the server; may be nil
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
	t := Task{
		ID: text(raw, "taskId"), Status: TaskStatus(text(raw, "status")), Message: text(raw, "statusMessage"),
		Created: timestamp(raw, "createdAt"), Updated: timestamp(raw, "lastUpdatedAt"), Raw: raw,
	}
	for _, name := range []string{"ttlMs", "ttl"} {
		if v, ok := jsonrpc.Member(raw, name); ok && t.TTL == 0 {
			t.TTL = milliseconds(v)
			if string(v) == "null" {
				t.TTL = Forever
			}
		}
	}
	for _, name := range []string{"pollIntervalMs", "pollInterval"} {
		if v, ok := jsonrpc.Member(raw, name); ok && t.Poll == 0 {
			t.Poll = milliseconds(v)
		}
	}
	switch {
	case t.ID == "":
		return t, &TaskError{Reason: `has no "taskId" and cannot be followed`}
	case t.Status == "":
		return t, &TaskError{ID: t.ID, Reason: `has no "status"`}
	}
	return t, nil
}

func timestamp(raw []byte, name string) time.Time {
	at, err := time.Parse(time.RFC3339Nano, text(raw, name))
	if err != nil {
		return time.Time{}
	}
	return at
}

// milliseconds parses a duration; it is 0 for anything but a positive number.
func milliseconds(token []byte) time.Duration {
	ms, err := strconv.ParseFloat(string(token), 64)
	if err != nil || !(ms > 0) {
		return 0
	}
	return time.Duration(min(ms, float64(noLimit/time.Millisecond)) * float64(time.Millisecond))
}

// Requests returns the entries of inputRequests except those with the given keys,
// as a raw object; nil if there are none. A task never uses a key twice
// (2026-07-28, extensions / tasks).
func (t Task) Requests(but map[string]bool) (requests []byte, keys []string) {
	all, _ := jsonrpc.Member(t.Raw, "inputRequests")
	var left []member
	for name, value := range jsonrpc.Members(all) {
		if key := string(name); !but[key] {
			left = append(left, member{key, value})
			keys = append(keys, key)
		}
	}
	if len(left) == 0 {
		return nil, nil
	}
	return insert([]byte(`{}`), left), keys
}

// CreatedTask returns the task that a server created for a request; created is
// false for all other responses. The error is a *[TaskError] for a task that
// cannot be followed.
func (c *Client) CreatedTask(method string, a Response) (t Task, created bool, err error) {
	if method != "tools/call" || a.Result() == nil {
		return Task{}, false, nil
	}
	nested, _ := jsonrpc.Member(a.Result(), "task")
	switch {
	case c.isStateless() && c.cfg.Tasks && text(a.Result(), "resultType") == "task":
		raw := a.Result()
		if text(raw, "taskId") == "" && len(nested) > 0 {
			raw = nested // not conforming, but common
		}
		t, err = ReadTask(raw)
	case c.Revision() == revision.R20251125 && len(nested) > 0 && nested[0] == '{':
		if _, complete := jsonrpc.Member(a.Result(), "content"); complete {
			return Task{}, false, nil
		}
		t, err = ReadTask(nested)
	default:
		return Task{}, false, nil
	}
	return t, true, err
}

// AsTask requests a task in the params of a request (2025-11-25). ttl is how long
// the server should keep the task; 0 leaves that to the server.
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

// TaskUse says whether calls of a tool may become tasks.
type TaskUse uint8

// The values.
const (
	TaskNever    TaskUse = iota
	TaskOptional         // the caller may request a task
	TaskRequired         // the call must request a task
	TaskByChoice         // the server decides
)

// TaskUse returns that of a tool definition. A client must not request tasks
// without the server capability, whatever the definition of the tool.
func (h Handshake) TaskUse(tool []byte) TaskUse {
	switch {
	case h.Revision.IsStateless() && h.HasCapability("extensions", revision.TasksExtension):
		return TaskByChoice
	case h.Revision != revision.R20251125 || !h.HasCapability("tasks", "requests", "tools", "call"):
		return TaskNever
	}
	switch text(tool, "execution", "taskSupport") {
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

// GetTask requests the status of a task, and returns the response with it. An error
// response is returned as *[RPCError], other errors as by [Client.Call].
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
	if nested, ok := jsonrpc.Member(raw, "task"); ok && text(raw, "taskId") == "" {
		raw = nested // not conforming, but common
	}
	t, err := ReadTask(raw)
	return t, response, err
}

// Tasks lists the tasks of the client (2025-11-25).
func (c *Client) Tasks(ctx context.Context) ([]Task, error) {
	raws, err := c.List(ctx, ListKind{"tasks", "tasks/list", "tasks", "tasks"})
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
		// v is a subslice of frame, so the capacities give its offset.
		at := cap(frame) - cap(v)
		return jsonrpc.Span{Start: at, End: at + len(v)}, v
	}
	a.Envelope.Result, a.Envelope.Error = jsonrpc.Span{}, jsonrpc.Span{}
	switch t.Status {
	case TaskCancelled:
		return a, ErrTaskCancelled
	case TaskFailed:
		a.Envelope.Kind = jsonrpc.ErrorResponse
		var object []byte
		if a.Envelope.Error, object = within("error"); object == nil {
			return a, &TaskError{ID: t.ID, Reason: `has failed without an "error"`}
		}
		code, _ := jsonrpc.Member(object, "code")
		a.Envelope.Code, _ = jsonrpc.Integer(code)
	default:
		a.Envelope.Kind = jsonrpc.Response
		var result []byte
		if a.Envelope.Result, result = within("result"); result == nil {
			return a, &TaskError{ID: t.ID, Reason: `is completed without a "result"`}
		}
	}
	return a, nil
}

// CollectTaskInput passes the input requests of a task on, as [WithInput] does, and
// waits for all results: a raw object by their keys, for [Client.UpdateTask]. a is
// the response with the requests. The error is [ErrInputRefused], an *[InputError],
// or the cause of the context; requests without a result are dropped then.
func (c *Client) CollectTaskInput(ctx context.Context, t Task, a Response, requests []byte) ([]byte, error) {
	of := jsonrpc.ID(a.Envelope.ID.Of(a.Frame))
	return c.requestInputs(ctx, inputSource{of: of, task: t.ID, method: "tasks/get"}, requests)
}
