package ui

import (
	"strings"
	"testing"
	"time"

	"mcptea/client/revision"
	"mcptea/demo"
	"mcptea/session"
)

func (d *driver) call(tool, arguments string) *session.Call {
	c := d.session.Start("tools/call", []byte(`{"name":"`+tool+`","arguments":`+arguments+`}`))
	d.settle()
	return c
}

// said is what a call gave, which must be over.
func (d *driver) said(c *session.Call) string {
	d.t.Helper()
	select {
	case <-c.Done():
	default:
		d.t.Fatalf("the call still waits:\n%s", d.term.screen())
	}
	answer, err := c.Outcome()
	if err != nil {
		d.t.Fatal(err)
	}
	return string(answer.Result())
}

func TestAServerAsksForAModel(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		c := d.call("ask-model", `{}`)
		d.sees("sampling/createMessage requires you: 5 opens it", "sampling/createMessage waits for you", "5 Inbox 1")
		if d.model.activeTab != 1 {
			t.Error("the focus was stolen")
		}
		d.press("5<enter>Assam, of course<ctrl+s>")
		if got := d.said(c); !strings.Contains(got, "mcptea/human says: Assam, of course") {
			t.Errorf("the server understood %s", got)
		}
		d.sees("answered by you", `answer    {"role":"assistant"`, "Assam, of co")
		d.lacks("waits for you")
		d.lacks("Inbox 1")
	})
}

func TestTheDefaultAnswerTakesTwoKeys(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		c := d.call("ask-model", `{}`)
		d.press("5<ctrl+s>")
		if got := d.said(c); !strings.Contains(got, "mcptea/human says: ") {
			t.Errorf("the server understood %s", got)
		}
	})
}

func TestAServerAsksForAForm(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		c := d.call("ask-user", `{}`)
		d.press("5<ctrl+s>")
		d.sees("required", "ctrl+s again sends it all the same")
		d.press("<right><tab>2")
		d.sees("What may I bring you?", "‹ green", "2                 How many", "ctrl+s accept", "call 10 waits too")
		d.press("<enter>")
		if got := d.said(c); !strings.Contains(got, `you filled in: {\"tea\":\"green\",\"cups\":2,\"milk\":false}`) {
			t.Errorf("the server understood %s", got)
		}
		d.sees("accepted by you")
	})
}

func TestAServerAsksForAPage(t *testing.T) {
	drive(t, 80, 24, demo.Options{}, func(d *driver) {
		c := d.call("ask-user", `{"form":"url"}`)
		d.press("5")
		d.sees("https://example.com/tea?order=7", "agree to open it", "by itself in 4:")
		d.press("<alt+n>")
		if got := d.said(c); !strings.Contains(got, "you said: decline") {
			t.Errorf("the server understood %s", got)
		}
		d.sees("declined by you")
	})
}

func TestNobodyAnswers(t *testing.T) {
	drive(t, 80, 24, demo.Options{}, func(d *driver) {
		d.call("ask-user", `{"form":"confirm"}`)
		d.press("5")
		d.sleep(4*time.Minute + 30*time.Second)
		d.sees("by itself in 0:1")
		d.sleep(time.Minute)
		d.sees("cancelled:")
	})
}

func TestWhoIsTypingIsLeftAlone(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("<enter>hel")
		d.call("ask-model", `{}`)
		d.lacks("opens it: ")
		d.lacks("waits for you:")
		d.press("lo")
		d.sees("hello", "5 Inbox 1")
		d.press("<alt+o>") // no text is being typed
		d.call("ask-user", `{}`)
		d.sees("elicitation/create requires you: alt+5 opens it")
		d.press("<esc>5")
		d.sees("2 wait")
	})
}

func TestAnAnswerThatComesTooLateIsSaid(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.call("ask-model", `{}`)
		d.press("5<enter>Assam")
		_ = d.session.Inbox().Decline(d.session.Inbox().Requests()[0].ID)
		d.program.Send(pressKey("ctrl+s"))
		d.settle()
		d.sees("no longer waits")
	})
}

// Whatever a server asks for, in a request or in a result: what there is to
// answer without a word of one's own takes fewer than five keys.
func TestDefaultAnswersTakeFewerThanFiveKeys(t *testing.T) {
	for _, r := range []revision.Revision{revision.R20251125, revision.R20260728} {
		for _, tt := range []struct{ name, tool, arguments, keys, says string }{
			{"sampling", "ask-model", `{}`, "5<ctrl+s>", "mcptea/human says"},
			{"a form", "ask-user", `{"form":"confirm"}`, "5<enter><right><ctrl+s>", ""},
			{"a page", "ask-user", `{"form":"url"}`, "5<ctrl+s>", "accept"},
			{"roots", "list-roots", `{}`, "", "root"},
		} {
			t.Run(string(r)+" "+tt.name, func(t *testing.T) {
				driveIn(t, r, 120, 36, demo.Options{}, func(d *driver) {
					c := d.call(tt.tool, tt.arguments)
					d.press(tt.keys)
					if got := d.said(c); !strings.Contains(strings.ToLower(got), tt.says) {
						t.Errorf("the server understood %s", got)
					}
				})
			})
		}
	}
}

// The error -32042 names a page, and the call is sent again once the user has
// been there (2025-11-25).
func TestInbox_PageRequiredByAnError(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		c := d.call("ask-user", `{"form":"url-first"}`)
		if answer, err := c.Outcome(); err != nil || answer.Err() == nil {
			t.Fatalf("the call ended with %v", err)
		}
		d.sees("5 Inbox 1")
		d.press("5")
		d.sees("https://example.com/tea", "host", "example.com", "Nothing is opened from here", "ctrl+s call again", "was refused until then (-32042)", "completed at ")
		d.lacks("by itself in")
		d.press("<ctrl+s>")
		d.sees("Sent again as request ", "2 shows it", "called again by you")
		d.lacks("Inbox 1")
		d.press("2")
		d.sees("thank you for opening the page")
	})
}
