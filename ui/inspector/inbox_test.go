package inspector

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/demo"
	"mcptea/internal/test/raced"
	"mcptea/session/requests"
	"mcptea/session/session"
	"mcptea/session/state"
)

func (d *driver) call(tool, arguments string) *session.Call {
	c := d.session.Start("tools/call", []byte(`{"name":"`+tool+`","arguments":`+arguments+`}`))
	d.settle()
	return c
}

// said is the result of a call, which must have ended.
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

func TestInbox_Sampling(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		c := d.call("ask-model", `{}`)
		d.sees("The server asks you for a model's answer: 5 shows it", "waits for you", "5 Requests 1")
		if d.model.activeTab != 1 {
			t.Error("the focus was stolen")
		}
		d.press("5Assam, of course<ctrl+s>")
		if got := d.said(c); !strings.Contains(got, "mcptea/human says: Assam, of course") {
			t.Errorf("the server understood %s", got)
		}
		d.sees("5 returns to the requests")
		d.press("5")
		d.sees("responded by you", `response   {"role":"assistant"`, `"text":"Ass`)
		d.lacks("waits for you")
		d.lacks("Requests 1")
	})
}

func TestInbox_EmptyResponseTakesTwoSends(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		c := d.call("ask-model", `{}`)
		d.press("5<ctrl+s>")
		d.sees("The response is empty. ctrl+s again sends it.")
		d.press("<ctrl+s>")
		if got := d.said(c); !strings.Contains(got, "mcptea/human says: ") {
			t.Errorf("the server understood %s", got)
		}
	})
}

func TestInbox_NextResponseIsEdited(t *testing.T) {
	drive(t, 80, 24, demo.Options{}, func(d *driver) {
		first, second := d.call("ask-model", `{}`), d.call("ask-model", `{}`)
		d.press("5green<ctrl+s>black<ctrl+s>")
		if got := d.said(first); !strings.Contains(got, "mcptea/human says: green") {
			t.Errorf("the first call: %s", got)
		}
		if got := d.said(second); !strings.Contains(got, "mcptea/human says: black") {
			t.Errorf("the second call: %s", got)
		}
	})
}

func TestInbox_ResponseLeadsToTheCall(t *testing.T) {
	for _, r := range []revision.Revision{revision.R20251125, revision.R20260728} {
		driveIn(t, r, 80, 24, demo.Options{}, func(d *driver) {
			d.call("ask-model", `{}`)
			d.press("5green<ctrl+s>")
			d.sees("Responded. 5 returns to the requests.")
			if got := d.model.tabs[d.model.activeTab].ID; got != tabTools {
				t.Errorf("%s: the response leads to %s", r, got)
			}
		})
	}
}

// A response to a call that was sent again from the traffic leads to that call, too.
func TestInbox_ResponseLeadsToTheCallOfTheTraffic(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("2/ask-user<enter><enter><enter>5<ctrl+s><ctrl+s>")
		d.sees("call id 10 ok")
		d.press("<esc><esc>9<end>r")
		d.press("5<ctrl+s><ctrl+s>")
		d.sees("call id 11 ok")
		if got := d.model.tabs[d.model.activeTab].ID; got != tabTools {
			t.Errorf("the response leads to %s", got)
		}
	})
}

func TestInbox_Form(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		c := d.call("ask-user", `{}`)
		d.press("5<ctrl+s>")
		d.sees("required", "are empty. ctrl+s again")
		d.press("<right><tab>2")
		d.sees("What may I bring you?", "‹ green", "2                 How many", "ctrl+s accept", "call 10 waits for this")
		d.press("<ctrl+s>")
		if got := d.said(c); !strings.Contains(got, `you filled in: {\"tea\":\"green\",\"cups\":2,\"milk\":false}`) {
			t.Errorf("the server understood %s", got)
		}
		d.press("5")
		d.sees("accepted by you")
	})
}

func TestInbox_Page(t *testing.T) {
	drive(t, 80, 24, demo.Options{}, func(d *driver) {
		c := d.call("ask-user", `{"form":"url"}`)
		d.press("5")
		d.sees("https://example.com/tea?order=7", "accept (opens nothing)", "mcptea cancels in 4:")
		if strings.Contains(d.footer(), "enter edit") {
			t.Errorf("nothing is opened, and the last row offers it: %s", d.footer())
		}
		d.press("<enter>")
		d.sees("ctrl+s accepts. mcptea opens nothing.")
		d.press("x<enter>")
		if got := d.said(c); !strings.Contains(got, "you said: decline") {
			t.Errorf("the server understood %s", got)
		}
		d.press("5")
		d.sees("declined by you")
	})
}

func TestInbox_PolicyIsChosenOnTheScreen(t *testing.T) {
	drive(t, 100, 30, demo.Options{}, func(d *driver) {
		d.press("5,")
		d.sees("Who responds to the server", "sampling     ● ask", "elicitation  ● ask", "roots        ● accept")
		d.press("<down><down><down><down><down><enter>")
		d.sees("● accept")
		d.press("<esc>")
		d.sees("elicitation  accept")
		c := d.call("ask-user", `{}`)
		if got := d.said(c); !strings.Contains(got, `you filled in: {\"tea\":`) {
			t.Errorf("the server understood %s", got)
		}
		d.sees("accepted by policy")
	})
}

func TestInbox_SavedResponse(t *testing.T) {
	drive(t, 100, 30, demo.Options{}, func(d *driver) {
		d.model.responses.File = state.NewResponses(filepath.Join(t.TempDir(), "responses.jsonl"))
		d.call("ask-model", `{}`)
		d.press("5Assam, of course<alt+w>")
		d.sees("Save the response")
		d.press("short<enter>")
		d.sees("Saved as short.")
		d.press("<ctrl+s>")
		c := d.call("ask-model", `{}`)
		d.press("5<ctrl+r>")
		d.sees("Saved responses", "short", `Assam, of course`)
		d.press("<enter>")
		d.sees("response as the model", "Assam, of course")
		d.press("<ctrl+s>")
		if got := d.said(c); !strings.Contains(got, "Assam, of course") {
			t.Errorf("the server understood %s", got)
		}
		d.press("5,")
		d.sees("saved", "short")
		d.press("<down><down><enter><esc>")
		if got := d.said(d.call("ask-model", `{}`)); !strings.Contains(got, "Assam, of course") {
			t.Errorf("by policy: %s", got)
		}
	})
}

func TestInbox_DraftIsKept(t *testing.T) {
	drive(t, 100, 30, demo.Options{}, func(d *driver) {
		d.call("ask-model", `{}`)
		d.call("ask-model", `{}`)
		d.press("5green tea<shift+tab><down><up>")
		d.press("2<down>5")
		d.sees("green tea")
	})
}

func TestInbox_RootsAreAsked(t *testing.T) {
	drive(t, 100, 30, demo.Options{}, func(d *driver) {
		d.session.Inbox().SetPolicy(client.MethodRoots, requests.Policy{Mode: requests.PolicyUser})
		c := d.call("list-roots", `{}`)
		d.press("5")
		d.sees("roots/list", "The server requests the roots.", `"roots": []`)
		d.press("<ctrl+s>")
		if got := d.said(c); !strings.Contains(got, "root") {
			t.Errorf("the server understood %s", got)
		}
	})
}

func TestInbox_TimedOut(t *testing.T) {
	raced.Never(t, "minutes of fake time, each second of which is drawn")
	drive(t, 80, 24, demo.Options{}, func(d *driver) {
		d.call("ask-user", `{"form":"confirm"}`)
		d.press("5")
		d.sleep(4*time.Minute + 30*time.Second)
		d.sees("mcptea cancels in 0:1")
		d.sleep(time.Minute)
		d.sees("cancelled: timed out")
	})
}

func TestInbox_NotAnnouncedWhileTyping(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("<enter>hel")
		d.call("ask-model", `{}`)
		d.lacks("shows it: ")
		d.lacks("waits for you:")
		d.press("lo")
		d.sees("hello", "5 Requests 1")
		d.press("<alt+o>") // the focus is not on text any more
		d.call("ask-user", `{}`)
		d.sees("The server asks you for input: alt+5 shows it")
		d.press("<esc>5")
		d.sees("2 pending")
	})
}

func TestInbox_ResponseTooLate(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.call("ask-model", `{}`)
		d.press("5Assam")
		_ = d.session.Inbox().Decline(d.session.Inbox().Requests()[0].ID)
		d.program.Send(pressKey("ctrl+s"))
		d.settle()
		d.sees("no longer waits")
	})
}

// A response that needs no text of the user takes fewer than five keys, for
// requests of the server and for input requests in results.
func TestInbox_DefaultResponsesTakeFewKeys(t *testing.T) {
	for _, r := range []revision.Revision{revision.R20251125, revision.R20260728} {
		for _, tt := range []struct{ name, tool, arguments, keys, says string }{
			{"sampling", "ask-model", `{}`, "5<ctrl+s><ctrl+s>", "mcptea/human says"},
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
		d.sees("5 Requests 1")
		d.press("5")
		d.sees("https://example.com/tea", "host", "example.com", "mcptea does not open it", "ctrl+s call again", "call id 10 failed with -32042: page required", "completed at ")
		d.lacks("mcptea cancels in")
		d.press("<ctrl+s>")
		d.sees("Sent again as request ", "2 shows it", "called again by you")
		d.lacks("Requests 1")
		d.press("2")
		d.frames()
		d.sees("thank you")
	})
}

// A call whose server waits for the user says so, before the stateless era too.
func TestInbox_TheCallNamesIt(t *testing.T) {
	for _, r := range []revision.Revision{revision.R20251125, revision.R20260728} {
		driveIn(t, r, 120, 36, demo.Options{}, func(d *driver) {
			d.press("/ask-model<enter><enter><enter>")
			d.sees("input required: 5 respond")
		})
	}
}

// After the response the focus is on the result: keys typed ahead neither go into the
// form nor call the tool again.
func TestInbox_FocusOnTheResultAfterwards(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.within(func() { d.model.ShowFrame(0) })
		d.press("2/ask-model<enter><enter><ctrl+s>")
		before := strings.Count(d.allSent(), `"method":"tools/call"`)
		if before != 1 {
			t.Fatalf("%d calls:\n%s", before, d.term.screen())
		}
		d.press("<alt+5><ctrl+s><ctrl+s>")
		d.sees("returns to the requests")
		if d.model.Painted.Field() != nil {
			t.Errorf("the focus is in a text field:\n%s", d.term.screen())
		}
		d.press("<enter><enter>")
		if n := strings.Count(d.allSent(), `"method":"tools/call"`); n != before {
			t.Errorf("%d calls after keys that were typed ahead", n)
		}
	})
}
