package session_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/question"
)

func TestSharing_Sent_Bound(t *testing.T) {
	st, s := sharingOn(t)
	for i := range 10_001 {
		s.Sent(jsonrpc.IDOf(fmt.Sprint(i)))
	}
	for i := range 10_001 {
		frame := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i)
		st.Append(transport.Frame{Bytes: frame, Envelope: jsonrpc.Scan(frame), Dir: transport.Out, Ending: "\n"})
	}
	if rows := s.Rows(); len(rows) != 10_000 || rows[10_000] {
		t.Errorf("of 10,001 requests %d are remembered", len(rows))
	}
}

// Agents that ask without end are refused, in place of being remembered.
func TestSharing_Ask_Bound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, s := sharingOn(t)
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
