package session

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/demo"
	"mcptea/session/inbox"
)

func ask(s *Session, tool string) *Call {
	return s.Start("tools/call", []byte(`{"name":"`+tool+`","arguments":{}}`))
}

// said is the answer of a call as text.
func said(t *testing.T, c *Call) string {
	t.Helper()
	<-c.Done()
	a, err := c.Outcome()
	if err != nil {
		t.Fatal(err)
	}
	return string(a.Result())
}

func TestInbox_NothingOfferedWithoutPolicy(t *testing.T) {
	run(t, demo.Options{}, func(s *Session) {
		if caps := string(s.State().Handshake.ClientCaps); caps != `{"roots":{"listChanged":true}}` {
			t.Errorf("offered %s", caps)
		}
	})
}

func TestInbox_UserResponds(t *testing.T) {
	p := inbox.Policies{Sampling: inbox.Policy{Mode: inbox.PolicyUser}, Elicitation: inbox.Policy{Mode: inbox.PolicyUser}}
	runWith(t, demo.Options{}, p, func(s *Session) {
		model, user := ask(s, "ask-model"), ask(s, "ask-user")
		synctest.Wait()
		requests := s.Inbox().Requests()
		if len(requests) != 2 || requests[0].State != inbox.Waiting || requests[0].Row < 0 {
			t.Fatalf("inbox: %+v", requests)
		}
		for _, a := range requests {
			var err error
			if a.Method == "sampling/createMessage" {
				err = s.Inbox().Respond(a.ID, []byte(`{"role":"assistant","content":{"type":"text","text":"tea"},"model":"human"}`))
			} else {
				err = s.Inbox().Decline(a.ID)
			}
			if err != nil {
				t.Error(err)
			}
		}
		if got := said(t, model); !strings.Contains(got, "tea") {
			t.Errorf("the model's answer: %s", got)
		}
		if got := said(t, user); !strings.Contains(got, "decline") {
			t.Errorf("the user's answer: %s", got)
		}
		for _, a := range s.Inbox().Requests() {
			if a.State == inbox.Waiting || a.By != "you" {
				t.Errorf("%s is %v by %q", a.Method, a.State, a.By)
			}
			if err := s.Inbox().Respond(a.ID, []byte(`{}`)); err == nil {
				t.Error("a request is answered twice")
			}
		}
	})
}

func TestInbox_PolicyResponds(t *testing.T) {
	tests := []struct {
		policy inbox.Policy
		tool   string
		state  inbox.State
		words  string
	}{
		{inbox.Policy{Mode: inbox.PolicyDecline}, "ask-user", inbox.Declined, "decline"},
		{inbox.Policy{Mode: inbox.PolicyCancel}, "ask-user", inbox.Cancelled, "cancel"},
		{inbox.Policy{Mode: inbox.PolicyDecline}, "ask-model", inbox.Declined, "rejected"},
		{inbox.Policy{Mode: inbox.PolicyError}, "ask-model", inbox.Refused, "rejected by the policy"},
		{inbox.Policy{Mode: inbox.PolicyResult, Result: []byte(`{"role":"assistant","content":{"type":"text","text":"canned"},"model":"m"}`)}, "ask-model", inbox.Answered, "canned"},
	}
	for _, tt := range tests {
		runWith(t, demo.Options{}, inbox.Policies{Sampling: tt.policy, Elicitation: tt.policy}, func(s *Session) {
			got := said(t, ask(s, tt.tool))
			a := s.Inbox().Requests()[0]
			if a.State != tt.state || a.By != "policy" || !strings.Contains(got, tt.words) {
				t.Errorf("%s by policy %d: %v by %s, %s", tt.tool, tt.policy.Mode, a.State, a.By, got)
			}
		})
	}
}

func TestInbox_RequestExpires(t *testing.T) {
	runWith(t, demo.Options{}, inbox.Policies{Elicitation: inbox.Policy{Mode: inbox.PolicyUser}}, func(s *Session) {
		c := ask(s, "ask-user")
		synctest.Wait()
		time.Sleep(time.Until(s.Inbox().Requests()[0].Deadline) + time.Second)
		if a := s.Inbox().Requests()[0]; a.State != inbox.Cancelled || a.By != "deadline" {
			t.Errorf("%v by %s", a.State, a.By)
		}
		<-c.Done()
	})
}

func TestInbox_CancelledCallWithdrawsRequest(t *testing.T) {
	runWith(t, demo.Options{}, inbox.Policies{Elicitation: inbox.Policy{Mode: inbox.PolicyUser}}, func(s *Session) {
		c := ask(s, "ask-user")
		synctest.Wait()
		c.Cancel()
		<-c.Done()
		time.Sleep(time.Second)
		if a := s.Inbox().Requests()[0]; a.State != inbox.Withdrawn {
			t.Errorf("%v", a.State)
		}
	})
}
