package trial

import (
	"context"
	"net/http"
	"strings"

	"mcptea/authority"
)

// laterRequests are the requests after the first one that are tried with wrong credentials. A server that rejects the
// credentials at the first request may verify only parts of them in a session.
var laterRequests = []struct {
	name string // in messages
	message
}{
	{"tools/list", message{method: "tools/list", params: "{}"}},
	{"ping", message{method: "ping", params: "{}"}},
	{"tools/call", message{method: "tools/call", params: `{"name":"mcptea-no-such-tool","arguments":{}}`}},
	{"notifications", message{method: "notifications/cancelled", params: `{"requestId":"mcptea-no-such-request"}`, notification: true}},
	{"batches", message{method: "ping", params: "{}", batch: true}},
}

// A later is a request with the reaction to it that shows that it was carried out.
type later struct {
	name    string
	request message
	control response // the reaction with right credentials
}

// isCarriedOut reports whether the reaction to the request with other credentials is the reaction to the right ones.
func (l later) isCarriedOut(got response) bool {
	if l.request.notification {
		return got.err == nil && got.status/100 == 2 && got.code == ""
	}
	return got.err == nil && got.status == l.control.status && got.replied && got.code == l.control.code
}

// credentials maps tokens that are sent in a session to functions that replace the credentials of a message. ok is
// false if the server has nothing to try.
var credentials = map[string]func(t *trial, m *message) (ok bool){
	"later-none":         func(_ *trial, m *message) bool { m.scheme, m.prove = "", nil; return true },
	"later-key":          forged("kid-stolen"),
	"later-expired":      forged("expired"),
	"later-scope":        forged("scope-missing"),
	"later-bearer":       (*trial).withoutScheme,
	"later-proof-none":   func(t *trial, m *message) bool { m.prove = noProof; return t.proofs != nil },
	"later-proof-method": func(t *trial, m *message) bool { m.prove = t.wrongProof("proof-method"); return t.proofs != nil },
}

// forged returns a function that replaces the token by a wrong one.
func forged(name string) func(*trial, *message) bool {
	return func(t *trial, m *message) bool {
		g := t.grant
		if t.proofs != nil && m.scheme == schemeDPoP {
			g = t.proofs.Bind(g)
		}
		m.token, _ = t.Authority.Forge(name, g) // a test makes each of them
		return name != "scope-missing" || t.ScopesRequired
	}
}

// withoutScheme makes a bound token one that is sent as Bearer.
func (t *trial) withoutScheme(m *message) bool {
	m.scheme, m.prove, m.unproven = "Bearer", nil, true
	return t.proofs != nil
}

// laterWrong returns a function that sends requests with wrong credentials after the first one, in a session if the
// server has any. The response is the first that was carried out, or else the rejection of the first request.
func laterWrong(name string) func(*trial, context.Context) response {
	return func(t *trial, ctx context.Context) response {
		m, hasSession := t.beginWith(ctx, t.rightMessage())
		if hasSession {
			defer func() { t.endSession(ctx, m) }()
		}
		wrong := m
		if !credentials[name](t, &wrong) {
			return notApplicable
		}
		var first response
		var did []string
		tried := func(what string, got response, carriedOut bool) {
			if carriedOut {
				t.open[what] = true
				did = append(did, what)
			}
			if len(did) == 0 && first.header == nil || carriedOut && len(did) == 1 {
				first = got
			}
		}
		for _, l := range t.laterOnes(ctx, m) {
			if t.open[l.name] {
				continue
			}
			request := l.request
			request.session, request.scheme, request.token = wrong.session, wrong.scheme, wrong.token
			request.prove, request.unproven = wrong.prove, wrong.unproven
			t.takeCounts()
			got := t.send(ctx, request)
			tried(l.name, got, l.isCarriedOut(got))
		}
		if name != "later-none" { // its GET and DELETE are tokens of their own
			t.laterMethods(ctx, m, wrong, hasSession, tried)
		}
		switch {
		case first.header == nil:
			return notApplicable
		case len(did) > 0:
			first.accepted, first.did = true, joined(did)
		default:
			first.accepted = false
		}
		return first
	}
}

// laterMethods sends a GET and a DELETE with wrong credentials, unless these need none.
func (t *trial) laterMethods(ctx context.Context, m, wrong message, hasSession bool, tried func(string, response, bool)) {
	if !t.open[http.MethodGet] && !t.isStreamSilent {
		got := t.stream(ctx, wrong)
		if t.isStreamSilent = got.err != nil; got.accepted {
			tried("GET", got, true)
		}
	}
	if hasSession && !t.open[http.MethodDelete] {
		if got := t.deleted(ctx, m, wrong); got.accepted {
			tried("DELETE", got, true)
		}
	}
}

// laterOnes returns the requests of a message that a server carries out after the first one with right credentials.
func (t *trial) laterOnes(ctx context.Context, m message) []later {
	if t.laters != nil {
		return t.laters
	}
	t.laters = []later{}
	for _, r := range laterRequests {
		request := r.message
		request.session, request.scheme, request.token, request.prove = m.session, m.scheme, m.token, m.prove
		l := later{name: r.name, request: request}
		l.control = t.send(ctx, request)
		isRejected := l.control.status == http.StatusUnauthorized || l.control.status == http.StatusForbidden
		works := l.control.accepted || r.method == "tools/call" && l.control.replied && !isRejected
		if works || r.notification && l.isCarriedOut(l.control) {
			t.laters = append(t.laters, l)
		}
	}
	return t.laters
}

// noProof returns no proofs.
func noProof(authority.Use) []string { return nil }

// joined returns names as a list in a sentence.
func joined(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// rightMessage returns the message with a right token that starts a session; the token is bound to a key if the server
// supports DPoP.
func (t *trial) rightMessage() message {
	if t.proofs != nil {
		return message{scheme: schemeDPoP, token: t.Authority.Access(t.proofs.Bind(t.grant)), prove: t.rightProof}
	}
	return message{scheme: "Bearer", token: t.Authority.Access(t.grant)}
}

// begin starts a session with a right token. The message has its id and the token; ok is false without a session.
func (t *trial) begin(ctx context.Context) (m message, ok bool) {
	return t.beginWith(ctx, message{scheme: "Bearer", token: t.Authority.Access(t.grant)})
}

// beginWith is like begin, but starts the session with a message.
func (t *trial) beginWith(ctx context.Context, m message) (message, bool) {
	m.keepSession = true
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

// streamWithout requests the stream of the server without a token.
func (t *trial) streamWithout(ctx context.Context) response {
	m, hasSession := t.begin(ctx)
	if hasSession {
		defer t.endSession(ctx, m)
	}
	got := t.stream(ctx, message{session: m.session})
	t.open[http.MethodGet] = got.accepted
	t.isStreamSilent = got.err != nil
	return got
}

// streamByQuery requests the stream with a right token in the query.
func (t *trial) streamByQuery(ctx context.Context) response {
	if t.isStreamSilent {
		return notApplicable
	}
	m, hasSession := t.begin(ctx)
	if hasSession {
		defer t.endSession(ctx, m)
	}
	return t.stream(ctx, message{session: m.session, query: m.token})
}

// stream requests the stream of the server, with the credentials of a message.
func (t *trial) stream(ctx context.Context, m message) response {
	at := t.URL
	if m.query != "" {
		at = withToken(at, m.query)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return failed(err)
	}
	r.Header.Set("Accept", "text/event-stream")
	r.Header.Set("MCP-Protocol-Version", statefulVersion)
	t.authorize(m, r)
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
	got := t.deleted(ctx, m, message{session: m.session})
	t.open[http.MethodDelete] = got.accepted
	return got
}

// deleted ends a session with the credentials of another message. It is accepted if the session no longer works.
func (t *trial) deleted(ctx context.Context, m, wrong message) response {
	request, ok := t.later(ctx, m)
	if !ok {
		return notApplicable
	}
	got := t.endSession(ctx, wrong)
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
	t.takeCounts()
	g := t.grant
	g.User = "another-user"
	request.token = t.Authority.Access(g)
	return t.send(ctx, request)
}
