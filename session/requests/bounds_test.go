package requests

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
)

func TestTracker_MaxTasks(t *testing.T) {
	_, k := New(nil, Policies{}, 0)
	for i := range 500 {
		k.add(fmt.Sprint(i), 1, time.Time{})
	}
	if len(k.tasks) != 500 || k.find("0") == nil {
		t.Errorf("of 500 tasks %d are known", len(k.tasks))
	}
	k.tasks[3].Over = true
	k.tokens["t"] = k.tasks[3]
	k.tasks[3].tokens = []string{"t"}
	k.add("500", 1, time.Time{})
	if len(k.tasks) != 500 || k.find("3") != nil || k.find("0") == nil || len(k.tokens) != 0 {
		t.Errorf("for one task more the oldest one that has ended is not dropped; there are %d tasks, %d tokens", len(k.tasks), len(k.tokens))
	}
	k.add("501", 1, time.Time{})
	if len(k.tasks) != 500 || k.find("0") != nil || k.find("501") == nil {
		t.Errorf("with no task that has ended the oldest one is not dropped; there are %d", len(k.tasks))
	}
}

func TestEntry_MaxEvents(t *testing.T) {
	e := &entry{}
	for i := range 300 {
		e.note(Event{Text: fmt.Sprint(i)})
	}
	if len(e.History) != 300 || e.History[299].Text != "299" {
		t.Errorf("of 300 events %d are kept", len(e.History))
	}
	e.note(Event{Text: "last" + strings.Repeat("x", 1000)})
	if n := len(e.History); n != 152 || e.History[0].Text != "0" || e.History[1].Text != "150" || !strings.HasPrefix(e.History[n-1].Text, "last") {
		t.Errorf("of 301 events %d are kept: %q, %q …", n, e.History[0].Text, e.History[1].Text)
	}
	if n := len(e.History[151].Text); n > 520 {
		t.Errorf("%d bytes of a text are kept", n)
	}
}

// Old results are released when all of them are too large, the newest ones last.
func TestTracker_MaxResultBytes(t *testing.T) {
	if maxResultBytes != 64<<20 {
		t.Errorf("%d bytes of results are kept", maxResultBytes)
	}
	_, k := New(nil, Policies{}, 0)
	shared := bytes.Repeat([]byte("x"), maxResultBytes/4) // one array: nothing is copied
	for i := range 5 {
		k.add(fmt.Sprint(i), 1, time.Time{}).Response = client.Response{Frame: shared}
		k.trim()
		for at, task := range k.tasks {
			if released := i == 4 && at == 0; (task.Response.Frame == nil) != released || (task.Err != nil) != released {
				t.Errorf("with %d results the one of task %d is kept: %t, %v", i+1, at, task.Response.Frame != nil, task.Err)
			}
		}
	}
}

// Progress is found by the token of the request that became the task: that of its
// params, of the first request of a call with input, or of the request that was sent
// again on a new connection, whose ids start afresh.
func TestCall_Tokens(t *testing.T) {
	for name, tt := range map[string]struct {
		call Call
		want string
	}{
		"one request":       {Call{ID: jsonrpc.IDOf("1"), Last: jsonrpc.IDOf("1")}, "1"},
		"with input":        {Call{ID: jsonrpc.IDOf("1"), Last: jsonrpc.IDOf("2")}, "1 2"},
		"on a new session":  {Call{ID: jsonrpc.IDOf("7"), Last: jsonrpc.IDOf("2"), Resent: true}, "2"},
		"of the user":       {Call{ID: jsonrpc.IDOf("1"), Last: jsonrpc.IDOf("2"), Params: []byte(`{"_meta":{"progressToken":"mine"}}`)}, `"mine"`},
		"of the user again": {Call{ID: jsonrpc.IDOf("7"), Last: jsonrpc.IDOf("2"), Resent: true, Params: []byte(`{"_meta":{"progressToken":3}}`)}, "3"},
	} {
		if got := strings.Join(tt.call.tokens(), " "); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

// A large status is released when the task is no longer followed.
func TestEntry_MaxStatus(t *testing.T) {
	for _, tt := range []struct {
		size           int
		polled, waived bool
	}{{64 << 10, false, false}, {64<<10 + 1, false, true}, {64<<10 + 1, true, false}} {
		frame := make([]byte, tt.size)
		e := &entry{polled: tt.polled, frame: frame}
		e.Raw = frame[:10]
		if e.trim(); (e.frame == nil) != tt.waived || (e.Raw == nil) != tt.waived {
			t.Errorf("%d bytes, polled %t: %d bytes of the frame are kept, %d of the status", tt.size, tt.polled, len(e.frame), len(e.Raw))
		}
	}
}

func TestEntry_MaxStatusText(t *testing.T) {
	for size, want := range map[int]int{4 << 10: 4 << 10, 4<<10 + 1: 4<<10 + len("…")} {
		e := &entry{}
		e.update(client.Task{Status: client.TaskWorking, Message: strings.Repeat("x", size)}, 1, Event{}, nil)
		if len(e.Message) != want {
			t.Errorf("of a message of %d bytes %d are kept, want %d", size, len(e.Message), want)
		}
	}
}

// Requests that no status has any more are forgotten when there are many. Those that the
// status has are never passed on twice.
func TestEntry_MaxAnswered(t *testing.T) {
	status := func(from, to int) (task client.Task) {
		var b strings.Builder
		for i := from; i < to; i++ {
			fmt.Fprintf(&b, `,"%d":{}`, i)
		}
		task.Raw = []byte(`{"inputRequests":{` + strings.TrimPrefix(b.String(), ",") + `}}`)
		return task
	}
	e := &entry{answered: map[string]bool{}}
	for _, tt := range []struct {
		name               string
		from, to           int
		isNew              bool
		remembered, oldest int
	}{
		{"some", 0, 9_999, true, 9_999, 0},
		{"the last that fits", 9_998, 10_000, true, 10_000, 0},
		{"the same", 9_998, 10_000, false, 10_000, 0},
		{"one more", 9_999, 10_001, true, 2, 9_999},
		{"the same again", 9_999, 10_001, false, 2, 9_999},
		{"many at once", 20_000, 30_001, true, 10_001, 20_000},
		{"the same many", 20_000, 30_001, false, 10_001, 20_000},
	} {
		requests := e.newRequests(status(tt.from, tt.to))
		if (requests != nil) != tt.isNew || len(e.answered) != tt.remembered || !e.answered[fmt.Sprint(tt.oldest)] {
			t.Errorf("%s: new ones: %t, %d are remembered, number %d: %t", tt.name, requests != nil, len(e.answered), tt.oldest, e.answered[fmt.Sprint(tt.oldest)])
		}
	}
}

// The newest tasks that the end of their connection has ended go on, and no others.
func TestTracker_MaxResumed(t *testing.T) {
	for ended, want := range map[int]int{20: 20, 21: 20} {
		_, k := New(nil, Policies{}, 0)
		for i := range ended {
			one := k.add(fmt.Sprint(i), 1, time.Time{})
			one.Over, one.Err = true, &client.ClosedError{}
		}
		k.add("running", 1, time.Time{})
		k.add("failed", 1, time.Time{}).Over = true
		left := k.resumed(2)
		if len(left) != want || left[0].ID != fmt.Sprint(ended-1) || left[0].Over || left[0].conn != 2 {
			t.Errorf("of %d tasks %d go on, the first one is %s", ended, len(left), left[0].ID)
		}
		if oldest := k.find("0"); oldest.Over != (ended > want) {
			t.Errorf("of %d tasks the oldest one goes on: %t", ended, !oldest.Over)
		}
	}
}
