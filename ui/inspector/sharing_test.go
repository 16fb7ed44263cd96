package inspector

import (
	"context"
	"strings"
	"testing"
	"time"

	"mcptea/demo"
	"mcptea/internal/test/raced"
	"mcptea/session/sharing"
)

var _ = raced.Also(
	TestAgent_UserDecides, TestAgent_TimeIsOver, TestAgent_NoKeyAtOnceAgrees,
	TestAgent_EndOfArgumentsIsSeenBeforeAgreement, TestAgent_TooLongToBeRead, TestAgent_FramesAreMarked,
)

// asked has an agent ask for a call, and returns what it gets.
func asked(ctx context.Context, d *driver, tool, arguments string) <-chan error {
	shared := sharing.New(d.session.Store())
	d.model.options.Sharing = shared
	decided := make(chan error, 1)
	go func() { decided <- shared.Ask(ctx, "helper\x1b[2J", tool, arguments) }()
	d.settle()
	return decided
}

func TestAgent_UserDecides(t *testing.T) {
	for _, tc := range []struct {
		key    string
		agreed bool
	}{{"y", true}, {"<esc>", false}, {"<ctrl+c>", false}} {
		drive(t, 100, 30, demo.Options{}, func(d *driver) {
			decided := asked(context.Background(), d, "drop-table", `{"name":"users"}`)
			d.sees("Allow this call?", "drop-table", `"name": "users"`, "y allow once", "esc decline", "mcptea declines in 0:5", "an agent that shares this session", "mcptea-demo")
			d.lacks("\x1b[2J")
			d.press("n<enter><tab>qx")
			d.sees("Allow this call?") // they decide nothing
			d.press(tc.key)
			if err := <-decided; (err == nil) != tc.agreed {
				t.Errorf("%s: %v", tc.key, err)
			}
			d.lacks("Allow this call?")
		})
	}
}

func TestAgent_TimeIsOver(t *testing.T) {
	drive(t, 100, 30, demo.Options{}, func(d *driver) {
		ctx, stop := context.WithCancel(context.Background())
		decided := asked(ctx, d, "drop-table", `{}`)
		d.sees("Allow this call?")
		stop()
		d.settle()
		if err := <-decided; err == nil {
			t.Error("agreed")
		}
		d.lacks("Allow this call?")
		d.sees("the question timed out")
	})
}

// A key that was pressed for something else does not decide.
func TestAgent_NoKeyAtOnceAgrees(t *testing.T) {
	drive(t, 100, 30, demo.Options{}, func(d *driver) {
		shared := sharing.New(d.session.Store())
		decided := make(chan error, 1)
		d.within(func() { d.model.options.Sharing = shared })
		go func() { decided <- shared.Ask(context.Background(), "helper", "drop-table", "{}") }()
		for range 100 {
			d.sleep(5 * time.Millisecond)
			if strings.Contains(d.term.screen(), "Allow this call?") {
				break
			}
		}
		d.program.Send(pressKey("y"))
		d.program.Send(pressKey("esc"))
		d.sleep(50 * time.Millisecond)
		d.sees("Allow this call?")
		if len(decided) > 0 {
			t.Error("a key that was pressed for something else has decided")
		}
		d.settle()
		d.press("<esc>")
		if err := <-decided; err == nil {
			t.Error("agreed")
		}
	})
}

// Long arguments are shown to their end before they can be agreed to, blanks and
// invisible characters are marked.
func TestAgent_EndOfArgumentsIsSeenBeforeAgreement(t *testing.T) {
	arguments := `{"a":"` + strings.Repeat("harmless ", 350) + `","b":"x     y ","c":"main\u200b","z":"rm -rf / EVIL-END"}`
	arguments = strings.Replace(arguments, `main\u200b`, "main\u200b", 1)
	for _, size := range [][2]int{{80, 24}, {120, 36}, {200, 60}, {40, 10}} {
		drive(t, size[0], size[1], demo.Options{}, func(d *driver) {
			decided := asked(context.Background(), d, "echo", arguments)
			d.press("y")
			if size[1] < 60 {
				d.sees("more below")
				d.lacks("EVIL-END")
				if len(decided) > 0 {
					t.Fatal("agreed before the end was in sight")
				}
				for range 200 {
					d.program.Send(pressKey("space"))
					d.sleep(40 * time.Millisecond)
				}
				d.settle()
				d.lacks("more below")
				d.sees("EVIL-END", "end")
				if size[0] >= 80 {
					d.sees("x·····y·", "main‹U+200B›", "y allow once")
				}
				d.press("<home>y")
			}
			if err := <-decided; err != nil {
				t.Errorf("at %v: %v", size, err)
			}
		})
	}
}

// What cannot be read is not agreed to.
func TestAgent_TooLongToBeRead(t *testing.T) {
	for _, tc := range []struct {
		size   int
		agreed bool
	}{{64<<10 - 200, true}, {64<<10 + 1, false}} {
		drive(t, 120, 36, demo.Options{}, func(d *driver) {
			decided := asked(context.Background(), d, "echo", `{"a":"`+strings.Repeat("x", tc.size)+`"}`)
			d.press("<end>y")
			if len(decided) > 0 {
				t.Fatal("agreed to what was skipped")
			}
			d.press("<home>" + strings.Repeat(" ", 60) + "y")
			if !tc.agreed {
				d.sees("cannot be agreed to", "cannot be shown in full")
				d.press("<esc>")
			}
			if err := <-decided; (err == nil) != tc.agreed {
				t.Errorf("%d bytes: %v", tc.size, err)
			}
		})
	}
}

func TestAgent_FramesAreMarked(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		shared := sharing.New(d.session.Store())
		d.within(func() { d.model.views.frames.Agent = shared.Rows })
		call := d.session.Start("tools/call", []byte(`{"name":"echo","arguments":{"message":"hi"}}`))
		shared.Sent(call)
		d.press("9")
		d.settle()
		d.sees("→ echo", " agent ")
		d.press("/agent")
		d.settle()
		d.sees("→ echo", "1 of ")
	})
}
