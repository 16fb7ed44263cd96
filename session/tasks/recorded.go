package tasks

import (
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
)

// Frame is a frame of a recording that reports a task: the response to the call
// that became one, or to tasks/get, tasks/cancel or tasks/result, or a notification.
type Frame struct {
	Bytes []byte // the tracker keeps them
	Row   int32
	Time  time.Time
}

// RecordedCall adds the task that a recorded call has become; row is that of its
// request.
func (k *Tracker) RecordedCall(call Call, row int32, now client.Task, f Frame) {
	_, conn, _ := k.session.Connection()
	k.mu.Lock()
	defer k.mu.Unlock()
	t := k.add(now.ID, conn, f.Time)
	t.Tool, t.Call, t.Row = call.Name, call.ID, row
	k.setTokens(t, call)
	t.update(now, conn, Event{At: f.Time, Status: now.Status, Text: now.Message, By: ByResponse, Row: f.Row}, f.Bytes)
}

// RecordedStatus applies a status that the server has reported on request. A final
// status of the stateless era has the outcome in it.
func (k *Tracker) RecordedStatus(now client.Task, by Source, f Frame) {
	_, conn, _ := k.session.Connection()
	stateless := k.session.Stateless()
	k.mu.Lock()
	defer k.mu.Unlock()
	t := k.add(now.ID, conn, f.Time)
	t.Notified = t.Notified || by == ByNotification && !stateless
	t.update(now, conn, Event{At: f.Time, Status: now.Status, Text: now.Message, By: by, Row: f.Row}, f.Bytes)
	switch {
	case !now.Status.Final() || t.Over:
	case stateless:
		response, err := client.TaskOutcome(now, f.Bytes)
		t.recordedEnd(response, err, f)
	case now.Status == client.TaskCancelled:
		t.recordedEnd(client.Response{}, client.ErrTaskCancelled, f)
	}
	if t.Over {
		k.forgetToken(t)
	}
	k.trim()
}

// RecordedResult applies the response to tasks/result, which is the outcome of the
// task with an id.
func (k *Tracker) RecordedResult(id string, f Frame) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if t := k.find(id); t != nil && !t.Over {
		t.recordedEnd(client.Response{Frame: f.Bytes, Envelope: jsonrpc.Scan(f.Bytes)}, nil, f)
		k.forgetToken(t)
		k.trim()
	}
}

func (t *entry) recordedEnd(response client.Response, err error, f Frame) {
	t.Over, t.Ended, t.Response, t.ResponseRow, t.Err = true, f.Time, response, f.Row, err
	t.trim()
}

// RecordedEnd ends the tasks that have no outcome at the end of a recorded
// connection.
func (k *Tracker) RecordedEnd(at time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, t := range k.tasks {
		if !t.Over && !t.Status.Final() {
			t.Over, t.Ended = true, at
			t.Err = &client.TaskError{ID: t.ID, Reason: "belongs to a connection that has ended"}
		}
	}
}
