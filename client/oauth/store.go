package oauth

import (
	"fmt"
	"time"
)

// stored looks once for a token of an earlier time. One that has expired and
// can be refreshed is as good; the flow goes on with it then.
func (f *flow) stored() (held, bool) {
	a := f.a
	a.mu.Lock()
	look := a.cfg.Store != nil && !a.looked && !f.stepUp
	a.looked = a.looked || look
	a.mu.Unlock()
	if !look {
		return held{}, false
	}
	f.list.begin(StepStored, "", 0)
	all, err := a.cfg.Store.Load(canonical(a.server))
	if err != nil {
		f.list.remark(fmt.Sprintf("the stored tokens cannot be read: %v", err))
		f.list.finish("none")
		return held{}, false
	}
	h, ok := f.pick(all)
	switch {
	case !ok:
		f.list.finish("none")
	case !h.token.Expires.IsZero() && time.Now().After(h.token.Expires):
		f.list.finish("it has expired")
		f.before = h
		return held{}, false
	default:
		f.list.finish(h.token.describe() + ", of " + h.issuer)
		f.list.replan()
	}
	return h, ok
}

// pick chooses among what is stored and remembers all clients in it.
func (f *flow) pick(all []Saved) (chosen held, ok bool) {
	own := f.cfg.Client.ID
	for _, s := range all {
		if s.Client.RedirectURI != "" {
			f.a.remember(s.Client)
		}
		if ok || own != "" && s.Client.ID != own || f.cfg.Issuer != "" && s.Issuer != f.cfg.Issuer || s.Token.Access == "" {
			continue
		}
		if own != "" {
			s.Client = f.cfg.Client // the secret may be another by now
		}
		if s.Token.Type == "DPoP" && !f.a.prover.use(s.Token.Key) {
			continue
		}
		chosen, ok = held{token: s.Token, client: s.Client, issuer: s.Issuer, resource: s.Resource, asked: s.Token.Scopes, how: byStore}, true
	}
	return chosen, ok
}

// save keeps the token for another time. That it cannot be kept is no reason
// not to use it now.
func (f *flow) save(h held) {
	if f.cfg.Store == nil {
		return
	}
	c := h.client
	c.Key = nil
	if c.RedirectURI == "" {
		c.Secret = "" // it was given to us and is not ours to keep
	}
	err := f.cfg.Store.Save(Saved{Resource: canonical(f.a.server), Issuer: h.issuer, Client: c, Token: h.token})
	if err != nil {
		f.list.remarkLast(fmt.Sprintf("the token is not kept for another time: %v", err))
	}
}
