package session

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/demo"
	"mcptea/session/requests"
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
	p := requests.Policies{Sampling: requests.Policy{Mode: requests.PolicyUser}, Elicitation: requests.Policy{Mode: requests.PolicyUser}}
	runWith(t, demo.Options{}, p, func(s *Session) {
		model, user := ask(s, "ask-model"), ask(s, "ask-user")
		synctest.Wait()
		waiting := s.Inbox().Requests()
		if len(waiting) != 2 || waiting[0].State != requests.Waiting || waiting[0].Row < 0 {
			t.Fatalf("inbox: %+v", waiting)
		}
		for _, a := range waiting {
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
			if a.State == requests.Waiting || a.By != "you" {
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
		policy requests.Policy
		tool   string
		state  requests.State
		words  string
	}{
		{requests.Policy{Mode: requests.PolicyDecline}, "ask-user", requests.Declined, "decline"},
		{requests.Policy{Mode: requests.PolicyCancel}, "ask-user", requests.Cancelled, "cancel"},
		{requests.Policy{Mode: requests.PolicyDecline}, "ask-model", requests.Declined, "rejected"},
		{requests.Policy{Mode: requests.PolicyError}, "ask-model", requests.Refused, "rejected by the policy"},
		{requests.Policy{Mode: requests.PolicyResult, Result: []byte(`{"role":"assistant","content":{"type":"text","text":"canned"},"model":"m"}`)}, "ask-model", requests.Answered, "canned"},
	}
	for _, tt := range tests {
		runWith(t, demo.Options{}, requests.Policies{Sampling: tt.policy, Elicitation: tt.policy}, func(s *Session) {
			got := said(t, ask(s, tt.tool))
			a := s.Inbox().Requests()[0]
			if a.State != tt.state || a.By != "policy" || !strings.Contains(got, tt.words) {
				t.Errorf("%s by policy %d: %v by %s, %s", tt.tool, tt.policy.Mode, a.State, a.By, got)
			}
		})
	}
}

func TestInbox_RequestExpires(t *testing.T) {
	runWith(t, demo.Options{}, requests.Policies{Elicitation: requests.Policy{Mode: requests.PolicyUser}}, func(s *Session) {
		c := ask(s, "ask-user")
		synctest.Wait()
		time.Sleep(time.Until(s.Inbox().Requests()[0].Deadline) + time.Second)
		if a := s.Inbox().Requests()[0]; a.State != requests.Cancelled || a.By != "deadline" {
			t.Errorf("%v by %s", a.State, a.By)
		}
		<-c.Done()
	})
}

func TestInbox_CancelledCallWithdrawsRequest(t *testing.T) {
	runWith(t, demo.Options{}, requests.Policies{Elicitation: requests.Policy{Mode: requests.PolicyUser}}, func(s *Session) {
		c := ask(s, "ask-user")
		synctest.Wait()
		c.Cancel()
		<-c.Done()
		time.Sleep(time.Second)
		if a := s.Inbox().Requests()[0]; a.State != requests.Withdrawn {
			t.Errorf("%v", a.State)
		}
	})
}
