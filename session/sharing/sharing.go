// Package sharing holds the state that an inspector shares with the coding agents on its session: calls that
// wait for the user's consent, and requests that agents have sent.
//
// It depends on the record. It must not depend on how agents are connected, or on how the user is asked.
package sharing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
	"mcptea/record/store"
	"mcptea/session/question"
)

// Question is a call of an agent that may change something.
type Question struct {
	ID int // number, from 1
	// Agent is the agent's name for itself. Tool and Arguments describe the call. All of them are
	// untrusted text.
	Agent, Tool, Arguments string
	Deadline               time.Time
}

// timeout bounds the time for the user to decide.
const timeout = 60 * time.Second

// Request is one that an agent has sent.
type Request interface {
	Ref() transport.Ref // place in the record, or the zero Ref before it is there
	Running() bool
}

// Session is one that agents share. Its methods may be called from any goroutine.
type Session struct {
	store     *store.Store
	questions *question.Queue[Question]

	mu     sync.Mutex
	agents int       // number of connected agents
	sent   []Request // requests whose rows are not known yet
	rows   map[int32]bool
}

// New returns the sharing of a session with a record.
func New(s *store.Store) *Session {
	return &Session{store: s, questions: question.New[Question](maxQuestions, s.Notify), rows: map[int32]bool{}}
}

// maxQuestions bounds the questions of agents that wait for the user, who decides one after the other. Further
// ones are refused.
const maxQuestions = 100

// Connected counts an agent, and returns the function that removes it from the count.
func (s *Session) Connected() (ended func()) {
	s.count(1)
	return sync.OnceFunc(func() { s.count(-1) })
}

func (s *Session) count(by int) {
	s.mu.Lock()
	s.agents += by
	s.mu.Unlock()
	s.store.Notify()
}

// Agents returns the number of connected agents.
func (s *Session) Agents() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.agents
}

// errDeclined is the error that an agent gets for a call that the user has declined.
var errDeclined = errors.New("the user has declined this call in the inspector")

// Ask waits until the user has decided about a call. The error is for the agent; it is
// nil when the user agrees.
func (s *Session) Ask(ctx context.Context, agent, tool, arguments string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("the user has not agreed to this call within %s", phrase.Duration(timeout)))
	defer cancel()
	deadline, _ := ctx.Deadline()
	agreed, err := s.questions.Ask(ctx, func(id int) Question {
		return Question{ID: id, Agent: agent, Tool: tool, Arguments: arguments, Deadline: deadline}
	})
	if err == nil && !agreed {
		err = errDeclined
	}
	return err
}

// Next returns the oldest question without a decision.
func (s *Session) Next() (Question, bool) { return s.questions.Next() }

// Decide decides about a question. It has no effect on one that has ended.
func (s *Session) Decide(id int, agreed bool) { s.questions.Decide(id, agreed) }

// maxRows bounds the requests that are remembered.
const maxRows = 10_000

// Sent records a request that an agent has sent.
func (s *Session) Sent(r Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.sent)+len(s.rows) < maxRows {
		s.sent = append(s.sent, r)
	}
	s.store.Notify()
}

// Rows returns the rows of the requests that agents have sent. The map is not changed
// later.
func (s *Session) Rows() map[int32]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.sent) == 0 {
		return s.rows
	}
	rows := make(map[int32]bool, len(s.rows)+len(s.sent))
	for row := range s.rows {
		rows[row] = true
	}
	s.sent = slices.DeleteFunc(s.sent, func(r Request) bool {
		ended := !r.Running() // read before its reference: a request that ended without one gets none later
		at := r.Ref()
		if at.Present() {
			rows[at.Row()] = true
		}
		return ended || at.Present()
	})
	s.rows = rows
	return rows
}
