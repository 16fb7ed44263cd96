package inspector

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/demo"
	"mcptea/internal/test/raced"
	"mcptea/internal/test/sessiontest"
	"mcptea/record"
	"mcptea/record/store"
	"mcptea/session/intercept"
	"mcptea/session/session"
	interceptpane "mcptea/ui/pane/intercept"
)

var _ = raced.Also(
	TestIntercept_EditAndForward, TestIntercept_Decisions, TestIntercept_ForwardAll, TestIntercept_HeldCallSaysSo,
	TestIntercept_SaysHowLongItWaits, TestIntercept_ForwardsAtTheEnd, TestIntercept_Fault, TestIntercept_OfATap, TestIntercept_EditHeldInTraffic,
)

// holdCall sets a breakpoint on calls of echo with the keys, and starts one.
func holdCall(d *driver) *session.Call {
	d.press("9b")
	d.sees("Hold frames that match")
	d.press("<ctrl+u>method:tools/list dir:out")
	d.sees("It matches 2 of 19 recorded frames.")
	d.press("<ctrl+u>method:tools/call echo dir:out<enter>")
	d.sees("The breakpoint is set. I shows it.", "9 Traffic")
	d.press("I")
	d.sees("Intercept", "Breakpoints", "[x] b1  method:tools/call echo dir:out")
	c := d.session.Start("tools/call", []byte(`{"name":"echo","arguments":{"message":"tea"}}`))
	d.settle()
	return c
}

// A held request is shown, edited as bytes and forwarded.
func TestIntercept_EditAndForward(t *testing.T) {
	for _, size := range sizesOf(screenSizes) {
		drive(t, size[0], size[1], demo.Options{}, func(d *driver) {
			c := holdCall(d)
			d.sees("1 held", "tools/call", "echo", "by b1", "held", "forwarded after 1m00s", "forward")
			d.press("e")
			d.sees("Edit tools/call echo", "its clock is stopped", `"tea"`)
			d.sees("Nothing is changed: the frame has", "keep the edit")
			d.press("<ctrl+end><up><up><up><end><left><backspace><backspace><backspace>milk<ctrl+s>")
			d.sees("edited", "forward")
			if size[0] > 80 {
				d.sees("The frame is still held: enter forwards it.")
				d.sees(`"tea"`, `"milk"`, "forward as edited", "forward unedited")
			}
			d.press("<enter>")
			d.sees("The frame was forwarded as edited.")
			if said := d.said(c); !strings.Contains(said, "milk") {
				t.Errorf("the tool says %s", said)
			}
			d.lacks("1 held")
		})
	}
}

// In Traffic the key for editing edits the held frame itself, as in Intercept; a frame that was sent opens in the
// composer.
func TestIntercept_EditHeldInTraffic(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("9b<ctrl+u>method:tools/call dir:in<enter>")
		c := d.session.Start("tools/call", []byte(`{"name":"echo","arguments":{"message":"tea"}}`))
		d.settle()
		d.press("<up><end>")
		d.sees("e edit held")
		d.press("e")
		d.sees("Edit", "its clock is stopped", "keep the edit")
		d.lacks("ctrl+s send")
		d.press("<ctrl+end><up><up><up><up><end><backspace><backspace><backspace><backspace>milk\"<ctrl+s>")
		d.sees("The frame is still held: enter forwards it.", "forward as edited")
		d.press("<enter>")
		d.sees("The frame was forwarded as edited.")
		if said := d.said(c); !strings.Contains(said, "milk") {
			t.Errorf("the tool says %s", said)
		}
		d.press("9")
		d.lacks("edit held")
		d.press("e")
		d.sees("ctrl+s send")
	})
}

func TestIntercept_Decisions(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		c := holdCall(d)
		d.palette("respond to the held")
		d.sees("Respond to tools/call echo", `"result": {}`, "in one line.")
		d.press("<ctrl+end><up><end><left>\"content\":[{\"type\":\"text\",\"text\":\"by hand\"}]<ctrl+s>")
		d.sees("Responded by hand.")
		if said := d.said(c); !strings.Contains(said, "by hand") {
			t.Errorf("the tool says %s", said)
		}
		c = d.session.Start("tools/call", []byte(`{"name":"echo","arguments":{"message":"later"}}`))
		d.settle()
		d.palette("forward the held frame later")
		d.sees("Forward the frame after this time")
		d.press("<ctrl+u>soon<enter>")
		d.sees("is not a time")
		d.press("<ctrl+u>3s<enter>")
		d.sees("The frame is forwarded in 3s.", "delayed for")
		d.sleep(3e9)
		if said := d.said(c); !strings.Contains(said, "later") {
			t.Errorf("the tool says %s", said)
		}
		c = d.session.Start("tools/call", []byte(`{"name":"echo","arguments":{"message":"gone"}}`))
		d.sleep(500 * time.Millisecond)
		d.press("x") // it may have been meant for the breakpoint
		d.sees("A frame was held just now and has the selection: x again drops it.")
		d.press("x")
		d.sees("The frame was dropped.")
		_ = d.session.Cancel(c.ID)
		d.settle()
		// The breakpoint is switched off, changed and removed.
		d.press("<space>")
		d.sees("[ ] b1")
		d.press("<enter><ctrl+u>code:x<enter>")
		d.sees("Breakpoint", "Hold frames that match")
		d.press("<ctrl+u>method:ping<enter>")
		d.sees("b1  method:ping")
		d.press("x")
		d.lacks("b1  method:ping")
		d.sees("No breakpoints yet.")
	})
}

// Frames behind a held one wait, too; F forwards all.
func TestIntercept_ForwardAll(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		first := holdCall(d)
		second := d.session.Start("tools/call", []byte(`{"name":"add","arguments":{"a":1,"b":2}}`))
		d.settle()
		d.sees("1 held", "1 behind", "order is kept")
		d.palette("forward all held")
		d.sees("All held frames were forwarded.")
		if !strings.Contains(d.said(first), "tea") || !strings.Contains(d.said(second), "3") {
			t.Error("the calls have no result")
		}
	})
}

// A call that is held says so, and a chord leads from its form to the held frame.
func TestIntercept_HeldCallSaysSo(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("9b<ctrl+u>method:tools/call dir:in<enter>")
		d.press("2<enter>hello<enter>")
		d.sees("held by a breakpoint: I intercept")
		d.press("<alt+I>")
		d.sees("tools/call", "by b1")
		d.press("<enter>2")
		d.sees("hello")
		d.lacks("held by a breakpoint")
	})
}

// A request that is held has more time than the timeout, and longer while it is edited: the pane
// says what the client does.
func TestIntercept_SaysHowLongItWaits(t *testing.T) {
	driveSession(t, 120, 36, session.Config{
		Target: client.Target{Argv: []string{"demo-server"}}, Record: "off", Lists: client.ListKinds,
		Client: client.Config{Name: "mcptea", Version: "test", Revision: revision.R20251125, Timeout: 20 * time.Second},
		Dial:   sessiontest.Dial(sessiontest.Demo(demo.Options{Offers: sessiontest.Fixed})),
	}, func(d *driver) {
		for _, dir := range []string{"out", "in"} {
			d.press("9b<ctrl+u>method:tools/call dir:" + dir + "<enter>I")
			c := d.session.Start("tools/call", []byte(`{"name":"echo","arguments":{"message":"tea"}}`))
			d.sleep(30 * time.Second)
			d.sees("1 held", "mcptea waits 0:50 more for the response.")
			d.press("e")
			d.sees("its clock is stopped", "Nothing is changed: the frame has")
			d.lacks("more for the response")
			d.sleep(time.Minute) // longer than mcptea waits
			d.sees("its clock is stopped")
			d.lacks("no longer")
			d.press("<esc><enter>")
			if said := d.said(c); !strings.Contains(said, "tea") {
				t.Errorf("the tool says %s", said)
			}
			c = d.session.Start("tools/call", []byte(`{"name":"echo","arguments":{"message":"tea"}}`))
			d.settle()
			if dir == "in" { // the response is held, and its request is cancelled
				_ = d.session.Cancel(c.ID)
				d.settle()
				d.sees("1 held", "mcptea no longer waits for the response.")
			}
			d.press("<enter>j<up>x")
		}
	})
}

// What is held goes on when the inspector closes.
func TestIntercept_ForwardsAtTheEnd(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		c := holdCall(d)
		d.within(d.model.intercept.Detach)
		if said := d.said(c); !strings.Contains(said, "tea") {
			t.Errorf("the tool says %s", said)
		}
	})
}

func TestIntercept_Fault(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("I")
		d.sees("No breakpoints yet.")
		d.press("G<enter>") // the last row
		d.sees("delay responses to tool calls")
		d.press("nonsense<enter>")
		d.sees(`Unknown fault "nonsense".`)
		d.press("<ctrl+u>drop method:ping<enter>")
		d.sees("Faults", "[x]  drop method:ping")
		d.press("G<enter><down><down><enter>")
		d.sees("[x]  reorder")
		d.press("<up><enter>")
		d.sees("Fault")
		d.press("<esc>")
		d.press("x")
		if n := len(d.session.Intercept().State().Faults); n != 1 {
			t.Errorf("%d faults", n)
		}
	})
}

// In a recording that a tap writes, b attaches to the tap; elsewhere it says why not.
func TestIntercept_OfATap(t *testing.T) {
	path := recordDemo(t, func(*driver) {})
	driveRecording(t, 120, 36, path, func(d *driver) {
		d.lacks("b breakpoint")
		d.press("b")
		d.sees("A recording has no frames to hold")
	})
	driveTap(t, 120, 36, func(d *driver, path string) {
		gate, done := intercept.New(intercept.Options{}), make(chan struct{})
		d.model.options.Attach = func(_ context.Context, recording string) (*interceptpane.Attached, error) {
			if recording != path {
				t.Errorf("attaches to %s", recording)
			}
			return nil, errors.New("no tap writes this recording")
		}
		d.press("b")
		d.sees("no tap writes this recording")
		closed := d.attach(gate, done)
		d.press("b")
		d.sees("Hold frames that match")
		d.press("<ctrl+u>method:tools/call<enter>I")
		d.sees("Intercept", "tap cursor/tracker", "b1  method:tools/call")
		if b := gate.State().Breakpoints; len(b) != 1 || b[0].Filter != "method:tools/call" {
			t.Errorf("the tap has %v", b)
		}
		close(done)
		d.settle()
		d.sees("The tap has ended.")
		d.lacks("b1  method")
		if !*closed {
			t.Error("the connection to the tap is open")
		}
	})
}

// driveTap shows the inspector on a recording that this process writes, as a tap would.
func driveTap(t *testing.T, w, h int, script func(d *driver, path string)) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tap.mcptea.jsonl")
	writer, err := store.Create(store.Options{Path: path}, record.Header{Transport: "stdio", Target: "server", Tool: "mcptea 1.0.0 tap"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = writer.Close() }()
	writer.Flush()
	driveRecording(t, w, h, path, func(d *driver) { script(d, path) })
}

// attach has breakpoints hold the frames of a tap at a gate until done is closed. It returns
// whether the connection to the tap was closed.
func (d *driver) attach(gate *intercept.Gate, done <-chan struct{}) (closed *bool) {
	closed = new(bool)
	d.model.options.Attach = func(context.Context, string) (*interceptpane.Attached, error) {
		return &interceptpane.Attached{Gate: gate, Name: "cursor/tracker", Done: done, Close: func() error { *closed = true; return nil }}, nil
	}
	return closed
}

// palette runs the first command that words find.
func (d *driver) palette(words string) {
	d.press("<ctrl+p>" + words + "<enter>")
}
