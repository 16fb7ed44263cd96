package session

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// Task is a task of the server: one that a call became, or one that the server
// reported (2025-11-25, basic / utilities / tasks;
// 2026-07-28, extensions / tasks). It is a copy.
type Task struct {
	client.Task // the newest status

	Tool string     // whose call it was; empty when the call is not known
	Call jsonrpc.ID // the id of that call; empty when it is not known
	Row  int32      // of that request in the store; -1 without one
	Conn int        // the connection attempt of its newest status

	FirstSeen  time.Time // when it became known
	LastUpdate time.Time // when its newest status arrived
	Ended      time.Time // when it was over, here; zero before
	History    []TaskEvent

	// From the last progress notification of its call (2025-11-25).
	Progress, Total float64
	HasTotal        bool
	ProgressMessage string

	PollInterval time.Duration // 0 while it is not polled
	Notified     bool          // the server sends status notifications; polling is only a safety net
	Asks         int           // requests of the task that wait in the inbox
	Cancelling   bool          // the server was asked to stop it

	// The outcome, once Over: as it is for a call.
	Over      bool
	Answer    client.Response
	AnswerRow int32 // of the frame with the outcome; -1 without one
	Err       error
}

// Running reports whether the task has no outcome yet.
func (t *Task) Running() bool { return !t.Over }

// Expires is when the server may forget the task, by our clock; zero when that
// is not known, or never.
func (t *Task) Expires() time.Time {
	if t.TTL <= 0 {
		return time.Time{}
	}
	return t.FirstSeen.Add(t.TTL)
}

// TaskEvent is one step in the life of a task.
type TaskEvent struct {
	At     time.Time
	Status client.TaskStatus // empty for what is no change of the status
	Text   string            // the server's message, or a text of mcptea
	By     TaskSource
	Fault  bool  // the server must not do this
	Row    int32 // of the frame; -1 without one
}

// TaskSource is where a TaskEvent comes from.
type TaskSource uint8

// The sources.
const (
	ByClient       TaskSource = iota // mcptea itself
	ByResponse                       // the response to the call
	ByPoll                           // tasks/get
	ByNotification                   // a notification
	ByList                           // tasks/list
)

var taskSources = [...]string{"mcptea", "response", "polled", "notified", "listed"}

// String is a word for the source.
func (s TaskSource) String() string { return taskSources[s] }

// Bounds of what is kept.
const (
	maxTasks      = 500
	maxTaskEvents = 300 // of one task
	// maxStatus is how much of a status is kept whose task is not followed, and of
	// one whose task is over; maxStatusText of its message, maxEventText of that in
	// the history, in bytes.
	maxStatus     = 64 << 10
	maxAnswered   = 10_000 // keys of a task's input requests
	maxStatusText = 4 << 10
	maxEventText  = 512
)

// task is the state behind a Task. It is guarded by Session.mu, except for the
// channel.
type task struct {
	Task
	wakeup     chan struct{} // 1 slot: signals the poller
	refreshNow bool          // poll now, without waiting for the interval
	polled     bool          // a taskPoller runs
	frame      []byte        // of the newest status; nil when the status was part of a larger frame
	statusRow  int32         // of that frame
	token      string        // progress token of the call
	answered   map[string]bool
}

// Tasks returns the tasks, oldest first. The caller owns the slice; the
// histories in it are not changed later.
func (s *Session) Tasks() []Task {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.tasks) == 0 {
		return nil
	}
	asks := map[string]int{}
	for i := range s.asks {
		if a := &s.asks[i]; a.State == AskWaiting && a.Task != "" {
			asks[a.Task]++
		}
	}
	all := make([]Task, len(s.tasks))
	for i, t := range s.tasks {
		all[i] = t.copy(asks[t.ID])
	}
	return all
}

// copy returns the exported part of a task.
func (t *task) copy(asks int) Task {
	c := t.Task
	c.History, c.Asks = slices.Clip(c.History), asks
	if t.Over {
		c.Asks = 0
	}
	return c
}

// waitingRequests counts the requests of a task that wait in the inbox. The caller
// holds Session.mu.
func (s *Session) waitingRequests(t *task) (n int) {
	for i := range s.asks {
		if a := &s.asks[i]; a.State == AskWaiting && a.Task == t.ID {
			n++
		}
	}
	return n
}

// wakeTask wakes the poller of a task after a response to its request. The caller
// holds Session.mu.
func (s *Session) wakeTask(id string) {
	if t := s.findTask(id); id != "" && t != nil && t.polled {
		t.wake()
	}
}

// Task returns the task that the call has become; ok is false for other calls.
func (c *Call) Task() (t Task, ok bool) {
	c.mu.Lock()
	s, became := c.owner, c.task
	c.mu.Unlock()
	if became == nil {
		return Task{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return became.copy(s.waitingRequests(became)), true
}

// findTask returns the newest task with an id. The caller holds Session.mu.
func (s *Session) findTask(id string) *task {
	for _, t := range slices.Backward(s.tasks) {
		if t.ID == id {
			return t
		}
	}
	return nil
}

// addTask returns the task with the id of now on this connection and creates it if
// necessary. The caller holds Session.mu.
func (s *Session) addTask(now client.Task, at time.Time) *task {
	if t := s.findTask(now.ID); t != nil && t.Conn == s.state.Attempt {
		return t
	}
	if len(s.tasks) >= maxTasks {
		i := max(slices.IndexFunc(s.tasks, func(t *task) bool { return t.Over }), 0)
		s.forgetToken(s.tasks[i])
		s.tasks = slices.Delete(s.tasks, i, i+1)
	}
	t := &task{
		Task:   Task{Task: client.Task{ID: now.ID}, Row: -1, AnswerRow: -1, Conn: s.state.Attempt, FirstSeen: at},
		wakeup: make(chan struct{}, 1), statusRow: -1, answered: map[string]bool{},
	}
	s.tasks = append(s.tasks, t)
	return t
}

// callBecameTask registers the task that a call has become. A status notification
// may have registered it before.
func (s *Session) callBecameTask(call *Call, now client.Task, a client.Response) *task {
	row := s.store.RequestRow(transport.Out, string(call.Last()))
	s.mu.Lock()
	t := s.addTask(now, time.Now())
	t.Tool, t.Call, t.Row, t.polled = call.Name, call.ID, row, true
	if token, ok := jsonrpc.Member(call.Params, "_meta", "progressToken"); ok {
		t.token = string(token)
	} else {
		t.token = string(call.ID)
	}
	if s.taskTokens == nil {
		s.taskTokens = map[string]*task{}
	}
	s.taskTokens[t.token] = t
	first := TaskEvent{At: time.Now(), Status: now.Status, Text: now.Message, By: ByResponse, Row: s.answerRow(a)}
	if len(t.History) > 0 {
		t.History = slices.Insert(slices.Clone(t.History), 0, first)
	} else {
		s.applyUpdate(t, now, first, a.Frame)
	}
	if _, wished := jsonrpc.Member(call.Params, "task"); !wished && !s.modernTasks() {
		t.note(TaskEvent{At: time.Now(), Text: "the call did not request a task", Fault: true, Row: -1})
	}
	if now.Status != client.TaskWorking && !now.Status.Final() && !s.modernTasks() {
		t.note(TaskEvent{At: time.Now(), Text: "the status of a new task must be \"working\"", Fault: true, Row: -1})
	}
	s.mu.Unlock()
	call.mu.Lock()
	call.owner, call.task = s, t
	call.mu.Unlock()
	s.store.Poke()
	return t
}

// modernTasks reports whether the tasks are those of the extension. The caller
// holds Session.mu.
func (s *Session) modernTasks() bool {
	return s.client != nil && s.client.Handshake().Revision.IsStateless()
}

// answerRow returns the row of a response; -1 when it is not known.
func (s *Session) answerRow(a client.Response) int32 {
	if r, ok := s.store.Row(s.store.RequestRow(transport.Out, string(a.Envelope.ID.Of(a.Frame)))); ok {
		return r.Pair
	}
	return -1
}

// note adds an event to the history; above maxTaskEvents the oldest are dropped,
// except for the first. The caller holds Session.mu.
func (t *task) note(e TaskEvent) {
	e.Text = clip(e.Text, maxEventText)
	h := slices.Clip(t.History) // copies share the array and must not change
	if len(h) >= maxTaskEvents {
		h = slices.Concat(h[:1], h[len(h)-maxTaskEvents/2:])
	}
	t.History = append(h, e)
}

// applyUpdate applies a status that the server has reported. The caller holds
// Session.mu.
func (s *Session) applyUpdate(t *task, now client.Task, e TaskEvent, frame []byte) {
	was := t.Task.Task
	t.LastUpdate, t.Conn = e.At, s.state.Attempt
	if e.Row >= 0 && e.Row < t.statusRow {
		return // older than the known status
	}
	if !was.Updated.IsZero() && now.Updated.Before(was.Updated) {
		return // older by the server's clock
	}
	if wrong := invalidTransition(was.Status, now.Status); wrong != "" {
		e.Text, e.Fault = wrong, true
		if was.Status.Final() {
			if len(t.History) == 0 || t.History[len(t.History)-1].Text != wrong {
				t.note(e)
			}
			return // a final status does not change
		}
	}
	if now.TTL == 0 {
		now.TTL = was.TTL
	}
	if now.Poll == 0 {
		now.Poll = was.Poll
	}
	now.Message = clip(now.Message, maxStatusText)
	t.Task.Task, t.frame, t.statusRow = now, frame, max(e.Row, t.statusRow)
	t.trim()
	if was.Status != now.Status || was.Message != now.Message || e.Fault {
		t.note(e)
	}
}

// invalidTransition describes what is wrong with a change of status: a final one
// does not change (2025-11-25, basic / utilities / tasks, "Task Status
// Lifecycle").
func invalidTransition(from, to client.TaskStatus) string {
	switch {
	case !to.Known():
		return "the specification defines no status " + strconv.Quote(string(to))
	case from.Final() && from != to:
		return "the server reported " + string(to) + " after the final status " + string(from)
	}
	return ""
}

// taskNotification handles a status notification. It is called on the goroutine of
// the transport, which owns the bytes.
func (s *Session) taskNotification(frame []byte, row int32, at time.Time) {
	frame = slices.Clone(frame)
	params, _ := jsonrpc.Member(frame, "params")
	now, err := client.ReadTask(params)
	if err != nil || len(now.ID) > client.MaxID {
		return // the traffic shows it
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.addTask(now, at)
	t.Notified = t.Notified || !s.modernTasks()
	s.applyUpdate(t, now, TaskEvent{At: at, Status: now.Status, Text: now.Message, By: ByNotification, Row: row}, frame)
	t.wake()
}

// wake signals the poller of the task, if any.
func (t *task) wake() {
	select {
	case t.wakeup <- struct{}{}:
	default:
	}
}

// taskProgressed handles a progress notification for a call that became a task:
// its token is valid until the task ends (2025-11-25).
func (s *Session) taskProgressed(params []byte) {
	token, _ := jsonrpc.Member(params, "progressToken")
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.taskTokens[string(token)]
	if t == nil {
		return
	}
	t.Progress, _ = amount(params, "progress")
	t.Total, t.HasTotal = amount(params, "total")
	t.ProgressMessage = clip(member(params, "message"), maxStatusText)
}

// trim releases a large status that is no longer read. The caller holds
// Session.mu.
func (t *task) trim() {
	if !t.polled && len(t.frame) > maxStatus {
		t.frame, t.Raw = nil, nil
	}
}

// clip truncates a text to a number of bytes.
func clip(text string, size int) string {
	if len(text) <= size {
		return text
	}
	return strings.ToValidUTF8(text[:size], "") + "…"
}

func (s *Session) forgetToken(t *task) {
	if s.taskTokens[t.token] == t {
		delete(s.taskTokens, t.token)
	}
}

// setTaskFields sets the call of the task that a request belongs to, and its row
// when it came in a notification. The caller holds Session.mu.
func (s *Session) setTaskFields(a *Ask) {
	t := s.findTask(a.Task)
	if a.Task == "" || t == nil {
		return
	}
	a.Call, a.About = t.Call, t.Tool
	if a.Row < 0 {
		a.Row = t.statusRow
	}
}

func amount(object []byte, name string) (float64, bool) {
	v, ok := jsonrpc.Member(object, name)
	n, err := strconv.ParseFloat(string(v), 64)
	return n, ok && err == nil
}
