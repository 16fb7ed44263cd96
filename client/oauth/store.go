package oauth

import (
	"context"
	"fmt"
	"time"
)

// loadToken looks once for a token of an earlier time. One that has expired and
// can be refreshed is as good; the flow goes on with it then.
func (f *flow) loadToken(ctx context.Context) (grantedToken, bool) {
	a := f.a
	a.mu.Lock()
	look := a.cfg.Store != nil && !a.storeRead && !f.stepUp
	a.storeRead = a.storeRead || look
	a.mu.Unlock()
	if !look {
		return grantedToken{}, false
	}
	f.list.Begin(StepLoad, "", 0)
	loaded := make(chan []StoredToken, 1)
	err := runCancelable(ctx, func() error {
		all, err := a.cfg.Store.Load(canonical(a.server))
		loaded <- all
		return err
	})
	if err != nil {
		f.list.Remark(fmt.Sprintf("the stored tokens cannot be read: %v", err))
		f.list.End("", Done, "none")
		return grantedToken{}, false
	}
	h, ok := f.chooseStored(<-loaded)
	switch {
	case !ok:
		f.list.End("", Done, "none")
	case !h.token.Expires.IsZero() && time.Now().After(h.token.Expires):
		f.list.End("", Done, "it has expired")
		f.previous = h
		return grantedToken{}, false
	default:
		f.list.End("", Done, h.token.describe()+", of "+h.issuer)
		f.list.Plan()
	}
	return h, ok
}

// chooseStored chooses among what is stored and remembers all clients in it.
func (f *flow) chooseStored(all []StoredToken) (chosen grantedToken, ok bool) {
	own := f.cfg.Client.ID
	for _, s := range all {
		if s.Client.RedirectURI != "" {
			f.a.addClient(s.Client)
		}
		if ok || own != "" && s.Client.ID != own || f.cfg.Issuer != "" && s.Issuer != f.cfg.Issuer || s.Token.Access == "" {
			continue
		}
		if own != "" {
			s.Client = f.cfg.Client // the secret may be another by now
		}
		if s.Token.Type == "DPoP" && !f.a.signer.setKey(s.Token.Key) {
			continue
		}
		chosen, ok = grantedToken{token: s.Token, client: s.Client, issuer: s.Issuer, resource: s.Resource, requested: s.Token.Scopes, source: fromStore}, true
	}
	return chosen, ok
}

// save keeps the token for another time. That it cannot be kept is no reason
// not to use it now.
func (f *flow) save(ctx context.Context, h grantedToken) {
	if f.cfg.Store == nil {
		return
	}
	c := h.client
	c.Key = nil
	if c.RedirectURI == "" {
		c.Secret = "" // it was given to us and is not ours to keep
	}
	lasts := f.a.storeIsPersistent()
	if lasts {
		f.list.Begin(StepStore, "", 0)
	}
	err := runCancelable(ctx, func() error {
		return f.cfg.Store.Save(StoredToken{Resource: canonical(f.a.server), Issuer: h.issuer, Client: c, Token: h.token})
	})
	switch {
	case err != nil:
		f.list.End("", Done, fmt.Sprintf("not kept: %v", err))
	case lasts:
		f.list.End("", Done, "stored for later sessions")
	}
}

// forget drops what is kept with a client. It may come again, and then it is
// forgotten again.
func (f *flow) forget(ctx context.Context, c Client) {
	if f.cfg.Store == nil {
		return
	}
	saved := StoredToken{Resource: canonical(f.a.server), Issuer: c.Issuer, Client: c}
	if err := runCancelable(ctx, func() error { return f.cfg.Store.Forget(saved) }); err != nil {
		f.list.Remark(fmt.Sprintf("the client %s could not be forgotten: %v", c.ID, err))
	}
}

// runCancelable does what may ask somebody for a password, such as a keyring. It
// cannot be taken back: who is not waited for any more ends in its own time,
// and what it finds is lost.
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
