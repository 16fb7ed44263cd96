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

// Ask is a server request for sampling or elicitation (specification, client
// features). It is a copy.
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
	Deadline time.Time // when mcptea cancels it if the user has not answered
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

// AskState is the state of a server request.
type AskState uint8

// The states.
const (
	AskWaiting   AskState = iota
	AskAnswered           // with a result
	AskDeclined           // the response declines
	AskCancelled          // the response cancels
	AskRefused            // with an error
	AskWithdrawn          // cancelled by the server or by the end of the connection
)

var askStates = [...]string{"waiting", "answered", "declined", "cancelled", "refused", "withdrawn"}

// String names the state.
func (s AskState) String() string { return askStates[s] }

// Policy answers server requests of one kind without the user.
type Policy struct {
	Mode   PolicyMode
	Result []byte // with PolicyAnswer: the result, raw JSON
}

// PolicyMode is what a policy does.
type PolicyMode uint8

// The modes.
const (
	PolicyNone    PolicyMode = iota // not offered to the server at all
	PolicyAsk                       // the user answers in the inbox
	PolicyDecline                   // action "decline", or the error for sampling
	PolicyCancel                    // action "cancel", or the error for sampling
	PolicyError                     // an error
	PolicyAnswer                    // the result in Policy.Result
)

// Policies are the policies of a session by the kind of request.
type Policies struct{ Sampling, Elicitation Policy }

func (p Policies) of(method string) Policy {
	if method == client.MethodSampling {
		return p.Sampling
	}
	return p.Elicitation
}

const (
	// requestTimeout is how long a server request waits for the user. It is less
	// than the maximum timeout of the call that it may belong to.
	requestTimeout = 4*time.Minute + 50*time.Second
	// maxRequests bounds the inbox; further requests get an error response.
	maxRequests = 500
	// maxAskBytes bounds the params of what waits in it, and maxKeptParams those
	// of each that waits no more.
	maxAskBytes   = 32 << 20
	maxKeptParams = 16 << 10
)

// codeRejected is the error code for sampling that the user rejected (client /
// sampling, error handling).
const codeRejected = -1

// The errors of responses to server requests.
var (
	errNoSuchAsk = errors.New("the server no longer waits for this response")
	errNotJSON   = errors.New("the response is not valid JSON")
)

// serverRequest adds a server request to the inbox or answers it by policy. It is
// called on the goroutine of the transport.
func (s *Session) serverRequest(a client.ServerRequest) {
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

// goTracked runs do on a goroutine that Close waits for, unless the session is
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

// answerByPolicy queues the response that a policy demands. It is called on the
// goroutine of the transport.
func (s *Session) answerByPolicy(a *Ask, p Policy) {
	r := response{state: AskRefused, code: jsonrpc.CodeInternalError, message: "request rejected by the policy of mcptea"}
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
		err = c.QueueResponse(a.ID, r.result)
	} else {
		err = c.QueueErrorResponse(a.ID, r.code, r.message)
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

// rejection is the response that declines or cancels. Elicitation has actions for
// both; sampling has an error.
func rejection(method string, state AskState) response {
	switch {
	case method != client.MethodElicitation:
		return response{state: state, code: codeRejected, message: "User rejected sampling request"}
	case state == AskCancelled:
		return response{state: state, result: []byte(`{"action":"cancel"}`)}
	}
	return response{state: state, result: []byte(`{"action":"decline"}`)}
}

// resultForRequest adapts a configured result to a request: in URL mode the result
// has an action and no content (2025-11-25, client / elicitation).
func resultForRequest(a *Ask, result []byte) []byte {
	if a.Method == client.MethodElicitation && member(a.Params, "mode") == "url" && member(result, "action") != "" {
		return client.Params(map[string]string{"action": member(result, "action")})
	}
	return result
}

// find returns the request that waits under an id. The caller holds Session.mu.
func (s *Session) find(id jsonrpc.ID, conn uint16) *Ask {
	for i := len(s.asks) - 1; i >= 0; i-- {
		if a := &s.asks[i]; a.ID == id && a.State == AskWaiting && (conn == 0 || a.conn == conn) {
			return a
		}
	}
	return nil
}

// settle ends the wait of a request; only the first response to it is sent.
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

// end makes a request no longer waiting and releases large params.
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

// Answer sends the user's result. It waits until the response is written, at most
// ten seconds.
func (s *Session) Answer(id jsonrpc.ID, result []byte) error { return s.answer(id, result, "you") }

// Decline sends the response that declines a request of this kind.
func (s *Session) Decline(id jsonrpc.ID) error { return s.decide(id, AskDeclined, "you") }

// Dismiss sends the response that cancels a request of this kind.
func (s *Session) Dismiss(id jsonrpc.ID) error { return s.decide(id, AskCancelled, "you") }

// Refuse sends an error response that the user has chosen.
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

// decide declines or cancels a request.
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
		err = c.Respond(ctx, id, r.result)
	} else {
		err = c.RespondError(ctx, id, r.code, r.message)
	}
	s.store.Poke()
	return err
}

// withdrawn handles notifications/cancelled from the server.
func (s *Session) withdrawn(params []byte) {
	id, _ := jsonrpc.Member(params, "requestId")
	s.withdraw(jsonrpc.ID(id), "server")
}

// abandoned handles the end of a call whose input request waits in the inbox.
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

// withdrawAll ends all waiting requests when the connection ends.
func (s *Session) withdrawAll() {
	s.mu.Lock()
	for i := range s.asks {
		if a := &s.asks[i]; a.State == AskWaiting {
			a.end(AskWithdrawn, "server")
		}
	}
	s.mu.Unlock()
}
