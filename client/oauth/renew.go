package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"mcptea/client/transport"
)

// mostStepUps bounds how often a connection asks for more scopes. Each time there
// must be something new to ask for, so that it takes a server with ill intent
// to get there.
const mostStepUps = 10

// running is a flow and those who wait for it.
type running struct {
	done    chan struct{}
	err     error // set before done is closed
	waiters int
	cancel  context.CancelCauseFunc
	answers chan url.Values // 1 slot: what the user has pasted
	state   string          // of the authorization request; empty before there is one
}

// Refresh implements [transport.Authorization]. The errors are *[Refusal],
// *[ServerError], *[ClientError], *[ConsentError], *[RejectedError],
// *[ScopeError], [ErrCancelled], the cause of the context, and failures to
// reach one of the servers.
func (a *Authorizer) Refresh(ctx context.Context, answered transport.ResponseInfo, by transport.Requester) error {
	d := demanded(Challenges(answered.Header))
	if d.err == "use_dpop_nonce" && answered.Header.Get(nonceHeader) != "" && answered.Attempt < 3 {
		return nil // Judge has noted it
	}
	a.mu.Lock()
	number, _ := a.numberOf(answered.RequestHeader)
	if number != a.now.number {
		a.mu.Unlock()
		return nil // somebody else was faster
	}
	r := a.running
	if r == nil {
		f, err := a.flow(answered, d, by)
		if err != nil {
			a.flows++
			number := a.flows
			a.mu.Unlock()
			newChecklist(a.cfg.Watch, number, StepChallenge).fail(err)
			return err
		}
		r = &running{done: make(chan struct{}), answers: make(chan url.Values, 1)}
		f.running = r
		var life context.Context
		// The flow belongs to all who wait for it.
		life, r.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
		a.running = r
		go a.carry(life, r, f, answered)
	}
	r.waiters++
	a.mu.Unlock()
	return a.await(ctx, r)
}

// await waits for a flow. One that nobody waits for any more is given up.
func (a *Authorizer) await(ctx context.Context, r *running) error {
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
	}
	a.mu.Lock()
	r.waiters--
	last := r.waiters == 0
	if last && a.running == r {
		a.running = nil // who comes now begins anew
	}
	a.mu.Unlock()
	if last {
		r.cancel(context.Cause(ctx))
		<-r.done // so that nothing is told to those who have gone
	}
	return context.Cause(ctx)
}

// flow gets a flow ready, or says why none makes sense. The caller holds a.mu.
func (a *Authorizer) flow(answered transport.ResponseInfo, d demand, by transport.Requester) (*flow, error) {
	f := &flow{a: a, cfg: &a.cfg, by: by, demand: d, before: a.now}
	switch {
	case answered.Status == http.StatusForbidden:
		if err := a.mayStepUp(d); err != nil {
			return nil, err
		}
		a.stepUps++
		f.stepUp = true
	case a.now.number != 0 && a.now.how == byGrant && !a.now.accepted:
		return nil, &RejectedError{a.now.issuer, d.description}
	}
	a.flows++
	f.number, f.names = a.flows, a.stepsOfFlow(f)
	return f, nil
}

// mayStepUp refuses to ask for scopes where that would go on for ever.
func (a *Authorizer) mayStepUp(d demand) error {
	switch {
	case len(d.scopes) == 0:
		return &ScopeError{nil, "the server does not say which scopes it wants"}
	case len(missing(d.scopes, a.now.token.Scopes)) == 0:
		return &ScopeError{d.scopes, "it was issued for that already"}
	case len(missing(d.scopes, a.now.asked)) == 0:
		return &ScopeError{d.scopes, a.now.issuer + " was asked for that already and did not grant it"}
	case a.stepUps >= mostStepUps:
		return &ScopeError{d.scopes, fmt.Sprintf("more was asked for %d times on this connection", mostStepUps)}
	}
	return nil
}

func (a *Authorizer) stepsOfFlow(f *flow) []string {
	var names []string
	if a.cfg.Store != nil && !a.looked && !f.stepUp {
		names = append(names, StepStored)
	}
	return append(append(names, StepChallenge, StepResource, StepServer, StepMetadata), a.stepsOfGrant()...)
}

// lasts reports whether tokens are kept for longer than the program runs.
func (a *Authorizer) lasts() bool {
	_, short := a.cfg.Store.(*Memory)
	return a.cfg.Store != nil && !short
}

func (a *Authorizer) stepsOfGrant() []string {
	names := []string{StepClient, StepToken}
	switch a.cfg.Grant.(type) {
	case nil:
		names = []string{StepClient, StepConsent, StepToken}
	case Enterprise:
		names = []string{StepClient, StepIdentity, StepToken}
	}
	if a.lasts() {
		names = append(names, StepKeep)
	}
	return names
}

// carry brings a flow to its end and tells those who wait.
func (a *Authorizer) carry(ctx context.Context, r *running, f *flow, answered transport.ResponseInfo) {
	f.list = newChecklist(a.cfg.Watch, f.number, f.names...)
	got, ok := f.stored(ctx)
	var err error
	if !ok {
		got, err = f.run(ctx, answered)
	}
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		f.list.fail(err)
	} else if got.how != byStore {
		f.save(ctx, got)
	}
	r.cancel(nil)
	a.mu.Lock()
	defer a.mu.Unlock()
	if err == nil {
		a.suspect = got.how == byStore && a.lasts()
		got.number = a.now.number + 1
		a.now = got
		a.issued[got.token.Type+" "+got.token.Access] = got.number
	}
	if a.running == r {
		a.running = nil
	}
	r.err = err
	close(r.done)
}

// expect notes the state of the authorization request that is about to be made.
func (f *flow) expect(state string) {
	f.a.mu.Lock()
	defer f.a.mu.Unlock()
	f.running.state = state
}

// Cancel gives up the flow that is running, if there is one.
func (a *Authorizer) Cancel() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.running != nil {
		a.running.cancel(ErrCancelled)
	}
}

// Answer takes the address at which a browser ended on another machine, from
// where it cannot come back by itself. What is in it is checked as if it had.
// The errors are [ErrNoAnswer], [ErrOtherRequest], and that nothing waits for it.
func (a *Authorizer) Answer(address string) error {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || !u.Query().Has("state") {
		return ErrNoAnswer
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.running == nil:
		return errors.New("no authorization is waiting for an address")
	case a.running.state != "" && !sameState(u.Query(), a.running.state):
		return ErrOtherRequest
	}
	select {
	case a.running.answers <- u.Query():
	default: // one has been brought already
	}
	return nil
}
