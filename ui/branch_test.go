package ui

import (
	"testing"

	"mcptea/demo"
)

// The tab of a branch is there in any session, and says so when it is not one.
func TestBranch_OfAnotherSession(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("O")
		d.settle()
		d.sees("This session does not go on from a recording.", "--continue")
		d.lacks("sending again")
		d.lacks("next change")
		for _, key := range []string{"enter", "r", "e", "d", "n", "N"} {
			d.press(key)
			d.settle()
		}
		d.sees("This session does not go on from a recording.")
	})
}
