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
	"mcptea/session/tasks"
	"mcptea/themes"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
)

var (
	palette = paint.NewPalette(themes.ForBackground(true), false)
	colours = paint.NewJSONStyles(palette.Theme)
	noon    = time.Date(2026, 8, 1, 10, 22, 1, 334e6, time.Local)
)

// table is a pane over tasks that are made by hand.
type table struct {
	*testing.T
	*Pane
	tasks []tasks.Task
	st    session.State
	clock time.Time
}

func (tb *table) All() []tasks.Task { return append([]tasks.Task(nil), tb.tasks...) }

func open(t *testing.T) *table {
	tb := &table{T: t, clock: noon, st: session.State{Phase: session.Ready, Handshake: client.Handshake{
		Revision: revision.R20251125, ServerCaps: []byte(`{"tasks":{"list":{},"requests":{"tools":{"call":{}}}}}`),
	}}}
	tb.Pane = New(tb)
	tb.refresh()
	return tb
}

func (tb *table) refresh() { tb.Refresh(tb.st, nil, tb.clock, 0) }

// start begins a task; the next one comes a second later.
func (tb *table) start(tool string) *tasks.Task {
	n := len(tb.tasks)
	tb.tasks = append(tb.tasks, tasks.Task{
		Task: client.Task{
			ID: fmt.Sprintf("786512e2-9e0d-44bd-8f29-789f320fe84%d", n), Status: client.TaskWorking, Message: "started", TTL: 10 * time.Minute,
		},
		Tool: tool, Call: jsonrpc.IntID(int64(10 + n)), Row: int32(20 + n), ResponseRow: -1, FirstSeen: tb.clock, LastUpdate: tb.clock,
		PollInterval: 500 * time.Millisecond,
		History: []tasks.Event{{
			At: tb.clock, Status: client.TaskWorking, Text: "started", By: tasks.ByResponse, Row: int32(21 + n),
		}},
	})
	tb.clock = tb.clock.Add(time.Second)
	tb.refresh()
	return &tb.tasks[n]
}

// turn gives a task another status.
func (tb *table) turn(i int, status client.TaskStatus, text string) {
	t := &tb.tasks[i]
	t.Status, t.Message, t.LastUpdate = status, text, tb.clock
	t.History = append(t.History, tasks.Event{At: tb.clock, Status: status, Text: text, By: tasks.ByNotification, Row: 40})
	tb.clock = tb.clock.Add(time.Second)
	tb.refresh()
}

// end gives it an outcome.
func (tb *table) end(i int, frame string, err error) {
	t := &tb.tasks[i]
	t.Over, t.Ended, t.Err, t.PollInterval = true, tb.clock, err, 0
	if frame != "" {
		t.Response, t.ResponseRow = client.Response{Frame: []byte(frame), Envelope: jsonrpc.Scan([]byte(frame))}, 50
	}
	tb.refresh()
}

// keys presses keys the way the root hands them on and returns what the last
// one asked for.
func (tb *table) keys(names ...string) (last action.Action) {
	tb.Helper()
	for _, name := range names {
		last = nil
		if cmd, ok := command.Lookup(tb.Context(), name); ok {
			last = tb.Do(cmd.ID)
		}
	}
	return last
}

// screen is the pane as somebody sees it. It also holds what is true of every
// painting.
func (tb *table) screen(w, h int) string {
	tb.Helper()
	rows := tb.Paint(palette, colours, w, h, true)
	if len(rows) != h {
		tb.Errorf("%dx%d: %d rows", w, h, len(rows))
	}
	for i, row := range rows {
		if ansi.StringWidth(row) != w {
			tb.Errorf("%dx%d: row %d has %d cells: %q", w, h, i, ansi.StringWidth(row), ansi.Strip(row))
		}
		rows[i] = ansi.Strip(row)
		if strings.ContainsAny(rows[i], "\x1b\r\x07\u202e\u200b") {
			tb.Errorf("row %d would be obeyed: %q", i, rows[i])
		}
	}
	return strings.Join(rows, "\n") + "\n"
}

const poured = `{"jsonrpc":"2.0","id":14,"result":{"content":[{"type":"text","text":"a pot of green tea, medium"}]}}`

func brewing(tb *table) {
	t := tb.start("brew")
	for i := range 3 {
		tb.turn(0, client.TaskWorking, fmt.Sprintf("brewed %d of 5 parts", i+1))
	}
	t.Progress, t.Total, t.HasTotal, t.ProgressMessage = 3, 5, true, "brewing"
	tb.refresh()
}

func TestScreens(t *testing.T) {
	for name, do := range map[string]func(tb *table){
		"empty":   func(*table) {},
		"working": brewing,
		"told": func(tb *table) {
			brewing(tb)
			tb.tasks[0].Notified = true
			tb.clock = tb.clock.Add(time.Minute)
			tb.refresh()
		},
		"asks": func(tb *table) {
			tb.start("brew")
			tb.turn(0, client.TaskInputRequired, "waits for you")
			tb.tasks[0].Waiting = 1
			tb.refresh()
		},
		"done": func(tb *table) {
			brewing(tb)
			tb.turn(0, client.TaskCompleted, "completed after 5 s")
			tb.end(0, poured, nil)
		},
		"result": func(tb *table) {
			brewing(tb)
			tb.turn(0, client.TaskCompleted, "")
			tb.end(0, poured, nil)
			tb.keys("enter", "v")
		},
		"many": func(tb *table) {
			for range 7 {
				tb.start("a-tool-with-a-rather-long-name")
			}
			tb.turn(0, client.TaskCancelled, "cancelled by the client")
			tb.end(0, "", fmt.Errorf("%w: %w", session.ErrCancelled, client.ErrTaskCancelled))
			tb.turn(1, client.TaskFailed, "the pot broke")
			tb.end(1, `{"jsonrpc":"2.0","id":9,"error":{"code":-32603,"message":"the kettle exploded"}}`, nil)
			tb.tasks[2].TTL = time.Second
			tb.end(2, "", &client.TaskError{ID: "x", Reason: "is not known to the server"})
			tb.tasks[3].Cancelling = true
			tb.tasks[4].Tool, tb.tasks[4].Call = "", ""
			tb.refresh()
			tb.keys("j", "j", "j")
		},
		"hostile": func(tb *table) {
			tb.start("to\x1b[2Jol")
			tb.tasks[0].ID = "id\u202e\x07"
			tb.turn(0, "sleep\x1bing", "zz\r\u200bz")
			tb.tasks[0].History[1].Fault = true
			tb.refresh()
		},
	} {
		t.Run(name, func(t *testing.T) {
			var all strings.Builder
			for _, size := range [][2]int{{80, 24}, {120, 36}, {120, 18}, {50, 16}} {
				tb := open(t)
				do(tb)
				all.WriteString(tb.screen(size[0], size[1]))
			}
			golden.RequireEqual(t, all.String())
		})
	}
}

func TestKeys(t *testing.T) {
	tb := open(t)
	if a, ok := tb.keys("L").(action.Task); !ok || a.Do != action.ListTasks {
		t.Errorf("%+v", a)
	}
	brewing(tb)
	id := tb.tasks[0].ID
	if a := tb.keys("x"); a != (action.Task{ID: id, Do: action.CancelTask}) {
		t.Errorf("%+v", a)
	}
	if a := tb.keys("ctrl+r"); a != (action.Task{ID: id, Do: action.RefreshTask}) {
		t.Errorf("%+v", a)
	}
	if a := tb.keys("y").(action.Copy); a.Text != id {
		t.Errorf("%+v", a)
	}
	if a := tb.keys("alt+o"); a != (action.SelectFrame{Row: 40}) {
		t.Errorf("%+v", a)
	}
	if _, ok := tb.keys("enter").(action.Flash); !ok {
		t.Error("there is no result yet")
	}
	tb.tasks[0].Waiting = 1
	tb.refresh()
	if a := tb.keys("enter"); a != (action.ShowTab{Tab: command.TabInbox}) {
		t.Errorf("%+v", a)
	}
	tb.tasks[0].Waiting = 0
	tb.turn(0, client.TaskCompleted, "")
	tb.end(0, poured, nil)
	if a := tb.keys("enter", "y").(action.Copy); !strings.Contains(a.Text, "green tea") {
		t.Errorf("%+v", a)
	}
	if a := tb.keys("enter"); a != (action.SelectFrame{Row: 50}) {
		t.Errorf("%+v", a)
	}
	if _, ok := tb.keys("esc", "x").(action.Flash); !ok {
		t.Error("what is over cannot be cancelled")
	}
	if _, ok := tb.keys("esc").(action.Leave); !ok {
		t.Error("esc does not leave")
	}
}

func TestTheTabIsThereWhenThereIsSomethingToShow(t *testing.T) {
	tb := open(t)
	tb.st = session.State{}
	tb.refresh()
	if tb.Present() {
		t.Error("it offers no tasks")
	}
	tb.start("brew")
	if !tb.Present() || tb.Badge() != "1" || !tb.Busy() {
		t.Error("one runs")
	}
}

// What the person looks at stays, whatever comes.
func TestTheSelectionStays(t *testing.T) {
	tb := open(t)
	tb.start("first")
	tb.start("second")
	tb.keys("j")
	at := tb.selected().ID
	tb.start("third")
	if tb.selected().ID != at {
		t.Error("another one is selected")
	}
}

func TestEverySizeIsPainted(t *testing.T) {
	for _, part := range []string{"", "enter"} {
		tb := open(t)
		brewing(tb)
		tb.start("steep")
		tb.turn(0, client.TaskCompleted, "")
		tb.end(0, poured, nil)
		tb.keys("G", part)
		for w := 2; w < 130; w += 7 {
			for h := 1; h < 40; h += 3 {
				tb.screen(w, h)
			}
		}
	}
}
