package requests

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/words/phrase"
	"mcptea/offer/content"
)

// Tracker knows the tasks of a session. Its methods may be called from any
// goroutine.
type Tracker struct {
	session       Session
	waiting       func() map[string]int // requests in the inbox, by their task
	resultTimeout time.Duration         // timeout of tasks/result for a task that has ended

	mu    sync.Mutex
	tasks []*entry // oldest first
	// tokens finds a task that runs by the progress token of its call.
	tokens map[string]*entry
}

// All returns the tasks, oldest first. The caller owns the slice; the histories in
// it are not changed later.
func (k *Tracker) All() []Task {
	waiting := k.waiting()
	k.mu.Lock()
	defer k.mu.Unlock()
	var all []Task
	for _, t := range k.tasks {
		all = append(all, t.copy(waiting[t.ID]))
	}
	return all
}

// Tracked is a call that has become a task.
type Tracked struct {
	tracker *Tracker
	entry   *entry
}

// Task returns the task.
func (t *Tracked) Task() Task {
	waiting := t.tracker.waiting()
	t.tracker.mu.Lock()
	defer t.tracker.mu.Unlock()
	return t.entry.copy(waiting[t.entry.ID])
}

// An Origin is the request that created a task.
type Origin struct {
	Tool      string
	Call      jsonrpc.ID
	StatusRow int32 // row of the newest status, or -1
}

// Origin returns the origin of a task, or false if it is not known.
func (k *Tracker) Origin(id string) (Origin, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	t := k.find(id)
	if t == nil || id == "" {
		return Origin{}, false
	}
	return Origin{t.Tool, t.Call, t.statusRow}, true
}

// find returns the newest task with an id. The caller holds the lock.
func (k *Tracker) find(id string) *entry {
	for _, t := range slices.Backward(k.tasks) {
		if t.ID == id {
			return t
		}
	}
	return nil
}

// add returns the task with an id on a connection and creates it if necessary. The
// caller holds the lock.
func (k *Tracker) add(id string, conn int, at time.Time) *entry {
	if t := k.find(id); t != nil && t.conn == conn {
		return t
	}
	if len(k.tasks) >= maxTasks {
		i := max(slices.IndexFunc(k.tasks, func(t *entry) bool { return t.Over }), 0)
		k.forgetToken(k.tasks[i])
		k.tasks = slices.Delete(k.tasks, i, i+1)
	}
	t := &entry{
		Task:   Task{Task: client.Task{ID: id}, Row: -1, ResponseRow: -1, conn: conn, FirstSeen: at},
		wakeup: make(chan struct{}, 1), statusRow: -1, answered: map[string]bool{},
	}
	k.tasks = append(k.tasks, t)
	return t
}

// Call is a call that has become a task.
type Call struct {
	ID, Last jsonrpc.ID // ids of the first and the newest request
	Resent   bool       // the newest request was sent on a different connection than the first
	Name     string     // name of the tool
	Params   []byte
}

// tokens returns the progress tokens that the newest request of the call can have: the token of its params, or
// the id of the request. Input is sent with the token of the first request.
func (c Call) tokens() []string {
	if token, ok := jsonrpc.Member(c.Params, "_meta", "progressToken"); ok {
		return []string{string(token)}
	}
	if c.Resent || c.ID.Same(c.Last) {
		return []string{c.Last.String()}
	}
	return []string{c.ID.String(), c.Last.String()}
}

// Frame is a frame of the server that reports a task: the response to the call that
// became one, or to tasks/get, tasks/list, tasks/cancel or tasks/result, or a
// notification.
type Frame struct {
	Bytes []byte // the tracker keeps them; nil for a part of a frame
	Row   int32  // -1 if it is not known
	Time  time.Time
}

// frameOf returns the frame of a response that has just arrived.
func frameOf(r client.Response) Frame {
	return Frame{Bytes: r.Frame, Row: r.Ref.Row(), Time: time.Now()}
}

// Created registers the task that a call has become, with the row of its newest request.
// A status notification may have registered it before. On a connection the caller polls
// it.
func (k *Tracker) Created(call Call, row int32, now client.Task, f Frame) *Tracked {
	c, conn, _ := k.session.Connection()
	extension := k.session.Stateless()
	k.mu.Lock()
	defer k.session.Changed()
	defer k.mu.Unlock()
	t := k.add(now.ID, conn, f.Time)
	t.Tool, t.Call, t.Row, t.polled = call.Name, call.ID, row, c != nil
	k.setTokens(t, call)
	first := Event{At: f.Time, Status: now.Status, Text: now.Message, By: ByResponse, Row: f.Row}
	if len(t.History) > 0 {
		t.History = slices.Insert(slices.Clone(t.History), 0, first)
	} else {
		t.update(now, conn, first, f.Bytes)
	}
	if _, requested := jsonrpc.Member(call.Params, "task"); !requested && !extension {
		t.note(Event{At: f.Time, Text: "the call did not request a task", Fault: true, Row: -1})
	}
	if now.Status != client.TaskWorking && !now.Status.Final() && !extension {
		t.note(Event{At: f.Time, Text: "the status of a new task must be \"working\"", Fault: true, Row: -1})
	}
	return &Tracked{k, t}
}

// Reported applies a status that the server has reported.
func (k *Tracker) Reported(now client.Task, by Source, f Frame) {
	if len(now.ID) > client.MaxID {
		return // the traffic shows it
	}
	_, conn, _ := k.session.Connection()
	extension := k.session.Stateless()
	k.mu.Lock()
	defer k.mu.Unlock()
	t := k.add(now.ID, conn, f.Time)
	t.Notified = t.Notified || by == ByNotification && !extension
	t.update(now, conn, Event{At: f.Time, Status: now.Status, Text: now.Message, By: by, Row: f.Row}, f.Bytes)
	t.wake()
	switch {
	case !now.Status.Final() || t.Over || t.polled: // the poller ends what it polls
	case extension && f.Bytes != nil: // a final status has the outcome in it
		response, err := client.TaskOutcome(now, f.Bytes)
		k.end(t, response, err, f)
	case now.Status == client.TaskCancelled:
		k.end(t, client.Response{}, client.ErrTaskCancelled, f)
	}
}

// Result applies the response to tasks/result, which is the outcome of a task that is
// not polled.
func (k *Tracker) Result(id string, f Frame) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if t := k.find(id); t != nil && !t.Over && !t.polled {
		k.end(t, client.Response{Frame: f.Bytes, Envelope: jsonrpc.Scan(f.Bytes)}, nil, f)
	}
}

// end sets the outcome of a task. The caller holds the lock.
func (k *Tracker) end(t *entry, response client.Response, err error, f Frame) {
	t.Over, t.polled, t.PollInterval, t.Cancelling = true, false, 0, false
	t.Ended, t.Response, t.ToolError, t.ResponseRow, t.Err = f.Time, response, content.ToolFailed(response.Result()), f.Row, err
	k.forgetToken(t)
	t.trim()
	k.trim()
}

// Progressed handles a progress notification for a call that became a task: its
// token is valid until the task ends (2025-11-25).
func (k *Tracker) Progressed(params []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.tokens) == 0 {
		return
	}
	token, _ := jsonrpc.Member(params, "progressToken")
	t := k.tokens[string(token)]
	if t == nil {
		return
	}
	t.Progress, _ = number(params, "progress")
	t.Total, t.HasTotal = number(params, "total")
	t.ProgressMessage = phrase.Clip(jsonrpc.Text(params, "message"), maxStatusText)
}

func number(object []byte, name string) (float64, bool) {
	v, ok := jsonrpc.Member(object, name)
	n, err := strconv.ParseFloat(string(v), 64)
	return n, ok && err == nil
}

// Wake makes the poller of a task poll now, if there is one; without an id, the pollers of all tasks.
func (k *Tracker) Wake(id string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, t := range k.tasks {
		if t.polled && (id == "" || t.ID == id) {
			t.wake()
		}
	}
}

// setTokens makes the progress of a call count for its task.
func (k *Tracker) setTokens(t *entry, call Call) {
	t.tokens = call.tokens()
	for _, token := range t.tokens {
		k.tokens[token] = t
	}
}

func (k *Tracker) forgetToken(t *entry) {
	for _, token := range t.tokens {
		if k.tokens[token] == t {
			delete(k.tokens, token)
		}
	}
}

// trim releases old results. The caller holds the lock.
func (k *Tracker) trim() {
	kept := 0
	for _, t := range slices.Backward(k.tasks) {
		n := len(t.Response.Frame)
		if kept += n; n > 0 && kept > maxResultBytes {
			t.Response, t.frame = client.Response{}, nil
			t.Err = &client.TaskError{ID: t.ID, Reason: "has a result that is no longer in memory; see its frame in the traffic"}
		}
	}
}

// Disconnected ends the tasks without a poller when the connection ends: no
// notification about them will arrive.
func (k *Tracker) Disconnected(at time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, t := range k.tasks {
		if !t.polled && !t.Over && !t.Status.Final() {
			t.Over, t.Ended = true, at
			t.Err = &client.TaskError{ID: t.ID, Reason: "belongs to a connection that has ended"}
		}
	}
}

// Resume polls the tasks of the previous connection on a new one: the server may
// still know them.
func (k *Tracker) Resume(c *client.Client) {
	if !c.Handshake().HasTasks() {
		return
	}
	_, conn, _ := k.session.Connection()
	for _, t := range k.resumed(conn) {
		k.pollDetached(c, t)
	}
}

// resumed returns the newest tasks that a closed connection has ended, at most maxResumed,
// which go on with another connection.
func (k *Tracker) resumed(conn int) (left []*entry) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := len(k.tasks) - 1; i >= 0 && len(left) < maxResumed; i-- {
		t := k.tasks[i]
		var closed *client.ClosedError
		if t.Over && errors.As(t.Err, &closed) {
			t.resume()
			t.conn = conn
			t.note(Event{At: time.Now(), Text: "requested again on the new connection", Row: -1})
			left = append(left, t)
		}
	}
	return left
}

// errNotConnected reports that a task cannot be polled.
var errNotConnected = errors.New("not connected")

// Refresh polls a task now. If the task is still running, it continues to poll. The error is the
// reason why that is not possible.
func (k *Tracker) Refresh(id string) error {
	c, _, _ := k.session.Connection()
	if c == nil {
		return errNotConnected
	}
	k.mu.Lock()
	t := k.find(id)
	if t == nil {
		k.mu.Unlock()
		return &client.TaskError{ID: id, Reason: "is unknown"}
	}
	t.refreshNow = true
	if t.polled {
		t.wake()
		k.mu.Unlock()
		return nil
	}
	t.resume()
	k.mu.Unlock()
	k.pollDetached(c, t)
	return nil
}

// Cancel cancels a task; if a call waits for it, the call.
func (k *Tracker) Cancel(id string) error {
	c, _, _ := k.session.Connection()
	k.mu.Lock()
	t := k.find(id)
	var call jsonrpc.ID
	if t != nil {
		call = t.Call
	}
	k.mu.Unlock()
	switch {
	case t == nil:
		return &client.TaskError{ID: id, Reason: "is unknown"}
	case c == nil:
		return errNotConnected
	case !c.Handshake().Revision.IsStateless() && !c.Handshake().HasCapability("tasks", "cancel"):
		return ErrNoCancel
	case k.session.CancelCall(call):
		return nil
	}
	p := &poller{k: k, c: c, t: t, id: id, extension: c.Handshake().Revision.IsStateless()}
	k.session.Go(func() {
		p.cancel(nil)
		_ = k.Refresh(id) // the history of the task has the error
	})
	return nil
}

// List sends tasks/list if the server supports it (2025-11-25), and waits for the response. It adds the tasks
// to those of [Tracker.All].
func (k *Tracker) List(ctx context.Context) (found int, err error) {
	c, _, _ := k.session.Connection()
	if c == nil {
		return 0, errNotConnected
	}
	tasks, err := c.Tasks(ctx)
	for _, now := range tasks {
		k.Reported(now, ByList, Frame{Row: -1, Time: time.Now()})
	}
	k.session.Changed()
	if err != nil {
		err = fmt.Errorf("cannot list the tasks: %w", err)
	}
	return len(tasks), err
}
