package trial

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"mcptea/authority"
)

// observers maps names of requests that a correct server never sends to functions. Each function
// returns what the server does wrong, or "".
var observers = map[string]func(*trial, context.Context) string{
	"metadata":           func(t *trial, _ context.Context) string { return t.complaint },
	"metadata-issuer":    (*trial).otherSpelling,
	"metadata-host":      (*trial).forwardedHost,
	"challenge-error":    (*trial).errorWithoutToken,
	"challenge-relative": (*trial).relativeMetadata,
	"challenge-dpop":     (*trial).missingScheme,
	"session-ids":        (*trial).guessableSessions,
}

// observe judges something that a right server never does.
func (t *trial) observe(ctx context.Context, token authority.Token) Result {
	r := Result{Token: token.Name, Summary: token.Summary, Verdict: Pass, Spec: token.Spec, Fix: token.Fix}
	if text := observers[token.Name](t, ctx); text != "" {
		r.Verdict, r.Message, r.kind = Verdict(token.Level), authority.Redact(text), kindOther
		t.blame(&r)
	}
	return r
}

// otherSpelling compares the authorization servers with the issuer.
func (t *trial) otherSpelling(context.Context) string {
	issuer := t.Authority.Issuer()
	for _, s := range t.resource.Servers {
		if s == issuer {
			return ""
		}
	}
	for _, s := range t.resource.Servers {
		if isSpellingOf(s, issuer) {
			return fmt.Sprintf("authorization_servers has %s, and the issuer is %s: clients that compare the two exactly reject the metadata of the authority.", s, issuer)
		}
	}
	return ""
}

// otherHost is a host that no request is sent to.
const otherHost = "other.example"

// forwardedHost requests the metadata and the challenge with X-Forwarded-Host.
func (t *trial) forwardedHost(ctx context.Context) string {
	var where []string
	has := func(text string) bool { return strings.Contains(text, otherHost) }
	if t.resource.from != "" {
		if r, err := http.NewRequestWithContext(ctx, http.MethodGet, t.resource.from, nil); err == nil {
			r.Header.Set("X-Forwarded-Host", otherHost)
			var d resourceMetadata
			if got := t.do(r); json.Unmarshal(got.body, &d) == nil && (has(d.Resource) || slices.ContainsFunc(d.Servers, has)) {
				where = append(where, "the metadata")
			}
		}
	}
	got := t.send(ctx, message{header: http.Header{"X-Forwarded-Host": {otherHost}}})
	if has(challengeOf(got).metadata) {
		where = append(where, "resource_metadata of WWW-Authenticate")
	}
	if len(where) == 0 {
		return ""
	}
	return "The server writes the host of X-Forwarded-Host into " + strings.Join(where, " and ") + ": a request can name another resource, unless a proxy replaces this header."
}

// errorWithoutToken looks at the challenge for a request without a token.
func (t *trial) errorWithoutToken(context.Context) string {
	if code := challengeOf(t.bare).err; t.bare.status == http.StatusUnauthorized && code != "" {
		return fmt.Sprintf("WWW-Authenticate has error=%q for a request without a token: clients that read it look for a fault of a token that they did not send.", code)
	}
	return ""
}

// relativeMetadata looks at the address of the metadata in the challenge.
func (t *trial) relativeMetadata(context.Context) string {
	text := challengeOf(t.bare).metadata
	if u, err := url.Parse(text); text == "" || err == nil && u.IsAbs() && u.Host != "" {
		return ""
	}
	return fmt.Sprintf("resource_metadata of WWW-Authenticate is %q, which is not an absolute URL.", text)
}

// missingScheme compares the challenge with the metadata.
func (t *trial) missingScheme(context.Context) string {
	if c := challengeOf(t.bare); t.resource.BoundRequired && !c.dpop && t.bare.status == http.StatusUnauthorized {
		return "The metadata requires bound tokens (dpop_bound_access_tokens_required), and WWW-Authenticate of the 401 has no challenge with the scheme DPoP."
	}
	return ""
}

// minSessionID is the minimum length of a session id that is not reported as short: 64 bits in base64url.
const minSessionID = 11

// guessableSessions starts sessions and compares their ids.
func (t *trial) guessableSessions(ctx context.Context) string {
	var ids []string
	for range 3 {
		m, ok := t.begin(ctx)
		if !ok {
			return ""
		}
		t.endSession(ctx, m)
		ids = append(ids, m.session)
	}
	last := ids[len(ids)-1]
	const maxStep = 1000
	counts := true
	for i := 1; i < len(ids); i++ {
		step := differenceOf(ids[i-1], ids[i])
		counts = counts && step > 0 && step <= maxStep
	}
	switch {
	case slices.Contains(ids[:2], last) || ids[0] == ids[1]:
		return "Two sessions have the same session id."
	case counts:
		return fmt.Sprintf("Session ids count up (%s, %s, %s): each client can guess the sessions of others.", ids[0], ids[1], last)
	case len(last) < minSessionID:
		return fmt.Sprintf("Session ids have only %d characters (%s).", len(last), last)
	}
	return ""
}

// differenceOf returns by how much the last number in a text is larger than in an earlier text that is otherwise the
// same, or 0.
func differenceOf(before, after string) int64 {
	const digits = "0123456789"
	head, later := strings.TrimRight(before, digits), strings.TrimRight(after, digits)
	a, errA := strconv.ParseInt(before[len(head):], 10, 64)
	b, errB := strconv.ParseInt(after[len(later):], 10, 64)
	if errA != nil || errB != nil || head != later {
		return 0
	}
	return b - a
}
