package inspector

import (
	"testing"

	"mcptea/demo"
)

// What the user sends is in sight, wherever it is sent from; a list that is paused stays so.
func TestTraffic_SendingFollowsAgain(t *testing.T) {
	for name, send := range map[string]func(d *driver){
		"form":     func(d *driver) { d.press("2<enter>hello<enter>") },
		"again":    func(d *driver) { d.press("r") },
		"composer": func(d *driver) { d.press("c<ctrl+s>") },
		"pause":    func(d *driver) { d.press("p2<enter>hello<enter>") },
	} {
		t.Run(name, func(t *testing.T) {
			drive(t, 120, 30, demo.Options{}, func(d *driver) {
				d.press("9g<space>")
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

// A field takes the letter of the key that follows: the row has a number and a click there.
func TestTraffic_NewerFramesAreCountedBelowAForm(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("9g<space>2<enter>hel")
		d.sees(" newer")
		d.lacks("f follow")
	})
}
