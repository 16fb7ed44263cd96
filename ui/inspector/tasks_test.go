package inspector

import (
	"strings"
	"testing"
	"time"

	"mcptea/client/revision"
	"mcptea/demo"
)

// brewing drives a call that becomes a task, in both designs.
func brewing(t *testing.T, w, h int, script func(t *testing.T, d *driver)) {
	t.Helper()
	for _, r := range []revision.Revision{revision.R20251125, revision.R20260728} {
		t.Run(string(r), func(t *testing.T) {
			driveIn(t, r, w, h, demo.Options{}, func(d *driver) { script(t, d) })
		})
	}
}

func TestACallBecomesATask(t *testing.T) {
	brewing(t, 120, 46, func(_ *testing.T, d *driver) {
		d.press("/brew-task<enter><enter><enter>")
		d.sleep(time.Second)
		d.sees("1 pending, x cancels", "task working", "brewed 2 of 5 parts", "7 Tasks 1", "→ brew-task", "task details")
		d.press("<esc>9t")
		d.sees("became a task: working")
		d.press("7")
		d.sees("1 running", "ttl 10m", "history", "brewed 2 of 5 parts")
		d.sleep(4 * time.Second)
		d.sees("completed", "result  ok", "a pot of green tea")
		d.lacks("pending")
		d.sees("7 Tasks 1") // it is in the list
		d.press("<enter>v")
		d.sees("  raw", `"text": "a pot of green tea`)
		d.press("2")
		d.sees("ok 5.0 s", "a pot of green tea")
	})
}

func TestATaskAsksInTheInbox(t *testing.T) {
	brewing(t, 80, 24, func(t *testing.T, d *driver) {
		c := d.call("brew-task", `{"seconds":1,"ask":true}`+taskOf(d))
		d.sees("5 Req 1", "7 Tasks")
		d.press("7")
		d.sees("1 requires input", "respond in Requests", "input_required")
		d.press("<enter>")
		d.sees("How strong shall it be?", "waits for this")
		d.press("<enter><right><right><enter>")
		d.sleep(3 * time.Second)
		if got := d.said(c); !strings.Contains(got, "green tea, medium") {
			t.Error(got)
		}
		d.press("<esc>7")
		d.sees("completed", "green tea, medium")
	})
}

func TestTask_EndIsAnnounced(t *testing.T) {
	brewing(t, 120, 36, func(_ *testing.T, d *driver) {
		d.call("brew-task", `{"seconds":15}`+taskOf(d))
		d.sleep(14500 * time.Millisecond)
		d.sees("Task brew-task completed: 7")
	})
}

func TestTask_CancelledFromItsTab(t *testing.T) {
	brewing(t, 80, 24, func(_ *testing.T, d *driver) {
		d.call("brew-task", `{"seconds":60}`+taskOf(d))
		d.press("7x")
		d.sees("cancelled by the client", "it has no result")
		d.lacks("pending")
	})
}

func TestCancel_NewestIsATask(t *testing.T) {
	brewing(t, 120, 36, func(_ *testing.T, d *driver) {
		d.call("brew-task", `{"seconds":60}`+taskOf(d))
		d.press("x")
		d.sees("Cancelling the task")
		d.lacks("pending")
		d.press("x")
		d.sees("No request is pending")
	})
}

// taskOf is what asks for a task where that has to be asked for.
func taskOf(d *driver) string {
	if d.session.State().Handshake.Revision.IsStateless() {
		return ""
	}
	return `,"task":{}`
}

func TestAToolThatMayBeATask(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("/brew<enter><enter>")
		d.sees("can be a task")
		d.press("<esc><ctrl+p>time to live<enter>")
		d.press("<esc><ctrl+p>time to live<enter>")
		d.sees("sent as a task, kept for 1 min", "The next call is sent as a task")
		d.press("<enter><enter>")
		d.sees("task working")
		d.press("<esc><esc>7")
		d.sees("ttl 1m,")
		d.sleep(10 * time.Second)
		d.sees("a pot of green tea")
	})
}

func TestWhatCannotBeATask(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("<ctrl+p>time to live<enter>")
		d.sees("Not as a task: the tool does not support it")
	})
	driveIn(t, revision.R20250618, 80, 24, demo.Options{}, func(d *driver) {
		d.lacks("7 Tasks")
		d.press("7")
		d.sees("The server does not offer tasks")
		d.press("<ctrl+p>time to live<enter>")
		d.sees("the server does not offer it")
	})
}

func TestTasks_ListAndGet(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.call("brew-task", `{"seconds":1},"task":{"ttl":60000}`)
		d.sleep(2 * time.Second)
		d.press("7<ctrl+p>tasks of the server<enter>")
		d.sees("The server has 1 task")
		d.sleep(2 * time.Minute)
		d.press("<ctrl+r>")
		d.sees("lost", "no longer known to the")
	})
}
