package inspector

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"mcptea/demo"
)

// calls returns the number of calls of tools that were sent.
func (d *driver) calls() int { return strings.Count(d.allSent(), `"method":"tools/call"`) }

// After a call is sent the focus rests on it: letters are commands, and nothing is sent twice.
func TestFocus_RestsOnTheCall(t *testing.T) {
	for _, size := range screenSizes {
		drive(t, size[0], size[1], demo.Options{}, func(d *driver) {
			d.press("/echo<enter><enter>hello<enter>")
			d.sees("call id")
			d.press("<enter><enter>")
			d.sees("e edits the arguments, r sends them again, f4 shows the frame.")
			if n := d.calls(); n != 1 {
				t.Fatalf("%d calls", n)
			}
			d.press("9")
			d.press("v")
			d.sees("0000  7b 22")
			d.press("<esc><esc>2e there<enter>")
			if sent := d.lastSent(); !strings.Contains(sent, `"message":"hello there"`) {
				t.Errorf("e does not go to the end of what was typed: sent %s", sent)
			}
			d.press("<esc>")
			if got := d.model.Focused().Section(); got != "list" {
				t.Errorf("esc leads to the %s", got)
			}
			d.press("e!<esc><enter><ctrl+o>2")
			if got := d.model.Focused().Section(); got != "list" {
				t.Errorf("the number of the tab leads to the %s", got)
			}
		})
	}
}

// A letter that is typed on after a text sends, ends and restarts nothing.
func TestFocus_LettersTypedOnDoNothing(t *testing.T) {
	for _, letter := range []string{"r", "x", "P", "R"} {
		drive(t, 120, 36, demo.Options{}, func(d *driver) {
			d.press("/echo<enter><enter>hello<enter>th" + letter)
			d.sees(letter + " came too soon after a text: press it again to ")
			if n := d.calls(); n != 1 {
				t.Errorf("%s: %d calls", letter, n)
			}
		})
	}
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("/echo<enter><enter>hello<enter>")
		d.press("r")
		if n := d.calls(); n != 2 {
			t.Errorf("after a pause: %d calls", n)
		}
	})
}

// What the server asks for has the focus when the user comes to it, however that is.
func TestFocus_TheRequestOfTheServer(t *testing.T) {
	for name, come := range map[string]func(d *driver){
		"number":  func(d *driver) { d.press("5") },
		"field":   func(d *driver) { d.press("2<enter><alt+5>") },
		"palette": func(d *driver) { d.press(":requests of the server: sampling<enter>") },
		"click": func(d *driver) {
			row := strings.Split(d.term.screen(), "\n")[1]
			before, _, _ := strings.Cut(row, "Requests")
			d.click(ansi.StringWidth(before), 1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			drive(t, 120, 36, demo.Options{}, func(d *driver) {
				c := d.call("ask-model", `{}`)
				come(d)
				d.press("Old pond<ctrl+s>")
				if got := d.said(c); !strings.Contains(got, "Old pond") {
					t.Errorf("the server understood %s", got)
				}
			})
		})
	}
	drive(t, 120, 36, demo.Options{}, func(d *driver) { // Requests is open while it arrives
		d.press("5")
		c := d.call("ask-model", `{}`)
		d.press("Old pond<ctrl+s>")
		if got := d.said(c); !strings.Contains(got, "Old pond") {
			t.Errorf("the server understood %s", got)
		}
	})
	drive(t, 120, 36, demo.Options{}, func(d *driver) { // it is not: the keys stay where they are
		d.press("52<enter>he")
		d.call("ask-model", `{}`)
		d.press("llo<enter>")
		if sent := d.lastSent(); !strings.Contains(sent, `"message":"hello"`) {
			t.Errorf("sent %s", sent)
		}
	})
}

// The response of the composer is a place that rests; the draft is one key away.
func TestFocus_RestsOnTheResponseOfTheComposer(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("1ctools/list<ctrl+s>")
		d.press("<enter>")
		d.sees("e edits the draft, ctrl+s sends it again, f4 shows the frame.")
		d.press("ex<ctrl+s>")
		d.sees("tools/listx")
		d.press("<esc>9")
		if got := d.model.Focused().Section(); got != "traffic" {
			t.Errorf("esc and 9 lead to the %s", got)
		}
	})
}

// A draft that was not sent is in the history when another one takes its place.
func TestComposer_KeepsTheDraft(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("1ctools/list<alt+2>")
		d.sees("c compose another, keep this one")
		d.press("c")
		d.sees("The previous draft is in the history: ctrl+r.", "draft")
		d.press("<ctrl+r>list<enter>")
		d.sees("› tools/list")
	})
}
