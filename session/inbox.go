package session

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// Ask is a request of the server that wants a human or a model: sampling or
// elicitation (specification, client features). It is a copy.
type Ask struct {
	ID       jsonrpc.ID
	Method   string
	Params   []byte     // raw JSON; not to be changed; nil when Dropped
	Dropped  bool       // the params were large and are no longer held: the record has them
	Of       jsonrpc.ID // our request whose result asks; empty for a request of the server
	Key      string     // under which it asks
	About    string     // the tool, prompt or resource of that request, or of the task's call
	Task     string     // the id of the task that asks; empty when none does
	Call     jsonrpc.ID // our call whose task asks, as far as it is known
	Row      int32      // of the request in the store
	Arrived  time.Time
	Deadline time.Time // when it is answered for whoever did not
	State    AskState
	By       string // who answered: "you", "policy", "deadline"; "server" or "call" for withdrawn ones
	Answered time.Time
	// Result is what it was answered with, its head when it is long; nil for an
	// error and while it waits.
	Result []byte
	// Completed is when the server reported that what the user does at a page is
	// done; zero before that (2025-11-25, notifications/elicitation/complete).
	Completed time.Time
	conn      uint16
	again     *Call       // whose error named the page; nil for a request of the server
	expiry    *time.Timer // nil once it has an answer, and where a policy answers
}

// AskState says what became of a request of the server.
type AskState uint8

// The states.
const (
	AskWaiting   AskState = iota
	AskAnswered           // with a result
	AskDeclined           // the answer says no
	AskCancelled          // the answer says that nobody chose
	AskRefused            // with an error
	AskWithdrawn          // the server, or the connection, took it back
)

var askStates = [...]string{"waiting", "answered", "declined", "cancelled", "refused", "withdrawn"}

// String names the state.
func (s AskState) String() string { return askStates[s] }

// Policy answers requests of one kind for people who are not there.
type Policy struct {
	Mode   PolicyMode
	Result []byte // with PolicyAnswer: the result, raw JSON
}

// PolicyMode is what a policy does.
type PolicyMode uint8

// The modes.
const (
	PolicyNone    PolicyMode = iota // not offered to the server at all
	PolicyAsk                       // somebody answers in the inbox
	PolicyDecline                   // "no", as the kind of request says it
	PolicyCancel                    // "nobody chose"
	PolicyError                     // an error
	PolicyAnswer                    // a result that was made before
)

// Policies are the policies of a session by the kind of request.
type Policies struct{ Sampling, Elicitation Policy }

func (p Policies) of(method string) Policy {
	if method == client.AskSampling {
		return p.Sampling
	}
	return p.Elicitation
}

const (
	// requestTimeout is how long a request waits for a person: less than the call
	// that it may belong to waits at most.
	requestTimeout = 4*time.Minute + 50*time.Second
	// maxRequests bounds the inbox; a server that asks more often is refused.
	maxRequests = 500
	// maxAskBytes bounds the params of what waits in it, and maxKeptParams those
	// of each that waits no more.
	maxAskBytes   = 32 << 20
	maxKeptParams = 16 << 10
)

// codeRejected is the code of the specification's example for a person who
// says no to sampling (client / sampling, error handling).
const codeRejected = -1

// errors that an inbox gives.
var (
	errNoSuchAsk = errors.New("the server no longer waits for this answer")
	errNotJSON   = errors.New("the answer is not JSON")
)

// serverRequest is the client's way to pass a request on. It is called from the wire.
func (s *Session) serverRequest(a client.Asked) {
	now := time.Now()
	ask := Ask{
		ID: a.ID, Method: a.Method, Params: a.Params, Of: a.Of, Key: a.Key, Task: a.Task,
		Arrived: now, Deadline: now.Add(requestTimeout),
		Row: s.store.RequestRow(transport.In, string(a.ID)),
	}
	if a.Of != "" {
		ask.Row = s.store.RequestRow(transport.Out, string(a.Of))
	}
	policy := s.cfg.Policies.of(a.Method)
	s.mu.Lock()
	if call := s.calls[a.Of]; call != nil && a.Of != "" {
		ask.About = call.setAsking()
	}
	waiting, size := 0, len(ask.Params)
	for i := range s.asks {
		if s.asks[i].State == AskWaiting {
			waiting++
			size += len(s.asks[i].Params)
		}
	}
	if len(s.asks) >= maxRequests {
		s.asks = slices.DeleteFunc(s.asks, func(a Ask) bool { return a.State != AskWaiting })
	}
	ask.conn = uint16(s.state.Attempt)
	s.setTaskFields(&ask)
	if waiting >= maxRequests || size > maxAskBytes && waiting > 0 {
		policy = Policy{Mode: PolicyError}
	}
	if policy.Mode == PolicyAsk {
		ask.expiry = s.expire(ask.ID, ask.conn)
	}
	s.asks = append(s.asks, ask)
	s.mu.Unlock()
	s.store.Poke()
	if policy.Mode != PolicyAsk {
		s.answerByPolicy(&ask, policy)
	}
}

// goTracked runs something outside of the wire's goroutine, unless the session is
// closing.
func (s *Session) goTracked(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.wg.Go(do)
	}
}

// expire cancels a request that has no answer by the deadline. The timer holds
// none of its bytes but the id.
func (s *Session) expire(id jsonrpc.ID, conn uint16) *time.Timer {
	return time.AfterFunc(requestTimeout, func() {
		s.mu.Lock()
		waits := s.find(id, conn) != nil
		s.mu.Unlock()
		if waits {
			s.goTracked(func() { _ = s.decide(id, AskCancelled, "deadline") }) // the traffic shows it
		}
	})
}

// answerByPolicy answers a request. It is called from the wire: the response is queued
// and the client sends it.
func (s *Session) answerByPolicy(a *Ask, p Policy) {
	r := response{state: AskRefused, code: jsonrpc.CodeInternalError, message: "mcptea was told to answer this with an error"}
	switch p.Mode {
	case PolicyAnswer:
		r = answered(resultForRequest(a, p.Result))
	case PolicyDecline:
		r = rejection(a.Method, AskDeclined)
	case PolicyCancel:
		r = rejection(a.Method, AskCancelled)
	}
	s.keepResult(a.ID, r.result)
	c, err := s.settle(a.ID, r.state, "policy")
	if err != nil {
		return // the server has taken it back
	}
	if r.result != nil {
		err = c.QueueAnswer(a.ID, r.result)
	} else {
		err = c.QueueRefusal(a.ID, r.code, r.message)
	}
	if err != nil {
		s.note("responses of mcptea to requests of the server were not sent: " + err.Error())
	}
	s.store.Poke()
}

// response is what is sent for a request of the server: a result, or an error.
type response struct {
	state   AskState
	result  []byte // nil for an error
	code    int64
	message string
}

// answered is a response with a result; what its action says is its state.
func answered(result []byte) response {
	r := response{state: AskAnswered, result: result}
	switch member(result, "action") {
	case "decline":
		r.state = AskDeclined
	case "cancel":
		r.state = AskCancelled
	}
	return r
}

// rejection is a response that says no or nothing. Elicitation has actions for
// both; sampling has an error.
func rejection(method string, state AskState) response {
	switch {
	case method != client.AskElicitation:
		return response{state: state, code: codeRejected, message: "User rejected sampling request"}
	case state == AskCancelled:
		return response{state: state, result: []byte(`{"action":"cancel"}`)}
	}
	return response{state: state, result: []byte(`{"action":"decline"}`)}
}

// resultForRequest is a canned result for one request: who agrees to open a page has
// nothing to fill in (2025-11-25, client / elicitation, URL mode).
func resultForRequest(a *Ask, result []byte) []byte {
	if a.Method == client.AskElicitation && member(a.Params, "mode") == "url" && member(result, "action") != "" {
		return client.Params(map[string]string{"action": member(result, "action")})
	}
	return result
}

// find returns the request that waits under an id. The caller holds the lock.
func (s *Session) find(id jsonrpc.ID, conn uint16) *Ask {
	for i := len(s.asks) - 1; i >= 0; i-- {
		if a := &s.asks[i]; a.ID == id && a.State == AskWaiting && (conn == 0 || a.conn == conn) {
			return a
		}
	}
	return nil
}

// settle takes a request out of the waiting ones; exactly one answer wins.
func (s *Session) settle(id jsonrpc.ID, state AskState, by string) (*client.Client, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.find(id, 0)
	if a == nil || s.client == nil {
		return nil, errNoSuchAsk
	}
	a.end(state, by)
	s.wakeTask(a.Task)
	return s.client, nil
}

// end takes a request out of those that wait, and lets go of what is large.
func (a *Ask) end(state AskState, by string) {
	a.State, a.By, a.Answered = state, by, time.Now()
	if len(a.Params) > maxKeptParams {
		a.Params, a.Dropped = nil, true
	}
	if a.expiry != nil {
		a.expiry.Stop()
		a.expiry = nil
	}
}

// Policies are the policies that the session was opened with.
func (s *Session) Policies() Policies { return s.cfg.Policies }

// Inbox returns the requests of the server, oldest first. The caller owns the
// slice.
func (s *Session) Inbox() []Ask {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asks)
}

// Answer sends a result that a person has made. It waits until the answer is on
// the wire, at most ten seconds.
func (s *Session) Answer(id jsonrpc.ID, result []byte) error { return s.answer(id, result, "you") }

// Decline says no, in the way that the kind of request has for that.
func (s *Session) Decline(id jsonrpc.ID) error { return s.decide(id, AskDeclined, "you") }

// Dismiss says that nobody chose.
func (s *Session) Dismiss(id jsonrpc.ID) error { return s.decide(id, AskCancelled, "you") }

// Refuse answers with an error of the person's own.
func (s *Session) Refuse(id jsonrpc.ID, code int64, message string) error {
	return s.refuse(id, code, message, "you")
}

func (s *Session) answer(id jsonrpc.ID, result []byte, by string) error {
	if !json.Valid(result) {
		return errNotJSON
	}
	s.keepResult(id, result)
	return s.send(id, answered(result), by)
}

// maxResult is how much of a response is kept to be shown, in bytes.
const maxResult = 2 << 10

// keepResult notes the result that a request of the server is about to get.
func (s *Session) keepResult(id jsonrpc.ID, result []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.find(id, 0); a != nil {
		a.Result = slices.Clone(result[:min(len(result), maxResult)])
	}
}

// decide says no or nothing.
func (s *Session) decide(id jsonrpc.ID, state AskState, by string) error {
	if s.settleRequired(id, state) != nil {
		return nil // the server does not wait for it
	}
	s.mu.Lock()
	method := ""
	if a := s.find(id, 0); a != nil {
		method = a.Method
	}
	s.mu.Unlock()
	return s.send(id, rejection(method, state), by)
}

func (s *Session) refuse(id jsonrpc.ID, code int64, message, by string) error {
	return s.send(id, response{state: AskRefused, code: code, message: message}, by)
}

func (s *Session) send(id jsonrpc.ID, r response, by string) error {
	c, err := s.settle(id, r.state, by)
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(context.Background(), 10*time.Second)
	defer stop()
	if r.result != nil {
		err = c.Answer(ctx, id, r.result)
	} else {
		err = c.Refuse(ctx, id, r.code, r.message)
	}
	s.store.Poke()
	return err
}

// withdrawn takes note of a cancellation by the server.
func (s *Session) withdrawn(params []byte) {
	id, _ := jsonrpc.Member(params, "requestId")
	s.withdraw(jsonrpc.ID(id), "server")
}

// abandoned takes note of the end of a call of ours that waited for an answer.
func (s *Session) abandoned(id jsonrpc.ID) {
	s.withdraw(id, "call")
	s.store.Poke()
}

func (s *Session) withdraw(id jsonrpc.ID, by string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.find(id, 0); a != nil {
		a.end(AskWithdrawn, by)
	}
}

// withdrawAll is for the end of a connection.
func (s *Session) withdrawAll() {
	s.mu.Lock()
	for i := range s.asks {
		if a := &s.asks[i]; a.State == AskWaiting {
			a.end(AskWithdrawn, "server")
		}
	}
	s.mu.Unlock()
}
