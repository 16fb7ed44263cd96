package trial

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"mcptea/authority"
)

// firstRight sends a right token, in the request of each kind of server.
func (t *trial) firstRight(ctx context.Context) (got response) {
	for _, t.stateless = range []bool{false, true} {
		got = t.right(ctx)
		if got.accepted || got.status == http.StatusUnauthorized || got.status == http.StatusForbidden || ctx.Err() != nil {
			break
		}
	}
	return got
}

// useAudience sets the audience of the tokens.
func (t *trial) useAudience(audience string) {
	t.Audience, t.grant.Resource, t.rightToken = audience, audience, ""
}

// control checks that the server accepts the right token.
func (t *trial) control(ctx context.Context, about string) error {
	got := t.firstRight(ctx)
	if !got.accepted && t.resource.Resource == t.Audience && t.Audience != t.URL && ctx.Err() == nil {
		t.useAudience(t.URL) // the metadata may be wrong, and the verification right
		if t.firstRight(ctx).accepted {
			t.complaint += " The server accepts tokens for the URL, and rejects those for the resource."
			return t.choose()
		}
		t.useAudience(t.resource.Resource)
	}
	switch {
	case got.accepted:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	asked := t.takeCounts()
	text := fmt.Sprintf("the server rejects the right token (audience %s) with %v", t.Audience, got)
	if c := got.challenge(); c != "" {
		text += ", " + c
	}
	if b := excerpt(got.body); b != "" && got.status/100 != 2 {
		text += ": " + b
	}
	try := "Compare the issuer and the audience that the server expects with these. " + about
	switch {
	case got.status == http.StatusForbidden:
		try = "The token lacks a scope: name the scopes that the server requires with --scope. " + about
	case t.proofs != nil && challengeOf(got).err == "invalid_dpop_proof":
		try = "The server rejects the proof (" + t.proofs.Algorithm() + "), and not the token: compare htu with its own URL, and announce the algorithms of proofs in dpop_signing_alg_values_supported. " + about
	case len(asked) == 0 && t.complaint != "":
		try = "The server has sent no request to the authority: give it the issuer with --issuer-env, --jwks-env or {issuer} in its command. " + about
	case len(asked) == 0:
		try = "The server has sent no request to the authority and cannot know its keys: give it their URL with --jwks-env or {jwks} in its command. " + about
	}
	return &ControlError{authority.Redact(text) + "; its requests to the authority: " + countText(asked), try}
}

// takeCounts returns the requests of the server to the authority since the last call, by endpoint, and adds them to the
// requests of the trial.
func (t *trial) takeCounts() map[string]int {
	counts := t.Authority.TakeCounts()
	for endpoint, n := range counts {
		t.asked[endpoint] += n
	}
	return counts
}

// introspects reports whether the server introspects tokens.
func (t *trial) introspects() bool { return t.asked["introspect"] > 0 }

// countText returns the requests by endpoint, or "none".
func countText(asked map[string]int) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		all = append(all, fmt.Sprintf("%s %d×", name, asked[name]))
	}
	if len(all) == 0 {
		return "none"
	}
	return strings.Join(all, ", ")
}

// rightLike sends the right token that differs from a wrong one in one thing.
func (t *trial) rightLike(ctx context.Context, name string) response {
	if isProof(name) {
		return t.proven(ctx, t.rightProof)
	}
	return t.right(ctx)
}

// right sends a right token, the same one until the authority has another key.
func (t *trial) right(ctx context.Context) response {
	if t.rightToken == "" {
		t.rightToken = t.Authority.Access(t.grant)
	}
	return t.send(ctx, message{scheme: "Bearer", token: t.rightToken})
}
