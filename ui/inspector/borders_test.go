package inspector

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mcptea/client/revision"
	"mcptea/demo"
)

// borderAt is the column of the border between two boxes beside each other in a row of the screen.
func (d *driver) borderAt(y int) int {
	d.t.Helper()
	row := strings.Split(d.term.screen(), "\n")[y]
	before, _, ok := strings.Cut(row[len("│"):], "│")
	if !ok {
		d.t.Fatalf("no border in %q", row)
	}
	return len([]rune(before)) + 1
}

// A border is moved by keys and by the mouse, stays where it is on its screen, and goes back to the
// content.
func TestBorders_AreMovedAndKept(t *testing.T) {
	for name, at := range map[string]struct {
		keys, other string
		y           int
		w           int
	}{"list": {"12", "19", 8, 120}, "frame": {"19G<enter><shift+tab>", "2", 8, 200}, "traffic": {"19", "2", 30, 200}} {
		t.Run(name, func(t *testing.T) {
			drive(t, at.w, 36, demo.Options{}, func(d *driver) {
				d.press(at.keys)
				first := d.borderAt(at.y)
				d.press("<lt>")
				if got := d.borderAt(at.y); got != first-borderStep {
					t.Errorf("< moves the border from %d to %d", first, got)
				}
				d.press(">")
				d.press(">")
				if got := d.borderAt(at.y); got != first+borderStep {
					t.Errorf("> moves it to %d, from %d", got, first)
				}
				x := d.borderAt(at.y)
				d.program.Send(tea.MouseClickMsg{X: x, Y: at.y, Button: tea.MouseLeft})
				d.program.Send(tea.MouseMotionMsg{X: x - 15, Y: at.y + 2, Button: tea.MouseLeft})
				d.program.Send(tea.MouseReleaseMsg{X: x - 15, Y: at.y + 2, Button: tea.MouseLeft})
				d.program.Send(tea.MouseMotionMsg{X: 5, Y: at.y + 2})
				d.settle()
				if got := d.borderAt(at.y); got != x-15 {
					t.Errorf("dragged from %d by 15 it is at %d", x, got)
				}
				d.press(at.other)
				d.press(at.keys)
				if got := d.borderAt(at.y); got != x-15 {
					t.Errorf("coming back it is at %d, not %d", got, x-15)
				}
				d.press("=")
				if got := d.borderAt(at.y); got != first {
					t.Errorf("= moves it to %d, not %d", got, first)
				}
			})
		})
	}
}

// The border between the list of Traffic and the frame under it is moved, too, and has a place of its own.
func TestBorders_OverTheFrame(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("9")
		at := func() int { return d.model.layout.detail.y }
		first := at()
		d.press("<lt>")
		if at() != first-borderStep {
			t.Errorf("< moves the border from %d to %d", first, at())
		}
		d.press("2")
		dock := d.model.layout.traffic.y
		d.press("1")
		if d.model.layout.traffic.y != dock {
			t.Errorf("the dock begins in row %d of one tab, and in row %d of another", dock, d.model.layout.traffic.y)
		}
		d.press("9")
		if at() != first-borderStep {
			t.Errorf("coming back it is at %d", at())
		}
		d.press("=")
		if at() != first {
			t.Errorf("= moves it to %d, not %d", at(), first)
		}
	})
}

// The border over Traffic is dragged, too.
func TestBorders_OverTrafficIsDragged(t *testing.T) {
	drive(t, 80, 24, demo.Options{}, func(d *driver) {
		y := d.model.layout.traffic.y
		d.program.Send(tea.MouseClickMsg{X: 10, Y: y - 1, Button: tea.MouseLeft})
		d.program.Send(tea.MouseMotionMsg{X: 10, Y: y - 5, Button: tea.MouseLeft})
		d.settle()
		if got := d.model.layout.traffic.y; got != y-4 {
			t.Errorf("traffic begins in row %d, before in %d", got, y)
		}
	})
}

// What zooms is the part that has the focus: a result alone.
func TestZoom_ThePartWithTheFocus(t *testing.T) {
	for _, size := range screenSizes {
		drive(t, size[0], size[1], demo.Options{}, func(d *driver) {
			d.press("/echo<enter><enter>hello<enter>")
			d.press("\\")
			d.sees("call id", "hello", "─ echo ─")
			d.lacks("─ Tools ─")
			d.lacks("What to say")
			d.lacks("9 Traffic ─")
			d.press("<esc>")
			d.sees("─ Tools ─")
			d.lacks("call id")
			d.press("\\")
			d.sees("call id", "─ Tools ─")
		})
	}
}

// The schema of a tool is one key away: beside its JSON, or below it.
func TestForm_SchemaIsOneKeyAway(t *testing.T) {
	for _, size := range append(screenSizes, [2]int{60, 20}) {
		drive(t, size[0], size[1], demo.Options{}, func(d *driver) {
			d.press("/echo<enter><enter><alt+v>")
			d.sees(`"type": "object"`)
		})
	}
}

// A list that the server does not offer has no tab once the server is connected. The numbers of the others stay, and its
// number still leads to the list, which says why it is empty.
func TestTabs_OfListsThatAreNotOffered(t *testing.T) {
	for _, w := range []int{80, 120, 200} {
		driveSession(t, w, 36, servedConfig("", handshakeEra(`{"tools":[]}`)), func(d *driver) {
			row := func() string { return strings.Split(d.term.screen(), "\n")[1] }
			if at := row(); strings.Contains(at, "3 ") || strings.Contains(at, "4 ") || !strings.Contains(at, "2 Tools") || !strings.Contains(at, "5 Req") || !strings.Contains(at, "9 Traffic") {
				t.Errorf("%d: %q", w, at)
			}
			for key, noun := range map[string]string{"3": "resources", "4": "prompts"} {
				d.press(key)
				d.sees("The server does not offer " + noun + ".")
				if at := row(); !strings.Contains(at, key+" ") {
					t.Errorf("%d: the tab with the focus is not in %q", w, at)
				}
			}
			d.press("2")
			d.sees("Tools")
		})
	}
}

// No tab moves when a count appears or grows, when a request waits, or while the server restarts.
func TestTabs_CountsMoveNone(t *testing.T) {
	for _, w := range []int{80, 120} {
		driveIn(t, revision.R20251125, w, 24, demo.Options{}, func(d *driver) {
			places := func() string {
				row := strings.Split(d.term.screen(), "\n")[1]
				return fmt.Sprint(regexp.MustCompile(`\d \pL+`).FindAllStringIndex(row, -1), regexp.MustCompile(`\d \pL+`).FindAllString(row, -1))
			}
			before := places()
			for range 12 {
				d.call("log", `{"message":"hello"}`)
			}
			d.session.Start("tools/call", []byte(`{"name":"ask-user","arguments":{}}`))
			d.settle()
			if now := places(); now != before {
				t.Errorf("at %d columns\n%s\n%s", w, before, now)
			}
		})
	}
	driveSession(t, 120, 36, servedConfig("", handshakeEra(`{"tools":[]}`)), func(d *driver) {
		d.session.Disconnect(d.t.Context())
		d.settle()
		if row := strings.Split(d.term.screen(), "\n")[1]; strings.Contains(row, "3 ") || strings.Contains(row, "4 ") {
			t.Errorf("a tab appears while the server is not connected: %s", row)
		}
	})
}

// The tabs keep their names and places when another one appears.
func TestTabs_KeepTheirPlaces(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		places := func() (at []int) {
			row := strings.Split(d.term.screen(), "\n")[1]
			for _, name := range []string{"1 Server", "2 Tools", "5 Requests", "7 Tasks", "8 Problems", "9 Traffic"} {
				if i := strings.Index(row, name); i >= 0 {
					at = append(at, i)
					continue
				}
				t.Errorf("no %q in %q", name, row)
			}
			return at
		}
		before := places()
		d.press("9b<ctrl+u>method:tools/call dir:out<enter>")
		d.sees("I Intercept")
		for i, x := range places() {
			if x > before[i] {
				t.Errorf("tab %d moved from %d to %d", i, before[i], x)
			}
		}
	})
	drive(t, 80, 24, demo.Options{}, func(d *driver) {
		row := strings.Split(d.term.screen(), "\n")[1]
		for _, number := range []string{" 1 ", " 2 ", " 3 ", " 4 ", " 5 ", " 6 ", " 7 ", " 8 ", " 9 "} {
			if !strings.Contains(row+" ", number) {
				t.Errorf("no tab%sin %q", number, row)
			}
		}
	})
}
