package session

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/demo"
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

func TestNothingIsOfferedWithoutAPolicy(t *testing.T) {
	run(t, demo.Options{}, func(s *Session) {
		if caps := string(s.State().Handshake.ClientCaps); caps != `{"roots":{"listChanged":true}}` {
			t.Errorf("offered %s", caps)
		}
	})
}

func TestAPersonAnswers(t *testing.T) {
	p := Policies{Sampling: Policy{Mode: PolicyAsk}, Elicitation: Policy{Mode: PolicyAsk}}
	runWith(t, demo.Options{}, p, func(s *Session) {
		model, user := ask(s, "ask-model"), ask(s, "ask-user")
		synctest.Wait()
		inbox := s.Inbox()
		if len(inbox) != 2 || inbox[0].State != AskWaiting || inbox[0].Row < 0 {
			t.Fatalf("inbox: %+v", inbox)
		}
		for _, a := range inbox {
			var err error
			if a.Method == "sampling/createMessage" {
				err = s.Answer(a.ID, []byte(`{"role":"assistant","content":{"type":"text","text":"tea"},"model":"human"}`))
			} else {
				err = s.Decline(a.ID)
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
		for _, a := range s.Inbox() {
			if a.State == AskWaiting || a.By != "you" {
				t.Errorf("%s is %v by %q", a.Method, a.State, a.By)
			}
			if err := s.Answer(a.ID, []byte(`{}`)); err == nil {
				t.Error("a request is answered twice")
			}
		}
	})
}

func TestAPolicyAnswers(t *testing.T) {
	tests := []struct {
		policy Policy
		tool   string
		state  AskState
		words  string
	}{
		{Policy{Mode: PolicyDecline}, "ask-user", AskDeclined, "decline"},
		{Policy{Mode: PolicyCancel}, "ask-user", AskCancelled, "cancel"},
		{Policy{Mode: PolicyDecline}, "ask-model", AskDeclined, "rejected"},
		{Policy{Mode: PolicyError}, "ask-model", AskRefused, "rejected by the policy"},
		{Policy{Mode: PolicyAnswer, Result: []byte(`{"role":"assistant","content":{"type":"text","text":"canned"},"model":"m"}`)}, "ask-model", AskAnswered, "canned"},
	}
	for _, tt := range tests {
		runWith(t, demo.Options{}, Policies{Sampling: tt.policy, Elicitation: tt.policy}, func(s *Session) {
			got := said(t, ask(s, tt.tool))
			a := s.Inbox()[0]
			if a.State != tt.state || a.By != "policy" || !strings.Contains(got, tt.words) {
				t.Errorf("%s by policy %d: %v by %s, %s", tt.tool, tt.policy.Mode, a.State, a.By, got)
			}
		})
	}
}

func TestInbox_RequestExpires(t *testing.T) {
	runWith(t, demo.Options{}, Policies{Elicitation: Policy{Mode: PolicyAsk}}, func(s *Session) {
		s.cfg.Client.Timeout = time.Hour
		c := ask(s, "ask-user")
		time.Sleep(requestTimeout + time.Second)
		if a := s.Inbox()[0]; a.State != AskCancelled || a.By != "deadline" {
			t.Errorf("%v by %s", a.State, a.By)
		}
		<-c.Done()
	})
}

func TestACancelledCallTakesItsQuestionBack(t *testing.T) {
	runWith(t, demo.Options{}, Policies{Elicitation: Policy{Mode: PolicyAsk}}, func(s *Session) {
		c := ask(s, "ask-user")
		synctest.Wait()
		c.Cancel()
		<-c.Done()
		time.Sleep(time.Second)
		if a := s.Inbox()[0]; a.State != AskWithdrawn && a.State != AskWaiting {
			t.Errorf("%v", a.State)
		}
	})
}
