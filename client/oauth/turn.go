package oauth

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mcptea/internal/words/phrase"
)

// turnInterval is the pause between checks of the store while a flow waits for another process.
const turnInterval = 500 * time.Millisecond

// awaitTurn waits until no other process asks the user for consent for the same resource: of two pages for one
// server, only the newest could be answered. It returns the token that the other process has obtained, or a
// function that ends the turn.
func (f *flow) awaitTurn(ctx context.Context) (h grantedToken, release func(), err error) {
	none := func() {}
	if !f.cfg.OneConsent || f.cfg.Until != "" || !f.a.storeIsPersistent() {
		return h, none, nil
	}
	late := fmt.Errorf("%w within %s", ErrConsentTimeout, phrase.Duration(f.cfg.ConsentTimeout))
	ctx, stop := context.WithTimeoutCause(ctx, f.cfg.ConsentTimeout, late)
	defer stop()
	ticker := time.NewTicker(turnInterval)
	defer ticker.Stop()
	for first := true; ; first = false {
		release, err := f.tryLock(ctx, "consent "+canonical(f.a.server))
		if err != nil {
			f.list.Remark(fmt.Sprintf("cannot wait for other processes: %v", err))
			return h, none, nil
		}
		if h, ok := f.storedSince(ctx); ok {
			if release != nil {
				release()
			}
			f.list.Begin(StepConsent, "", 0)
			f.list.End("", Done, givenElsewhere)
			return h, none, nil
		}
		if release != nil {
			return h, release, nil
		}
		if first {
			f.list.Begin(StepConsent, "another process of mcptea asks for consent", f.cfg.ConsentTimeout)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return h, none, context.Cause(ctx)
		}
	}
}

// givenElsewhere is the detail of a consent that the user has given to another process.
const givenElsewhere = "given to another process of mcptea"

// errGivenElsewhere ends the wait for the user.
var errGivenElsewhere = errors.New("the user has signed in with another process of mcptea")

// watchStore returns a context that ends when another process, such as mcptea auth login, stores a token. found
// ends the watch, and returns the token, or the zero value.
func (f *flow) watchStore(ctx context.Context) (watched context.Context, found func() grantedToken) {
	if !f.cfg.OneConsent || f.cfg.Until != "" || !f.a.storeIsPersistent() {
		return ctx, func() grantedToken { return grantedToken{} }
	}
	watched, stop := context.WithCancelCause(ctx)
	done := make(chan grantedToken, 1)
	go func() {
		ticker := time.NewTicker(turnInterval)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
			case <-watched.Done():
				done <- grantedToken{}
				return
			}
			if h, ok := f.storedSince(watched); ok {
				stop(errGivenElsewhere)
				done <- h
				return
			}
		}
	}()
	return watched, func() grantedToken {
		stop(nil)
		return <-done
	}
}

// storedSince returns a token that another process has stored since this flow began, if it can be used.
func (f *flow) storedSince(ctx context.Context) (h grantedToken, ok bool) {
	h, ok = f.newerStored(ctx, f.server.expected)
	if !ok || HasExpired(h.token.Expires) || f.stepUp && len(missing(f.challenge.scopes, h.token.Scopes)) > 0 {
		return grantedToken{}, false
	}
	return h, true
}
