package sharing_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/record"
	"mcptea/record/store"
	"mcptea/session/sharing"
)

// sharingOn is a session of agents over an empty record, which ends with the test.
func sharingOn(t *testing.T) *sharing.Session {
	t.Helper()
	st, err := store.Create(store.Options{}, record.Header{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	return sharing.New(st)
}

func TestSharing_Ask_NoDecisionDeclines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sharingOn(t)
		start := time.Now()
		err := s.Ask(t.Context(), "agent", "drop", "{}")
		if err == nil || !strings.Contains(err.Error(), "has not agreed") || time.Since(start) != time.Minute {
			t.Errorf("%v after %s", err, time.Since(start))
		}
		if _, ok := s.Next(); ok {
			t.Error("the question is still asked")
		}
		ctx, stop := context.WithCancel(t.Context())
		stop()
		if err := s.Ask(ctx, "agent", "drop", "{}"); err == nil {
			t.Error("an agent that has ended gets an agreement")
		}
	})
}

// A call is made only if the user agrees: a declined one is an error for the agent.
func TestSharing_Ask_UserDecides(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sharingOn(t)
		for _, agreed := range []bool{true, false} {
			ended := make(chan error, 1)
			go func() { ended <- s.Ask(t.Context(), "agent", "drop", "{}") }()
			synctest.Wait()
			q, ok := s.Next()
			if !ok || q.Agent != "agent" || q.Tool != "drop" || q.Arguments != "{}" || time.Until(q.Deadline) != time.Minute {
				t.Fatalf("asked %+v, %v", q, ok)
			}
			s.Decide(q.ID, agreed)
			if err := <-ended; (err == nil) != agreed || !agreed && !strings.Contains(err.Error(), "the user has declined this call") {
				t.Errorf("agreed %v: %v", agreed, err)
			}
		}
	})
}
