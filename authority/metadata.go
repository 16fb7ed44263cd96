package authority

import (
	"encoding/pem"
	"maps"
	"net/http"

	"mcptea/internal/jose"
)

// document returns the metadata of the authority (RFC 8414 §2).
func (a *Authority) document() map[string]any {
	issuer := a.Issuer()
	d := map[string]any{
		"issuer":                                           issuer,
		"authorization_endpoint":                           issuer + pathAuthorize,
		"token_endpoint":                                   issuer + pathToken,
		"registration_endpoint":                            issuer + pathRegister,
		"introspection_endpoint":                           issuer + pathIntrospect,
		"revocation_endpoint":                              issuer + pathRevoke,
		"jwks_uri":                                         issuer + pathJWKS,
		"response_types_supported":                         []string{"code"},
		"response_modes_supported":                         []string{"query"},
		"grant_types_supported":                            []string{grantCode, grantRefresh, grantClient, grantExchange, grantBearer},
		"token_endpoint_auth_methods_supported":            []string{methodNone, methodBasic, methodPost, methodKey},
		"token_endpoint_auth_signing_alg_values_supported": []string{"RS256", "PS256", "ES256", "ES384", "EdDSA"},
		"code_challenge_methods_supported":                 []string{"S256"},
		"authorization_response_iss_parameter_supported":   true,
		"client_id_metadata_document_supported":            true,
		"dpop_signing_alg_values_supported":                []string{"ES256"},
		"subject_types_supported":                          []string{"public"},
		"id_token_signing_alg_values_supported":            []string{algorithm},
	}
	if len(a.options.Scopes) > 0 {
		d["scopes_supported"] = a.options.Scopes
	}
	switch a.wrong.Name {
	case "metadata-issuer":
		d["issuer"] = otherIssuer
	case "metadata-no-s256":
		delete(d, "code_challenge_methods_supported")
	case "endpoint-http":
		d["authorization_endpoint"] = "http://issuer.example/authorize"
	case "endpoint-script":
		d["authorization_endpoint"] = "javascript:alert(1)"
	}
	return d
}

func (a *Authority) metadata(x *exchange) {
	if a.wrong.Name == "metadata-500" {
		x.fail(http.StatusInternalServerError, "server_error", onPurpose)
		return
	}
	x.json(http.StatusOK, a.document())
}

func (a *Authority) jwks(x *exchange) {
	if a.fails(KeysDown) {
		x.fail(http.StatusInternalServerError, "server_error", onPurpose)
		return
	}
	a.mu.Lock()
	published := make([]jose.JWK, 0, len(a.keys))
	for _, k := range a.keys {
		published = append(published, k.jwk())
	}
	if a.curve != nil {
		published = append(published, *a.curve)
	}
	a.mu.Unlock()
	x.json(http.StatusOK, map[string]any{"keys": published})
}

// otherJWKS serves the unpublished key. Only a server that follows a URL in a token requests it.
func (a *Authority) otherJWKS(x *exchange) {
	x.json(http.StatusOK, map[string]any{"keys": []jose.JWK{a.foreign.jwk()}})
}

// otherCertificate serves a certificate of the unpublished key, for the header x5u.
func (a *Authority) otherCertificate(x *exchange) {
	x.w.Header().Set("Content-Type", "application/x-pem-file")
	x.status(http.StatusOK)
	_ = pem.Encode(x.w, &pem.Block{Type: "CERTIFICATE", Bytes: a.foreign.certificate(a.now())})
}

// otherMetadata serves metadata of an issuer that publishes the unpublished key.
func (a *Authority) otherMetadata(x *exchange) {
	d := a.document()
	d["issuer"], d["jwks_uri"] = a.Issuer()+pathOtherIssuer, a.Issuer()+pathOtherJWKS
	x.json(http.StatusOK, d)
}

// introspect reports whether a token is active (RFC 7662 §2.2). Any caller on this machine may
// request that.
func (a *Authority) introspect(x *exchange) {
	if a.fails(IntrospectionDown) {
		x.fail(http.StatusInternalServerError, "server_error", onPurpose)
		return
	}
	g, ok := a.find(x.form.Get("token"))
	if !ok || g.kind == kindCode || !a.isActive(g) {
		x.json(http.StatusOK, map[string]any{"active": false})
		return
	}
	d := map[string]any{
		"active": true, "iss": a.Issuer(), "sub": g.user(), "aud": g.Resource, "client_id": g.Client,
		"scope": g.Scope, "exp": g.until.Unix(), "token_type": "Bearer",
	}
	if g.kind == kindRefresh {
		d["token_type"] = "refresh_token"
	}
	if g.key != "" {
		d["token_type"], d["cnf"] = "DPoP", map[string]any{"jkt": g.key}
	}
	if g.claims != nil {
		d = maps.Clone(g.claims)
		d["active"], d["token_type"] = true, "Bearer"
	}
	if a.fails(ActiveText) {
		d["active"] = "false"
	}
	x.json(http.StatusOK, d)
}

// revokeToken is the revocation endpoint (RFC 7009 §2.2). The response is the same if the token is
// unknown.
func (a *Authority) revokeToken(x *exchange) {
	a.revoke(x.form.Get("token"))
	x.status(http.StatusOK)
}

// onPurpose is the description in errors that are wrong answers.
const onPurpose = "on purpose, for a test"
