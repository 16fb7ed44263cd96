package inspector

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mcptea/client/jsonrpc"
	"mcptea/demo"
	"mcptea/internal/test/raced"
	"mcptea/internal/words/display"
	"mcptea/record/recordings"
	"mcptea/session/session"
	"mcptea/ui/keys"
	"mcptea/ui/program"
	"mcptea/ui/single"
)

var _ = raced.Also(TestRecordings_SelectionStays)

// R asks before it ends a server that still works on a request, and restarts an idle one at once.
func TestRestart_AsksWhileRequestsArePending(t *testing.T) {
	raced.Never(t, "is one question")
	drive(t, 80, 24, demo.Options{}, func(d *driver) {
		d.press("1R")
		d.lacks("Restart?")
		d.settle()
		d.call("never-answer", `{}`)
		d.press("1R")
		d.sees("Restart?", "1 request. The server will be stopped.", "y restart", "esc stay")
		d.press("<esc>")
		d.lacks("Restart?")
		if n := d.model.session.Running(); n != 1 {
			t.Errorf("%d requests are pending after esc", n)
		}
		d.press("R")
		d.sees("Restart?")
		d.press("y")
		d.settle()
		if n := d.model.session.Running(); n != 0 {
			t.Errorf("%d requests are pending after the restart:\n%s", n, d.term.screen())
		}
	})
}

// Quit asks while requests are pending, whichever way it is called.
func TestQuit_AsksFromEveryPlace(t *testing.T) {
	raced.Never(t, "repeats one question in each place")
	for _, keys := range []string{"q", "<ctrl+p>quit<enter>", "<f1><f1>quit<enter>", "<ctrl+c>"} {
		drive(t, 120, 36, demo.Options{}, func(d *driver) {
			d.call("never-answer", `{}`)
			d.press("1" + keys)
			d.sees("Quit?", "1 request. The server will be stopped.", "y quit", "esc stay")
			d.press("<enter>qn")
			d.sees("Quit?")
			d.press("<esc>")
			d.lacks("Quit?")
			d.press("1" + keys)
			d.term.blind.Store(false)
			d.press("y") // the harness sees that the program has ended
		})
	}
}

// A wheel that turns to the side scrolls nothing.
func TestWheel_Horizontal(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("9<home>")
		before := d.model.views.traffic.Selected()
		l := d.model.layout.traffic
		for _, b := range []tea.MouseButton{tea.MouseWheelLeft, tea.MouseWheelRight} {
			d.program.Send(tea.MouseWheelMsg{X: l.x + 3, Y: l.y + 3, Button: b})
			d.settle()
			if got := d.model.views.traffic.Selected(); got != before {
				t.Errorf("%v: from row %d to row %d", b, before, got)
			}
		}
		d.press("<f1>")
		screen := d.term.screen()
		d.program.Send(tea.MouseWheelMsg{X: 60, Y: 10, Button: tea.MouseWheelRight})
		d.settle()
		if d.term.screen() != screen {
			t.Error("the list of commands has scrolled")
		}
	})
	l := newListDriver(t, 100, 30)
	_ = l.m.View()
	l.m.Update(tea.MouseWheelMsg{X: 10, Y: 4, Button: tea.MouseWheelLeft})
	if got := l.selected(); got != "/r/a"+recordings.Suffix {
		t.Errorf("%q is selected", got)
	}
	s := startedScreen(t, 100, 30)
	screen := s.screen()
	s.send(tea.MouseWheelMsg{X: 10, Y: 4, Button: tea.MouseWheelRight})
	if s.screen() != screen {
		t.Error("the start screen has changed")
	}
}

// In a window that is too small nothing is visible, and nothing takes a click, a text or a wheel.
func TestTooSmall_TakesNothing(t *testing.T) {
	input := func(send func(tea.Msg)) {
		for y := range 9 {
			for _, x := range []int{0, 1, 8, 20, 38} {
				send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
				send(tea.MouseReleaseMsg{X: x, Y: y, Button: tea.MouseLeft})
				send(tea.MouseWheelMsg{X: x, Y: y, Button: tea.MouseWheelDown})
			}
		}
		send(tea.PasteMsg{Content: `{"jsonrpc":"2.0","id":1,"method":"ping"}`})
		for _, k := range []string{"enter", "c", "2", "x", "down"} {
			send(pressKey(k))
		}
	}
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.term.blind.Store(true) // the emulator has one size
		d.press("12")
		before := ansi.Strip(d.model.View().Content)
		d.program.Send(tea.WindowSizeMsg{Width: 39, Height: 9})
		d.settle()
		input(d.program.Send)
		d.settle()
		if d.model.composerOpen || d.model.Window() != nil {
			t.Error("something has opened out of sight")
		}
		d.program.Send(tea.WindowSizeMsg{Width: 120, Height: 36})
		d.settle()
		if after := ansi.Strip(d.model.View().Content); after != before {
			t.Errorf("the screen has changed:\n%s\n%s", before, after)
		}
	})
	l := newListDriver(t, 100, 30)
	before := ansi.Strip(l.m.View().Content)
	l.m.Update(tea.WindowSizeMsg{Width: 39, Height: 9})
	input(func(msg tea.Msg) { l.m.Update(msg) })
	l.m.Update(tea.WindowSizeMsg{Width: 100, Height: 30})
	l.look()
	if after := ansi.Strip(l.m.View().Content); after != before {
		t.Errorf("the list has changed:\n%s\n%s", before, after)
	}
	s := startedScreen(t, 100, 30)
	before = s.screen()
	s.send(tea.WindowSizeMsg{Width: 39, Height: 9})
	input(s.send)
	s.send(tea.WindowSizeMsg{Width: 100, Height: 30})
	if s.screen() != before || s.model.Chosen != nil {
		t.Errorf("the start screen has changed:\n%s", s.screen())
	}
}

// The row of the tabs names the keys of the user.
func TestTabRow_KeysOfTheUser(t *testing.T) {
	own, err := keys.NewMap(map[string][]string{tabTools: {"f9"}, tabTraffic: {"w"}, tabLogs: {}}, allSections(t))
	if err != nil {
		t.Fatal(err)
	}
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.within(func() { d.model.Keys = *own })
		d.sees("f9 Tools 32", "w Traffic", "3 Resources")
		d.lacks("2 Tools")
		d.lacks("6 Logs")
		if i := d.model.tabAt(strings.Index(ansi.Strip(d.model.tabRow()), "f9 Tools") + 8); i != 1 {
			t.Errorf("the tab at the end of its name is %d", i)
		}
	})
}

// The recording that is asked for stays selected, and so does the first one once all are
// known.
func TestRecordings_SelectionStays(t *testing.T) {
	c := &fixedCatalog{list: someRecordings()}
	wanted := "/r/d" + recordings.Suffix
	d := &listDriver{m: single.NewRecordings(t.Context(), c, wanted, &program.Options{}, sections(Own{}))}
	d.m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	for range 3 {
		d.look()
		if got := d.selected(); got != wanted {
			t.Errorf("%q is selected", got)
		}
	}
	l := newListDriver(t, 80, 24)
	first := l.selected()
	newer := l.catalog.list[0]
	newer.Path = "/r/z" + recordings.Suffix
	summary := *newer.Summary
	summary.Started = listNow.Add(time.Minute)
	newer.Summary = &summary
	l.catalog.list = append(l.catalog.list, newer)
	l.m.Update(program.ChangeMsg{Now: listNow.Add(time.Minute)})
	if got := l.selected(); got != first {
		t.Errorf("a new recording takes the selection from %q: %q", first, got)
	}
}

// The header has the state of the connection at every width, whatever a server calls
// itself.
func TestHeader_StateAtEveryWidth(t *testing.T) {
	raced.Never(t, "repeats one drawing over sizes")
	names := map[string]string{
		"one cell": "x", "20 cells": "a-server-of-20-cells", "500 cells": strings.Repeat("long ", 100), "wide": strings.Repeat("日本語", 100),
		"marks": "e" + strings.Repeat("\u0301", 500), "controls": "\u009d52;c;AAAA\u009c\x1b]2;x\x07\r\n\t\u202e\u2066\u200b", "empty": "",
	}
	for name, text := range names {
		for _, long := range []bool{false, true} {
			version := map[bool]string{true: text, false: "1"}[long]
			server := scripted(map[string]string{
				"initialize": fmt.Sprintf(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":%s,"version":%s}}`, jsonrpc.StringID(text), jsonrpc.StringID(version)),
				"tools/list": `{"tools":[]}`,
			})
			driveServer(t, 120, 36, server, func(d *driver) {
				for w := 40; w <= 200; w++ {
					for phase, want := range map[session.Phase]string{session.Ready: "● connected", session.Failed: "✗ not connected", session.Ended: "✗ ended", session.Connecting: "connecting"} {
						d.model.W, d.model.state.Phase = w, phase
						header := ansi.Strip(d.model.header())
						if ansi.StringWidth(header) != w {
							t.Fatalf("%s at %d: %d cells: %q", name, w, ansi.StringWidth(header), header)
						}
						if !strings.Contains(header, want) {
							t.Fatalf("%s at %d: no %q in %q", name, w, want, header)
						}
						for _, r := range header {
							if display.IsHidden(r) {
								t.Fatalf("%s at %d: %U in %q", name, w, r, header)
							}
						}
					}
				}
				d.model.W, d.model.state = 120, d.session.State()
			})
		}
	}
}

// ctrl+p lists the commands also where text is typed, and a second time closes the list.
func TestPalette_OpensInTextFields(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		for route, keys := range map[string]string{"form": "2<enter>", "filter": "2/", "composer": "c", "JSON of the composer": "c<tab>"} {
			d.press(keys + "<ctrl+p>")
			if d.model.Window() == nil {
				t.Errorf("%s: ctrl+p did not list the commands:\n%s", route, d.term.screen())
				continue
			}
			if route == "form" { // a letter is text there: the list names the key that works
				d.sees("alt+v", "alt+e")
			}
			d.press("<ctrl+p>")
			if d.model.Window() != nil {
				t.Errorf("%s: ctrl+p did not close the list", route)
			}
			d.press("<esc><esc><esc>")
		}
	})
}

// A digit is text where text is typed, and leads to a tab from a row of a form that is chosen.
func TestDigit_TextOrTab(t *testing.T) {
	serve := func(_ context.Context, in io.Reader, out io.Writer) error {
		return scriptedBy(in, out, func(method, _ string) string {
			switch method {
			case "initialize":
				return `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`
			case "tools/list":
				return `{"tools":[{"name":"t","inputSchema":{"type":"object","required":["n","b"],"properties":{"n":{"type":"integer"},"b":{"type":"boolean"}}}}]}`
			}
			return `{"content":[]}`
		})
	}
	driveServer(t, 120, 36, serve, func(d *driver) {
		d.press("2<enter>8")
		if d.model.activeTab != 1 {
			t.Fatal("a digit leads away from a number")
		}
		d.sees("integer 8")
		d.press("<tab>8")
		if got := d.model.tabs[d.model.activeTab].ID; got != tabProblems {
			t.Errorf("8 on a boolean leads to %s", got)
		}
		d.press("2<esc>/8")
		if d.model.activeTab != 1 {
			t.Error("a digit leads away from the words of a filter")
		}
	})
}

// Each way to break a frame is found by its words, and selected in the composer.
func TestPalette_FindsMalformations(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("<ctrl+p>empty batch")
		d.sees("empty batch  Break it")
		d.press("<enter>")
		d.sees("Break it", "empty batch", "broken: empty batch")
		d.press("<ctrl+s>")
		if sent := d.lastSent(); sent != "[]" {
			t.Errorf("sent %s", sent)
		}
	})
}

// The list of commands has those of every pane, wherever the focus is.
func TestPalette_HasTheCommandsOfAllPanes(t *testing.T) {
	elsewhere := []string{"text of a held frame", "compare", "tools as a model sees them", "commands of this session", "export", "reduce to a finding", "question", "window", "filter text", "start", "list of recordings", "statistics", "the steps of mcptea demo"}
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.within(func() {
			listed := map[string]bool{}
			for _, e := range program.NewPalette(d.model.Program).Shown() {
				listed[e.ID] = true
			}
			for _, s := range allSections(t) {
				for _, c := range s.Commands {
					if !slices.Contains(elsewhere, s.Name) && !listed[c.ID] {
						t.Errorf("%s of %s is not in the list", c.ID, s.Name)
					}
				}
			}
		})
	})
}
