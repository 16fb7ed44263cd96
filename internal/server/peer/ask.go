package peer

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"
)

// Question is a request for input from the client during a call.
type Question struct {
	// Key names it among the questions of a call.
	Key string
	// Needs is the capability that the client must have for it.
	Needs  string
	Method string
	Params any
}

// AskAll asks the client and returns the answers by key. In a session, it sends requests, and returns a refusal
// as *[Error]. For a stateless request, it returns an error that the caller must return: the request then has
// the questions as its result, and the tool starts again when the client repeats it with the answers. The tool
// must then ask the same questions to get them.
func (c *Call) AskAll(ctx context.Context, questions ...Question) (map[string]json.RawMessage, error) {
	var lacking []string
	for _, q := range questions {
		if q.Needs != "" && !c.ClientHas(q.Needs) {
			lacking = append(lacking, q.Needs)
		}
	}
	if len(lacking) > 0 && c.terms.modern {
		return nil, c.Lacks(lacking...)
	}
	switch {
	case c.task != nil:
		return c.task.ask(ctx, questions)
	case c.terms.modern:
		return c.rounds.ask(questions)
	}
	answers := map[string]json.RawMessage{}
	for _, q := range questions {
		raw, err := c.session.ask(ctx, c.reply, q.Method, encodeData(q.Params))
		if err != nil {
			return nil, err
		}
		answers[q.Key] = raw
	}
	return answers, nil
}

// Pause makes the client repeat the request once, with only the state of the call. The tool then starts again,
// and the pause is over. It has no effect in a session.
func (c *Call) Pause(key string) error {
	if !c.terms.modern || c.task != nil || c.rounds.state.Passed[key] {
		return nil
	}
	if c.rounds.state.Passed == nil {
		c.rounds.state.Passed = map[string]bool{}
	}
	c.rounds.state.Passed[key] = true
	c.rounds.paused = true
	return errInputRequired
}

// errInputRequired ends a request that cannot be answered yet.
var errInputRequired = errors.New("the client has to be asked first")

// rounds is the progress of a request that the client sends repeatedly, each time with more answers.
type rounds struct {
	state  state
	fresh  map[string]json.RawMessage // the answers of this round
	used   map[string]json.RawMessage // answers that were requested
	wanted []Question
	paused bool
}

// state is kept from round to round, under a token that the client returns.
type state struct {
	Answers map[string]json.RawMessage
	Passed  map[string]bool
}

// states holds the states of a server. The zero value is empty.
type states struct {
	mu  sync.Mutex
	all []kept // oldest first
}

type kept struct {
	token, purpose string
	state          state
	until          time.Time
}

const (
	stateLife = 10 * time.Minute // time within which a client must repeat the request
	maxStates = 1000             // maximum number; the oldest is dropped first
)

func (s *states) add(purpose string, st state) (token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := kept{rand.Text(), purpose, st, time.Now().Add(stateLife)}
	s.all = append(s.all[max(0, len(s.all)+1-maxStates):], k)
	return k.token
}

// find returns the state of a token for the same purpose, or describes the problem of the token.
func (s *states) find(token, purpose string) (st state, wrong string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.all, func(k kept) bool { return k.token == token && k.purpose == purpose })
	switch {
	case i < 0:
		return state{}, "was not made here, or was changed on the way"
	case time.Now().After(s.all[i].until):
		return state{}, "is too old"
	}
	return state{maps.Clone(s.all[i].state.Answers), maps.Clone(s.all[i].state.Passed)}, ""
}

func (r *rounds) ask(questions []Question) (map[string]json.RawMessage, error) {
	if r.used == nil {
		r.used = map[string]json.RawMessage{}
	}
	answers := map[string]json.RawMessage{}
	for _, q := range questions {
		raw, ok := r.fresh[q.Key]
		if !ok {
			raw, ok = r.state.Answers[q.Key]
		}
		if !ok {
			r.wanted = append(r.wanted, q)
			continue
		}
		answers[q.Key], r.used[q.Key] = raw, raw
	}
	if len(r.wanted) > 0 {
		return nil, errInputRequired
	}
	return answers, nil
}

// resume reads the state that the client returns from earlier rounds. The client may have changed it.
func (c *Call) resume() error {
	if !c.terms.modern {
		return nil
	}
	responses, err := c.responses()
	if err != nil {
		return err
	}
	c.rounds.fresh = responses
	var params struct {
		State *string `json:"requestState"`
	}
	if err := c.decodeParams(&params); err != nil {
		return err
	}
	if params.State == nil {
		return nil
	}
	kept, wrong := c.server().states.find(*params.State, c.purpose())
	if wrong != "" {
		return invalidParams("requestState %s; send the request again without it", wrong)
	}
	c.rounds.state = kept
	return nil
}

// responses returns the answers that a request brings, or nil.
func (c *Call) responses() (map[string]json.RawMessage, error) {
	var params struct {
		Responses map[string]json.RawMessage `json:"inputResponses"`
	}
	if err := c.decodeParams(&params); err != nil {
		return nil, err
	}
	for key, response := range params.Responses {
		if !isObject(response) {
			return nil, invalidParams("inputResponses[%q] must be an object", key)
		}
	}
	return params.Responses, nil
}

// purpose binds a state to its principal and its request: the method and all of the params that
// stay the same from round to round.
func (c *Call) purpose() string {
	var params map[string]any
	_ = json.Unmarshal(c.message.Params, &params) // decoded before
	for _, name := range []string{"_meta", "inputResponses", "requestState"} {
		delete(params, name)
	}
	return c.principal + "\n" + c.message.Method + "\n" + string(Encode(params))
}

// inputRequired builds the result of a request that the client must repeat. Only tools have a state from the
// start; prompts and resources have none until there is data to remember.
func (c *Call) inputRequired() any {
	r := &c.rounds
	result := map[string]any{"resultType": "input_required"}
	if len(r.wanted) > 0 {
		result["inputRequests"] = embedded(r.wanted)
	}
	remembered := state{Answers: r.used, Passed: r.state.Passed}
	if c.message.Method == "tools/call" || r.paused || len(r.used) > 0 {
		result["requestState"] = c.server().states.add(c.purpose(), remembered)
	}
	return result
}

// embedded returns questions as JSON for a result.
func embedded(questions []Question) map[string]any {
	requests := map[string]any{}
	for _, q := range questions {
		requests[q.Key] = map[string]any{"method": q.Method, "params": q.params()}
	}
	return requests
}

// params returns the params, never nil.
func (q Question) params() any {
	if q.Params == nil {
		return struct{}{}
	}
	return q.Params
}
