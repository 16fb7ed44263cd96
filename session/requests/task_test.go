package requests

import (
	"slices"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
)

func TestStatus_InvalidTransition(t *testing.T) {
	tests := []struct{ from, to client.TaskStatus }{
		{client.TaskCompleted, client.TaskWorking}, {client.TaskFailed, client.TaskCompleted}, {client.TaskWorking, "sleeping"},
	}
	for _, tt := range tests {
		if invalidTransition(tt.from, tt.to) == "" {
			t.Errorf("%s to %s", tt.from, tt.to)
		}
	}
	for _, ok := range []client.TaskStatus{client.TaskWorking, client.TaskInputRequired, client.TaskCompleted} {
		if why := invalidTransition(client.TaskWorking, ok); why != "" {
			t.Error(why)
		}
	}
}

// known is a session without a connection, as that of a recording.
type known struct {
	Session
	stateless bool
}

func (known) Connection() (*client.Client, int, bool) { return nil, 1, false }
func (k known) Stateless() bool                       { return k.stateless }
func (known) Changed()                                {}

// A notification may report a task before the response to its call does: the history begins with the response.
func TestTracker_NotifiedBeforeTheResponse(t *testing.T) {
	_, k := New(known{}, Policies{}, 0)
	k.Reported(client.Task{ID: "t", Status: client.TaskWorking, Message: "steeping"}, ByNotification, Frame{Row: 3})
	k.Reported(client.Task{ID: "t", Status: client.TaskWorking, Message: "pouring"}, ByNotification, Frame{Row: 4})
	call := Call{ID: jsonrpc.IDOf("7"), Last: jsonrpc.IDOf("7"), Name: "brew", Params: []byte(`{"task":{}}`)}
	task := k.Created(call, 2, client.Task{ID: "t", Status: client.TaskWorking, Message: "accepted"}, Frame{Row: 5}).Task()
	var history []string
	for _, e := range task.History {
		history = append(history, e.By.String()+" "+e.Text)
	}
	if want := []string{"response accepted", "notified steeping", "notified pouring"}; !slices.Equal(history, want) || task.Tool != "brew" || task.Row != 2 {
		t.Errorf("%q of %s in row %d, want %q", history, task.Tool, task.Row, want)
	}
}

// The newest status counts by the order of the frames: one of an older row does not, also that of the first row
// of a recording. One without a row does.
func TestTracker_OlderRows(t *testing.T) {
	for older, want := range map[int32]string{-1: "late", 0: "newest", 4: "newest", 5: "late", 6: "late"} {
		_, k := New(known{}, Policies{}, 0)
		k.Reported(client.Task{ID: "t", Status: client.TaskWorking, Message: "newest"}, ByPoll, Frame{Row: 5})
		k.Reported(client.Task{ID: "t", Status: client.TaskWorking, Message: "late"}, ByPoll, Frame{Row: older})
		if got := k.All()[0].Message; got != want {
			t.Errorf("a status of row %d after that of row 5: %q, want %q", older, got, want)
		}
	}
}

// The lifetime and the polling of a task stay unchanged if a status lacks them.
func TestTracker_OmittedMembers(t *testing.T) {
	_, k := New(known{}, Policies{}, 0)
	for _, tt := range []struct{ ttl, poll, wantTTL, wantPoll time.Duration }{
		{time.Minute, time.Second, time.Minute, time.Second},
		{0, 0, time.Minute, time.Second},
		{time.Millisecond, 0, time.Millisecond, time.Second},
		{0, time.Millisecond, time.Millisecond, time.Millisecond},
		{1, 1, 1, 1},
	} {
		k.Reported(client.Task{ID: "t", Status: client.TaskWorking, TTL: tt.ttl, Poll: tt.poll}, ByPoll, Frame{Row: -1})
		if got := k.All()[0]; got.TTL != tt.wantTTL || got.Poll != tt.wantPoll {
			t.Errorf("after %v and %v: %v and %v", tt.ttl, tt.poll, got.TTL, got.Poll)
		}
	}
}
