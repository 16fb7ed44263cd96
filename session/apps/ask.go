package apps

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"mcptea/client"
	"mcptea/internal/words/phrase"
	"mcptea/session/question"
)

// A QuestionKind is the subject of a question to the user.
type QuestionKind string

// The kinds of questions.
const (
	AskCall QuestionKind = "call" // call of a tool that is not read-only
	AskLink QuestionKind = "link"
	AskFile QuestionKind = "file"
)

// Question is something that an app may do only if the user agrees. Its texts are untrusted.
type Question struct {
	ID       int // 1-based
	Kind     QuestionKind
	Call     client.Proposal // set for AskCall
	URL      string          // set for AskLink
	Name     string          // set for AskFile: name of the file
	Size     int             // set for AskFile: bytes
	Deadline time.Time
}

// askTimeout bounds the time for the user to decide.
const askTimeout = 60 * time.Second

// maxQuestions bounds the questions that wait for the user.
const maxQuestions = 10

// ask waits until the user has decided. The error is for the app; it is nil when the user
// agrees.
func (a *App) ask(ctx context.Context, what Question) error {
	if a.o.Unattended {
		if tool := what.Call.Calls; what.Kind == AskCall && !a.o.Bare {
			a.update(func(st *State) {
				if !slices.Contains(st.Refused, tool) {
					st.Refused = append(slices.Clone(st.Refused), tool)
				}
			})
		}
		return refused("mcptea cannot ask the user about this %s", what.Kind)
	}
	ctx, stop := context.WithTimeoutCause(ctx, askTimeout, fmt.Errorf("the user has not agreed to this %s within %s", what.Kind, phrase.Duration(askTimeout)))
	defer stop()
	what.Deadline, _ = ctx.Deadline()
	agreed, err := a.questions.Ask(ctx, func(id int) Question {
		what.ID = id
		return what
	})
	switch {
	case errors.Is(err, question.ErrFull):
		return refused("%d questions wait for the user already", maxQuestions)
	case err != nil:
		return refused("%v", err)
	case !agreed:
		return refused("the user has declined this %s", what.Kind)
	}
	return nil
}

// Decide sets the user's decision about a question. It has no effect if the question has ended.
func (a *App) Decide(id int, agreed bool) { a.questions.Decide(id, agreed) }
