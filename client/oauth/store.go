package oauth

import (
	"context"
	"fmt"
	"time"
)

// loadToken reads the store, once per Authorizer. An expired token is kept for the
// refresh, and the flow continues.
func (f *flow) loadToken(ctx context.Context) (grantedToken, bool) {
	a := f.a
	a.mu.Lock()
	reads := a.readsStore(f)
	a.storeRead = a.storeRead || reads
	a.mu.Unlock()
	if !reads {
		return f.loadRenewed(ctx)
	}
	f.list.Begin(StepLoad, "", 0)
	all, err := f.stored(ctx)
	if err != nil {
		f.a.noteStored(StoreUnreadable, err)
		f.list.Remark(fmt.Sprintf("cannot read the stored tokens: %v", err))
		f.list.EndAbsent("none")
		return grantedToken{}, false
	}
	h, ok := f.chooseStored(all)
	f.a.noteStored(storedIn(all, ok), nil)
	switch {
	case !ok && len(all) > 0:
		f.list.EndAbsent("none that can be used")
	case !ok:
		f.list.EndAbsent("none")
	case f.cfg.Until != "":
		f.list.End("", Done, "one of "+h.issuer)
		if f.cfg.Until == StepRefresh {
			f.previous = h
		}
		return grantedToken{}, false
	case HasExpired(h.token.Expires):
		f.list.End("", Done, h.token.describe()+", of "+h.issuer)
		f.previous = h
		return grantedToken{}, false
	default:
		f.list.End("", Done, h.token.describe()+", of "+h.issuer)
		f.list.Plan()
	}
	return h, ok
}

// noteStored records the state of the store.
func (a *Authorizer) noteStored(s Stored, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stored, a.storeErr = s, err
}

// noteSaved records whether the newest token was saved.
func (a *Authorizer) noteSaved(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.storeErr = err; err == nil {
		a.stored = StoreHasToken
	}
}

// storedIn returns the state of a store that holds all. usable reports that the configuration allows one of them.
func storedIn(all []StoredToken, usable bool) Stored {
	switch {
	case usable:
		return StoreHasToken
	case len(all) > 0:
		return StoreUnused
	}
	return StoreEmpty
}

// stored returns the tokens that the store has for the server. They are read while the context lasts.
func (f *flow) stored(ctx context.Context) ([]StoredToken, error) {
	loaded := make(chan []StoredToken, 1)
	if err := runCancelable(ctx, func() error {
		all, err := f.a.cfg.Store.Load(canonical(f.a.server))
		loaded <- all
		return err
	}); err != nil {
		return nil, err
	}
	return <-loaded, nil
}

// HasExpired reports whether a time of expiry has passed; the zero time never has.
func HasExpired(expires time.Time) bool { return !expires.IsZero() && time.Now().After(expires) }

// loadRenewed reads the token that another session with the same store has renewed: the refresh token of this
// session is then no longer valid. ok is false if the store has no such token, or it cannot be used
// immediately.
func (f *flow) loadRenewed(ctx context.Context) (h grantedToken, ok bool) {
	if f.stepUp || f.cfg.Until != "" || f.previous.number == 0 {
		return h, false
	}
	return f.takeRenewed(ctx)
}

// newerStored returns the token that another user of the store has saved instead of the rejected one. It
// may have expired.
func (f *flow) newerStored(ctx context.Context, issuer string) (h grantedToken, ok bool) {
	if f.cfg.Store == nil {
		return h, false
	}
	all, err := f.stored(ctx)
	if err != nil {
		return h, false
	}
	h, ok = f.chooseStored(all)
	f.a.mu.Lock()
	_, had := f.a.issued[h.token.Type+" "+h.token.Access]
	f.a.mu.Unlock()
	if !ok || had || h.issuer != issuer || h.token.Access == f.previous.token.Access {
		return grantedToken{}, false
	}
	return h, true
}

// tryLock takes a lock of the store until ctx ends. release is nil if another caller has it.
func (f *flow) tryLock(ctx context.Context, name string) (release func(), err error) {
	type result struct {
		release func()
		err     error
	}
	taken := make(chan result)
	go func() {
		release, err := f.cfg.Store.Lock(name)
		select {
		case taken <- result{release, err}:
		case <-ctx.Done():
			if release != nil {
				release()
			}
		}
	}()
	select {
	case r := <-taken:
		return r.release, r.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// chooseStored chooses one of the stored tokens and adds all their clients.
func (f *flow) chooseStored(all []StoredToken) (chosen grantedToken, ok bool) {
	configuredID := f.cfg.Client.ID
	for _, s := range all {
		if s.Client.RedirectURI != "" {
			f.a.addClient(s.Client)
		}
		if ok || configuredID != "" && s.Client.ID != configuredID || f.cfg.Issuer != "" && s.Issuer != f.cfg.Issuer || s.Token.Access == "" {
			continue
		}
		if configuredID != "" {
			s.Client = f.cfg.Client // the configured client, whose secret may be newer
		}
		if s.Token.Type == "DPoP" && parseDPoPKey(s.Token.Key) == nil {
			continue
		}
		chosen, ok = grantedToken{token: s.Token, client: s.Client, issuer: s.Issuer, requested: s.Token.Scopes, source: fromStore}, true
	}
	return chosen, ok
}

// save stores the token. A failure is reported in the step and does not end the
// flow.
func (f *flow) save(ctx context.Context, h grantedToken) {
	if f.cfg.Store == nil {
		return
	}
	c := h.client
	c.Key = nil
	if c.RedirectURI == "" {
		c.Secret = "" // configured secrets are not stored
	}
	lasts := f.a.storeIsPersistent()
	if lasts {
		f.list.Begin(StepStore, "", 0)
	}
	unbroken, stop := finishing(ctx) // its refresh token may be the only one
	defer stop()
	err := runCancelable(unbroken, func() error {
		return f.cfg.Store.Save(StoredToken{Resource: canonical(f.a.server), Issuer: h.issuer, Client: c, Token: h.token})
	})
	f.a.noteSaved(err)
	switch {
	case err != nil:
		f.list.End("", Done, fmt.Sprintf("not stored: %v", err))
	case lasts:
		f.list.End("", Done, "stored for later sessions")
	}
}

// forget removes the stored token of a client.
func (f *flow) forget(ctx context.Context, c Client) {
	if f.cfg.Store == nil {
		return
	}
	saved := StoredToken{Resource: canonical(f.a.server), Issuer: c.Issuer, Client: c}
	if err := runCancelable(ctx, func() error { return f.cfg.Store.Forget(saved) }); err != nil {
		f.list.Remark(fmt.Sprintf("cannot remove the stored client %s: %v", c.ID, err))
	}
}

// runCancelable calls do, which may block, for example while a keyring waits for a password. If ctx ends first,
// its goroutine continues until do returns, and the result is lost.
func runCancelable(ctx context.Context, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
