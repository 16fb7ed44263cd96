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

const (
	serverMetadataPath = "/.well-known/oauth-authorization-server"
	openIDMetadataPath = "/.well-known/openid-configuration"
)

// serverMetadata is the metadata of an authorization server (RFC 8414 §2, OpenID
// Connect Discovery 1.0 §3).
type serverMetadata struct {
	Issuer        string   `json:"issuer"`
	Authorization string   `json:"authorization_endpoint"`
	Token         string   `json:"token_endpoint"`
	Registration  string   `json:"registration_endpoint"`
	Scopes        []string `json:"scopes_supported"`
	Grants        []string `json:"grant_types_supported"`
	AuthMethods   []string `json:"token_endpoint_auth_methods_supported"`
	AssertionAlgs []string `json:"token_endpoint_auth_signing_alg_values_supported"`
	Challenges    []string `json:"code_challenge_methods_supported"`
	ProofAlgs     []string `json:"dpop_signing_alg_values_supported"`
	Documents     bool     `json:"client_id_metadata_document_supported"`
	SendsIssuer   bool     `json:"authorization_response_iss_parameter_supported"`

	// expected is the issuer that was looked up. Tokens and clients are stored
	// under it, regardless of Issuer.
	expected string
	// defaults reports that there is no metadata, so that the endpoints are the defaults of 2025-03-26.
	defaults bool
}

// chooseServer returns the issuer: the configured one, else one that was used
// before, else the first.
func (f *flow) chooseServer(m *resourceMetadata) (*url.URL, error) {
	f.list.Begin(StepServer, "", 0)
	listed := []string{mcphttp.Origin(f.a.server)}
	if m != nil {
		listed = m.Servers
	}
	if len(listed) == 0 {
		return nil, errors.New(`the resource metadata lists no "authorization_servers"`)
	}
	chosen := listed[0]
	for _, issuer := range listed {
		if issuer == f.cfg.Issuer || f.cfg.Issuer == "" && f.a.usedBefore(issuer) {
			chosen = issuer
			break
		}
	}
	if f.cfg.Issuer != "" && chosen != f.cfg.Issuer {
		return nil, fmt.Errorf("the configured issuer %s is not an authorization server of the resource: %s", f.cfg.Issuer, strings.Join(listed, ", "))
	}
	u, err := url.Parse(chosen)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("the authorization server %q is not a URL", chosen)
	}
	if err := f.checkURL(u, "the authorization server"); err != nil {
		return nil, err
	}
	if len(listed) > 1 {
		f.list.Remark("other authorization servers: " + strings.Join(missing(listed, []string{chosen}), ", "))
	}
	f.server.expected = chosen
	if m == nil {
		return u, f.absent("not named; using " + chosen + ", the origin of the server")
	}
	return u, f.done(chosen)
}

// metadataError reports that metadata cannot be fetched.
type metadataError struct {
	text    string
	refused error // a failure of TLS, or nil
}

func (e *metadataError) Error() string { return e.text }
func (e *metadataError) Unwrap() error { return e.refused }

// discoverServer finds the metadata of the issuer (specification, authorization,
// "Authorization Server Metadata Discovery"). named reports that the resource
// metadata lists the issuer.
func (f *flow) discoverServer(ctx context.Context, issuer *url.URL, named bool) error {
	f.list.Begin(StepMetadata, "", f.cfg.Timeout)
	var tried []string
	var refused error  // a certificate or the TLS of the server
	protected := false // a URL requires authorization
	unclear := false   // a failure does not exclude that there is metadata
	for _, at := range serverMetadataURLs(issuer) {
		shown := secret.URL(at.String())
		m := serverMetadata{expected: f.server.expected}
		err := f.getJSON(ctx, at, &m)
		if err == nil {
			f.server = m
			if err := f.checkIssuer(shown); err != nil {
				return err
			}
			if err := f.checkPKCE(); err != nil {
				return err
			}
			if err := f.checkEndpoints(); err != nil {
				return err
			}
			return f.done(shown)
		}
		var refusal *Refusal
		if errors.As(err, &refusal) || ctx.Err() != nil {
			return err
		}
		protected = f.noteProtected(err) || protected
		unclear = unclear || !errors.Is(err, errNotFound)
		if _, ok := mcphttp.TLSFailureOf(err); ok {
			refused = err
		}
		tried = append(tried, fmt.Sprintf("%s: %v", shown, err))
		f.list.Remark(tried[len(tried)-1])
	}
	if named || unclear {
		return &metadataError{fmt.Sprintf("cannot fetch the metadata of %s: %s", f.server.expected, strings.Join(tried, "; ")), refused}
	}
	root := mcphttp.Origin(f.a.server)
	f.server = serverMetadata{
		Issuer: root, expected: root, defaults: true,
		Authorization: root + "/authorize", Token: root + "/token", Registration: root + "/register",
	}
	return f.absent(notFound(protected) + "; using /authorize, /token and /register of " + root + ", as in 2025-03-26")
}

// serverMetadataURLs returns the URLs at which the metadata of an issuer may be.
func serverMetadataURLs(issuer *url.URL) []*url.URL {
	root, path := mcphttp.Origin(issuer), strings.TrimSuffix(issuer.EscapedPath(), "/")
	raw := []string{root + serverMetadataPath + path, root + openIDMetadataPath + path}
	if path != "" {
		raw = append(raw, root+path+openIDMetadataPath)
	}
	var places []*url.URL
	for _, r := range raw {
		if u, err := url.Parse(r); err == nil {
			places = append(places, u)
		}
	}
	return places
}

// checkIssuer rejects metadata of another issuer (RFC 8414 §3.3).
func (f *flow) checkIssuer(at string) error {
	if f.server.Issuer == f.server.expected {
		return nil
	}
	found, expected := f.server.Issuer, f.server.expected
	return f.refuse(IssuerMismatch, "RFC 8414 §3.3", found, "%s has the issuer %q, expected %q%s", at, found, expected, slashHint(found, expected))
}

// checkPKCE rejects a server without S256: the code would not be protected
// (specification, authorization, "Authorization Code Protection").
func (f *flow) checkPKCE() error {
	// A server without metadata cannot announce it.
	if f.cfg.Grant != nil || f.server.defaults || slices.Contains(f.server.Challenges, "S256") {
		return nil
	}
	found, text := "", fmt.Sprintf(`the metadata of %s has no "code_challenge_methods_supported": it does not announce PKCE with S256`, f.server.expected)
	if len(f.server.Challenges) > 0 {
		found = strings.Join(f.server.Challenges, " ")
		text = fmt.Sprintf("%s supports the PKCE methods %q, but not S256", f.server.expected, found)
	}
	return f.report(&Refusal{Kind: NoPKCE, Found: found, Text: text, Rule: "MCP authorization, \"Authorization Code Protection\""})
}

// checkEndpoints rejects metadata if an endpoint of the grant is missing, or if nothing may be sent
// to it. It runs before a client is registered, because each failed attempt would leave a
// registered client behind.
func (f *flow) checkEndpoints() error {
	needed := [][2]string{{f.server.Token, "token_endpoint"}}
	if f.cfg.Grant == nil {
		needed = [][2]string{{f.server.Authorization, "authorization_endpoint"}, needed[0]}
	}
	for _, e := range needed {
		if _, err := f.endpoint(e[0], e[1]); err != nil {
			return err
		}
	}
	return nil
}

// useDPoP reports whether to request a DPoP-bound token (RFC 9449): both servers must
// support it.
func (f *flow) useDPoP(m *resourceMetadata) bool {
	asked := f.challenge.dpop || m != nil && (m.BoundOnly || slices.Contains(m.ProofAlgs, "ES256"))
	return asked && slices.Contains(f.server.ProofAlgs, "ES256")
}
