package inspector

import (
	"strings"
	"testing"

	"mcptea/demo"
	"mcptea/internal/test/raced"
	"mcptea/session/intercept"
)

// copiedText has the driver collect what is copied.
func copiedText(d *driver) *string {
	text := new(string)
	d.model.options.Clipboard = func(s string) error { *text = s; return nil }
	return text
}

// While a frame is edited its clock is stopped, and what was written is kept when the
// window closes.
func TestHeldText_ClockIsStopped(t *testing.T) {
	raced.Never(t, "repeats one drawing over sizes")
	for _, size := range sizesOf(screenSizes) {
		drive(t, size[0], size[1], demo.Options{}, func(d *driver) {
			c := holdCall(d)
			d.press("e")
			d.sees("Edit tools/call echo", "its clock is stopped", "keep the edit", "close, the text is kept")
			d.press("<ctrl+end> MINE")
			d.sleep(2 * intercept.DefaultLimit)
			d.sees("Edit tools/call echo", "its clock is stopped", "136 B")
			d.press("<esc>")
			d.sees("text kept", "forwarded after ")
			d.lacks("clock stopped")
			d.press("e")
			d.sees("136 B")
			d.press("<ctrl+end><backspace><backspace><backspace><backspace><backspace><ctrl+s><enter>")
			d.sees("The frame was forwarded.")
			if said := d.said(c); !strings.Contains(said, "tea") {
				t.Errorf("the tool says %s", said)
			}
			d.lacks("1 held")
			d.lacks("Your texts")
		})
	}
}

// A frame that goes while it is edited leaves the text: it can be copied, and accepting it
// acts on no other frame.
func TestHeldText_FrameGoesWhileEdited(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		text := copiedText(d)
		first := holdCall(d)
		second := d.session.Start("tools/call", []byte(`{"name":"echo","arguments":{"message":"other"}}`))
		d.settle()
		d.press("e<ctrl+end> MINE")
		// Its request is cancelled.
		_ = d.session.Cancel(first.ID)
		d.settle()
		d.sees("no longer held", "Your text is kept: #20 was held", "request has ended).", " MINE")
		d.press("<ctrl+s>")
		d.sees("nothing was changed", " MINE")
		if held := d.session.Intercept().State().Held; len(held) != 1 || strings.Contains(string(held[0].Bytes), "MINE") {
			t.Fatalf("held %+v", held)
		}
		d.press("<alt+y>")
		if !strings.HasSuffix(*text, " MINE") {
			t.Errorf("copied %q", *text)
		}
		d.press("<esc>")
		d.sees("Your texts", "y copies it")
		// The other frame is forwarded unchanged.
		d.press("<home><enter>")
		d.sees("The frame was forwarded.")
		if said := d.said(second); !strings.Contains(said, "other") {
			t.Errorf("the tool says %s", said)
		}
		*text = ""
		d.press("<home>y")
		if !strings.HasSuffix(*text, " MINE") {
			t.Errorf("copied %q from the list", *text)
		}
		d.press("<enter>")
		d.sees("Its frame is no longer held; only your text is left")
		d.press("x")
		d.lacks("Your texts")
	})
}

// What was edited and accepted is kept when the frame goes on without it.
func TestHeldText_AcceptedButForwardedAsReceived(t *testing.T) {
	raced.Never(t, "minutes of fake time, each second of which is drawn")
	for name, goes := range map[string]func(d *driver){
		"time limit":  func(d *driver) { d.sleep(intercept.DefaultLimit) },
		"forward all": func(d *driver) { d.palette("forward all held") },
		"released":    func(d *driver) { d.session.Intercept().ForwardAll(); d.settle() },
	} {
		t.Run(name, func(t *testing.T) {
			drive(t, 120, 36, demo.Options{}, func(d *driver) {
				text := copiedText(d)
				c := holdCall(d)
				d.press("e<ctrl+end> MINE<ctrl+s>")
				d.sees("edited")
				goes(d)
				if said := d.said(c); !strings.Contains(said, "tea") {
					t.Errorf("the tool says %s", said)
				}
				d.sees("Your texts")
				d.press("<home>y")
				if !strings.HasSuffix(*text, " MINE") {
					t.Errorf("copied %q", *text)
				}
			})
		})
	}
}

// Traffic and the frame show what a breakpoint made of frames.
func TestTraffic_ChangedFrames(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		c := holdCall(d)
		d.press("e<ctrl+end><up><up><up><end><left><backspace><backspace><backspace>milk<ctrl+s><enter>")
		_ = d.said(c)
		d.press("<enter><ctrl+u>method:tools/call dir:in<enter>")
		_ = d.session.Start("tools/call", []byte(`{"name":"echo","arguments":{"message":"gone"}}`))
		d.settle()
		d.press("<home>x")
		d.press("9")
		d.sees("edited", "dropped")
		d.press("/tea milk<enter>") // received, and sent on
		d.sees("1 of ", "edited")
		d.press("<tab>\\vvv") // bytes, text, sides
		d.sees("then edited and forwarded", "original and forwarded", `"message": "tea"`, `"message": "milk"`, "original 1", "forwarded", "+ 0060", `{"message":"milk`)
	})
}
