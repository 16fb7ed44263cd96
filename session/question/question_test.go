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
func TestQueue(t *testing.T) {
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
