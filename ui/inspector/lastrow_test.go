package inspector

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"mcptea/demo"
	"mcptea/session/session"
	"mcptea/ui/keys"
	"mcptea/ui/program"
)

// The last row and the page of keys name what the key map says; while a text is typed, no key
// of it is text.
func TestKeyMap_IsWhatTheScreenNames(t *testing.T) {
	driveServer(t, 200, 36, weather(nil), func(d *driver) {
		d.tool("forecast")
		for _, typing := range []bool{true, false} {
			last := d.footer()
			for _, b := range d.model.ShortHelp() {
				hint := b.Help().Key + " " + b.Help().Desc
				if b.Enabled() && !strings.Contains(last, hint) {
					t.Errorf("typing %v: %q is not in %q", typing, hint, last)
				}
				for _, k := range b.Keys() {
					if typing && keys.IsText(k) {
						t.Errorf("%q is text", k)
					}
				}
			}
			d.press("<esc>")
		}
		full := d.model.FullHelp()
		d.press("?")
		for _, group := range full[:len(full)-1] {
			for _, b := range group {
				if b.Enabled() {
					d.sees(b.Help().Key + "  " + b.Help().Desc)
				}
			}
		}
	})
}

// A click on a key of the last row does what the key does, also the one that ends a line.
func TestKeyMap_Click(t *testing.T) {
	driveServer(t, 120, 36, weather(nil), func(d *driver) {
		d.command(tabTraffic)
		d.press("/xyzzy")
		at := strings.Index(d.footer(), "esc clear")
		if at < 0 {
			t.Fatalf("%q", d.footer())
		}
		d.click(len([]rune(d.footer()[:at])), 35)
		d.settle()
		d.lacks("xyzzy")
		d.lacks("esc clear")
	})
}

// While a question is open only its keys are offered: not those of the steps of the demo, of the header,
// or of a message that has come meanwhile. That one is shown when the question is closed.
func TestLastRow_OnlyKeysOfTheQuestion(t *testing.T) {
	taughtDemo(t, 120, 36, false, func(d *driver, _ *int) {
		d.press("2/never<enter><enter><ctrl+s><esc>")
		come := func() {
			d.within(func() {
				d.model.Announce(program.Flash{Text: "The server has ended  1 shows Server  R restart", Wrong: true, Stay: true})
			})
		}
		ask := func() { d.press("q") }
		for when, steps := range map[string][]func(){
			"before the question": {come, ask},
			"during the question": {ask, come},
		} {
			for _, step := range steps {
				step()
			}
			if row := strings.TrimSpace(d.footer()); row != "y quit   esc stay" || d.step() != "" {
				t.Errorf("%s: the last rows are %q and %q", when, d.step(), row)
			}
			d.press("<tab>")
			d.sees("y quit   esc stay")
			if d.press("<esc>"); when == "during the question" {
				d.sees("⚠ The server has ended  1 shows Server  R restart")
			}
			if d.press("<down>"); d.step() == "" {
				t.Error("the step is not shown again")
			}
		}
		d.press("q")
		d.within(func() {
			d.model.state.Phase = session.Ended
			if row := ansi.Strip(d.model.header()); strings.Contains(row, "R restart") || !strings.Contains(row, "✗ ended") {
				t.Errorf("the header offers %q", row)
			}
		})
	})
}

// A window takes all keys: what works in panes and for other sessions does nothing under it.
func TestWindow_TakesAllKeys(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("2/search<enter><enter>tea<ctrl+s>")
		d.press(`J<ctrl+u>[{name:"x",n:2},{name:"a",n:5}]<enter>Y`)
		d.sees("Copy the table")
		for _, key := range []string{"C", "S", "R", "2", "c"} {
			d.press(key)
			d.sees("Copy the table")
		}
		d.sees("c works in all panes: close this window first, with esc.")
	})
}

// Once a frame is marked, the last row of Traffic names the key that compares with it, among the first.
func TestLastRow_MarkAndDiff(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.call("echo", `{"message":"the first text"}`)
		d.call("echo", `{"message":"the second text"}`)
		d.press("9<end>")
		for _, view := range []string{"exchanges", "frames"} {
			if last := d.footer(); strings.Contains(last, "d diff") {
				t.Errorf("%s: %q", view, last)
			}
			d.press("m")
			d.sleep(time.Minute)
			if last := d.footer(); !strings.Contains(last, "enter frame   d diff") {
				t.Errorf("%s: %q", view, last)
			}
			d.press("mt<end>")
			d.sleep(time.Minute)
		}
	})
}

// The key that sends a call many times in parallel is in the list of commands of a result.
func TestResult_SeveralTimes(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("2<enter>hello<enter>")
		d.press("<ctrl+p>parallel")
		d.sees("many times")
		d.press("<esc><esc>*")
		d.sees("“50 at once”")
	})
}

// What stands beside a name in the list is found as well.
func TestFilter_FindsTheMarkOfAnApp(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("2/app")
		d.sees("weather  app")
		d.lacks("No tool matches the filter.")
	})
}

// The key that subscribes to a resource is named before it was read and on what was read.
func TestLastRow_Subscribe(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("3")
		for _, key := range []string{"@ subscribe", "@ subscribe"} {
			if last := d.footer(); !strings.Contains(last, key) {
				t.Errorf("%q lacks %q", last, key)
			}
			d.press("<enter>")
		}
		d.press("@")
		d.sleep(time.Minute)
		if last := d.footer(); !strings.Contains(last, "@ unsubscribe") {
			t.Errorf("%q", last)
		}
	})
}
