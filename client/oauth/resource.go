package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"mcptea/client/secret"
	mcphttp "mcptea/client/transport/http"
)

const resourceMetadataPath = "/.well-known/oauth-protected-resource"

// resourceMetadata is the protected resource metadata of a server (RFC 9728 §2).
type resourceMetadata struct {
	Resource  string   `json:"resource"`
	Servers   []string `json:"authorization_servers"`
	Scopes    []string `json:"scopes_supported"`
	BoundOnly bool     `json:"dpop_bound_access_tokens_required"`
	ProofAlgs []string `json:"dpop_signing_alg_values_supported"`
}

// Resource returns the canonical URI of a server, or "" for an invalid URL. Tokens are stored under
// that URI.
func Resource(server string) string {
	u, err := url.Parse(server)
	if err != nil || u.Host == "" {
		return ""
	}
	return canonical(u)
}

// canonical returns the canonical URI of a server: without user and query, which may
// contain secrets, and with scheme and host in lower case (specification,
// authorization, "Canonical Server URI"; RFC 8707 §2).
func canonical(server *url.URL) string {
	u := *server
	u.User, u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = nil, "", false, "", ""
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	if u.Path == "/" {
		u.Path, u.RawPath = "", ""
	}
	return u.String()
}

// discoverResource finds the resource metadata: at resource_metadata of the challenge,
// then at the well-known URI with and without the path of the server (specification,
// authorization, "Protected Resource Metadata Discovery Requirements"). It returns
// nil for a server of 2025-03-26, which has none.
func (f *flow) discoverResource(ctx context.Context) (*resourceMetadata, error) {
	f.list.Begin(StepResource, "", f.cfg.Timeout)
	places, err := f.resourceMetadataURLs()
	if err != nil {
		return nil, err
	}
	var unclear error
	protected := false // a URL requires authorization
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
			return &m, f.done(fmt.Sprintf("%s: %s", shown, m.Resource))
		case errors.As(err, &refusal), ctx.Err() != nil:
			return nil, err
		case !errors.Is(err, errNotFound):
			unclear = fmt.Errorf("%s: %w", shown, err)
		}
		protected = f.noteProtected(err) || protected
		f.list.Remark(fmt.Sprintf("%s: %v", shown, err))
	}
	if unclear != nil {
		return nil, fmt.Errorf("cannot fetch the resource metadata: %w", unclear)
	}
	return nil, f.absent(notFound(protected) + "; the origin of the server is the authorization server, as in 2025-03-26")
}

// noteProtected records a metadata URL that requires authorization itself, and reports whether the error is one.
func (f *flow) noteProtected(err error) bool {
	protected, ok := errors.AsType[*protectedError](err)
	if ok {
		f.protected = protected
	}
	return ok
}

// notFound returns the outcome of a search for metadata that has found none.
func notFound(protected bool) string {
	if protected {
		return "unknown, since its URLs require authorization, too"
	}
	return "not found"
}

func (f *flow) resourceMetadataURLs() ([]*url.URL, error) {
	var places []*url.URL
	if f.challenge.metadata != "" {
		u, err := f.a.server.Parse(f.challenge.metadata)
		if err != nil || u.Host == "" {
			return nil, errors.New("the resource_metadata of the challenge is not a URL")
		}
		if err := f.checkURL(u, "the resource_metadata of the challenge"); err != nil {
			return nil, err
		}
		if mcphttp.Origin(u) != mcphttp.Origin(f.a.server) {
			if err := f.refuse(CrossOriginMetadata, "RFC 9728 §3", secret.URL(u.String()),
				"the challenge names resource metadata on another origin, %s instead of %s", mcphttp.Origin(u), mcphttp.Origin(f.a.server)); err != nil {
				return nil, err
			}
		}
		places = append(places, u)
	}
	path := f.a.server.EscapedPath()
	if path == "/" {
		path = ""
	}
	// A trailing slash is part of the path; many servers omit it.
	for _, path := range []string{path, strings.TrimSuffix(path, "/"), ""} {
		u, err := url.Parse(mcphttp.Origin(f.a.server) + resourceMetadataPath + path)
		if err == nil && !slices.ContainsFunc(places, func(other *url.URL) bool { return other.String() == u.String() }) {
			places = append(places, u)
		}
	}
	return places, nil
}

// checkResource rejects metadata of another resource: its issuer would issue tokens for that resource (RFC 9728
// §7.3).
func (f *flow) checkResource(m *resourceMetadata, at string) error {
	named, err := url.Parse(m.Resource)
	text := ""
	switch {
	case m.Resource == "":
		text = fmt.Sprintf(`%s has no "resource"`, at)
	case err != nil || !covers(named, f.a.server):
		text = fmt.Sprintf("%s has the resource %q, expected %q", at, m.Resource, canonical(f.a.server))
	default:
		if m.Resource != canonical(f.a.server) && m.Resource != f.a.server.String() {
			f.otherResource = m.Resource
			f.list.Remark(fmt.Sprintf("the resource is %q, not the URL of the server: clients that compare the two byte for byte, such as VS Code, refuse the metadata (RFC 9728 §3.3)", m.Resource))
		}
		return nil
	}
	err = f.report(&Refusal{Kind: ResourceMismatch, Found: m.Resource, Text: text, Rule: "RFC 9728 §3.3"})
	// A token for another resource could be used there.
	m.Resource = canonical(f.a.server)
	return err
}

// covers reports whether a resource identifier applies to a server: the origin is the same, and its path is the
// server's path or a parent.
func covers(resource, server *url.URL) bool {
	if mcphttp.Origin(resource) != mcphttp.Origin(server) {
		return false
	}
	outer := strings.TrimSuffix(resource.EscapedPath(), "/")
	inner := strings.TrimSuffix(server.EscapedPath(), "/")
	return inner == outer || strings.HasPrefix(inner, outer+"/")
}
