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
)

// TaskSupport says whether a tool can work as a task, which the client looks
// after instead of waiting for the answer.
type TaskSupport string

// How tools deal with tasks. The zero value is not to.
const (
	TaskForbidden TaskSupport = "forbidden"
	TaskOptional  TaskSupport = "optional"
	TaskRequired  TaskSupport = "required"
)

func (t TaskSupport) allows() bool { return t == TaskOptional || t == TaskRequired }

const (
	taskLife = 10 * time.Minute // unless the client wishes otherwise
	maxTasks = 1000             // the oldest goes first

	// pollInterval is how often a client should look, in milliseconds.
	pollInterval = 500
	taskTime     = "2006-01-02T15:04:05.000Z"
)

// status is the state of a task; the last three are final.
type status string

const (
	working       status = "working"
	inputRequired status = "input_required"
	completed     status = "completed"
	failed        status = "failed"
	cancelled     status = "cancelled"
)

func (s status) final() bool { return s != working && s != inputRequired }

// errTaskCancelled is the cause of a context whose task was cancelled.
var errTaskCancelled = errors.New("the task was cancelled")

// task is a running tool whose call has already been answered.
type task struct {
	server  *Server
	session *Session // whose it is; nil where there are no sessions
	id      string
	created time.Time
	life    time.Duration
	cancel  context.CancelCauseFunc

	mu      sync.Mutex
	changed chan struct{} // closed at each change, and replaced
	status  status
	message string
	updated time.Time
	result  json.RawMessage
	failure *Error
	asked   map[string]Question // not answered yet
	taken   map[string]bool     // of these, the ones on their way to the client
	answers map[string]json.RawMessage
	refusal *Error
}

// tasks are those of a server. The zero value is empty.
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

// of returns the tasks of a session, nil for those of none. The ones whose time
// is over are forgotten.
func (t *tasks) of(session *Session) []*task {
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
	var its []*task
	for _, x := range t.all {
		if x.session == session {
			its = append(its, x)
		}
	}
	return its
}

func (t *tasks) find(id string, session *Session) *task {
	for _, x := range t.of(session) {
		if x.id == id {
			return x
		}
	}
	return nil
}

// findTask finds the one that the params name.
func (c *Call) findTask() (*task, error) {
	var params struct {
		ID *string `json:"taskId"`
	}
	if err := c.decodeParams(&params); err != nil {
		return nil, err
	}
	if params.ID == nil {
		return nil, invalidParams("taskId is missing")
	}
	owner := c.session
	if c.terms.modern {
		owner = nil
	}
	if t := c.server().tasks.find(*params.ID, owner); t != nil {
		return t, nil
	}
	return nil, invalidParams("unknown task: %s", *params.ID)
}

// startTask makes a tool work in the background, and returns how the task looks
// before that. A task of a session ends with it; others go on.
func (c *Call) startTask(tool *Tool, life time.Duration, show func(*task) map[string]any) map[string]any {
	now := time.Now()
	t := &task{
		server: c.server(), id: rand.Text(), created: now, updated: now, life: life,
		status: working, message: "started", changed: make(chan struct{}),
	}
	ctx := c.session.life
	if !c.terms.modern {
		t.session, ctx = c.session, c.session.ctx
	}
	ctx, t.cancel = context.WithCancelCause(ctx)
	c.server().tasks.add(t)
	first := show(t)
	inner := &Call{session: c.session, message: c.message, terms: c.terms, task: t, Args: c.Args}
	work := func() {
		defer t.cancel(nil)
		t.run(ctx, inner, tool)
	}
	if t.session != nil {
		t.session.work.Go(work)
	} else {
		go work()
	}
	return first
}

func (t *task) run(ctx context.Context, c *Call, tool *Tool) {
	defer func() {
		if p := recover(); p != nil {
			c.session.logf("task of %s: panic: %v\n%s", tool.Name, p, debug.Stack())
			t.end(failed, nil, &Error{Code: -32603, Message: "internal error"})
		}
	}()
	result, err := tool.Run(ctx, c)
	var failure *Error
	switch {
	case ctx.Err() != nil:
		t.end(cancelled, nil, nil)
	case errors.As(err, &failure):
		t.end(failed, nil, failure)
	case err != nil:
		t.end(failed, nil, &Error{Code: -32603, Message: err.Error()})
	default:
		raw := encode(result.fit(c.Revision()))
		outcome := completed
		if result.IsError && t.session != nil {
			outcome = failed // only the tasks of sessions see it so
		}
		t.end(outcome, raw, nil)
	}
}

// change does something to the task and tells of it, unless the task is over.
func (t *task) change(do func()) bool {
	t.mu.Lock()
	if t.status.final() {
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
		t.session.Notify("notifications/tasks/status", encode(t.coreView()))
	} else {
		t.server.publish("notifications/tasks", t.view(), func(f *filter) bool { return f.wantsTask(t.id) })
	}
	return true
}

func (t *task) end(s status, result json.RawMessage, failure *Error) {
	t.change(func() {
		t.status, t.result, t.failure = s, result, failure
		t.asked, t.message = nil, fmt.Sprintf("%s after %s", s, time.Since(t.created).Round(time.Millisecond))
	})
}

// stop cancels the task. It reports false when it was over already.
func (t *task) stop() bool {
	stopped := t.change(func() {
		t.status, t.message, t.asked = cancelled, "cancelled by the client", nil
	})
	t.cancel(errTaskCancelled)
	return stopped
}

// wait returns a channel that is closed at the next change.
func (t *task) wait() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.changed
}

// ask waits until the client has answered questions.
func (t *task) ask(ctx context.Context, questions []Question) (map[string]json.RawMessage, error) {
	t.change(func() {
		t.status, t.message = inputRequired, "waits for you"
		t.asked, t.taken, t.refusal = map[string]Question{}, map[string]bool{}, nil
		t.answers = map[string]json.RawMessage{}
		for _, q := range questions {
			t.asked[q.Key] = q
		}
	})
	for {
		t.mu.Lock()
		changed, open, refusal, answers := t.changed, len(t.asked), t.refusal, maps.Clone(t.answers)
		over := t.status.final()
		t.mu.Unlock()
		if over {
			return nil, errTaskCancelled
		}
		if refusal != nil || open == 0 {
			t.change(func() { t.status, t.message, t.asked = working, "goes on", nil })
			if refusal != nil {
				return nil, refusal
			}
			return answers, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// answer takes the answers to questions that are open, and leaves the others.
func (t *task) answer(answers map[string]json.RawMessage) {
	t.mu.Lock()
	fresh := map[string]json.RawMessage{}
	for key, raw := range answers {
		if _, ok := t.asked[key]; ok {
			fresh[key] = raw
		}
	}
	t.mu.Unlock()
	if len(fresh) == 0 {
		return
	}
	t.change(func() {
		for key, raw := range fresh {
			delete(t.asked, key)
			t.answers[key] = raw
		}
	})
}

// Status says in a few words what a task is about. It has no effect on calls
// that are none.
func (c *Call) Status(format string, args ...any) {
	if c.task != nil {
		c.task.change(func() { c.task.message = fmt.Sprintf(format, args...) })
	}
}
