package question_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"mcptea/session/question"
)

// Questions are decided in any order, each once; one whose context has ended is gone.
func TestQuestion_Queue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var changes atomic.Int64
		q := question.New[int](2, func() { changes.Add(1) })
		gone := errors.New("gone")
		ctx, end := context.WithCancelCause(t.Context())
		type answer struct {
			agreed bool
			err    error
		}
		answers := make([]answer, 2)
		for i, ctx := range []context.Context{t.Context(), ctx} {
			go func() { answers[i].agreed, answers[i].err = q.Ask(ctx, func(id int) int { return id }) }()
			synctest.Wait()
		}
		if all := q.All(); !slices.Equal(all, []int{1, 2}) {
			t.Errorf("%v wait", all)
		}
		if _, err := q.Ask(t.Context(), func(id int) int { return id }); !errors.Is(err, question.ErrFull) {
			t.Errorf("a third question: %v", err)
		}
		q.Decide(77, false) // no such question
		q.Decide(1, true)
		q.Decide(1, false)
		end(gone)
		synctest.Wait()
		if answers[0] != (answer{true, nil}) || answers[1] != (answer{false, gone}) {
			t.Errorf("%v", answers)
		}
		if next, ok := q.Next(); ok || changes.Load() != 4 {
			t.Errorf("%d waits still, after %d changes", next, changes.Load())
		}
	})
}

// The oldest question is next, and a question is in the queue until it has ended.
func TestQuestion_Queue_Order(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := question.New[string](10, func() {})
		ctx, cancel := context.WithCancel(t.Context())
		for _, name := range []string{"first", "second"} {
			go func() { _, _ = q.Ask(ctx, func(int) string { return name }) }()
			synctest.Wait()
		}
		if next, ok := q.Next(); next != "first" || !ok {
			t.Errorf("%q is next", next)
		}
		q.Decide(1, true)
		synctest.Wait()
		if next, ok := q.Next(); next != "second" || !ok {
			t.Errorf("%q is next after a decision", next)
		}
		cancel()
		synctest.Wait()
		if all := q.All(); len(all) != 0 {
			t.Errorf("%q wait after their context has ended", all)
		}
	})
}
