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

// TaskStatus is how a task stands (2025-11-25, basic / utilities / tasks;
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

// Final reports whether nothing more becomes of the task.
func (s TaskStatus) Final() bool {
	return s == TaskCompleted || s == TaskFailed || s == TaskCancelled
}

// Known reports whether it is one that the specification has.
func (s TaskStatus) Known() bool { return s == TaskWorking || s == TaskInputRequired || s.Final() }

// Forever is the TTL of a task that the server keeps without a limit.
const Forever time.Duration = -1

// Task is work that a server goes on with after it has answered the request
// for it. Both designs are read into it: the core of 2025-11-25 and the
// extension of 2026-07-28.
type Task struct {
	ID      string
	Status  TaskStatus
	Message string
	// Created and Updated go by the server's clock; they are zero when it did
	// not say a time.
	Created, Updated time.Time
	TTL              time.Duration // counted from Created; Forever, or 0 when nothing is said
	Poll             time.Duration // the pause that the server wishes for; 0 when it says nothing
	Raw              []byte        // the whole object; not to be changed
}

// TaskError is a task of which the server says what cannot be, or of which
// there is nothing more to learn.
type TaskError struct {
	ID     string // empty when it has none
	Reason string
	Err    error // what the server answered; nil when the reason is all there is
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

// Unwrap returns what the server answered.
func (e *TaskError) Unwrap() error { return e.Err }

// ErrTaskCancelled is the outcome of a call whose task was cancelled.
var ErrTaskCancelled = errors.New("the task was cancelled")

// ReadTask reads a task from the object that describes it. The error is a
// *[TaskError] when it cannot be followed, because it has no id or no status.
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

// milliseconds is 0 for what is no number, or a negative one.
func milliseconds(token []byte) time.Duration {
	ms, err := strconv.ParseFloat(string(token), 64)
	if err != nil || !(ms > 0) {
		return 0
	}
	return time.Duration(min(ms, float64(noLimit/time.Millisecond)) * float64(time.Millisecond))
}

// Requests are the entries of inputRequests whose keys are not among those
// given, as a raw object; nil when there are none. A key is never used twice
// within a task (2026-07-28, extensions / tasks).
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

// CreatedTask returns the task that a server has made of a request in place of
// answering it; created is false for all other answers. The error is a
// *[TaskError] for a task that cannot be followed.
func (c *Client) CreatedTask(method string, a Response) (t Task, created bool, err error) {
	if method != "tools/call" || a.Result() == nil {
		return Task{}, false, nil
	}
	nested, _ := jsonrpc.Member(a.Result(), "task")
	switch {
	case c.modern.Load() && c.cfg.Tasks && text(a.Result(), "resultType") == "task":
		raw := a.Result()
		if text(raw, "taskId") == "" && len(nested) > 0 {
			raw = nested // not what the extension says, and understood all the same
		}
		t, err = ReadTask(raw)
	case c.Revision() == revision.R20251125 && len(nested) > 0 && nested[0] == '{':
		if _, answered := jsonrpc.Member(a.Result(), "content"); answered {
			return Task{}, false, nil
		}
		t, err = ReadTask(nested)
	default:
		return Task{}, false, nil
	}
	return t, true, err
}

// AsTask puts the wish for a task into the params of a request (2025-11-25). ttl
// is how long the server is asked to keep the task; it decides when that is 0.
func AsTask(params []byte, ttl time.Duration) []byte {
	wish := []byte(`{}`)
	if ttl > 0 {
		wish = fmt.Appendf(nil, `{"ttl":%d}`, ttl.Milliseconds())
	}
	if len(params) == 0 {
		params = []byte(`{}`)
	}
	return insert(params, []member{{"task", wish}})
}

// asksForTask reports whether params ask for a task.
func (c *Client) asksForTask(method string, params []byte) bool {
	if method != "tools/call" || c.modern.Load() {
		return false
	}
	_, ok := jsonrpc.Member(params, "task")
	return ok
}

// TaskUse says how calls of a tool and tasks go together on a connection.
type TaskUse uint8

// The ways.
const (
	TaskNever    TaskUse = iota
	TaskOptional         // the caller may ask for a task
	TaskRequired         // the call is refused unless it asks for a task
	TaskByChoice         // the server decides, without being asked
)

// TaskUse reads it from a tool's definition and what the server offers. A client
// must not ask for tasks that are not offered, whatever the tool says.
func (h Handshake) TaskUse(tool []byte) TaskUse {
	switch {
	case h.Revision.IsModern() && h.HasCapability("extensions", revision.TasksExtension):
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

// HasTasks reports whether the server offers tasks of either design.
func (h Handshake) HasTasks() bool {
	if h.Revision.IsModern() {
		return h.HasCapability("extensions", revision.TasksExtension)
	}
	return h.Revision == revision.R20251125 && h.HasCapability("tasks")
}

func taskParams(id string) []byte { return Params(map[string]string{"taskId": id}) }

// GetTask asks how a task stands. The answer is where the task was read from. An
// error that the server answered with comes back as *[RPCError], others are as
// with [Client.Call].
func (c *Client) GetTask(ctx context.Context, id string) (Task, Response, error) {
	return c.requestTask(ctx, "tasks/get", taskParams(id))
}

// CancelTask asks the server to stop a task. With 2025-11-25 the task is then
// cancelled and comes back; with the extension the server only says that it has
// heard, and the zero Task comes back.
func (c *Client) CancelTask(ctx context.Context, id string) (Task, Response, error) {
	return c.requestTask(ctx, "tasks/cancel", taskParams(id))
}

// UpdateTask gives a task what it has asked for: a raw object of results by
// their keys (2026-07-28, extensions / tasks).
func (c *Client) UpdateTask(ctx context.Context, id string, responses []byte) error {
	params := insert([]byte(`{}`), []member{{"taskId", Params(id)}, {"inputResponses", responses}})
	answer, err := c.Call(ctx, "tasks/update", params)
	if err == nil {
		err = answer.Err()
	}
	return err
}

func (c *Client) requestTask(ctx context.Context, method string, params []byte) (Task, Response, error) {
	answer, err := c.Call(ctx, method, params)
	if err == nil {
		err = answer.Err()
	}
	if err != nil || c.modern.Load() && method == "tasks/cancel" {
		return Task{}, answer, err
	}
	raw := answer.Result()
	if nested, ok := jsonrpc.Member(raw, "task"); ok && text(raw, "taskId") == "" {
		raw = nested // not what either design says, and understood all the same
	}
	t, err := ReadTask(raw)
	return t, answer, err
}

// Tasks lists the tasks of this client that the server knows of (2025-11-25).
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

// TaskResult waits for the end of a task and returns what the request behind it
// would have been answered. While it waits, the server may ask for what the task
// needs. Nothing but the context bounds it (2025-11-25).
func (c *Client) TaskResult(ctx context.Context, id string) (Response, error) {
	if err := c.waitRenegotiation(ctx); err != nil {
		return Response{}, err
	}
	return c.Do(ctx, c.NewRequest(c.NextID(), "tasks/result", taskParams(id)), WithoutTimeout())
}

// TaskOutcome makes the answer that a call would have had out of a frame that
// describes its task, when that is over: its envelope then points to the result
// or to the error inside the task. The error is [ErrTaskCancelled] or a
// *[TaskError] (2026-07-28, extensions / tasks).
func TaskOutcome(t Task, frame []byte) (Response, error) {
	a := Response{Frame: frame, Envelope: jsonrpc.Scan(frame)}
	within := func(name string) (jsonrpc.Span, []byte) {
		v, ok := jsonrpc.Member(t.Raw, name)
		if !ok {
			return jsonrpc.Span{}, nil
		}
		// The value is a part of the frame, so that its capacity tells where it
		// is.
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
			return a, &TaskError{ID: t.ID, Reason: `has failed, and there is no "error" in it`}
		}
		code, _ := jsonrpc.Member(object, "code")
		a.Envelope.Code, _ = jsonrpc.Integer(code)
	default:
		a.Envelope.Kind = jsonrpc.Response
		var result []byte
		if a.Envelope.Result, result = within("result"); result == nil {
			return a, &TaskError{ID: t.ID, Reason: `is completed, and there is no "result" in it`}
		}
	}
	return a, nil
}

// CollectTaskInput passes on what a task asks for, as the result of a request of ours
// may do it, and waits for all the answers: a raw object of results by their
// keys, for [Client.UpdateTask]. a is the answer in which the requests stood. The
// error is [ErrInputRefused], an *[InputError], or the cause of the context; what
// was asked is taken back then.
func (c *Client) CollectTaskInput(ctx context.Context, t Task, a Response, requests []byte) ([]byte, error) {
	of := jsonrpc.ID(a.Envelope.ID.Of(a.Frame))
	return c.requestInputs(ctx, inputSource{of: of, task: t.ID, method: "tasks/get"}, requests)
}
