package apps

import (
	"context"
	"fmt"
	"slices"
	"time"

	"mcptea/client/transport"
)

// QuestionKind is what the user is asked about.
type QuestionKind string

// The kinds of questions.
const (
	AskCall QuestionKind = "call" // of a tool that is not read-only
	AskLink QuestionKind = "link"
	AskFile QuestionKind = "file"
)

// Question is something that an app may do only if the user agrees. Its texts are untrusted.
type Question struct {
	ID        int // from 1
	Kind      QuestionKind
	Tool      string // with AskCall
	Arguments string // with AskCall, raw JSON
	URL       string // with AskLink
	Name      string // with AskFile: of the file
	Size      int    // with AskFile, in bytes
	Deadline  time.Time
}

type question struct {
	Question
	decided chan bool // gets one value
}

// askTimeout is how long the user has to decide.
const askTimeout = 60 * time.Second

// maxQuestions bounds the questions that wait for the user.
const maxQuestions = 10

// ask waits until the user has decided. The error is for the app; it is nil when the user
// agrees.
func (a *App) ask(ctx context.Context, what Question) error {
	if a.o.Unattended {
		return refused("mcptea cannot ask the user about this %s", what.Kind)
	}
	ctx, stop := context.WithTimeoutCause(ctx, askTimeout, fmt.Errorf("the user has not agreed to this %s within %s", what.Kind, transport.FormatDuration(askTimeout)))
	defer stop()
	what.Deadline, _ = ctx.Deadline()
	q := &question{what, make(chan bool, 1)}
	a.mu.Lock()
	full := len(a.waiting) >= maxQuestions
	if !full {
		a.lastAsk++
		q.ID = a.lastAsk
		a.waiting = append(a.waiting, q)
	}
	a.mu.Unlock()
	if full {
		return refused("%d questions wait for the user already", maxQuestions)
	}
	a.show()
	a.notify()
	defer func() {
		a.mu.Lock()
		a.waiting = slices.DeleteFunc(a.waiting, func(other *question) bool { return other == q })
		a.mu.Unlock()
		a.show()
		a.notify()
	}()
	select {
	case agreed := <-q.decided:
		if !agreed {
			return refused("the user has declined this %s", what.Kind)
		}
		return nil
	case <-ctx.Done():
		return refused("%v", context.Cause(ctx))
	}
}

// Allow agrees to what a question is about. It has no effect on one that has ended.
func (a *App) Allow(id int) { a.decide(id, true) }

// Refuse declines what a question is about. It has no effect on one that has ended.
func (a *App) Refuse(id int) { a.decide(id, false) }

func (a *App) decide(id int, agreed bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, q := range a.waiting {
		if q.ID == id {
			q.decided <- agreed
			a.waiting = slices.Delete(a.waiting, i, i+1)
			return
		}
	}
}
