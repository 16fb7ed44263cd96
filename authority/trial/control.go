package trial

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"mcptea/authority"
)

var metadataAt = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`resource_metadata="?([^",\s]+)"?`) })

// resourceMetadata is the protected resource metadata (RFC 9728 §2).
type resourceMetadata struct {
	Resource string   `json:"resource"`
	Servers  []string `json:"authorization_servers"`

	ProofAlgorithms []string `json:"dpop_signing_alg_values_supported"`
	BoundRequired   bool     `json:"dpop_bound_access_tokens_required"`
}

// readResource judges the metadata of the server and chooses the audience; dead is a result of fetchMetadata. complaint is what is wrong with the
// metadata, or ""; about describes it in a sentence.
func (t *trial) readResource(d resourceMetadata, dead string) (complaint, about string) {
	if t.Audience == "" {
		t.Audience = t.URL
		if d.Resource != "" {
			t.Audience = d.Resource
		}
	}
	named := strings.Join(d.Servers, ", ")
	switch issuer := t.Authority.Issuer(); {
	case dead != "" && (d.Resource != "" || len(d.Servers) > 0):
		return dead, "The metadata of the server is at a well-known address, and not at the address in WWW-Authenticate."
	case d.Resource == "" && len(d.Servers) == 0:
		return "The server has no protected resource metadata: clients cannot find the authority.", "The server has no protected resource metadata."
	case !slices.ContainsFunc(d.Servers, func(s string) bool { return strings.TrimSuffix(s, "/") == issuer }):
		return fmt.Sprintf("authorization_servers is %q, and does not have the authority %s.", named, issuer), fmt.Sprintf("The metadata of the server names %q as its authority.", named)
	case d.Resource == "":
		return "The metadata of the server has no resource.", "The metadata of the server has no resource."
	case d.Resource != t.URL:
		return fmt.Sprintf("resource is %s, and the URL is %s: clients that compare the two, such as VS Code, reject the metadata.", d.Resource, t.URL), "The metadata of the server has the resource " + d.Resource + "."
	}
	return "", "The metadata of the server names the authority, and has the resource " + d.Resource + "."
}

// fetchMetadata fetches the metadata from the address in the challenge, or else from the well-known ones. dead says
// that the address in the challenge has none, or is "".
func (t *trial) fetchMetadata(ctx context.Context, bare response) (d resourceMetadata, dead string) {
	u, err := url.Parse(t.URL)
	if err != nil {
		return d, ""
	}
	root := u.Scheme + "://" + u.Host + "/.well-known/oauth-protected-resource"
	announced := ""
	places := []string{root + u.Path, root}
	if m := metadataAt().FindStringSubmatch(bare.challenge()); m != nil {
		if at, err := url.Parse(m[1]); err == nil && at.Host == u.Host { // only the server itself gets a request
			places, announced = append([]string{m[1]}, places...), m[1]
		}
	}
	for _, at := range places {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
		if err != nil {
			continue
		}
		got := t.do(r)
		if got.status == http.StatusOK && json.Unmarshal(got.body, &d) == nil && (d.Resource != "" || len(d.Servers) > 0) {
			return d, dead
		}
		d = resourceMetadata{}
		if at == announced {
			dead = authority.Redact(fmt.Sprintf("resource_metadata of WWW-Authenticate is %s, which has no metadata (%v): clients do not find the authority.", at, got))
		}
	}
	return d, dead
}

// control checks that the server accepts the right token.
func (t *trial) control(ctx context.Context, complaint, about string) error {
	var got response
	for _, t.stateless = range []bool{false, true} {
		if got = t.right(ctx); got.accepted {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if got.status == http.StatusUnauthorized || got.status == http.StatusForbidden {
			break
		}
	}
	asked := t.Authority.TakeCounts()
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
	case len(asked) == 0 && complaint != "":
		try = "The server has sent no request to the authority: give it the issuer with --issuer-env, --jwks-env or {issuer} in its command. " + about
	case len(asked) == 0:
		try = "The server has sent no request to the authority and cannot know its keys: give it their URL with --jwks-env or {jwks} in its command. " + about
	}
	return &ControlError{authority.Redact(text) + "; its requests to the authority: " + countText(asked), try}
}

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
