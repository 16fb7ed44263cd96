package oauth

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"time"

	"mcptea/internal/words/phrase"
)

const (
	// lockInterval is the pause between a flow's attempts to lock the refresh token. Another
	// process holds the lock during one request.
	lockInterval = 20 * time.Millisecond

	// maxRefreshes bounds the refresh tokens that a flow uses: the known one, and one that a process without
	// the lock, such as an older mcptea, has stored since.
	maxRefreshes = 2
)

// renew returns the token that another user of the store has renewed since, or else uses the refresh token.
// Only one user of the store does that at a time: a server that receives a refresh token twice ends the whole grant
// (RFC 9700 §4.14.2). If a token is returned, the lock is held until [flow.unlockRefresh], after the token is
// stored. If ok is false, the flow continues with the grant.
func (f *flow) renew(ctx context.Context) (h grantedToken, ok bool) {
	for range maxRefreshes {
		if !f.mayRefresh() {
			break
		}
		remark := f.lockRefresh(ctx)
		if h, ok = f.takeRenewed(ctx); ok {
			return h, true
		}
		used := f.previous.token.Refresh
		if ctx.Err() == nil {
			h, ok = f.refresh(ctx, remark)
		}
		if ok {
			return h, true
		}
		if h, ok = f.takeRenewed(ctx); ok {
			return h, true
		}
		if ctx.Err() != nil || f.previous.token.Refresh == used {
			break
		}
	}
	f.unlockRefresh()
	return grantedToken{}, false
}

// mayRefresh reports whether this issuer has issued a refresh token that can replace the rejected token.
func (f *flow) mayRefresh() bool {
	old := &f.previous
	return !f.stepUp && old.token.Refresh != "" && old.issuer == f.server.expected && (old.source != fromRefresh || old.accepted)
}

// lockRefresh waits until no other user of the store uses the refresh token, at most for the timeout of a
// request. If it does not get the lock, the refresh continues, since the other process may hang; remark then
// mentions it.
func (f *flow) lockRefresh(flowCtx context.Context) (remark string) {
	if f.unlock != nil || f.cfg.Store == nil {
		return ""
	}
	ctx, stop := context.WithTimeout(flowCtx, f.cfg.Timeout)
	defer stop()
	again := time.NewTicker(lockInterval)
	defer again.Stop()
	for first := true; ; first = false {
		unlock, err := f.tryLock(ctx, "refresh "+canonical(f.a.server))
		switch {
		case flowCtx.Err() != nil:
			if unlock != nil {
				unlock()
			}
			return ""
		case ctx.Err() == nil && err != nil:
			remark = fmt.Sprintf("cannot lock the refresh token: %v", err)
		case unlock != nil:
			f.unlock = unlock
		case ctx.Err() != nil:
			remark = fmt.Sprintf("another process has used the refresh token for %s; not waiting longer", phrase.Duration(f.cfg.Timeout))
		}
		if f.unlock != nil || remark != "" {
			if !first {
				f.list.EndAbsent(cmp.Or(remark, "another process has used the refresh token"))
			}
			return remark
		}
		if first {
			f.list.Plan(StepLoad)
			f.list.Begin(StepLoad, "another process uses the refresh token", f.cfg.Timeout)
		}
		select {
		case <-again.C:
		case <-ctx.Done():
		}
	}
}

// unlockRefresh releases the lock of the refresh token: the new token is stored, or the refresh has failed.
func (f *flow) unlockRefresh() {
	if f.unlock != nil {
		f.unlock()
		f.unlock = nil
	}
}

// takeRenewed returns the token that another user of the store has renewed, if it can be used. If only its
// refresh token can, that replaces the refresh token of the rejected token.
func (f *flow) takeRenewed(ctx context.Context) (h grantedToken, ok bool) {
	h, ok = f.newerStored(ctx, f.previous.issuer)
	switch {
	case !ok:
		return grantedToken{}, false
	case f.cfg.Until != "" || HasExpired(h.token.Expires):
		f.previous = h
		return grantedToken{}, false
	}
	f.list.Plan(StepLoad)
	f.list.Begin(StepLoad, "", 0)
	f.list.End("", Done, h.token.describe()+", of "+h.issuer+", renewed by another session")
	f.list.Plan()
	return h, true
}

// refresh uses the refresh token (OAuth 2.1 §4.3). After an error the flow continues with the grant.
func (f *flow) refresh(ctx context.Context, remark string) (grantedToken, bool) {
	old := f.previous
	f.list.Plan(StepRefresh)
	f.list.Begin(StepRefresh, "", f.cfg.Timeout)
	if remark != "" {
		f.list.Remark(remark)
	}
	wanted := f.dpop
	if f.dpop = old.token.Type == "DPoP"; f.dpop {
		f.a.signer.setKey(old.token.Key)
	}
	form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {old.token.Refresh}}
	unbroken, stop := finishing(ctx)
	defer stop()
	t, err := f.requestToken(unbroken, old.client, form, old.token.Scopes)
	if err != nil {
		f.dpop = wanted
		f.forgetRegistration(ctx, old.client, err)
		f.refreshFailed = err
		f.list.Fail(err)
		f.list.Plan(f.a.stepsOfGrant()...)
		return grantedToken{}, false
	}
	if t.Refresh == "" {
		t.Refresh = old.token.Refresh // remains valid (RFC 6749 §6)
	}
	f.list.End("", Done, t.describe())
	return grantedToken{token: t, client: old.client, issuer: old.issuer, requested: old.requested, source: fromRefresh}, true
}

// finishTime is the maximum time that a refresh continues after its flow was canceled.
const finishTime = 5 * time.Second

// finishing returns a context that ends finishTime after ctx, for what must not be interrupted: a server that has
// received a refresh token may have replaced it, and a response that is dropped has the only copy of the new one. The
// next session would send the old one, and the server end the grant (RFC 9700 §4.14.2).
func finishing(ctx context.Context) (unbroken context.Context, stop func()) {
	unbroken, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	unwatch := context.AfterFunc(ctx, func() {
		time.AfterFunc(finishTime, func() { cancel(context.Cause(ctx)) })
	})
	return unbroken, func() {
		unwatch()
		cancel(nil)
	}
}

// refreshNow uses the refresh token of a token that was just issued, and that no other process has yet.
func (f *flow) refreshNow(ctx context.Context, h grantedToken) (grantedToken, error) {
	if h.token.Refresh == "" {
		f.list.Begin(StepRefresh, "", 0)
		return h, fmt.Errorf("%s has issued no refresh token", h.issuer)
	}
	f.previous = h
	if f.mayRefresh() {
		if refreshed, ok := f.refresh(ctx, ""); ok {
			return refreshed, nil
		}
	}
	return h, cmp.Or(context.Cause(ctx), f.refreshFailed)
}
