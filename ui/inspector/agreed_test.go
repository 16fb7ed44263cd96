package inspector

import (
	"strings"
	"testing"

	"mcptea/demo"
	"mcptea/internal/test/raced"
)

var _ = raced.Also(TestSessions_BothCheckTheForm)

// Whatever sends a call of a tool that is annotated as destructive asks first; nothing is sent before
// the user agrees.
func TestAgreed_EachWayToSend(t *testing.T) {
	destructive := strings.Replace(trackerTools, `"name":"comment",`, `"name":"comment","annotations":{"destructiveHint":true},`, 1)
	s := newTracker()
	s.set("tools/list", destructive)
	driveServer(t, 140, 40, s.serve, func(d *driver) {
		d.model.options.Confirm = true
		other := d.opened("build 2", tracking("0.9.3", "tools/list", destructive))
		d.press("S")
		asks := func(way string, others ...string) {
			t.Helper()
			d.sees(append(others, "annotated as destructive", "comment", "esc do not call")...)
			if calls := s.called(); strings.Contains(calls, "comment") {
				t.Errorf("%s: nothing was agreed to, and sent: %s", way, calls)
			}
			d.press("<esc>")
			d.lacks("annotated as destructive")
		}
		d.selectTool("comment")
		d.command("item.open")
		d.command("call.send")
		asks("the form")
		d.press("<ctrl+p>both servers<enter>")
		d.sees("build 2")
		d.press("<enter>")
		asks("both", "tracker (tracker 0.9.2)", "build 2 (tracker 0.9.3)")
		d.press("<esc>")
		d.command("compose.item")
		d.command("send")
		asks("the composer")
		d.press("<ctrl+p>several times<enter>")
		d.press("3<enter>")
		asks("several")
		d.press("<esc><esc>")
		d.selectTool("comment")
		d.command("item.open")
		d.command("call.send")
		d.press("y")
		if calls := s.called(); !strings.Contains(calls, "comment") {
			t.Errorf("what was agreed to is not sent: %s", calls)
		}
		d.command("again")
		asks("again")
		d.press("9")
		d.command("again")
		asks("from Traffic")
		if n := other.session.Store().Snapshot().Out; n != 3 {
			t.Errorf("the other session has sent %d frames", n)
		}
	})
}

// What is invalid in the form does not go to two servers either.
func TestSessions_BothCheckTheForm(t *testing.T) {
	required := strings.Replace(trackerTools, `{"name":"comment","inputSchema":{"type":"object"`, `{"name":"comment","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]`, 1)
	driveSession(t, 140, 40, tracking("0.9.2", "tools/list", required), func(d *driver) {
		d.opened("build 2", tracking("0.9.3"))
		d.press("S")
		d.selectTool("comment")
		d.command("item.open")
		d.press("<ctrl+p>both servers<enter>")
		d.sees("✗ empty", `enter again sends ""`)
		d.lacks("Send this call here and to")
	})
}

// A window and the last row have one word for what esc does.
func TestWindow_OneWordForEsc(t *testing.T) {
	driveSession(t, 120, 36, tracking("0.9.2"), func(d *driver) {
		d.press("9a")
		if n := strings.Count(d.term.screen(), "esc cancel"); n != 2 {
			t.Errorf("esc cancel is on the screen %d times:\n%s", n, d.term.screen())
		}
	})
}

// One esc closes each window that has a text field, also with a text in it, and the last row says so before.
func TestWindow_EscClosesWithAText(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.call("echo", `{"message":"one"}`)
		for _, opens := range []string{"<ctrl+p>", "9a", "b", "X", "1c<alt+r>", "1<ctrl+p>roots<enter>"} {
			d.press(opens)
			if d.model.Window() == nil {
				t.Errorf("%s opens no window:\n%s", opens, d.term.screen())
				continue
			}
			d.press("kk")
			if row := d.footer(); !strings.Contains(row, "esc cancel") && !strings.Contains(row, "esc close") {
				t.Errorf("%s: the last row is %q", opens, row)
			}
			d.press("<esc>")
			if w := d.model.Window(); w != nil {
				t.Errorf("%s: esc leaves %T open", opens, w)
				d.press("<esc><esc>")
			}
			d.press("<esc><esc><esc>9")
		}
	})
}

// At 120 columns the names of the tabs are whole before the counts of lists are shown.
func TestTabs_NamesBeforeCounts(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.sees("1 Server", "3 Resources", "5 Requests", "8 Problems")
	})
}
