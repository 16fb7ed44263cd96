package trial

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"mcptea/authority"
)

// resourceMetadata is the protected resource metadata (RFC 9728 §2).
type resourceMetadata struct {
	Resource string   `json:"resource"`
	Servers  []string `json:"authorization_servers"`

	ProofAlgorithms []string `json:"dpop_signing_alg_values_supported"`
	BoundRequired   bool     `json:"dpop_bound_access_tokens_required"`

	from      string // URL that it was fetched from, or ""
	dead      string // that the address in the challenge has none, or ""
	protected int    // status 401 or 403 of the metadata, or 0
}

// isFound reports whether there is metadata.
func (d resourceMetadata) isFound() bool { return d.Resource != "" || len(d.Servers) > 0 }

// readResource judges the metadata of the server and chooses the audience. complaint says what is
// wrong with the metadata, or is "". about is a sentence about it.
func (t *trial) readResource() (complaint, about string) {
	d := t.resource
	if t.Audience == "" {
		t.Audience = t.URL
		if d.Resource != "" {
			t.Audience = d.Resource
		}
	}
	named := strings.Join(d.Servers, ", ")
	switch issuer := t.Authority.Issuer(); {
	case d.dead != "" && d.isFound():
		return d.dead, "The metadata of the server is at a well-known address, and not at the address in WWW-Authenticate."
	case !d.isFound() && d.protected != 0:
		return fmt.Sprintf("The protected resource metadata requires a token: its status is %d. Clients read it before they have one.", d.protected), "The metadata of the server requires a token."
	case !d.isFound():
		return "The server has no protected resource metadata: clients cannot find the authority.", "The server has no protected resource metadata."
	case !slices.ContainsFunc(d.Servers, func(s string) bool { return isSpellingOf(s, issuer) }):
		return fmt.Sprintf("authorization_servers is %q, and does not have the authority %s.", named, issuer), fmt.Sprintf("The metadata of the server names %q as its authority.", named)
	case d.Resource == "":
		return "The metadata of the server has no resource.", "The metadata of the server has no resource."
	case d.Resource != t.URL:
		return fmt.Sprintf("resource is %s, and the URL is %s: clients that compare the two, such as VS Code, reject the metadata.", d.Resource, t.URL), "The metadata of the server has the resource " + d.Resource + ", and not the URL " + t.URL + "."
	}
	return "", "The metadata of the server names the authority, and has the resource " + d.Resource + "."
}

// isSpellingOf reports whether a text is the issuer, or only differs from it in case or a slash at the end.
func isSpellingOf(text, issuer string) bool {
	return strings.EqualFold(strings.TrimSuffix(text, "/"), issuer)
}

// fetchMetadata fetches the metadata from the address in the challenge, or else from the well-known ones.
func (t *trial) fetchMetadata(ctx context.Context) (d resourceMetadata) {
	u, err := url.Parse(t.URL)
	if err != nil {
		return d
	}
	root := u.Scheme + "://" + u.Host + "/.well-known/oauth-protected-resource"
	places, announced := []string{root + u.Path, root}, ""
	if text := challengeOf(t.bare).metadata; text != "" {
		if at, err := u.Parse(text); err == nil && at.Host == u.Host { // only the server itself gets a request
			announced = at.String()
			places = append([]string{announced}, places...)
		}
	}
	dead, protected := "", 0
	for _, at := range places {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
		if err != nil {
			continue
		}
		got := t.do(r)
		d = resourceMetadata{from: at}
		if got.status == http.StatusOK && json.Unmarshal(got.body, &d) == nil && d.isFound() {
			d.dead = dead
			return d
		}
		isProtected := got.status == http.StatusUnauthorized || got.status == http.StatusForbidden
		if isProtected {
			protected = got.status
		}
		if at == announced && !isProtected {
			dead = authority.Redact(fmt.Sprintf("resource_metadata of WWW-Authenticate is %s, which has no metadata (%v): clients do not find the authority.", at, got))
		}
	}
	return resourceMetadata{dead: dead, protected: protected}
}
