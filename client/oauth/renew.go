package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"mcptea/client/step"

	"mcptea/client/transport"
)

// maxStepUps bounds how often a connection asks for more scopes. Each time there
// must be something new to ask for, so that it takes a server with ill intent
// to get there.
const maxStepUps = 10

// run is a flow and those who wait for it.
type flowRun struct {
	done    chan struct{}
	err     error // set before done is closed
	waiters int
	cancel  context.CancelCauseFunc
	pasted  chan url.Values // 1 slot: what the user has pasted
	state   string          // of the authorization request; empty before there is one
}

// Refresh implements [transport.Authorization]. The errors are *[Refusal],
// *[ServerError], *[ClientError], *[NoBrowserError], *[TokenRejectedError],
// *[ScopeError], [ErrCancelled], the cause of the context, and failures to
// reach one of the servers.
func (a *Authorizer) Refresh(ctx context.Context, answered transport.ResponseInfo, by transport.Requester) error {
	d := mergeChallenges(Challenges(answered.Header))
	if d.err == "use_dpop_nonce" && answered.Header.Get(nonceHeader) != "" && answered.Attempt < 3 {
		return nil // Judge has noted it
	}
	a.mu.Lock()
	number, _ := a.numberOf(answered.RequestHeader)
	if number != a.current.number {
		a.mu.Unlock()
		return nil // somebody else was faster
	}
	r := a.inFlight
	if r == nil {
		f, err := a.newFlow(answered, d, by)
		if err != nil {
			a.flows++
			number := a.flows
			a.mu.Unlock()
			list := step.NewList(number, a.cfg.OnStep)
			list.Plan(StepChallenge)
			list.Fail(err)
			return err
		}
		r = &flowRun{done: make(chan struct{}), pasted: make(chan url.Values, 1)}
		f.run = r
		var life context.Context
		// The flow belongs to all who wait for it.
		life, r.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
		a.inFlight = r
		go a.runFlow(life, r, f, answered)
	}
	r.waiters++
	a.mu.Unlock()
	return a.wait(ctx, r)
}

// wait waits for a flow. One that nobody waits for any more is given up.
func (a *Authorizer) wait(ctx context.Context, r *flowRun) error {
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
	}
	a.mu.Lock()
	r.waiters--
	last := r.waiters == 0
	if last && a.inFlight == r {
		a.inFlight = nil // who comes now begins anew
	}
	a.mu.Unlock()
	if last {
		r.cancel(context.Cause(ctx))
		<-r.done // so that nothing is told to those who have gone
	}
	return context.Cause(ctx)
}

// newFlow gets a flow ready, or says why none makes sense. The caller holds a.mu.
func (a *Authorizer) newFlow(answered transport.ResponseInfo, d challengeParams, by transport.Requester) (*flow, error) {
	f := &flow{a: a, cfg: &a.cfg, by: by, challenge: d, previous: a.current}
	switch {
	case answered.Status == http.StatusForbidden:
		if err := a.checkStepUp(d); err != nil {
			return nil, err
		}
		a.stepUps++
		f.stepUp = true
	case a.current.number != 0 && a.current.source == fromGrant && !a.current.accepted:
		return nil, &TokenRejectedError{a.current.issuer, d.description}
	}
	a.flows++
	f.number, f.names = a.flows, a.stepsOfFlow(f)
	return f, nil
}

// checkStepUp refuses to ask for scopes where that would go on for ever.
func (a *Authorizer) checkStepUp(d challengeParams) error {
	switch {
	case len(d.scopes) == 0:
		return &ScopeError{nil, "the server does not say which scopes it wants"}
	case len(missing(d.scopes, a.current.token.Scopes)) == 0:
		return &ScopeError{d.scopes, "it was issued for that already"}
	case len(missing(d.scopes, a.current.requested)) == 0:
		return &ScopeError{d.scopes, a.current.issuer + " was asked for that already and did not grant it"}
	case a.stepUps >= maxStepUps:
		return &ScopeError{d.scopes, fmt.Sprintf("more was asked for %d times on this connection", maxStepUps)}
	}
	return nil
}

func (a *Authorizer) stepsOfFlow(f *flow) []string {
	var names []string
	if a.cfg.Store != nil && !a.storeRead && !f.stepUp {
		names = append(names, StepLoad)
	}
	return append(append(names, StepChallenge, StepResource, StepServer, StepMetadata), a.stepsOfGrant()...)
}

// storeIsPersistent reports whether tokens are kept for longer than the program runs.
func (a *Authorizer) storeIsPersistent() bool {
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
	if a.storeIsPersistent() {
		names = append(names, StepStore)
	}
	return names
}

// runFlow brings a flow to its end and tells those who wait.
func (a *Authorizer) runFlow(ctx context.Context, r *flowRun, f *flow, answered transport.ResponseInfo) {
	f.list = step.NewList(f.number, a.cfg.OnStep)
	f.list.Plan(f.names...)
	got, ok := f.loadToken(ctx)
	var err error
	if !ok {
		got, err = f.getToken(ctx, answered)
	}
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		f.list.Fail(err)
	} else if got.source != fromStore {
		f.save(ctx, got)
	}
	r.cancel(nil)
	a.mu.Lock()
	defer a.mu.Unlock()
	if err == nil {
		a.unconfirmed = got.source == fromStore && a.storeIsPersistent()
		got.number = a.current.number + 1
		a.current = got
		a.issued[got.token.Type+" "+got.token.Access] = got.number
	}
	if a.inFlight == r {
		a.inFlight = nil
	}
	r.err = err
	close(r.done)
}

// setState notes the state of the authorization request that is about to be made.
func (f *flow) setState(state string) {
	f.a.mu.Lock()
	defer f.a.mu.Unlock()
	f.run.state = state
}

// Cancel gives up the flow that is running, if there is one.
func (a *Authorizer) Cancel() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.inFlight != nil {
		a.inFlight.cancel(ErrCancelled)
	}
}

// PasteCallback takes the address at which a browser ended on another machine, from
// where it cannot come back by itself. What is in it is checked as if it had.
// The errors are [ErrNoCallback], [ErrStateMismatch], and that nothing waits for it.
func (a *Authorizer) PasteCallback(address string) error {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || !u.Query().Has("state") {
		return ErrNoCallback
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.inFlight == nil:
		return errors.New("no authorization is waiting for an address")
	case a.inFlight.state != "" && !hasState(u.Query(), a.inFlight.state):
		return ErrStateMismatch
	}
	select {
	case a.inFlight.pasted <- u.Query():
	default: // one has been brought already
	}
	return nil
}
