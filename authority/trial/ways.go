package trial

import (
	"bytes"
	"context"
	"net/http"
	"strings"
)

// ways maps names of tokens that are not forged to functions that send them.
var ways = map[string]func(*trial, context.Context) response{
	"none":  func(t *trial, ctx context.Context) response { return t.send(ctx, message{}) },
	"basic": func(t *trial, ctx context.Context) response { return t.sendRight(ctx, message{scheme: "Basic"}) },
	"query": func(t *trial, ctx context.Context) response {
		return t.send(ctx, message{query: t.Authority.Access(t.grant)})
	},
	"bearer-small": func(t *trial, ctx context.Context) response {
		if t.proofs != nil && t.proofs.required {
			return notApplicable
		}
		return t.sendRight(ctx, message{scheme: "bearer"})
	},
	"key-rotated": func(t *trial, ctx context.Context) response {
		if err := t.Authority.Rotate(); err != nil {
			return failed(err)
		}
		t.rightToken = ""
		return t.right(ctx)
	},
	"revoked-later": (*trial).revokeLater,
	"later-none":    (*trial).laterWithout,
	"get-none":      (*trial).streamWithout,
	"delete-none":   (*trial).deleteWithout,
	"session-user":  (*trial).otherUser,
}

// carriedOut maps names of such tokens to what a server does that accepts them.
var carriedOut = map[string]string{
	"none":         "carries out a request without a token",
	"later-none":   "carries out a later request without a token",
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

// revokeLater sends a token, revokes it once the server has accepted it, and sends it again.
func (t *trial) revokeLater(ctx context.Context) response {
	t.revoked = t.Authority.Access(t.grant)
	m := message{scheme: "Bearer", token: t.revoked}
	if !t.send(ctx, m).accepted {
		return notApplicable
	}
	t.Authority.RevokeAccess(t.revoked)
	return t.send(ctx, m)
}

// begin starts a session with a right token. The message has its id and the token; ok is false without a session.
func (t *trial) begin(ctx context.Context) (m message, ok bool) {
	m = message{scheme: "Bearer", token: t.Authority.Access(t.grant), keepSession: true}
	got := t.send(ctx, m)
	m.session = got.header.Get("Mcp-Session-Id")
	if m.session == "" || !got.accepted {
		return m, false
	}
	ready := m
	ready.method, ready.notification = "notifications/initialized", true
	t.send(ctx, ready)
	return m, true
}

// later sets a request of a message that a server carries out after the first one; ok is false if there is none.
func (t *trial) later(ctx context.Context, m message) (request message, ok bool) {
	for _, method := range [...]string{"tools/list", "ping"} {
		m.method, m.params = method, "{}"
		if t.send(ctx, m).accepted {
			return m, true
		}
	}
	return m, false
}

// laterWithout sends a request without a token after the first one, in a session if the server has any.
func (t *trial) laterWithout(ctx context.Context) response {
	m, hasSession := t.begin(ctx)
	if hasSession {
		defer t.endSession(ctx, m)
	}
	request, ok := t.later(ctx, m)
	if !ok {
		return notApplicable
	}
	t.Authority.TakeCounts()
	request.scheme = ""
	return t.send(ctx, request)
}

// streamWithout requests the stream of the server without a token.
func (t *trial) streamWithout(ctx context.Context) response {
	m, hasSession := t.begin(ctx)
	if hasSession {
		defer t.endSession(ctx, m)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, t.URL, nil)
	if err != nil {
		return failed(err)
	}
	r.Header.Set("Accept", "text/event-stream")
	r.Header.Set("MCP-Protocol-Version", statefulVersion)
	t.authorize(message{session: m.session}, r)
	got := t.head(r)
	got.accepted = got.err == nil && got.status/100 == 2 && isStream(got.header)
	return got
}

// deleteWithout ends a session without a token, and then uses it.
func (t *trial) deleteWithout(ctx context.Context) response {
	m, ok := t.begin(ctx)
	if !ok {
		return notApplicable
	}
	defer t.endSession(ctx, m)
	request, ok := t.later(ctx, m)
	if !ok {
		return notApplicable
	}
	got := t.endSession(ctx, message{session: m.session})
	got.accepted = got.status/100 == 2 && !t.send(ctx, request).accepted
	return got
}

// otherUser sends a request of another user in a session.
func (t *trial) otherUser(ctx context.Context) response {
	m, ok := t.begin(ctx)
	if !ok {
		return notApplicable
	}
	defer t.endSession(ctx, m)
	request, ok := t.later(ctx, m)
	if !ok {
		return notApplicable
	}
	t.Authority.TakeCounts()
	g := t.grant
	g.User = "another-user"
	request.token = t.Authority.Access(g)
	return t.send(ctx, request)
}

// repeats reports whether a response contains a token. Short texts may be in it by chance.
func (r response) repeats(token string) bool {
	const minToken = 30
	return len(token) >= minToken && (bytes.Contains(r.body, []byte(token)) || strings.Contains(r.challenge(), token))
}
