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

	"mcptea/client/revision"
	"mcptea/demo"
	"mcptea/internal/test/raced"
	"mcptea/internal/test/sessiontest"
	"mcptea/internal/words/phrase"
	"mcptea/session/session"
)

var _ = raced.Also(TestQuit_AsksWhileRequestsArePending, TestKeys_DuringAFlood, TestQuit_OnATooSmallScreen)

func TestCallByForm(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("<enter>hi there<enter>")
		d.sees("→ echo message: hi", `✓ "`, "hi there")
	})
}

func TestLongWork_ProgressAndCancel(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("/long<enter><enter><enter>")
		d.sleep(3 * time.Second)
		d.sees("1 pending, x cancels", "%", "left", "2/5  step 2")
		d.press("<esc><esc>x")
		d.sees("cancelled")
		d.lacks("pending")
		if n := len(d.session.Store().Pending(9)); n != 0 {
			t.Errorf("%d requests still in flight", n)
		}
	})
}

func TestDetail_FollowsSelection(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("<tab>g<enter>j<enter>")
		d.sees("tree", "bytes", "jsonrpc 2.0  id", "← #")
		d.press("]")
		d.sees("← #2 result")
		d.press("v")
		d.sees("0000  7b 22 6a 73")
		d.press("<esc><esc><esc><esc>")
		d.sees("Tools")
	})
}

func TestSmallScreen_KeepsTheTraffic(t *testing.T) {
	drive(t, 80, 24, demo.Options{}, func(d *driver) {
		d.sees("echo", "9 Traffic", "connected", "✓ 3 prompts")
		d.press("<tab>")
		d.sees("Traffic", "connected", "✓ 3 prompts")
		d.lacks("echo")
		d.press("g<enter>")
		d.sees("initialize")
		d.press("<down><enter>")
		d.sees("tree")
		d.press("<esc>")
		d.sees("Traffic", "✓ 3 prompts")
		d.press("<esc>")
		d.sees("echo")
	})
}

func TestAFailureShowsWhy(t *testing.T) {
	drive(t, 120, 36, demo.Options{Fault: "wrong-version"}, func(d *driver) {
		d.sees("Connection failed", "1999-01-01", "not connected", "connect", "initialize")
		d.press("r")
		d.sees("attempt 2")
		d.press("<enter>")
		d.sees("Continue past this violation?", "not support")
		d.press("y")
		d.settle()
		d.press("1")
		d.sees("● connected", "changed     --lenient", "1999-01-01")
	})
}

func TestConnecting_CountsDown(t *testing.T) {
	drive(t, 120, 36, demo.Options{Fault: "no-answer"}, func(d *driver) {
		d.sleep(5 * time.Second)
		d.sees("connecting", "times out in")
		d.sleep(30 * time.Second)
		d.sees("Connection failed", "after 30 s")
	})
}

func TestHelpAndPalette(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("?")
		d.sees("those that matter", "Tools", "enter  Edit the arguments")
		d.press("?")
		d.sees("Find", "Edit the arguments, or read the resource")
		d.press("<esc>")
		d.lacks("Edit the arguments, or read the resource")
		d.press("<ctrl+p>logs<enter>")
		d.sees("6 Logs")
		if d.model.activeTab != 5 {
			t.Errorf("the palette opened tab %d", d.model.activeTab)
		}
	})
}

func TestQuit_AsksWhileRequestsArePending(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("/never<enter><enter><enter>")
		d.press("<esc><esc>q")
		d.sees("Quit?", "1 request. ")
		d.press("<esc>")
		d.lacks("Quit?")
	})
}

func TestEscapes_StayText(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.term.mu.Lock()
		started := d.term.raw.Len() // the program itself clears the screen and sets the title before
		d.term.mu.Unlock()
		d.press("/escape<enter><enter><enter>")
		d.settle()
		d.press("<ctrl+o>")
		d.press("<end><home>")
		d.sees("␛]52;c;b3duZWQ=␇", "␛[2J␛[H", "␛]8;;https://example.com/evil␛", "‹U+009B›31mC1", "␇ null: ␀", "‹U+202E›gnp.exe")
		d.term.mu.Lock()
		written := d.term.raw.String()[started:]
		d.term.mu.Unlock()
		// An emulator would obey these without a trace on the screen.
		for _, never := range []string{
			"\x07", "\x1b[2J", "\x1b[5n", "\x1b]52;", "\x1b]8;", "\x1b]0;", "\x1bP", "\x1b_", "\x1b^", "\x1b#8", "\x1bc",
			"\u009b", "\u009d", "\u0090", "\u202e", "\u200b", "\u2066", "\ufeff",
		} {
			if at := strings.Index(written, never); at >= 0 {
				t.Errorf("%q reaches the terminal: %q", never, written[max(0, at-40):min(len(written), at+40)])
			}
		}
		if title := d.model.View().WindowTitle; !strings.HasPrefix(title, "mcptea mcptea-demo") {
			t.Errorf("window title %q", title)
		}
	})
}

func TestKeys_WorkInEveryTab(t *testing.T) {
	raced.Never(t, "presses each key in each place, and draws what it leads to")
	for _, size := range sizesOf(screenSizes) {
		drive(t, size[0], size[1], demo.Options{}, func(d *driver) {
			for _, section := range allSections(t) {
				for _, c := range section.Commands {
					for _, k := range c.All() {
						if k == "q" || k == "ctrl+c" || k == "alt+e" {
							continue // these leave, or run another program
						}
						d.program.Send(pressKey(k))
						d.sleep(20 * time.Millisecond)
					}
				}
			}
			d.press("<esc><esc><esc><esc><esc><esc><esc>")
			d.command(tabTools)
			d.sees("╭─ Tools")
			if d.call("echo", `{"message":"hi"}`); d.model.Flash.Wrong {
				t.Errorf("a call fails afterwards: %s", d.model.Flash.Text)
			}
		})
	}
}

func TestResizeStorm(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		for i := range 60 {
			d.program.Send(tea.WindowSizeMsg{Width: 1 + i*5, Height: 1 + i*2%70})
		}
		d.program.Send(tea.WindowSizeMsg{Width: 20, Height: 6})
		d.settle()
		d.program.Send(tea.WindowSizeMsg{Width: 120, Height: 36})
		d.settle()
		d.sees("Traffic", "echo")
	})
}

func TestKeys_DuringAFlood(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		frames := steps(20000, 200000)
		call := d.session.Start("tools/call", fmt.Appendf(nil, `{"name":"flood","arguments":{"count":%d}}`, frames))
		d.program.Send(pressKey("6"))
		<-call.Done()
		d.settle()
		if d.model.activeTab != 5 {
			t.Error("the key was not answered")
		}
		d.sees(strings.TrimSuffix(phrase.Digits(frames), "00")) // all of them are counted
		if got := d.session.Store().Snapshot().In; got < frames {
			t.Errorf("%d frames are recorded", got)
		}
	})
}

func TestServerEnd_Reported(t *testing.T) {
	var end context.CancelFunc
	driveServer(t, 120, 36, func(ctx context.Context, in io.Reader, out io.Writer) error {
		ctx, end = context.WithCancel(ctx)
		defer end()
		return demo.New(demo.Options{Offers: sessiontest.Fixed}).ServeStdio(ctx, in, out, io.Discard)
	}, func(d *driver) {
		end()
		d.settle()
		d.sees("ended", "R restart")
		if st := d.session.State(); st.Phase != session.Ended {
			t.Errorf("phase %v", st.Phase)
		}
	})
}

func TestSubscribedResource_IsReadAgainWhenItChanges(t *testing.T) {
	for _, r := range []revision.Revision{revision.R20251125, revision.R20260728} {
		driveIn(t, r, 120, 36, demo.Options{}, func(d *driver) {
			d.press("3/clock<enter><space><enter>")
			d.sleep(5 * time.Second)
			reads := 0
			for i := range d.session.Store().Snapshot().Rows {
				if row, _ := d.session.Store().Row(int32(i)); d.session.Store().Method(row.Method) == "resources/read" && row.Dir == 0 {
					reads++
				}
			}
			if reads < 3 || reads > 6 {
				t.Errorf("%s: read %d times in five seconds", r, reads)
			}
			d.sees("changes reported, the last at")
		})
	}
}

// On a screen without room the only key is the one that it names, which quits: an open text field or
// window is not visible, and neither is the question of q.
func TestQuit_OnATooSmallScreen(t *testing.T) {
	drive(t, 80, 24, demo.Options{}, func(d *driver) {
		d.press("1c")
		d.program.Send(tea.WindowSizeMsg{Width: 30, Height: 8})
		d.settle()
		d.press("x")
		if !d.model.composer.Empty() {
			t.Error("a text field takes a key that is not in sight")
		}
		d.within(func() {
			if text := strings.Join(strings.Fields(ansi.Strip(d.model.View().Content)), " "); !strings.HasSuffix(text, "rows. ctrl+c quits.") {
				t.Errorf("the screen is %q", text)
			}
			if _, cmd := d.model.Update(pressKey("q")); cmd != nil && leadsTo[tea.QuitMsg](cmd) {
				t.Error("q quits without its question")
			}
			if _, cmd := d.model.Update(pressKey("ctrl+c")); cmd == nil || !leadsTo[tea.QuitMsg](cmd) {
				t.Error("ctrl+c does not quit")
			}
		})
	})
}

// The keys of the last row, the views of a frame and the mark for following take
// clicks, and the wheel scrolls the half of a pair that it is over.
func TestMouse_RunsWhatTheScreenNames(t *testing.T) {
	click := func(d *driver, text string) {
		d.t.Helper()
		rows := strings.Split(d.term.screen(), "\n")
		for y, row := range rows {
			if at := strings.Index(row, text); at >= 0 {
				d.click(len([]rune(row[:at])), y)
				d.settle()
				return
			}
		}
		d.t.Fatalf("there is no %q on the screen:\n%s", text, d.term.screen())
	}
	driveServer(t, 120, 36, weather(map[string]string{"tools/call": `{"content":[],"structuredContent":{"days":[` + strings.Repeat("1,", 30) + `2]}}`}), func(d *driver) {
		d.tool("forecast")
		d.press("Oslo")
		d.command("call.send")
		d.press("<esc><esc>")
		click(d, "enter arguments")
		d.sees("send")
		d.press("<esc>")
		click(d, "▼ following")
		d.press("f")
		d.sees("▼ following")
		d.command(tabTraffic)
		d.command("frame.open")
		click(d, "bytes")
		d.sees("0000  7b 22")
		d.command("back")
		d.press("<enter>")
		click(d, "tree")
		d.sees("← #", `"name": "forecast"`, `"content": []`)
		click(d, `"content"`)
		d.sees("$.result.content")
	})
}

func TestSuspend(t *testing.T) {
	drive(t, 80, 24, demo.Options{}, func(d *driver) {
		d.within(func() {
			if _, cmd := d.model.Update(pressKey("ctrl+z")); cmd == nil {
				t.Error("ctrl+z does nothing")
			} else if !leadsTo[tea.SuspendMsg](cmd) {
				t.Error("ctrl+z does something else")
			}
		})
		d.press("1cpin<ctrl+z>")
		if !d.model.composer.Empty() {
			t.Error("ctrl+z in a text field does not undo")
		}
	})
}

// The last row does not name keys that do nothing, such as the one for another call of
// a tool that was called once.
func TestFooter_NamesOnlyKeysThatWork(t *testing.T) {
	driveServer(t, 120, 36, weather(map[string]string{"tools/call": `{"content":[]}`}), func(d *driver) {
		d.tool("forecast")
		d.press("Oslo")
		d.command("call.send")
		d.command("result")
		d.lacks("d diff")
		d.command("again")
		d.sees("d diff")
		d.command("call.previous")
		d.lacks("d diff")
	})
}

// leadsTo reports whether a command, or one of several, leads to a message.
func leadsTo[T tea.Msg](cmd tea.Cmd) bool {
	switch msg := cmd().(type) {
	case T:
		return true
	case tea.BatchMsg:
		return slices.ContainsFunc(msg, func(c tea.Cmd) bool { return c != nil && leadsTo[T](c) })
	}
	return false
}

// Back leads to where the user was: it does not climb a hierarchy.
func TestBack_LeadsToWhereTheUserWas(t *testing.T) {
	for name, tc := range map[string]struct {
		there []string // commands
		steps []string // the place after each step back
	}{
		"a frame of a result":     {[]string{"result", "frame"}, []string{"result", "list"}},
		"a frame of the traffic":  {[]string{tabTraffic, "frame.open"}, []string{"traffic", "result"}},
		"a frame of the timeline": {[]string{tabTraffic, "view", "view", "frame.open"}, []string{"timeline", "traffic", "result"}},
		"another view":            {[]string{tabTraffic, "view", "view", "view"}, []string{"traffic", "result"}},
		"another tab":             {[]string{tabTraffic, tabLogs}, []string{"logs"}},
		"the composer of a frame": {[]string{tabTraffic, "frame.open", "compose"}, []string{"frame", "traffic", "result"}},
	} {
		t.Run(name, func(t *testing.T) {
			driveServer(t, 120, 36, weather(map[string]string{"tools/call": `{"content":[]}`}), func(d *driver) {
				d.tool("forecast")
				d.press("Oslo")
				d.command("call.send")
				for _, id := range tc.there {
					d.command(id)
				}
				for i, want := range tc.steps {
					d.command("back")
					if got := d.model.Focused().Section(); got != want {
						t.Fatalf("step %d leads to %s, want %s", i+1, got, want)
					}
				}
			})
		})
	}
}

// A prompt without arguments is there at once, as a resource is: getting it changes nothing.
func TestPrompt_WithoutArgumentsAtOnce(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("4/with-picture<enter><enter>")
		d.settle()
		if sent := strings.Count(d.allSent(), `"prompts/get"`); sent != 1 {
			t.Errorf("%d requests were sent", sent)
		}
		d.sees("→ with-picture ")
	})
}
