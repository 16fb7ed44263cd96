package session

import (
	"context"
	"testing"
	"testing/synctest"

	"mcptea/client/revision"
	"mcptea/demo"
	"mcptea/session/requests"
)

// Who waits for the linter right after the first response reads the finding about it: the linter
// has not begun by then, and nothing is behind.
func TestAwaitLint_BeforeTheLinterHasBegun(t *testing.T) {
	runIn(t, revision.R20251125, demo.Options{Fault: "wrong-id"}, requests.Policies{}, func(s *Session) {
		s.Start("tools/call", []byte(`{"name":"echo","arguments":{"message":"hi"}}`))
		if err := s.Until(context.Background(), func() bool { return s.Store().Snapshot().Rows >= 6 }); err != nil {
			t.Fatal(err)
		}
		if err := s.AwaitLint(context.Background()); err != nil {
			t.Fatal(err)
		}
		if !hasFinding(s, "J030") {
			t.Error("checked, without the finding about the response with a wrong id")
		}
	})
}

// Each response has its finding when the wait that follows it returns, whatever the linter does
// at that moment.
func TestAwaitLint_AfterEachResponse(t *testing.T) {
	runIn(t, revision.R20251125, demo.Options{Fault: "no-version"}, requests.Policies{}, func(s *Session) {
		count := 0
		for range 50 {
			<-s.Start("ping", nil).Done()
			if err := s.AwaitLint(context.Background()); err != nil {
				t.Fatal(err)
			}
			before := count
			for _, g := range s.Findings().Groups {
				if g.Rule.ID == "J004" {
					count = g.Count
				}
			}
			if count <= before {
				t.Fatalf("%d findings before the response and %d after it", before, count)
			}
		}
	})
}

// A session that is not linted, one that has ended and a caller that gives up get an error or an
// outcome, and never wait on.
func TestAwaitLint_Ends(t *testing.T) {
	runIn(t, revision.R20251125, demo.Options{Fault: "no-version"}, requests.Policies{}, func(s *Session) {
		given, cancel := context.WithCancelCause(context.Background())
		cancel(errLintEnded)
		own := s.linter
		s.linter = nil
		if err := s.AwaitLint(context.Background()); err == nil {
			t.Error("a session without a linter is checked")
		}
		s.linter = &linter{wake: make(chan struct{}, 1)}
		if err := s.AwaitLint(given); err == nil {
			t.Error("a wait that was given up is a success")
		}
		s.linter = own
		<-s.Start("ping", nil).Done()
		_ = s.Close(context.Background())
		synctest.Wait()
		if err := s.AwaitLint(context.Background()); err != nil {
			t.Errorf("all was checked before the end: %v", err)
		}
		if !hasFinding(s, "J004") {
			t.Error("the last frames were not checked")
		}
	})
}

func hasFinding(s *Session, rule string) bool {
	for _, g := range s.Findings().Groups {
		if g.Rule.ID == rule {
			return true
		}
	}
	return false
}
