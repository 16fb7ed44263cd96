package sharing

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"mcptea/client/jsonrpc"
	"mcptea/session/question"
	"mcptea/session/record"
	"mcptea/session/record/store"
)

func TestSent_Bound(t *testing.T) {
	st, err := store.Create(store.Options{}, record.Header{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	s := New(st)
	for i := range 10_001 {
		s.Sent(jsonrpc.IDOf(fmt.Sprint(i)))
		if n := len(s.sent); n != min(i+1, 10_000) {
			t.Fatalf("after %d requests %d are remembered", i+1, n)
		}
	}
}

// Agents that ask without end are refused, in place of being remembered.
func TestAsk_Bound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, err := store.Create(store.Options{}, record.Header{})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = st.Close() }()
		s := New(st)
		ctx, cancel := context.WithCancel(t.Context())
		for range maxQuestions {
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
