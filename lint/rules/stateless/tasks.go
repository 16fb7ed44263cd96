package stateless

import (
	"bytes"
	"slices"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/lint"
	"mcptea/record/flow"
)

// task is one inside a message.
type task struct {
	raw []byte
	at  []any
	// created reports that the message is the result that creates the task;
	// nested, that it is wrapped as in 2025-11-25.
	created, nested bool
}

func (t task) id() string { return jsonrpc.Text(t.raw, "taskId") }
func (t task) status() revision.TaskStatus {
	return revision.TaskStatus(jsonrpc.Text(t.raw, "status"))
}

func (t task) place(name string) lint.Place {
	return lint.At(append(slices.Clip(slices.Clone(t.at)), name)...)
}

// taskMethods lists the methods that carry tasks, in either design.
var taskMethods = []string{
	"tools/call", "sampling/createMessage", "elicitation/create",
	"tasks/get", "tasks/cancel", "tasks/list", "tasks/update", "notifications/tasks/status", "notifications/tasks",
}

// tasksIn finds the tasks of a message.
func tasksIn(m *lint.Message) []task {
	switch {
	case m.IsNotification():
		method := "notifications/tasks/status"
		if m.IsStateless() {
			method = "notifications/tasks"
		}
		if m.Method == method && jsonrpc.TypeOf(m.Params) == "object" {
			return []task{{raw: m.Params, at: []any{"params"}}}
		}
	case !m.IsResult() || jsonrpc.TypeOf(m.Result) != "object":
	case m.Method == "tasks/list":
		var all []task
		if !m.IsStateless() {
			for v := range jsonrpc.Elements(m.Get(m.Result, "tasks")) {
				all = append(all, task{raw: v, at: []any{"result", "tasks", len(all)}})
			}
		}
		return all
	case m.Method == "tasks/get", m.Method == "tasks/cancel" && !m.IsStateless():
		return []task{bareOrNested(m, false)}
	case m.Method != "tasks/cancel" && m.Method != "tasks/update":
		return created(m)
	}
	return nil
}

// bareOrNested returns the task that a result is or contains.
func bareOrNested(m *lint.Message, created bool) task {
	if inner := m.Get(m.Result, "task"); jsonrpc.TypeOf(inner) == "object" && !m.Has(m.Result, "taskId") {
		return task{raw: inner, at: []any{"result", "task"}, created: created, nested: true}
	}
	return task{raw: m.Result, at: []any{"result"}, created: created}
}

// created finds the task that a request has become.
func created(m *lint.Message) []task {
	if m.IsStateless() {
		if m.ResultType() == "task" {
			return []task{bareOrNested(m, true)}
		}
		return nil
	}
	if !m.Envelope.MayHave("task") && !m.Envelope.MayHave("taskId") {
		return nil
	}
	var inner, id, status, content []byte
	for name, value := range jsonrpc.Members(m.Result) { // once, for results can be long
		switch string(name) {
		case "task":
			inner = value
		case "taskId":
			id = value
		case "status":
			status = value
		case "content", "action":
			content = value
		}
	}
	switch {
	case content != nil:
	case jsonrpc.TypeOf(inner) == "object":
		return []task{{raw: inner, at: []any{"result", "task"}, created: true, nested: true}}
	case jsonrpc.TypeOf(id) == "string" && jsonrpc.TypeOf(status) == "string":
		return []task{{raw: m.Result, at: []any{"result"}, created: true}}
	}
	return nil
}

// tasks holds the states of tasks, and the tasks in the current message.
type tasks struct {
	now  []task
	byID map[string]*taskState
	size int                 // total size of the input requests of the tasks, in bytes
	of   map[*flow.Flow]bool // the requests that have become tasks
}

// taskState is the state of a task.
type taskState struct {
	status  revision.TaskStatus
	updated time.Time // lastUpdatedAt; zero if unknown
	created time.Time // first createdAt; zero if unknown
	begun   time.Time // arrival of the result that created it; zero if it was not recorded
	ttl     time.Duration
	// isReused reports that an earlier call created a task with the same id, whose times may be reported.
	isReused bool
	row      int32 // row of the newest message about it
	// poll is the poll interval. polled is the time of the newest tasks/get. mayPoll reports that there was a
	// reason to poll again since then.
	poll    time.Duration
	polled  time.Time
	mayPoll bool

	requests map[string][]byte // input requests by their keys, raw copies
	answered map[string]bool
}

// state returns the state of a task by its receiver and id, or nil.
func (t *tasks) state(host transport.Direction, id string) *taskState {
	return t.byID[taskKey(host, id)]
}

func taskKey(host transport.Direction, id string) string {
	return lint.ShortKey(host.String() + " " + id)
}

func (t *tasks) begin(host transport.Direction, id string) *taskState {
	if t.byID == nil || len(t.byID) >= lint.MaxTasks || t.size > lint.MaxEndedBytes {
		t.byID, t.size = map[string]*taskState{}, 0
	}
	l := &taskState{}
	t.byID[taskKey(host, id)] = l
	return l
}

// watchTasks finds the tasks in the message, for the rules that run later.
func watchTasks(c *lint.Context) { lint.Own[tasks](c.St).now = tasksIn(c.M) }

// tasksNow returns the tasks in the message.
func tasksNow(c *lint.Context) []task { return lint.Own[tasks](c.St).now }

// watchTaskStates updates the states of tasks.
func watchTaskStates(c *lint.Context) {
	all := lint.Own[tasks](c.St)
	for _, t := range all.now {
		id := t.id()
		if id == "" || len(id) > lint.MaxKeptBytes {
			continue
		}
		l := all.state(c.M.Frame.Dir, id)
		if l == nil || t.created {
			isReused := l != nil && t.created
			l = all.begin(c.M.Frame.Dir, id)
			l.isReused = isReused
		}
		all.size += l.update(t, c)
		if r := c.M.Request; t.created && r != nil && !r.IsReleased() {
			lint.Keep(&all.of, lint.MaxTasks, r, true)
		}
	}
	if id := c.M.Text(c.M.Params, "taskId"); c.M.IsRequest() && id != "" && len(id) <= lint.MaxKeptBytes {
		l := all.state(1-c.M.Frame.Dir, id)
		if l == nil {
			l = all.begin(1-c.M.Frame.Dir, id) // perhaps from an earlier connection
		}
		l.trackRequest(c.M)
	}
}

// update copies the members of the task, and returns the bytes of the kept input requests.
func (l *taskState) update(t task, c *lint.Context) (size int) {
	l.row = c.F.Row
	if status := t.status(); status.Known() {
		l.mayPoll = l.mayPoll || c.M.IsNotification() && status != l.status
		if !l.status.Final() {
			l.status = status
		}
	}
	if at, ok := lint.ParseTime(jsonrpc.Text(t.raw, "lastUpdatedAt")); ok && at.After(l.updated) {
		l.updated = at
	}
	if at, ok := lint.ParseTime(jsonrpc.Text(t.raw, "createdAt")); ok && l.created.IsZero() {
		l.created = at
	}
	if t.created {
		l.begun = c.M.Frame.Time
	}
	decoded := revision.DecodeTask(t.raw)
	if decoded.Poll > 0 {
		l.poll = decoded.Poll
	}
	if decoded.TTL != 0 {
		l.ttl = decoded.TTL
	}
	if requests := jsonrpc.Get(t.raw, "inputRequests"); requests != nil && len(requests) <= lint.MaxKeptBytes {
		if l.requests == nil || len(l.requests) > 1000 {
			l.requests, l.answered = map[string][]byte{}, map[string]bool{}
		}
		for key, request := range jsonrpc.Members(requests) {
			if k := string(key); !l.answered[k] {
				l.requests[k] = bytes.Clone(request)
				size += len(k) + len(request)
			}
		}
	}
	return size
}

// trackRequest records a request of the client about a task.
func (l *taskState) trackRequest(m *lint.Message) {
	switch m.Method {
	case "tasks/get":
		l.polled, l.mayPoll = m.Frame.Time, false
	case "tasks/update", "tasks/cancel":
		l.mayPoll = true
		for key := range jsonrpc.Members(m.Get(m.Params, "inputResponses")) {
			if l.requests[string(key)] != nil {
				l.answered[string(key)] = true
			}
		}
	}
}

// otherNames pairs the members of one design with the members of the other.
var otherNames = [][2]string{{"ttl", "ttlMs"}, {"pollInterval", "pollIntervalMs"}}

// otherDesign reports the revision whose way of writing tasks this is instead of
// the own one. Members of both ways serve both.
func (t task) otherDesign(isStateless bool) (member string, of revision.Revision) {
	of = revision.R20260728
	if isStateless {
		of = revision.R20251125
	}
	switch {
	case t.nested && isStateless:
		return "task", of
	case t.created && !t.nested && !isStateless:
		return "taskId", of
	}
	for _, names := range otherNames {
		own, other := names[0], names[1]
		if isStateless {
			own, other = other, own
		}
		if lint.Has(t.raw, other) && !lint.Has(t.raw, own) {
			return other, of
		}
	}
	return "", ""
}
