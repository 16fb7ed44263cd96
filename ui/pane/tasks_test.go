package pane_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/test/panetest"
	"mcptea/internal/test/raced"
	"mcptea/session/requests"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/pane/tasks"
)

var tasksNoon = time.Date(2026, 8, 1, 10, 22, 1, 334e6, time.Local)

// tasksFixture is a pane over tasks that a test makes.
type tasksFixture struct {
	*panetest.Program
	pane  *tasks.Pane
	tasks []requests.Task
	st    session.State
	clock time.Time
	busy  bool
}

func (fx *tasksFixture) All() []requests.Task              { return append([]requests.Task(nil), fx.tasks...) }
func (fx *tasksFixture) Cancel(id string) error            { fx.Say("cancel " + id); return nil }
func (fx *tasksFixture) Refresh(id string) error           { fx.Say("refresh " + id); return nil }
func (fx *tasksFixture) List(context.Context) (int, error) { return 3, nil }

func tasksOpen(t *testing.T) *tasksFixture {
	fx := &tasksFixture{Program: panetest.New(t), clock: tasksNoon, st: session.State{Phase: session.Ready, Handshake: client.Handshake{
		Revision: revision.R20251125, ServerCaps: []byte(`{"tasks":{"list":{},"requests":{"tools":{"call":{}}}}}`),
	}}}
	fx.pane = tasks.New(fx, fx)
	fx.Pane = fx.pane
	fx.refresh()
	return fx
}

func (fx *tasksFixture) refresh() {
	fx.busy = fx.pane.Refresh(app.Tick{State: fx.st, Now: fx.clock})
}

// start begins a task; the next one comes a second later.
func (fx *tasksFixture) start(tool string) *requests.Task {
	n := len(fx.tasks)
	fx.tasks = append(fx.tasks, requests.Task{
		Task: client.Task{
			ID: fmt.Sprintf("786512e2-9e0d-44bd-8f29-789f320fe84%d", n), Status: client.TaskWorking, Message: "started", TTL: 10 * time.Minute,
		},
		Tool: tool, Call: jsonrpc.IntID(int64(10 + n)), Row: int32(20 + n), ResponseRow: -1, FirstSeen: fx.clock, LastUpdate: fx.clock,
		PollInterval: 500 * time.Millisecond,
		History: []requests.Event{{
			At: fx.clock, Status: client.TaskWorking, Text: "started", By: requests.ByResponse, Row: int32(21 + n),
		}},
	})
	fx.clock = fx.clock.Add(time.Second)
	fx.refresh()
	return &fx.tasks[n]
}

// turn gives a task another status.
func (fx *tasksFixture) turn(i int, status client.TaskStatus, text string) {
	t := &fx.tasks[i]
	t.Status, t.Message, t.LastUpdate = status, text, fx.clock
	t.History = append(t.History, requests.Event{At: fx.clock, Status: status, Text: text, By: requests.ByNotification, Row: 40})
	fx.clock = fx.clock.Add(time.Second)
	fx.refresh()
}

// end gives it an outcome.
func (fx *tasksFixture) end(i int, frame string, err error) {
	t := &fx.tasks[i]
	t.Over, t.Ended, t.Err, t.PollInterval = true, fx.clock, err, 0
	if frame != "" {
		t.Response, t.ResponseRow = client.Response{Frame: []byte(frame), Envelope: jsonrpc.Scan([]byte(frame))}, 50
	}
	fx.refresh()
}

const poured = `{"jsonrpc":"2.0","id":14,"result":{"content":[{"type":"text","text":"a pot of green tea, medium"}]}}`

func brewing(fx *tasksFixture) {
	t := fx.start("brew")
	for i := range 3 {
		fx.turn(0, client.TaskWorking, fmt.Sprintf("brewed %d of 5 parts", i+1))
	}
	t.Progress, t.Total, t.HasTotal, t.ProgressMessage = 3, 5, true, "brewing"
	fx.refresh()
}

func TestTasks_Screens(t *testing.T) {
	raced.Never(t, "draws screens, cell by cell, in one goroutine")
	for name, do := range map[string]func(fx *tasksFixture){
		"empty":   func(*tasksFixture) {},
		"working": brewing,
		"notified": func(fx *tasksFixture) {
			brewing(fx)
			fx.tasks[0].Notified = true
			fx.clock = fx.clock.Add(time.Minute)
			fx.refresh()
		},
		"requires input": func(fx *tasksFixture) {
			fx.start("brew")
			fx.turn(0, client.TaskInputRequired, "waits for you")
			fx.tasks[0].Waiting = 1
			fx.refresh()
		},
		"done": func(fx *tasksFixture) {
			brewing(fx)
			fx.turn(0, client.TaskCompleted, "completed after 5 s")
			fx.end(0, poured, nil)
		},
		"result": func(fx *tasksFixture) {
			brewing(fx)
			fx.turn(0, client.TaskCompleted, "")
			fx.end(0, poured, nil)
			fx.Press("enter", "v")
		},
		"many": func(fx *tasksFixture) {
			for range 7 {
				fx.start("a-tool-with-a-rather-long-name")
			}
			fx.turn(0, client.TaskCancelled, "cancelled by the client")
			fx.end(0, "", fmt.Errorf("%w: %w", session.ErrCancelled, client.ErrTaskCancelled))
			fx.turn(1, client.TaskFailed, "the pot broke")
			fx.end(1, `{"jsonrpc":"2.0","id":9,"error":{"code":-32603,"message":"the kettle exploded"}}`, nil)
			fx.tasks[2].TTL = time.Second
			fx.end(2, "", &client.TaskError{ID: "x", Reason: "is not known to the server"})
			fx.tasks[3].Cancelling = true
			fx.tasks[4].Tool, fx.tasks[4].Call = "", jsonrpc.ID{}
			fx.refresh()
			fx.Press("j", "j", "j")
		},
		"hostile": func(fx *tasksFixture) {
			fx.start("to\x1b[2Jol")
			fx.tasks[0].ID = "id\u202e\x07"
			fx.turn(0, "sleep\x1bing", "zz\r\u200bz")
			fx.tasks[0].History[1].Fault = true
			fx.refresh()
		},
	} {
		t.Run(name, func(t *testing.T) {
			var all strings.Builder
			for _, size := range [][2]int{{80, 24}, {120, 36}, {120, 18}, {50, 16}} {
				fx := tasksOpen(t)
				fx.W, fx.H = size[0], size[1]
				do(fx)
				all.WriteString(fx.Paint(size[0], size[1], true))
			}
			golden.RequireEqual(t, all.String())
		})
	}
}

func TestTasks_Commands(t *testing.T) {
	fx := tasksOpen(t)
	asks := func(want string, keys ...string) {
		t.Helper()
		if got := fx.Press(keys...); got != want {
			t.Errorf("%v: %q, want %q", keys, got, want)
		}
	}
	if fx.Run("task.list"); fx.Asked[len(fx.Asked)-1] != "say: The server has 3 tasks." {
		t.Errorf("%q", fx.Asked)
	}
	asks("off: No task is selected.", "x")
	brewing(fx)
	id := fx.tasks[0].ID
	asks("say: Cancelling the task.", "x")
	asks("say: Requesting the status.", "ctrl+r")
	if !slices.Contains(fx.Asked, "say: cancel "+id) || !slices.Contains(fx.Asked, "say: refresh "+id) {
		t.Errorf("%q", fx.Asked)
	}
	asks("copy task id: "+id, "y")
	asks("show frame 40", "f4")
	asks("say: No result yet. Task: working.", "enter")
	fx.tasks[0].Waiting = 1
	fx.refresh()
	asks("show tab.inbox", "enter")
	fx.tasks[0].Waiting = 0
	fx.turn(0, client.TaskCompleted, "")
	fx.end(0, poured, nil)
	if got := fx.Press("enter", "y"); !strings.Contains(got, "green tea") {
		t.Error(got)
	}
	asks("show frame 50", "enter")
	asks("off: The task has ended.", "esc", "x")
	asks("leave", "esc")
	fx.Recorded = true
	asks("needs a server: Ask about the task", "ctrl+r")
}

func TestPresent_TasksOrCapability(t *testing.T) {
	fx := tasksOpen(t)
	fx.st = session.State{}
	fx.refresh()
	if fx.pane.Present() {
		t.Error("the server offers no tasks")
	}
	fx.start("brew")
	if !fx.pane.Present() || fx.pane.Badge() != "1" || !fx.busy {
		t.Error("one task is running")
	}
}

func (fx *tasksFixture) selected() string {
	task, _ := fx.pane.Selected()
	return task.ID
}

func TestTasks_Refresh_KeepsSelection(t *testing.T) {
	fx := tasksOpen(t)
	fx.start("first")
	fx.start("second")
	fx.Press("j")
	at := fx.selected()
	fx.start("third")
	if fx.selected() != at {
		t.Error("another one is selected")
	}
}

func TestTasks_Paint_EverySize(t *testing.T) {
	raced.Never(t, "repeats one drawing over sizes")
	for _, part := range []string{"", "enter"} {
		fx := tasksOpen(t)
		brewing(fx)
		fx.start("steep")
		fx.turn(0, client.TaskCompleted, "")
		fx.end(0, poured, nil)
		fx.Press("G", part)
		for w := 2; w < 130; w += 7 {
			for h := 1; h < 40; h += 3 {
				fx.Paint(w, h, true)
			}
		}
	}
}
