package trial

import (
	"context"
	"net/http"
	"time"

	"mcptea/authority"
)

// otherSignature sends a token, and once the server has accepted it, the same token with another signature.
func (t *trial) otherSignature(ctx context.Context) response {
	right := t.Authority.Access(t.grant)
	if !t.send(ctx, message{scheme: "Bearer", token: right}).accepted {
		return notApplicable
	}
	return t.send(ctx, message{scheme: "Bearer", token: t.Authority.OtherSignature(right)})
}

// sameStart sends a token that begins like an accepted one, to a server that introspects tokens.
func (t *trial) sameStart(ctx context.Context) response {
	right := t.Authority.Access(t.grant)
	accepted := t.send(ctx, message{scheme: "Bearer", token: right}).accepted
	t.takeCounts()
	if !accepted || !t.introspects() {
		return notApplicable
	}
	return t.send(ctx, message{scheme: "Bearer", token: authority.SameStart(right)})
}

// A primed is a token that the server accepted while it was right.
type primed struct {
	token string
	until time.Time // expiry
}

// prime sends a token that expires soon, for expiredInCache.
func (t *trial) prime(ctx context.Context) {
	until := time.Now().Add(authority.Soon)
	text, _ := t.Authority.Forge("cached-expired", t.grant) // a test makes it
	if t.send(ctx, message{scheme: "Bearer", token: text}).accepted {
		t.soon = primed{text, until}
	}
}

// expiredInCache sends an expired token that the server has accepted before. A server with a leeway may accept it.
func (t *trial) expiredInCache(ctx context.Context) response {
	leeway, _ := t.Authority.Forge("expired-1s", t.grant) // a test makes it
	if t.soon.token == "" || t.send(ctx, message{scheme: "Bearer", token: leeway}).accepted {
		return notApplicable
	}
	t.pause(ctx, time.Until(t.soon.until.Add(1100*time.Millisecond)))
	return t.send(ctx, message{scheme: "Bearer", token: t.soon.token})
}

// pause waits, or until the context ends.
func (t *trial) pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// rotate replaces the key of the authority, and returns the reaction to a token of the new one.
func (t *trial) rotate(ctx context.Context) response {
	t.withdrawn = t.Authority.Access(t.grant) // never sent before: a server may keep the result of a verification
	old := t.rightToken
	if err := t.Authority.Rotate(); err != nil {
		return failed(err)
	}
	t.rightToken, t.asked["jwks"] = "", 0
	t.oldToken = old
	return t.right(ctx)
}

// knowsNewKey reports whether the server has fetched the keys since they were replaced, and accepts the new one.
func (t *trial) knowsNewKey(ctx context.Context) bool {
	if t.withdrawn == "" {
		t.rotate(ctx)
	}
	known := t.right(ctx).accepted
	t.takeCounts()
	return known && t.asked["jwks"] > 0
}

// withdrawnKey sends a token of the old key to a server that has fetched the keys without it.
func (t *trial) withdrawnKey(ctx context.Context) response {
	if !t.knowsNewKey(ctx) || t.withdrawn == "" {
		return notApplicable
	}
	return t.send(ctx, message{scheme: "Bearer", token: t.withdrawn})
}

// zeroSignature sends a token with a signature of zeros to a server that has fetched an elliptic key.
func (t *trial) zeroSignature(ctx context.Context) response {
	if !t.knowsNewKey(ctx) {
		return notApplicable
	}
	text, _ := t.Authority.Forge("signature-zero", t.grant) // a test makes it
	return t.send(ctx, message{scheme: "Bearer", token: text})
}

const (
	maxFetchTries = 3                       // tokens that are sent until the server fetches the keys
	fetchPause    = 1100 * time.Millisecond // pause between them: servers fetch the keys at most once in a while
)

// keysDown sends tokens with unknown kids while the keys cannot be fetched, until the server tries to.
func (t *trial) keysDown(ctx context.Context) (got response) {
	if t.asked["jwks"] == 0 {
		return notApplicable
	}
	t.Authority.Fail(authority.KeysDown)
	defer t.Authority.Fail(authority.NoFailure)
	for i := range maxFetchTries {
		if i > 0 {
			t.pause(ctx, fetchPause)
		}
		text, _ := t.Authority.Forge("jwks-down", t.grant) // a test makes it
		got = t.send(ctx, message{scheme: "Bearer", token: text})
		if counts := t.takeCounts(); got.accepted || counts["jwks"] > 0 {
			return got
		}
	}
	return notApplicable // the server has its keys, and did not need the authority
}

const (
	floodTokens = 10
	maxFetches  = 7 // fetches of the keys for these tokens that are not reported
)

// floodKeys sends tokens with different unknown kids.
func (t *trial) floodKeys(ctx context.Context) (got response) {
	if t.asked["jwks"] == 0 {
		return notApplicable
	}
	t.takeCounts()
	for range floodTokens {
		text, _ := t.Authority.Forge("jwks-flood", t.grant) // a test makes it
		if got = t.send(ctx, message{scheme: "Bearer", token: text}); got.accepted || got.err != nil || got.status == http.StatusTooManyRequests {
			break
		}
	}
	return got
}

// introspectionWith returns a function that sends a right token while introspection fails.
func introspectionWith(how authority.Failure) func(*trial, context.Context) response {
	return func(t *trial, ctx context.Context) response {
		if !t.introspects() {
			return notApplicable
		}
		t.Authority.Fail(how)
		defer t.Authority.Fail(authority.NoFailure)
		return t.sendRight(ctx, message{scheme: "Bearer"})
	}
}
