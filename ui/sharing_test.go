package ui

import (
	"context"
	"testing"
	"time"

	"mcptea/demo"
	"mcptea/session/sharing"
)

func TestAgent_UserDecides(t *testing.T) {
	for _, tc := range []struct {
		key    string
		agreed bool
	}{{"y", true}, {"n", false}, {"<esc>", false}} {
		drive(t, 100, 30, demo.Options{}, func(d *driver) {
			shared := sharing.New(d.session.Store())
			d.model.options.Sharing = shared
			defer shared.Connected()()
			d.settle()
			d.sees("agent")
			decided := make(chan error, 1)
			go func() { decided <- shared.Ask(context.Background(), "helper\x1b[2J", "drop-table", `{"name":"users"}`) }()
			time.Sleep(100 * time.Millisecond)
			d.sees("Call of an agent", "drop-table", `{"name":"users"}`, "agree", "decline")
			d.lacks("\x1b[2J")
			d.settle()
			if tc.agreed {
				d.press("<enter>")
				d.settle()
				d.sees("Call of an agent") // enter agrees to nothing
			}
			d.press(tc.key)
			d.settle()
			if err := <-decided; (err == nil) != tc.agreed {
				t.Errorf("%s: %v", tc.key, err)
			}
			d.lacks("Call of an agent")
		})
	}
}

func TestAgent_NoKeyAtOnceAgrees(t *testing.T) {
	drive(t, 100, 30, demo.Options{}, func(d *driver) {
		shared := sharing.New(d.session.Store())
		d.model.options.Sharing = shared
		ctx, stop := context.WithCancel(context.Background())
		decided := make(chan error, 1)
		go func() { decided <- shared.Ask(ctx, "helper", "drop-table", `{}`) }()
		d.sleep(50 * time.Millisecond)
		d.model.overlay.(*agentWindow).opened = d.model.now // it has just opened
		d.model.overlay.(*agentWindow).now = d.model.now
		d.press("y")
		if len(decided) > 0 {
			t.Error("a key that was pressed for something else has agreed")
		}
		stop()
		d.settle()
		if err := <-decided; err == nil {
			t.Error("agreed")
		}
		d.lacks("Call of an agent")
	})
}

func TestAgent_FramesAreMarked(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		shared := sharing.New(d.session.Store())
		d.model.options.Sharing = shared
		call := d.session.Start("tools/call", []byte(`{"name":"echo","arguments":{"message":"hi"}}`))
		shared.Sent(call.ID)
		d.press("9")
		d.settle()
		d.sees("tools/call echo", " agent ")
	})
}
