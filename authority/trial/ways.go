package trial

import (
	"bytes"
	"context"
	"net/http"
	"strings"

	"mcptea/authority"
)

// ways maps names of tokens that are not only forged to functions that send them.
var ways = map[string]func(*trial, context.Context) response{
	"none":  func(t *trial, ctx context.Context) response { return t.send(ctx, message{}) },
	"basic": func(t *trial, ctx context.Context) response { return t.sendRight(ctx, message{scheme: "Basic"}) },
	"query": func(t *trial, ctx context.Context) response {
		return t.send(ctx, message{query: t.Authority.Access(t.grant)})
	},
	"cookie": func(t *trial, ctx context.Context) response {
		return t.send(ctx, message{header: http.Header{"Cookie": {"access_token=" + t.Authority.Access(t.grant)}}})
	},
	"trusted-headers": func(t *trial, ctx context.Context) response { return t.send(ctx, message{header: proxyHeaders}) },
	"path-slash":      func(t *trial, ctx context.Context) response { return t.send(ctx, message{path: "/"}) },
	"get-query":       (*trial).streamByQuery,
	"two-headers": func(t *trial, ctx context.Context) response {
		return t.sendRight(ctx, message{scheme: "Bearer", before: "Bearer not-a-token"})
	},
	"bearer-small": func(t *trial, ctx context.Context) response {
		if t.proofs != nil && t.proofs.required {
			return notApplicable
		}
		return t.sendRight(ctx, message{scheme: "bearer"})
	},
	"revoked-later":      (*trial).revokeLater,
	"get-none":           (*trial).streamWithout,
	"delete-none":        (*trial).deleteWithout,
	"session-user":       (*trial).otherUser,
	"later-none":         laterWrong("later-none"),
	"later-key":          laterWrong("later-key"),
	"later-expired":      laterWrong("later-expired"),
	"later-scope":        laterWrong("later-scope"),
	"later-bearer":       laterWrong("later-bearer"),
	"later-proof-none":   laterWrong("later-proof-none"),
	"later-proof-method": laterWrong("later-proof-method"),
	"cached-signature":   (*trial).otherSignature,
	"cached-start":       (*trial).sameStart,
	"cached-expired":     (*trial).expiredInCache,
	"key-rotated":        (*trial).rotate,
	"key-withdrawn":      (*trial).withdrawnKey,
	"signature-zero":     (*trial).zeroSignature,
	"jwks-down":          (*trial).keysDown,
	"jwks-flood":         (*trial).floodKeys,
	"introspection-down": introspectionWith(authority.IntrospectionDown),
	"introspection-text": introspectionWith(authority.ActiveText),
}

// proxyHeaders are headers in which a proxy or a framework states that it has authenticated a
// request.
var proxyHeaders = http.Header{
	"X-Forwarded-User": {"developer"}, "X-Remote-User": {"developer"}, "Remote-User": {"developer"}, "X-Auth-Request-User": {"developer"},
	"X-Forwarded-Email": {"developer@example.com"}, "X-User-Id": {"developer"}, "X-Forwarded-For": {"127.0.0.1"}, "X-Original-Url": {"/health"},
	"X-Middleware-Subrequest": {"middleware:middleware:middleware:middleware:middleware"},
}

// carriedOut maps names of such tokens to what a server does if it accepts them.
var carriedOut = map[string]string{
	"none":         "carries out a request without a token",
	"get-none":     "opens its stream for a GET without a token",
	"delete-none":  "ends a session for a DELETE without a token",
	"session-user": "carries out requests in a session that another user has started",
}

// notApplicable is the response if the server has nothing that the token is about.
var notApplicable = response{skipped: true}

func failed(err error) response { return response{err: err, header: http.Header{}} }

// sendRight sends a message with a right token.
func (t *trial) sendRight(ctx context.Context, m message) response {
	m.token = t.Authority.Access(t.grant)
	return t.send(ctx, m)
}

// revokeLater sends a token to a server that introspects tokens, revokes it once the server has accepted it, and sends
// it again.
func (t *trial) revokeLater(ctx context.Context) response {
	t.revoked = t.Authority.Access(t.grant)
	m := message{scheme: "Bearer", token: t.revoked}
	accepted := t.send(ctx, m).accepted
	t.takeCounts()
	if !accepted || !t.introspects() {
		return notApplicable
	}
	t.Authority.RevokeAccess(t.revoked)
	return t.send(ctx, m)
}

// repeats reports whether a response contains a token. Short texts may be in it by chance.
func (r response) repeats(token string) bool {
	const minToken = 30
	return len(token) >= minToken && (bytes.Contains(r.body, []byte(token)) || strings.Contains(r.challenge(), token))
}
