// Package question holds pending questions to the user until the user answers, or until the answer would come
// too late.
//
// It must not depend on the subject of a question, or on how the user is asked.
//
// It also builds the text that the user consents to: it quotes the untrusted parts in full. A window and a
// terminal without windows show the same text.
package question

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

const (
	// Grace is the time after its display in which a question accepts no answer. It is for questions
	// that the user did not cause: a key that was meant for something else must not agree.
	Grace = 600 * time.Millisecond
	// MaxText bounds the text of an agreement that can be shown, in bytes.
	MaxText = 64 << 10
)

// Queue has questions, the oldest first. Its methods may be called from any goroutine.
type Queue[Q any] struct {
	changed func()
	most    int

	mu      sync.Mutex
	last    int
	waiting []waiting[Q] // waiting questions; at most most
}

type waiting[Q any] struct {
	id       int
	question Q
	decided  chan bool // gets one value
}

// ErrFull reports that a question was not asked because too many are waiting.
var ErrFull = errors.New("too many questions wait for the user")

// New returns a queue for a maximum number of questions. changed is called after a question has come or
// gone.
func New[Q any](most int, changed func()) *Queue[Q] {
	return &Queue[Q]{changed: changed, most: most}
}

// Ask waits until the user has decided a question, which gets its id, from 1. The error is [ErrFull], or the
// cause of the end of the context.
func (x *Queue[Q]) Ask(ctx context.Context, question func(id int) Q) (agreed bool, err error) {
	x.mu.Lock()
	if len(x.waiting) >= x.most {
		x.mu.Unlock()
		return false, ErrFull
	}
	x.last++
	id, decided := x.last, make(chan bool, 1)
	x.waiting = append(x.waiting, waiting[Q]{id, question(id), decided})
	x.mu.Unlock()
	x.changed()
	defer func() {
		x.mu.Lock()
		x.remove(id)
		x.mu.Unlock()
		x.changed()
	}()
	select {
	case agreed = <-decided:
		return agreed, nil
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}

// Decide decides a question. It has no effect on one that has ended.
func (x *Queue[Q]) Decide(id int, agreed bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if q := x.remove(id); q != nil {
		q.decided <- agreed
	}
}

// remove takes a question out and returns it; nil if it is not there.
func (x *Queue[Q]) remove(id int) *waiting[Q] {
	for i, q := range x.waiting {
		if q.id == id {
			x.waiting = slices.Delete(x.waiting, i, i+1)
			return &q
		}
	}
	return nil
}

// Next returns the oldest question without a decision.
func (x *Queue[Q]) Next() (q Q, ok bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.waiting) == 0 {
		return q, false
	}
	return x.waiting[0].question, true
}

// All returns the questions without a decision. The caller owns the slice.
func (x *Queue[Q]) All() (all []Q) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, q := range x.waiting {
		all = append(all, q.question)
	}
	return all
}
