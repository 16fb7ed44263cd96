package oauth

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"mcptea/client/step"
	"mcptea/client/transport"
)

// maxStepUps is the maximum number of step-ups of a connection. Since each must add
// a scope, only a hostile server reaches it.
const maxStepUps = 10

// flowRun is a running flow, shared by the callers that wait for it. The mutex of the
// Authorizer protects waiters and state.
type flowRun struct {
	done    chan struct{}
	err     error // set before done is closed
	waiters int
	cancel  context.CancelCauseFunc
	state   atomic.Pointer[string] // state of the authorization request, or nil before it
	// callbacks has one slot for the redirect of the browser, or its URL from
	// [Authorizer.PasteCallback].
	callbacks chan url.Values
}

func newFlowRun() *flowRun {
	return &flowRun{done: make(chan struct{}), callbacks: make(chan url.Values, 1)}
}

// called passes the authorization response to the flow.
func (r *flowRun) called(answer url.Values) {
	select {
	case r.callbacks <- answer:
	default: // a response has been received already
	}
}

// Refresh implements [transport.Authorization]. The errors are *[Refusal],
// *[ServerError], *[ClientError], *[ClientAuthError], *[NoBrowserError], *[TokenRejectedError],
// *[ScopeError], [ErrCancelled], the cause of the context, and failures to
// reach one of the servers.
func (a *Authorizer) Refresh(ctx context.Context, answered transport.ResponseInfo, by transport.Requester) error {
	d := mergeChallenges(Challenges(answered.Header))
	if d.err == "use_dpop_nonce" && answered.Header.Get(nonceHeader) != "" && answered.Attempt < 3 {
		return nil // ShouldRefresh has kept the nonce
	}
	a.mu.Lock()
	number, _ := a.numberOf(answered.RequestHeader)
	if number != a.current.number {
		a.mu.Unlock()
		return nil // another caller has refreshed the token
	}
	r := a.inFlight
	if r == nil {
		f, err := a.newFlow(answered, d, by)
		if err != nil {
			a.last = ended{previous: a.current, challenge: d.facts(answered.Status)}
			err = &factsError{err, a.factsAfter(&a.last)}
			a.flows++
			number := a.flows
			a.mu.Unlock()
			list := step.NewList(number, a.cfg.OnStep)
			list.Plan(StepChallenge)
			list.Fail(err)
			return err
		}
		r = newFlowRun()
		f.run = r
		var life context.Context
		// The flow outlives the caller that started it.
		life, r.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
		a.inFlight = r
		go a.runFlow(life, r, f, answered)
	}
	r.waiters++
	a.mu.Unlock()
	return a.wait(ctx, r)
}

// wait waits for a flow. The last caller that leaves cancels it.
func (a *Authorizer) wait(ctx context.Context, r *flowRun) error {
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
	}
	a.mu.Lock()
	r.waiters--
	last := r.waiters == 0 && !(a.cfg.Outlives && r.state.Load() != nil)
	if last && a.inFlight == r {
		a.inFlight = nil // the next caller starts another flow
	}
	a.mu.Unlock()
	if last {
		r.cancel(context.Cause(ctx))
		<-r.done // Refresh must not return before the last step is reported
	}
	return context.Cause(ctx)
}

// newFlow returns a flow, or the reason why it could not help. The caller holds
// a.mu.
func (a *Authorizer) newFlow(answered transport.ResponseInfo, d challengeParams, by transport.Requester) (*flow, error) {
	f := &flow{a: a, cfg: &a.cfg, requester: by, status: answered.Status, challenge: d, previous: a.current}
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

// checkStepUp returns an error if a step-up would request nothing new. The caller
// holds a.mu.
func (a *Authorizer) checkStepUp(d challengeParams) error {
	switch {
	case len(d.scopes) == 0:
		return &ScopeError{nil, "the challenge names no scope"}
	case len(missing(d.scopes, a.current.token.Scopes)) == 0:
		return &ScopeError{d.scopes, "the token has this scope already"}
	case len(missing(d.scopes, a.current.requested)) == 0:
		return &ScopeError{d.scopes, a.current.issuer + " did not grant it before"}
	case a.stepUps >= maxStepUps:
		return &ScopeError{d.scopes, fmt.Sprintf("scopes were added %d times on this connection", maxStepUps)}
	}
	return nil
}

func (a *Authorizer) stepsOfFlow(f *flow) []string {
	var names []string
	if a.readsStore(f) {
		names = append(names, StepLoad)
	}
	return append(append(names, StepChallenge, StepResource, StepServer, StepMetadata), a.stepsOfGrant()...)
}

// readsStore reports whether a flow begins with the store: the first one, and each one without a token, since
// another process may have obtained one. The caller holds a.mu.
func (a *Authorizer) readsStore(f *flow) bool {
	return a.cfg.Store != nil && !f.stepUp && (!a.storeRead || a.storeIsPersistent() && a.current.number == 0)
}

// storeIsPersistent reports whether the store outlives the program.
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

// runFlow runs a flow, stores its token and wakes the callers that wait.
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
	if errors.Is(err, ErrStopped) {
		f.list.Plan() // the flow has no more steps
	} else if err != nil {
		f.list.Fail(err)
	} else if got.source != fromStore {
		f.save(ctx, got)
	}
	f.unlockRefresh()
	r.cancel(nil)
	a.mu.Lock()
	defer a.mu.Unlock()
	if err == nil {
		a.unconfirmed = got.source == fromStore && a.storeIsPersistent()
		a.use(got)
	}
	if a.inFlight == r {
		a.inFlight = nil
	}
	a.last = f.end()
	if err != nil {
		if r.state.Load() != nil || errors.Is(err, ErrCancelled) {
			err = signInError{err}
		}
		err = &factsError{err, a.factsAfter(&a.last)}
	}
	r.err = err
	close(r.done)
}

// signInError wraps the error of a flow in which the user took part. It has the same text, and is
// also a [transport.ErrSignInEnded].
type signInError struct{ error }

func (e signInError) Unwrap() []error { return []error{e.error, transport.ErrSignInEnded} }

// maxIssued bounds the remembered tokens that requests have carried. A response to a request with an older
// token would be late by that many refreshes.
const maxIssued = 32

// use makes requests carry a token. The caller holds the lock.
func (a *Authorizer) use(got grantedToken) {
	got.number = a.current.number + 1
	a.current = got
	if got.token.Type == "DPoP" {
		a.signer.setKey(got.token.Key)
	}
	maps.DeleteFunc(a.issued, func(_ string, number int) bool { return number <= got.number-maxIssued })
	a.issued[got.token.Type+" "+got.token.Access] = got.number
}

// Cancel cancels the running flow, if there is one.
func (a *Authorizer) Cancel() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.inFlight != nil {
		a.inFlight.cancel(ErrCancelled)
	}
}

// PasteCallback passes the redirect URL of a browser on another machine to the running
// flow, which checks it like a redirect. The errors are [ErrNoCallback], [ErrStateMismatch], and that no flow is running.
func (a *Authorizer) PasteCallback(address string) error {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || !u.Query().Has("state") {
		return ErrNoCallback
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.inFlight == nil {
		return errors.New("no authorization is waiting for a redirect URL")
	}
	if state := a.inFlight.state.Load(); state != nil && !hasState(u.Query(), *state) {
		return ErrStateMismatch
	}
	a.inFlight.called(u.Query())
	return nil
}
