package inspector

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"mcptea/client/revision"
	"mcptea/demo"
	"mcptea/internal/test/sessiontest"
	"mcptea/session/session"
	"mcptea/ui/paint"
)

// taughtDemo is the demo with its lesson, whose end is counted.
func taughtDemo(t *testing.T, w, h int, over bool, script func(d *driver, ended *int)) {
	t.Helper()
	var l Lesson
	ended := 0
	for _, s := range demo.Steps() {
		l.Steps = append(l.Steps, Step{Name: s.Name, Text: s.Text})
	}
	l.Over, l.End = over, func() { ended++ }
	driveWith(t, w, h, func() (*session.Session, error) {
		return session.Open(servedConfig(revision.R20260728, sessiontest.Demo(demo.Options{Offers: sessiontest.Fixed})))
	}, func(*session.Session) Options { return Options{Lesson: l} }, func(d *driver) { script(d, &ended) })
}

// step is the step that is shown, its number first; empty without one.
func (d *driver) step() string {
	rows := strings.Split(d.term.screen(), "\n")
	if row := strings.TrimSpace(rows[len(rows)-2]); len(row) > 3 && row[1] == '/' {
		return row
	}
	return ""
}

// Each step moves on when its keys were pressed, and its text has room and names the keys.
func TestLesson_KeysDoTheSteps(t *testing.T) {
	for _, size := range screenSizes {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			taughtDemo(t, size[0], size[1], false, func(d *driver, ended *int) {
				steps := demo.Steps()
				for i, s := range steps {
					row := d.step()
					if !strings.HasPrefix(row, fmt.Sprintf("%d/%d ", i+1, len(steps))) {
						t.Fatalf("step %q is not shown before its keys: %q\n%s", s.Name, row, d.term.screen())
					}
					end := strings.TrimSpace(strings.TrimSuffix(row, "esc end"))
					_, last, _ := strings.Cut(s.Text[strings.LastIndex(s.Text, "}"):], "}")
					if !strings.HasSuffix(end, strings.TrimSpace(last)) || strings.ContainsAny(row, "{}…") {
						t.Errorf("%q has no room: %q", s.Name, row)
					}
					if taught[s.Name] == nil {
						t.Errorf("the end of step %q is not known", s.Name)
					}
					if s.Name != "start" {
						d.told(s)
						d.press(s.Keys)
					}
				}
				if *ended != 0 || !d.model.lesson.isLast() {
					t.Error("it has ended before the last step")
				}
			})
		})
	}
}

// told reports keys that a step names on the screen, and that are not those that are pressed, in this order.
func (d *driver) told(s demo.Step) {
	d.t.Helper()
	said, pressed, text := d.step(), s.Keys, ""
	d.within(func() { text = d.model.leftToDo(s.Text) })
	for i, part := range strings.Split(text, "{")[1:] {
		id, _, _ := strings.Cut(part, "}")
		name := id
		d.within(func() {
			if d.model.Find(id) != nil {
				name = cmp.Or(d.model.Name(id), d.model.Key(id))
			}
		})
		token := paint.If(len(name) > 1, "<"+name+">", name)
		_, after, ok := strings.Cut(pressed, token)
		if _, said, _ = strings.Cut(said, " "+name); !ok || said == "" {
			d.t.Errorf("step %q, key %d: %q is named, %q is pressed\n%s", s.Name, i, name, s.Keys, d.step())
		}
		pressed = after
	}
}

// Who has sent the frame as it is, and rests at its response, does the rest of the step as it is said.
func TestLesson_BreakAfterASend(t *testing.T) {
	taughtDemo(t, 120, 36, false, func(d *driver, _ *int) {
		steps := demo.Steps()
		for _, s := range steps[:3] {
			d.press(s.Keys)
		}
		d.press("2c<ctrl+s>")
		if s := d.step(); !strings.HasPrefix(s, "4/6 Break a frame: tab to Break it, choose one, enter, ctrl+s sends") {
			t.Fatalf("the step is %q", s)
		}
		d.press("<tab>")
		if s := d.step(); !strings.HasPrefix(s, "4/6 Break a frame: choose one, enter, ctrl+s sends") {
			t.Errorf("in the list the step is %q", s)
		}
		if last := d.footer(); !strings.Contains(last, "enter as it is") {
			t.Errorf("on the row that breaks nothing, enter is %q", last)
		}
		d.press("<down><enter>")
		if s := d.step(); !strings.HasPrefix(s, "4/6 Break a frame: ctrl+s sends") {
			t.Errorf("once one is chosen the step is %q", s)
		}
		d.press("<ctrl+s>")
		if s := d.step(); !strings.HasPrefix(s, "5/6") {
			t.Errorf("the step is not done: %q\n%s", s, d.term.screen())
		}
	})
}

// What was done by the palette or the mouse counts as well, and in any order.
func TestLesson_WhicheverWay(t *testing.T) {
	taughtDemo(t, 120, 36, false, func(d *driver, _ *int) {
		row := len(strings.Split(d.term.screen(), "\n")) - 2
		if s := d.step(); !strings.HasPrefix(s, "1/6 Call a tool: enter on echo, type a word") {
			t.Errorf("with Tools in front the step is %q", s)
		}
		d.command("tab.server")
		if !strings.Contains(d.step(), "2 is Tools") {
			t.Fatalf("the step is %q", d.step())
		}
		at := ansi.StringWidth(strings.Split(d.step(), "2 is Tools")[0]) + 1
		d.click(at, row)
		d.settle()
		if d.model.activeTab != d.model.tab(tabTools) {
			t.Error("a click on the key does nothing")
		}
		d.call("echo", `{"message":"hi"}`)
		if s := d.step(); !strings.HasPrefix(s, "2/6") {
			t.Errorf("a call that was sent without keys: %q", s)
		}
	})
}

// esc ends it for good, but only where it would do nothing else.
func TestLesson_Esc(t *testing.T) {
	taughtDemo(t, 80, 24, false, func(d *driver, ended *int) {
		if d.press("/ec"); strings.HasSuffix(d.step(), "esc end") {
			t.Errorf("esc ends the filter here: %q", d.step())
		}
		d.press("<esc>")
		for _, keys := range []string{"/ec<esc>", "<enter>x<esc>", "9<esc>", "9<enter><esc><esc>", "?<esc>", "<ctrl+p><esc>", "c<esc>"} {
			if d.press(keys); d.step() == "" || *ended > 0 {
				t.Fatalf("esc has ended it after %s:\n%s", keys, d.term.screen())
			}
		}
		for range 3 { // a filter, or an empty composer, may be left
			d.press("<esc>")
		}
		if d.step() != "" || *ended != 1 {
			t.Fatalf("esc has not ended it, or %d times:\n%s", *ended, d.term.screen())
		}
		d.press("9<esc><esc>2")
		if d.step() != "" || *ended != 1 {
			t.Error("it is there again")
		}
		d.within(func() { d.model.Run("demo.steps") })
		if !strings.HasPrefix(d.step(), "1/6") || !strings.HasSuffix(d.step(), "esc end") {
			t.Errorf("the command does not show it again: %q", d.step())
		}
		d.click(75, 22)
		if d.settle(); d.step() != "" {
			t.Error("a click on its end does nothing")
		}
	})
}

func TestLesson_ElsewhereNone(t *testing.T) {
	taughtDemo(t, 80, 24, true, func(d *driver, _ *int) {
		if d.step() != "" {
			t.Error("it was ended in an earlier session, and is shown")
		}
	})
	taughtDemo(t, 80, 19, false, func(d *driver, _ *int) {
		if d.step() != "" {
			t.Error("it takes a row of a low terminal")
		}
	})
	drive(t, 80, 24, demo.Options{}, func(d *driver) {
		if d.step() != "" || d.model.Find("demo.steps") != nil {
			t.Error("a session without a lesson has it")
		}
	})
}
