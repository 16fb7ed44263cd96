package session

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/internal/test/sessiontest"
	"mcptea/session/requests"
)

// overScript runs a script on a session with a server that is a function: what it
// returns for a frame is written, line by line.
func overScript(t *testing.T, r revision.Revision, respond func(method, id string) string, script func(s *Session)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s, err := Open(Config{
			Target: client.Target{Argv: []string{"server"}}, Record: "off", Client: client.Config{Revision: r},
			Policies: requests.Policies{Elicitation: requests.Policy{Mode: requests.PolicyUser}},
			Dial:     sessiontest.Dial(sessiontest.Scripted(respond)),
		})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close(context.Background())
		if err := s.Connect(context.Background()); err != nil {
			t.Fatal(err)
		}
		script(s)
	})
}

// requiring refuses the first call until two pages have been visited.
func requiring(r revision.Revision) func(method, id string) string {
	calls := 0
	return func(method, id string) string {
		switch method {
		case "initialize":
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"%s","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`, id, r)
		case "server/discover":
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}}`, id)
		case "tools/call":
			if calls++; calls > 1 {
				return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","content":[]}}`, id)
			}
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32042,"message":"open","data":{"elicitations":[`+
				`{"mode":"url","elicitationId":"a","url":"https://pay.example/a","message":"Pay"},`+
				`{"mode":"url","elicitationId":"b","url":"https://pay.example/b","message":"Sign"}]}}}`, id) +
				"\n" + `{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"b"}}`
		}
		return ""
	}
}

func TestURLRequired_FillsTheInbox(t *testing.T) {
	overScript(t, revision.R20251125, requiring(revision.R20251125), func(s *Session) {
		call := s.Start("tools/call", []byte(`{"name":"pay","arguments":{"n":1}}`))
		<-call.Done()
		synctest.Wait()
		asks := s.Inbox().Requests()
		if len(asks) != 2 {
			t.Fatalf("inbox: %+v", asks)
		}
		for i, a := range asks {
			if !a.Required() || a.State != requests.Waiting || !a.Of.Same(call.ID) || a.About != "pay" || a.Row < 0 || !a.Deadline.IsZero() {
				t.Errorf("%d: %+v", i, a)
			}
		}
		if !asks[0].Completed.IsZero() || asks[1].Completed.IsZero() {
			t.Errorf("completed: %v, %v", asks[0].Completed, asks[1].Completed)
		}
		before := s.Store().Snapshot().Out
		next, err := s.Retry(asks[1].ID)
		if err != nil {
			t.Fatal(err)
		}
		<-next.Done()
		if answer, err := next.Outcome(); err != nil || answer.Err() != nil || string(next.Params) != string(call.Params) {
			t.Errorf("called again: %v, %v", err, answer.Err())
		}
		if n := s.Store().Snapshot().Out - before; n != 1 {
			t.Errorf("%d frames were sent", n)
		}
		for _, a := range s.Inbox().Requests() {
			if a.State != requests.Answered || a.By != "you" {
				t.Errorf("%+v", a)
			}
		}
		if _, err := s.Retry(asks[0].ID); err == nil {
			t.Error("it was called a third time")
		}
	})
}

func TestURLRequired_Declined(t *testing.T) {
	overScript(t, revision.R20251125, requiring(revision.R20251125), func(s *Session) {
		<-s.Start("tools/call", []byte(`{"name":"pay"}`)).Done()
		synctest.Wait()
		before := s.Store().Snapshot().Out
		if err := s.Inbox().Decline(s.Inbox().Requests()[0].ID); err != nil {
			t.Fatal(err)
		}
		if a := s.Inbox().Requests()[0]; a.State != requests.Declined {
			t.Errorf("%+v", a)
		}
		if n := s.Store().Snapshot().Out - before; n != 0 {
			t.Errorf("%d frames were sent, though nothing waits for them", n)
		}
	})
}

func TestURLRequired_OnlyIn20251125(t *testing.T) {
	for _, r := range []revision.Revision{revision.R20250618, revision.R20260728} {
		overScript(t, r, requiring(r), func(s *Session) {
			<-s.Start("tools/call", []byte(`{"name":"pay"}`)).Done()
			synctest.Wait()
			if asks := s.Inbox().Requests(); len(asks) > 0 {
				t.Errorf("%s: %+v", r, asks)
			}
		})
	}
}
