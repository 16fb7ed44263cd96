package peer

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// A tool works as a task in the core of 2025-11-25, and with the extension
// io.modelcontextprotocol/tasks. The tasks of the former belong to a session.

const (
	taskLife    = 10 * time.Minute // unless the client wishes otherwise
	maxTaskLife = time.Hour        // maximum of the requested lifetime
	maxTasks    = 1000             // maximum number; the oldest is dropped first

	// pollInterval is the poll interval for clients, in milliseconds.
	pollInterval = 500
	taskTime     = "2006-01-02T15:04:05.000Z"
)

// errTaskCancelled is the cause of a context whose task was cancelled.
var errTaskCancelled = errors.New("the task was cancelled")

// task is a running tool whose call has already been answered.
type task struct {
	server  *Server
	session *Session // session of the task, or nil if there are no sessions
	// principal is who created the task.
	principal string
	id        string
	created   time.Time
	life      time.Duration
	cancel    context.CancelCauseFunc

	mu      sync.Mutex
	changed chan struct{} // closed at each change, and replaced
	turn    chan struct{} // held by a change until its notification is sent; has one slot
	status  revision.TaskStatus
	message string
	updated time.Time
	result  json.RawMessage
	failure *Error
	asked   map[string]*asking // requests without an answer
}

// asking is a question that a task waits for.
type asking struct {
	Question
	answered chan answer
	taken    bool // the result is being sent to the client
}

// tasks holds the tasks of a server. The zero value is empty.
type tasks struct {
	mu  sync.Mutex
	all []*task // oldest first
}

func (t *tasks) add(x *task) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.all) >= maxTasks {
		t.all[0].cancel(errTaskCancelled)
		t.all = t.all[1:]
	}
	t.all = append(t.all, x)
}

// of returns the tasks of a principal in a session; nil stands for stateless requests. It removes expired tasks.
func (t *tasks) of(session *Session, principal string) []*task {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	t.all = slices.DeleteFunc(t.all, func(x *task) bool {
		over := now.Sub(x.created) > x.life
		if over {
			x.cancel(errTaskCancelled)
		}
		return over
	})
	return slices.DeleteFunc(slices.Clone(t.all), func(x *task) bool { return x.session != session || x.principal != principal })
}

// find returns a task of a principal in a session, or in no session, or nil if there is no such task.
func (t *tasks) find(id string, session *Session, principal string) *task {
	for _, x := range t.of(session, principal) {
		if x.id == id {
			return x
		}
	}
	return nil
}

// findTask returns the task that the params name.
func (c *Call) findTask() (*task, error) {
	owner := c.session
	if c.terms.modern {
		if owner = nil; !c.hasTasks() {
			return nil, errNoTasks
		}
	}
	id, err := c.param("taskId")
	if err != nil {
		return nil, err
	}
	if t := c.server().tasks.find(id, owner, c.principal); t != nil {
		return t, nil
	}
	return nil, invalidParams("unknown task: %s", id)
}

// taskWish is the member "task" of a request.
type taskWish struct {
	TTL *int64 `json:"ttl"`
}

func (w *taskWish) life() time.Duration {
	if w == nil || w.TTL == nil || *w.TTL <= 0 {
		return taskLife
	}
	return min(time.Duration(min(*w.TTL, maxTaskLife.Milliseconds()))*time.Millisecond, maxTaskLife)
}

// asTask makes the call of a tool a task, if the client or the tool requires that. It
// returns nil for calls that are answered in the usual way.
func (c *Call) asTask(wish *taskWish) (any, error) {
	support := jsonrpc.Text(c.used.Wire, "execution", "taskSupport")
	required, possible := support == "required", support == "required" || support == "optional"
	if c.terms.modern {
		switch {
		case possible && c.hasTasks():
			created := c.startTask(taskLife)
			created["resultType"] = "task"
			return created, nil
		case required:
			return nil, errNoTasks
		}
		return nil, nil
	}
	unfit := func(format string) error {
		return &Error{Code: jsonrpc.CodeMethodNotFound, Message: fmt.Sprintf(format, c.used.Key)}
	}
	switch {
	case !coreTasks.In(c.Revision()):
		return nil, nil
	case wish != nil && !possible:
		return nil, unfit("the tool cannot work as a task: %s")
	case wish == nil && required:
		return nil, unfit("the tool works as a task only, and the call has no \"task\": %s")
	case wish == nil:
		return nil, nil
	}
	return map[string]any{"task": c.startTask(wish.life())}, nil
}

// startTask lets the tool work in the background, and returns the initial state of the task. A task of a
// session ends with the session; others continue.
func (c *Call) startTask(life time.Duration) map[string]any {
	now := time.Now()
	t := &task{
		server: c.server(), principal: c.principal, id: rand.Text(), created: now, updated: now, life: life,
		status: revision.TaskWorking, message: "started", changed: make(chan struct{}), turn: make(chan struct{}, 1),
	}
	ctx := c.session.life
	if !c.terms.modern {
		t.session, ctx = c.session, c.session.ctx
	}
	ctx, t.cancel = context.WithCancelCause(ctx)
	c.server().tasks.add(t)
	first := t.view()
	inner := &Call{session: c.session, message: c.message, terms: c.terms, principal: c.principal, task: t, used: c.used, Args: c.Args}
	work := func() {
		defer t.cancel(nil)
		t.run(ctx, inner)
	}
	if t.session != nil {
		t.session.work.Go(work)
	} else {
		go work()
	}
	return first
}

func (t *task) run(ctx context.Context, c *Call) {
	defer func() {
		if p := recover(); p != nil {
			c.session.logf("task of %s: panic: %v\n%s", c.used.Key, p, debug.Stack())
			t.end(revision.TaskFailed, nil, &Error{Code: jsonrpc.CodeInternalError, Message: "internal error"})
		}
	}()
	result, err := c.runTool(ctx)
	switch {
	case ctx.Err() != nil:
		t.end(revision.TaskCancelled, nil, nil)
	case err != nil:
		t.end(revision.TaskFailed, nil, errorOf(err))
	case result.IsError && t.session != nil: // only tasks with sessions have this state
		t.end(revision.TaskFailed, Encode(result), nil)
	default:
		t.end(revision.TaskCompleted, Encode(result), nil)
	}
}

// view returns the task as the client sees it. It is called without the lock.
func (t *task) view() map[string]any {
	t.mu.Lock()
	defer t.mu.Unlock()
	unit := "Ms"
	if t.session != nil {
		unit = ""
	}
	v := map[string]any{
		"taskId": t.id, "status": t.status, "statusMessage": t.message,
		"createdAt": t.created.UTC().Format(taskTime), "lastUpdatedAt": t.updated.UTC().Format(taskTime),
		"ttl" + unit: t.life.Milliseconds(), "pollInterval" + unit: pollInterval,
	}
	switch {
	case t.session != nil: // the version has tasks/result
	case t.status == revision.TaskInputRequired:
		var open []Question
		for _, a := range t.asked {
			open = append(open, a.Question)
		}
		v["inputRequests"] = embedded(open)
	case t.status == revision.TaskCompleted:
		v["result"] = json.RawMessage(prepend(t.result, map[string]any{"resultType": "complete"}))
	case t.status == revision.TaskFailed:
		v["error"] = t.failure
	}
	return v
}

// related puts the name of the task into the _meta of an object.
func (t *task) related(object []byte) []byte {
	return prepend(object, map[string]any{"_meta": map[string]any{revision.MetaRelatedTask: map[string]string{"taskId": t.id}}})
}

// change does something to the task and tells of it, unless the task is over.
//
// Notifications of a task are sent in the order of its changes.
func (t *task) change(do func()) bool {
	t.turn <- struct{}{}
	defer func() { <-t.turn }()
	t.mu.Lock()
	if t.status.Final() {
		t.mu.Unlock()
		return false
	}
	do()
	t.updated = time.Now()
	changed := t.changed
	t.changed = make(chan struct{})
	t.mu.Unlock()
	defer close(changed) // waiting goroutines continue after the notification
	if t.session != nil {
		t.session.Notify("notifications/tasks/status", Encode(t.view()))
	} else {
		t.server.publish("notifications/tasks", t.view(), func(f *filter) bool { return slices.Contains(f.Tasks, t.id) })
	}
	return true
}

func (t *task) end(s revision.TaskStatus, result json.RawMessage, failure *Error) {
	t.change(func() {
		t.status, t.result, t.failure = s, result, failure
		t.asked, t.message = nil, fmt.Sprintf("%s after %s", s, time.Since(t.created).Round(time.Millisecond))
	})
}

// stop cancels the task. It reports false when it was over already.
func (t *task) stop() bool {
	stopped := t.change(func() {
		t.status, t.message, t.asked = revision.TaskCancelled, "cancelled by the client", nil
	})
	t.cancel(errTaskCancelled)
	return stopped
}

// ask waits until the client has answered questions.
func (t *task) ask(ctx context.Context, questions []Question) (map[string]json.RawMessage, error) {
	all := map[string]*asking{}
	for _, q := range questions {
		all[q.Key] = &asking{Question: q, answered: make(chan answer, 1)}
	}
	t.change(func() { t.status, t.message, t.asked = revision.TaskInputRequired, "waits for you", maps.Clone(all) })
	answers := map[string]json.RawMessage{}
	var refusal error
	for key, q := range all {
		select {
		case a := <-q.answered:
			answers[key], refusal = a.result, a.err
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		if refusal != nil {
			break
		}
	}
	t.change(func() { t.status, t.message, t.asked = revision.TaskWorking, "goes on", nil })
	return answers, refusal
}

// answer takes the answer to a question, if it is open.
func (t *task) answer(key string, a answer) {
	t.mu.Lock()
	q := t.asked[key]
	delete(t.asked, key)
	t.mu.Unlock()
	if q != nil {
		t.change(func() { q.answered <- a })
	}
}

// Status sets the status message of a task, in a few words. For calls that are not tasks it does nothing.
func (c *Call) Status(format string, args ...any) {
	if c.task != nil {
		c.task.change(func() { c.task.message = fmt.Sprintf(format, args...) })
	}
}
