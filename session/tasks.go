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

// Task is work of the server that is looked after here: a call that became a
// task, or one that the server told of (2025-11-25, basic / utilities / tasks;
// 2026-07-28, extensions / tasks). It is a copy.
type Task struct {
	client.Task // as the server told last

	Tool string     // whose call it was; empty when the call is not known
	Call jsonrpc.ID // the id of that call; empty when it is not known
	Row  int32      // of that request in the store; -1 without one
	Conn int        // the attempt to connect on which it was heard of last

	FirstSeen  time.Time // when it was first heard of
	LastUpdate time.Time // when it was last heard of
	Ended      time.Time // when it was over, here; zero before
	History    []TaskEvent

	// What the last progress notification of its call said (2025-11-25).
	Progress, Total float64
	HasTotal        bool
	ProgressMessage string

	PollInterval time.Duration // the pause between two looks; 0 while nobody looks
	Notified     bool          // the server tells of changes, so that looking is only for safety
	Asks         int           // requests of the task that wait in the inbox
	Cancelling   bool          // the server was asked to stop it

	// The outcome, once Over: as it is for a call.
	Over      bool
	Answer    client.Answer
	AnswerRow int32 // of the frame with the outcome; -1 without one
	Err       error
}

// Running reports whether an end is still awaited.
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
	Text   string            // the server's message, or our own words
	By     TaskSource
	Fault  bool  // the server must not do this
	Row    int32 // of the frame; -1 without one
}

// TaskSource is how something became known.
type TaskSource uint8

// The sources.
const (
	ByClient       TaskSource = iota // mcptea did or found it
	ByResponse                       // the answer to the call
	ByPoll                           // tasks/get
	ByNotification                   // a notification
	ByList                           // tasks/list
)

var taskSources = [...]string{"mcptea", "answer", "asked", "told", "listed"}

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

// task is a Task while it is looked after. All of it is guarded by the lock of
// the session, but for the channel.
type task struct {
	Task
	wakeup     chan struct{} // 1 slot: look at it again
	refreshNow bool          // somebody wants it fetched now
	polled     bool          // a goroutine looks after it
	frame      []byte        // where the newest status stood; nil when that was no frame of its own
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

// copy returns what may be shown of a task.
func (t *task) copy(asks int) Task {
	c := t.Task
	c.History, c.Asks = slices.Clip(c.History), asks
	if t.Over {
		c.Asks = 0
	}
	return c
}

// waitingRequests counts what a task waits for in the inbox. The caller holds the lock.
func (s *Session) waitingRequests(t *task) (n int) {
	for i := range s.asks {
		if a := &s.asks[i]; a.State == AskWaiting && a.Task == t.ID {
			n++
		}
	}
	return n
}

// wakeTask has a task looked at that has got an answer. The caller holds the
// lock.
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

// findTask returns the newest task of an id. The caller holds the lock.
func (s *Session) findTask(id string) *task {
	for _, t := range slices.Backward(s.tasks) {
		if t.ID == id {
			return t
		}
	}
	return nil
}

// addTask makes a task known, or returns the one that is. The caller holds the
// lock.
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

// callBecameTask notes that a call has become a task. News of it may have come before
// the answer was looked at.
func (s *Session) callBecameTask(call *Call, now client.Task, a client.Answer) *task {
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
		t.note(TaskEvent{At: time.Now(), Text: "the call did not ask for a task", Fault: true, Row: -1})
	}
	if now.Status != client.TaskWorking && !now.Status.Final() && !s.modernTasks() {
		t.note(TaskEvent{At: time.Now(), Text: "a new task must be working", Fault: true, Row: -1})
	}
	s.mu.Unlock()
	call.mu.Lock()
	call.owner, call.task = s, t
	call.mu.Unlock()
	s.store.Poke()
	return t
}

// modernTasks reports whether the tasks are those of the extension. The caller
// holds the lock.
func (s *Session) modernTasks() bool {
	return s.client != nil && s.client.Handshake().Revision.IsModern()
}

// answerRow finds the row of an answer; -1 when it is not known.
func (s *Session) answerRow(a client.Answer) int32 {
	if r, ok := s.store.Row(s.store.RequestRow(transport.Out, string(a.Envelope.ID.Of(a.Frame)))); ok {
		return r.Pair
	}
	return -1
}

// note adds an event to the history; when there are too many, the oldest go but
// for the first. The caller holds the lock.
func (t *task) note(e TaskEvent) {
	e.Text = clip(e.Text, maxEventText)
	h := slices.Clip(t.History) // who has a copy keeps it as it is
	if len(h) >= maxTaskEvents {
		h = slices.Concat(h[:1], h[len(h)-maxTaskEvents/2:])
	}
	t.History = append(h, e)
}

// applyUpdate takes over what the server says of a task. The caller holds the lock.
func (s *Session) applyUpdate(t *task, now client.Task, e TaskEvent, frame []byte) {
	was := t.Task.Task
	t.LastUpdate, t.Conn = e.At, s.state.Attempt
	if e.Row >= 0 && e.Row < t.statusRow {
		return // it has been overtaken by what is known
	}
	if !was.Updated.IsZero() && now.Updated.Before(was.Updated) {
		return // the server wrote it before what is known
	}
	if wrong := invalidTransition(was.Status, now.Status); wrong != "" {
		e.Text, e.Fault = wrong, true
		if was.Status.Final() {
			if len(t.History) == 0 || t.History[len(t.History)-1].Text != wrong {
				t.note(e)
			}
			return // what is over stays over
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

// invalidTransition says what is wrong with a step from one status to another: final
// ones are not left (2025-11-25, basic / utilities / tasks, "Task Status
// Lifecycle").
func invalidTransition(from, to client.TaskStatus) string {
	switch {
	case !to.Known():
		return "the specification has no status " + string(to)
	case from.Final() && from != to:
		return "the server says " + string(to) + " of a task that was " + string(from)
	}
	return ""
}

// taskNotification takes note of a notification about a task. It is called from the
// wire; the bytes are only borrowed.
func (s *Session) taskNotification(frame []byte, row int32, at time.Time) {
	frame = slices.Clone(frame)
	params, _ := jsonrpc.Member(frame, "params")
	now, err := client.ReadTask(params)
	if err != nil || len(now.ID) > client.MaxID {
		return // it is in the traffic
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.addTask(now, at)
	t.Notified = t.Notified || !s.modernTasks()
	s.applyUpdate(t, now, TaskEvent{At: at, Status: now.Status, Text: now.Message, By: ByNotification, Row: row}, frame)
	t.wake()
}

// wake has whoever looks after the task look at it.
func (t *task) wake() {
	select {
	case t.wakeup <- struct{}{}:
	default:
	}
}

// taskProgressed takes note of the progress of a call that became a task: its
// token is good until the task is over (2025-11-25).
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

// trim lets go of a large status that nothing is read from any more. The caller
// holds the lock.
func (t *task) trim() {
	if !t.polled && len(t.frame) > maxStatus {
		t.frame, t.Raw = nil, nil
	}
}

// clip cuts a text.
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

// setTaskFields says of which task's call a request is, and where it stands when that
// was a notification. The caller holds the lock.
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
