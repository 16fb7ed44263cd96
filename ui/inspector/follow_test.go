package inspector

import (
	"strconv"
	"strings"
	"testing"

	"mcptea/demo"
)

// A frame that the user sends is visible, wherever it is sent from; a paused list stays paused.
func TestTraffic_SendingFollowsAgain(t *testing.T) {
	for name, send := range map[string]func(d *driver){
		"form":     func(d *driver) { d.press("2<enter>hello<enter>") },
		"again":    func(d *driver) { d.press("r") },
		"composer": func(d *driver) { d.press("c<ctrl+s>") },
		"pause":    func(d *driver) { d.press("p2<enter>hello<enter>") },
	} {
		t.Run(name, func(t *testing.T) {
			drive(t, 120, 30, demo.Options{}, func(d *driver) {
				d.press("9tg<space>")
				d.sees("newer   f follow")
				send(d)
				if d.command(tabTraffic); name == "pause" {
					d.sees("paused", "newer   p go on")
					return
				}
				d.sees("following")
				d.lacks("newer")
			})
		})
	}
}

// The footer names what folds and unfolds on the row that is selected.
func TestTraffic_FooterNamesTheFold(t *testing.T) {
	drive(t, 80, 24, demo.Options{}, func(d *driver) {
		for _, step := range []struct{ keys, does string }{{"9g", "space unfold"}, {"<space>", "space fold"}, {"<space>", "space unfold"}} {
			d.press(step.keys)
			if got := d.footer(); !strings.Contains(got, step.does) {
				t.Errorf("after %s: %s", step.keys, got)
			}
		}
		d.press("g<down>")
		if got := d.footer(); !strings.Contains(got, "space mark") {
			t.Errorf("on a notification: %s", got)
		}
	})
}

// A field takes the letter of the key that follows: the row has a number and a click there.
func TestTraffic_NewerFramesAreCountedBelowAForm(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("9tg<space>2<enter>hel")
		d.sees(" newer")
		d.lacks("f follow")
	})
}

// A row that is for a whole exchange tells the gravest finding of all its frames, and K explains that one.
func TestTraffic_ClosedExchangeTellsFindingsInBetween(t *testing.T) {
	drive(t, 120, 36, demo.Options{Fault: "progress-backwards"}, func(d *driver) {
		c := d.session.Start("tools/call", []byte(`{"name":"count-up","arguments":{"seconds":1}}`))
		<-c.Done()
		d.settle()
		d.press("9<end>")
		d.sees("count-up", "✗ N004")
		d.press("<space>")
		if n := strings.Count(d.term.screen(), "✗ N004"); n < 1 {
			t.Errorf("open, N004 is told %d times", n)
		}
		d.press("<space>K")
		d.sees("N004", "progress")
	})
}

// n leads to the frame that a filter has found in an exchange, once that is open.
func TestTraffic_NextMatchInAnOpenExchange(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		c := d.session.Start("tools/call", []byte(`{"name":"flood","arguments":{"count":1000,"kind":"progress"},"_meta":{"progressToken":"p"}}`))
		<-c.Done()
		d.settle()
		d.press("9/777<enter>")
		d.sees("1 of ")
		d.press("<space>n")
		row, _ := d.session.Store().Row(d.model.views.traffic.Selected())
		if frame, err := d.session.Store().Head(d.model.views.traffic.Selected(), 1<<10); err != nil || !strings.Contains(string(frame), `777`) {
			t.Errorf("n leads to %s, %v, of %v", frame, err, row.Kind)
		}
		d.press("n")
		d.sees("No more errors in this direction, and no more matches within exchanges.")
	})
}

// The row of a closed exchange says which of its frames a filter has found, of one word and of several, and n
// leads there.
func TestTraffic_ClosedExchangeTellsWhatMatched(t *testing.T) {
	for _, words := range []string{"777", "progress 777"} {
		drive(t, 160, 36, demo.Options{}, func(d *driver) {
			c := d.session.Start("tools/call", []byte(`{"name":"flood","arguments":{"count":1000,"kind":"progress"},"_meta":{"progressToken":"p"}}`))
			<-c.Done()
			d.settle()
			d.press("9/" + words + "<enter>")
			d.sees("1 of ")
			root, _ := d.session.Store().Row(d.model.views.traffic.Selected())
			d.press("n")
			at := d.model.views.traffic.Selected()
			frame, err := d.session.Store().Head(at, 1<<10)
			if err != nil || !strings.Contains(string(frame), `"progress":777`) {
				t.Errorf("n leads to %s, %v, of %v", frame, err, root.Kind)
			}
			d.press("<space>")
			d.sees("#" + strconv.Itoa(int(at)+1) + " progress 777")
			d.press("<space>") // opens it again, where the row has said
			if now := d.model.views.traffic.Selected(); now != at {
				t.Errorf("the exchange opens at #%d, and #%d is what was found", now+1, at+1)
			}
			d.press("<space><enter>") // from the closed row into the frame that it names
			d.sees("#"+strconv.Itoa(int(at)+1), `"progress": 777`)
		})
	}
}

// The filter of a list finds what the row says of an item, behind what its name says.
func TestTools_FilterFindsDescriptions(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("2/sampling")
		d.sees("/ sampling", "▌  ask-model")
		d.press("<ctrl+u>echo")
		d.sees("▌  echo")
	})
}

// What is wrong with the arguments names the key that has asked for them: the second time it goes on.
func TestTools_WarningNamesItsKey(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("2*")
		d.sees(`message is empty. alt+* again sends ""`)
		d.press("<alt+*>")
		d.sees("Send several times")
	})
}
