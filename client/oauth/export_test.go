package oauth

import (
	"context"
	"net/url"
)

// Waiting returns the number of requests that wait for the running flow.
func (a *Authorizer) Waiting() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.inFlight == nil {
		return 0
	}
	return a.inFlight.waiters
}

// Loopback is a listener for the redirect of a flow.
type Loopback struct{ *loopbackListener }

func ListenLoopback(ctx context.Context, preferred string) (Loopback, error) {
	l, err := listenLoopback(ctx, "", preferred, newFlowRun())
	return Loopback{l}, err
}

func (l Loopback) RedirectURI() string { return l.uri }
func (l Loopback) Expect(state string) { l.run.state.Store(&state) }

func (l Loopback) Wait(context.Context) (url.Values, error) { return <-l.run.callbacks, nil }

// Call passes a response to the flow that runs, whatever its state.
func (a *Authorizer) Call(answer url.Values) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.inFlight.called(answer)
}
