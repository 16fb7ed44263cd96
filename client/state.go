package client

import (
	"mcptea/client/jsonrpc"
	"mcptea/client/negotiate"
	"mcptea/client/transport"
)

// state holds the values that change during a connection. Client.mu guards it; Client.update is the only
// function that changes it.
type state struct {
	t         transport.Transport // replaced by a restart
	closing   bool                // no new goroutine may start
	opened    bool                // opened by [Client.Open], before Connect
	stateless bool                // requests carry the _meta of stateless revisions
	roots     []Root              // replaced, never changed in place

	// Connecting.
	machine       *negotiate.Machine
	handshake     Handshake
	connected     bool
	list          *checklist         // steps; nil until Connect has succeeded
	steps         *checklist         // steps of Connect, or nil before
	renegotiation *renegotiation     // current renegotiation, or nil
	status        transport.Exchange // exchange of the newest message over HTTP while connecting
	unexpected    *unexpectedFrame   // frame that came instead of a response while connecting
	probe         jsonrpc.ID         // id of the newest server/discover to a server of unknown era
	garbled       bool               // unexpected was probably meant as the response

	// Requests and responses under way.
	pending        map[jsonrpc.Key]*pending      // requests of the client
	serverRequests map[jsonrpc.Key]string        // requests of the server, with the id of their task
	inputs         map[jsonrpc.Key]*inputWait    // input requests in results
	rounds         uint64                        // number of results with input requests so far
	subscriptions  map[jsonrpc.Key]*Subscription // subscriptions that may still be acknowledged
	replies        replyQueue                    // responses that wait to be sent
	authorizing    int                           // authorizations under way
	authorized     int                           // authorizations that have ended

	tools  toolHeaders    // headers of the newest list of tools
	listed map[string]int // the sizes of the newest lists, by method
}

func newState(roots []Root) state {
	return state{
		machine: negotiate.New(negotiate.Config{}), // Connect replaces it
		roots:   roots,
		pending: map[jsonrpc.Key]*pending{}, serverRequests: map[jsonrpc.Key]string{},
		inputs: map[jsonrpc.Key]*inputWait{}, subscriptions: map[jsonrpc.Key]*Subscription{}, listed: map[string]int{},
	}
}

// update changes the state. change must not block and must not call methods of
// the client that use the state.
func (c *Client) update(change func(*state)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(&c.state)
}

// read returns a part of the state.
func read[T any](c *Client, part func(*state) T) T {
	c.mu.Lock()
	defer c.mu.Unlock()
	return part(&c.state)
}

func (c *Client) isStateless() bool { return read(c, func(s *state) bool { return s.stateless }) }

// pending returns the pending request of an id, or nil.
func (c *Client) pending(id jsonrpc.ID) *pending {
	return read(c, func(s *state) *pending { return s.pending[id.Key()] })
}

// timeoutsPaused reports whether the server waits for the client or the user: for
// a response that its own response may depend on, or for an authorization.
func (s *state) timeoutsPaused() bool { return len(s.serverRequests) > 0 || s.authorizing > 0 }

// signal sends to a channel with one slot, unless that is full.
func signal(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}
