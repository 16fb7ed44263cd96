package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"mcptea/client/secret"
)

const resourceMetadataPath = "/.well-known/oauth-protected-resource"

// resourceMetadata is what a server says of its protection (RFC 9728 §2).
type resourceMetadata struct {
	Resource  string   `json:"resource"`
	Servers   []string `json:"authorization_servers"`
	Scopes    []string `json:"scopes_supported"`
	BoundOnly bool     `json:"dpop_bound_access_tokens_required"`
	ProofAlgs []string `json:"dpop_signing_alg_values_supported"`
}

// Resource is the name of a server under which tokens are kept; empty when it is
// no URL.
func Resource(server string) string {
	u, err := url.Parse(server)
	if err != nil || u.Host == "" {
		return ""
	}
	return canonical(u)
}

// canonical is the URI by which a server is named to others: no user and no
// query, where keys stand now and then, scheme and host in lower case
// (specification, authorization, "Canonical Server URI"; RFC 8707 §2).
func canonical(server *url.URL) string {
	u := *server
	u.User, u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = nil, "", false, "", ""
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	if u.Path == "/" {
		u.Path, u.RawPath = "", ""
	}
	return u.String()
}

// discoverResource finds the resource metadata: where the challenge says, then with
// the path of the server inserted, then at the root (specification,
// authorization, "Protected Resource Metadata Discovery Requirements"). A
// server of 2025-03-26 has none, which is nil and no error.
func (f *flow) discoverResource(ctx context.Context) (*resourceMetadata, error) {
	f.list.Begin(StepResource, "", f.cfg.Timeout)
	places, err := f.resourceMetadataURLs()
	if err != nil {
		return nil, err
	}
	var unclear error
	for _, at := range places {
		shown := secret.URL(at.String())
		var m resourceMetadata
		err := f.getJSON(ctx, at, &m)
		var refusal *Refusal
		switch {
		case err == nil:
			if err := f.checkResource(&m, shown); err != nil {
				return nil, err
			}
			f.list.End("", Done, fmt.Sprintf("%s: %s", shown, m.Resource))
			return &m, nil
		case errors.As(err, &refusal), ctx.Err() != nil:
			return nil, err
		case !errors.Is(err, errNotFound):
			unclear = fmt.Errorf("%s: %w", shown, err)
		}
		f.list.Remark(fmt.Sprintf("%s: %v", shown, err))
	}
	if unclear != nil {
		return nil, fmt.Errorf("the resource metadata could not be read: %w", unclear)
	}
	f.list.End("", Done, "none; the server's origin is taken for the authorization server, as in 2025-03-26")
	return nil, nil
}

func (f *flow) resourceMetadataURLs() ([]*url.URL, error) {
	var places []*url.URL
	if f.challenge.metadata != "" {
		u, err := f.a.server.Parse(f.challenge.metadata)
		if err != nil || u.Host == "" {
			return nil, errors.New("the resource_metadata of the challenge is no URL")
		}
		if err := f.checkURL(u, "the resource_metadata of the challenge"); err != nil {
			return nil, err
		}
		if origin(u) != origin(f.a.server) {
			if err := f.report(&Refusal{
				Kind: CrossOriginMetadata, Found: secret.URL(u.String()), Rule: "RFC 9728 §3",
				Text: fmt.Sprintf("the challenge names resource metadata on another origin, %s, which cannot speak for %s", origin(u), origin(f.a.server)),
			}); err != nil {
				return nil, err
			}
		}
		places = append(places, u)
	}
	path := f.a.server.EscapedPath()
	if path == "/" {
		path = ""
	}
	// A slash at the end of a path belongs to it; many servers do without.
	for _, path := range []string{path, strings.TrimSuffix(path, "/"), ""} {
		u, err := url.Parse(origin(f.a.server) + resourceMetadataPath + path)
		if err == nil && !slices.ContainsFunc(places, func(other *url.URL) bool { return other.String() == u.String() }) {
			places = append(places, u)
		}
	}
	return places, nil
}

// checkResource refuses metadata that is about another server: its issuer would
// give out tokens for that one (RFC 9728 §7.3).
func (f *flow) checkResource(m *resourceMetadata, at string) error {
	named, err := url.Parse(m.Resource)
	text := ""
	switch {
	case m.Resource == "":
		text = fmt.Sprintf(`%s has no "resource", so that it may be about any server`, at)
	case err != nil || !covers(named, f.a.server):
		text = fmt.Sprintf("%s is about the resource %q, and this server is %q", at, m.Resource, canonical(f.a.server))
	default:
		return nil
	}
	err = f.report(&Refusal{Kind: ResourceMismatch, Found: m.Resource, Text: text, Rule: "RFC 9728 §3.3"})
	// A token for another resource would be of use to that one.
	m.Resource = canonical(f.a.server)
	return err
}

// covers reports whether a resource is a server or holds it: one origin, and a
// path that the server's begins with.
func covers(resource, server *url.URL) bool {
	if origin(resource) != origin(server) {
		return false
	}
	outer := strings.TrimSuffix(resource.EscapedPath(), "/")
	inner := strings.TrimSuffix(server.EscapedPath(), "/")
	return inner == outer || strings.HasPrefix(inner, outer+"/")
}
