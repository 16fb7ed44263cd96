package requests

import (
	"errors"
	"slices"
	"strconv"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/signal"
	"mcptea/internal/words/phrase"
)

// Task is a task of the server: one that a call became, or one that the server
// reported. It is a copy.
type Task struct {
	client.Task // newest status

	Tool string     // tool that was called, or "" if the call is unknown
	Call jsonrpc.ID // the id of that call; empty when it is not known
	Row  int32      // row of that request in the store, or -1
	conn int        // the connection attempt of its newest status

	FirstSeen  time.Time // time at which the task became known
	LastUpdate time.Time // arrival of its newest status
	Ended      time.Time // time at which the task was over, or zero
	History    []Event

	// From the last progress notification of its call (2025-11-25).
	Progress, Total float64
	HasTotal        bool
	ProgressMessage string

	PollInterval time.Duration // 0 while it is not polled
	Notified     bool          // the server sends status notifications; polling is only a safety net
	Waiting      int           // requests of the task that wait in the inbox
	Cancelling   bool          // the server was asked to stop it

	// The outcome, once Over: as for a call.
	Over        bool
	Response    client.Response
	ToolError   bool  // the response is a result with isError
	ResponseRow int32 // row of the frame with the outcome, or -1
	Err         error
}

// Running reports whether the task has no outcome yet.
func (t *Task) Running() bool { return !t.Over }

// Expires returns the time from which the server may forget the task, by the local clock. It
// returns zero if that is unknown or never.
func (t *Task) Expires() time.Time {
	if t.TTL <= 0 {
		return time.Time{}
	}
	return t.FirstSeen.Add(t.TTL)
}

// Event is one step in the life of a task.
type Event struct {
	At     time.Time
	Status client.TaskStatus // empty for other changes
	Text   string            // the server's message, or a text of mcptea
	By     Source
	Fault  bool  // the server must not do this
	Row    int32 // row of the frame, or -1
}

// A Source is the source of an Event.
type Source uint8

// The sources.
const (
	ByClient       Source = iota // mcptea itself
	ByResponse                   // the response to the call
	ByPoll                       // tasks/get
	ByNotification               // a notification
	ByList                       // tasks/list
)

var sources = [...]string{"mcptea", "response", "polled", "notified", "listed"}

// String returns the name of the source.
func (s Source) String() string { return sources[s] }

// ErrRunning is the outcome of a cancelled call whose task is still running.
var ErrRunning = errors.New("its task could not be cancelled and is still running")

// ErrNoCancel reports that a task cannot be cancelled, because the server has not declared the capability
// tasks.cancel (2025-11-25, basic / utilities / tasks).
var ErrNoCancel = errors.New("the server does not support tasks/cancel: capability tasks.cancel is missing")

// Bounds of what is kept.
const (
	maxTasks  = 500
	maxEvents = 300 // bound for the events of one task
	// maxStatus bounds the kept status of a task that is not followed, and of one that is over; maxStatusText
	// bounds its message, and maxEventText the message in the history, in bytes.
	maxStatus     = 64 << 10
	maxAnswered   = 10_000 // keys of a task's input requests
	maxStatusText = 4 << 10
	maxEventText  = 512
	// maxResultBytes bounds the memory for results of tasks; the record has them all.
	maxResultBytes = 64 << 20
	// maxResumed bounds how many tasks are polled again on a new connection.
	maxResumed = 20
)

// entry is the state behind a Task. It is guarded by Tracker.mu, except for the
// channel.
type entry struct {
	Task
	wakeup     chan struct{} // 1 slot: signals the poller
	refreshNow bool          // poll now, without waiting for the interval
	polled     bool          // a poller runs
	frame      []byte        // frame of the newest status; nil if the status was part of a larger frame
	statusRow  int32         // row of that frame
	tokens     []string      // progress tokens of the call
	answered   map[string]bool
}

// copy returns the exported part of a task. waiting is the number of its requests that wait.
func (t *entry) copy(waiting int) Task {
	c := t.Task
	c.History, c.Waiting = slices.Clip(c.History), waiting
	if t.Over {
		c.Waiting = 0
	}
	return c
}

// note adds an event to the history; above maxEvents the oldest are dropped, except
// for the first. The caller holds the lock.
func (t *entry) note(e Event) {
	e.Text = phrase.Clip(e.Text, maxEventText)
	h := slices.Clip(t.History) // copies share the array and must not change
	if len(h) >= maxEvents {
		h = slices.Concat(h[:1], h[len(h)-maxEvents/2:])
	}
	t.History = append(h, e)
}

// update applies a status that the server has reported on a connection. The caller
// holds the lock.
func (t *entry) update(now client.Task, conn int, e Event, frame []byte) {
	was := t.Task.Task
	t.LastUpdate, t.conn = e.At, conn
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
	now.Message = phrase.Clip(now.Message, maxStatusText)
	t.Task.Task, t.frame, t.statusRow = now, frame, max(e.Row, t.statusRow)
	t.trim()
	if was.Status != now.Status || was.Message != now.Message || e.Fault {
		t.note(e)
	}
}

// invalidTransition returns why a change of status is invalid, or "". A final status must not
// change (2025-11-25, basic / utilities / tasks, "Task Status Lifecycle").
func invalidTransition(from, to client.TaskStatus) string {
	switch {
	case !to.Known():
		return "the specification defines no status " + strconv.Quote(string(to))
	case from.Final() && from != to:
		return "the server reported " + string(to) + " after the final status " + string(from)
	}
	return ""
}

// wake signals the poller of the task, if any.
func (t *entry) wake() {
	signal.Wake(t.wakeup)
}

// trim releases a large status that is no longer read. The caller holds the lock.
func (t *entry) trim() {
	if !t.polled && len(t.frame) > maxStatus {
		t.frame, t.Raw = nil, nil
	}
}

// resume resets a task so that it is polled again. The caller holds the lock.
func (t *entry) resume() {
	t.polled, t.Over, t.refreshNow = true, false, true
	t.Err, t.Response, t.ResponseRow, t.Ended = nil, client.Response{}, -1, time.Time{}
	t.Status, t.frame = client.TaskWorking, nil // until the next poll
	t.Updated, t.statusRow = time.Time{}, -1
}
