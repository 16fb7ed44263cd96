package flow

import (
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// IsFailure reports whether a response is an error for the sender of the request. An error response
// to server/discover is not one: it tells a client that the server belongs to the handshake era.
func IsFailure(response jsonrpc.Kind, method string) bool {
	return response == jsonrpc.ErrorResponse && method != methodDiscover
}

const methodDiscover = "server/discover"

// settle sets the first response of a request.
func (t *Table) settle(m *Match, f *Flow) {
	m.belongs(f, Answered)
	if f.State.IsLost() {
		m.State = Late
	}
	if f.Waits() {
		m.Ended = ByResponse
	}
	f.IsError = IsFailure(m.Envelope.Kind, f.Method)
	t.change(f, m.State, m.Time)
}

// End ends the wait for a response without a message. The state is Cancelled if the end of the HTTP
// exchange has cancelled the request, or Abandoned if no response can arrive.
func (t *Table) End(dir transport.Direction, id jsonrpc.Token, state State, at time.Time) Match {
	var m Match
	t.endID(&m, dir, id, state, at)
	return m
}

func (t *Table) endID(m *Match, dir transport.Direction, id jsonrpc.Token, state State, at time.Time) {
	f := t.Find(dir, id)
	if f == nil {
		return
	}
	m.belongs(f, f.State)
	if !f.Waits() {
		return
	}
	m.State, m.Ended = state, ByLoss
	if state == Cancelled {
		m.Ended = ByCancel
	}
	t.change(f, state, at)
}

// EndFlow is like End, but for a flow. It does nothing if the flow is not held or not pending.
func (t *Table) EndFlow(f *Flow, state State, at time.Time) {
	if f.Waits() && !f.released {
		t.trim()
		t.end(f, state, at)
	}
}

// change moves a request to a state in which it is no longer pending.
func (t *Table) change(f *Flow, state State, at time.Time) {
	if !f.released {
		t.end(f, state, at)
		return
	}
	if f.Waits() && !f.IsSubscription() {
		t.pending--
	}
	f.State = state
	t.rows[f.Dir].put(f.key, t.restOf(f))
}

// abandon ends all pending requests because the connection has ended. It calls visit for each held
// request.
func (t *Table) abandon(at time.Time, visit func(*Flow)) {
	flows := t.flows
	t.flows, t.abandoned = nil, t.last
	for _, f := range flows {
		if f.Waits() {
			visit(f)
			t.end(f, Abandoned, at)
		}
	}
	t.open, t.pending, t.subscriptions = 0, 0, 0
}
