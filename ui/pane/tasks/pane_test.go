package tasks

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/session"
	"mcptea/session/requests"
	"mcptea/themes"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
)

var (
	palette = paint.NewPalette(themes.ForBackground(true), false)
	colors  = paint.NewJSONStyles(palette.Theme)
	noon    = time.Date(2026, 8, 1, 10, 22, 1, 334e6, time.Local)
)

// fixture is a pane over tasks that a test makes.
type fixture struct {
	*testing.T
	*Pane
	tasks []requests.Task
	st    session.State
	clock time.Time
}

func (fx *fixture) All() []requests.Task { return append([]requests.Task(nil), fx.tasks...) }

func open(t *testing.T) *fixture {
	fx := &fixture{T: t, clock: noon, st: session.State{Phase: session.Ready, Handshake: client.Handshake{
		Revision: revision.R20251125, ServerCaps: []byte(`{"tasks":{"list":{},"requests":{"tools":{"call":{}}}}}`),
	}}}
	fx.Pane = New(fx)
	fx.refresh()
	return fx
}

func (fx *fixture) refresh() { fx.Refresh(fx.st, nil, fx.clock, 0) }

// start begins a task; the next one comes a second later.
func (fx *fixture) start(tool string) *requests.Task {
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
func (fx *fixture) turn(i int, status client.TaskStatus, text string) {
	t := &fx.tasks[i]
	t.Status, t.Message, t.LastUpdate = status, text, fx.clock
	t.History = append(t.History, requests.Event{At: fx.clock, Status: status, Text: text, By: requests.ByNotification, Row: 40})
	fx.clock = fx.clock.Add(time.Second)
	fx.refresh()
}

// end gives it an outcome.
func (fx *fixture) end(i int, frame string, err error) {
	t := &fx.tasks[i]
	t.Over, t.Ended, t.Err, t.PollInterval = true, fx.clock, err, 0
	if frame != "" {
		t.Response, t.ResponseRow = client.Response{Frame: []byte(frame), Envelope: jsonrpc.Scan([]byte(frame))}, 50
	}
	fx.refresh()
}

// keys presses keys as the program does and returns the last action.
func (fx *fixture) keys(names ...string) (last action.Action) {
	fx.Helper()
	for _, name := range names {
		last = nil
		if cmd, ok := command.Lookup(fx.Context(), name); ok {
			last = fx.Do(cmd.ID)
		}
	}
	return last
}

// screen is the painted pane as plain text. It checks what holds for every one.
func (fx *fixture) screen(w, h int) string {
	fx.Helper()
	rows := fx.Paint(palette, colors, w, h, true)
	if len(rows) != h {
		fx.Errorf("%dx%d: %d rows", w, h, len(rows))
	}
	for i, row := range rows {
		if ansi.StringWidth(row) != w {
			fx.Errorf("%dx%d: row %d has %d cells: %q", w, h, i, ansi.StringWidth(row), ansi.Strip(row))
		}
		rows[i] = ansi.Strip(row)
		if strings.ContainsAny(rows[i], "\x1b\r\x07\u202e\u200b") {
			fx.Errorf("row %d has control characters: %q", i, rows[i])
		}
	}
	return strings.Join(rows, "\n") + "\n"
}

const poured = `{"jsonrpc":"2.0","id":14,"result":{"content":[{"type":"text","text":"a pot of green tea, medium"}]}}`

func brewing(fx *fixture) {
	t := fx.start("brew")
	for i := range 3 {
		fx.turn(0, client.TaskWorking, fmt.Sprintf("brewed %d of 5 parts", i+1))
	}
	t.Progress, t.Total, t.HasTotal, t.ProgressMessage = 3, 5, true, "brewing"
	fx.refresh()
}

func TestScreens(t *testing.T) {
	for name, do := range map[string]func(fx *fixture){
		"empty":   func(*fixture) {},
		"working": brewing,
		"notified": func(fx *fixture) {
			brewing(fx)
			fx.tasks[0].Notified = true
			fx.clock = fx.clock.Add(time.Minute)
			fx.refresh()
		},
		"requires input": func(fx *fixture) {
			fx.start("brew")
			fx.turn(0, client.TaskInputRequired, "waits for you")
			fx.tasks[0].Waiting = 1
			fx.refresh()
		},
		"done": func(fx *fixture) {
			brewing(fx)
			fx.turn(0, client.TaskCompleted, "completed after 5 s")
			fx.end(0, poured, nil)
		},
		"result": func(fx *fixture) {
			brewing(fx)
			fx.turn(0, client.TaskCompleted, "")
			fx.end(0, poured, nil)
			fx.keys("enter", "v")
		},
		"many": func(fx *fixture) {
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
			fx.tasks[4].Tool, fx.tasks[4].Call = "", ""
			fx.refresh()
			fx.keys("j", "j", "j")
		},
		"hostile": func(fx *fixture) {
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
				fx := open(t)
				do(fx)
				all.WriteString(fx.screen(size[0], size[1]))
			}
			golden.RequireEqual(t, all.String())
		})
	}
}

func TestDo_Actions(t *testing.T) {
	fx := open(t)
	if a, ok := fx.keys("L").(action.Task); !ok || a.Do != action.ListTasks {
		t.Errorf("%+v", a)
	}
	brewing(fx)
	id := fx.tasks[0].ID
	if a := fx.keys("x"); a != (action.Task{ID: id, Do: action.CancelTask}) {
		t.Errorf("%+v", a)
	}
	if a := fx.keys("ctrl+r"); a != (action.Task{ID: id, Do: action.RefreshTask}) {
		t.Errorf("%+v", a)
	}
	if a := fx.keys("y").(action.Copy); a.Text != id {
		t.Errorf("%+v", a)
	}
	if a := fx.keys("alt+o"); a != (action.SelectFrame{Row: 40}) {
		t.Errorf("%+v", a)
	}
	if _, ok := fx.keys("enter").(action.Flash); !ok {
		t.Error("there is no result yet")
	}
	fx.tasks[0].Waiting = 1
	fx.refresh()
	if a := fx.keys("enter"); a != (action.ShowTab{Tab: command.TabInbox}) {
		t.Errorf("%+v", a)
	}
	fx.tasks[0].Waiting = 0
	fx.turn(0, client.TaskCompleted, "")
	fx.end(0, poured, nil)
	if a := fx.keys("enter", "y").(action.Copy); !strings.Contains(a.Text, "green tea") {
		t.Errorf("%+v", a)
	}
	if a := fx.keys("enter"); a != (action.SelectFrame{Row: 50}) {
		t.Errorf("%+v", a)
	}
	if _, ok := fx.keys("esc", "x").(action.Flash); !ok {
		t.Error("a task that has ended is cancelled")
	}
	if _, ok := fx.keys("esc").(action.Leave); !ok {
		t.Error("esc does not leave")
	}
}

func TestPresent_TasksOrCapability(t *testing.T) {
	fx := open(t)
	fx.st = session.State{}
	fx.refresh()
	if fx.Present() {
		t.Error("the server offers no tasks")
	}
	fx.start("brew")
	if !fx.Present() || fx.Badge() != "1" || !fx.Busy() {
		t.Error("one task is running")
	}
}

func TestRefresh_KeepsSelection(t *testing.T) {
	fx := open(t)
	fx.start("first")
	fx.start("second")
	fx.keys("j")
	at := fx.selected().ID
	fx.start("third")
	if fx.selected().ID != at {
		t.Error("another one is selected")
	}
}

func TestPaint_EverySize(t *testing.T) {
	for _, part := range []string{"", "enter"} {
		fx := open(t)
		brewing(fx)
		fx.start("steep")
		fx.turn(0, client.TaskCompleted, "")
		fx.end(0, poured, nil)
		fx.keys("G", part)
		for w := 2; w < 130; w += 7 {
			for h := 1; h < 40; h += 3 {
				fx.screen(w, h)
			}
		}
	}
}
