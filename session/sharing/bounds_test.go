package sharing_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"mcptea/client/transport"
	"mcptea/session/question"
)

func TestSharing_Sent_Bound(t *testing.T) {
	s := sharingOn(t)
	for i := range 10_001 {
		s.Sent(&sentBy{at: transport.RefTo(int32(i), 0)})
	}
	if rows := s.Rows(); len(rows) != 10_000 || rows[10_000] {
		t.Errorf("of 10,001 requests %d are remembered", len(rows))
	}
}

// A request has its row when it was sent, also one that is sent later, and one that has ended
// without being sent has none.
func TestSharing_Sent_RowOnceItIsThere(t *testing.T) {
	s := sharingOn(t)
	held, never := &sentBy{running: true}, &sentBy{running: true}
	s.Sent(held)
	s.Sent(never)
	if rows := s.Rows(); len(rows) != 0 {
		t.Errorf("rows of requests that were not sent: %v", rows)
	}
	held.at, never.running = transport.RefTo(7, 0), false
	if rows := s.Rows(); len(rows) != 1 || !rows[7] {
		t.Errorf("rows %v, want 7", rows)
	}
}

// sentBy is a request of an agent.
type sentBy struct {
	at      transport.Ref
	running bool
}

func (r *sentBy) Ref() transport.Ref { return r.at }
func (r *sentBy) Running() bool      { return r.running }

// Agents that ask without end are refused instead of remembered.
func TestSharing_Ask_Bound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sharingOn(t)
		ctx, cancel := context.WithCancel(t.Context())
		for range 100 {
			go func() { _ = s.Ask(ctx, "agent", "drop", "{}") }()
		}
		synctest.Wait()
		if err := s.Ask(ctx, "agent", "drop", "{}"); !errors.Is(err, question.ErrFull) {
			t.Errorf("a further question: %v", err)
		}
		cancel()
		synctest.Wait()
		if _, ok := s.Next(); ok {
			t.Error("a question is left")
		}
	})
}
