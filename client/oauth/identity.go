package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"mcptea/client/transport"
)

// The authentication methods of the token endpoint (RFC 7591 §2, RFC 7523 §2.2).
const (
	authNone  = "none"
	authBasic = "client_secret_basic"
	authPost  = "client_secret_post"
	authKey   = "private_key_jwt"
)

// clientName is the name of this program for dynamic registration.
const clientName = "mcptea"

// chooseClient returns the pre-registered client, else the Client ID Metadata
// Document if the server supports that, else an earlier or a new dynamic
// registration (specification, authorization, "Client Registration Approaches").
// redirect is the redirect URI, empty for grants without a browser.
func (f *flow) chooseClient(ctx context.Context, redirect string, scopes []string) (Client, error) {
	f.list.Begin(StepClient, "", f.cfg.Timeout)
	issuer := f.server.expected
	configured, bound := f.a.configuredClient(issuer)
	switch {
	case configured.ID != "" && bound == issuer:
		return configured, f.done(configured.ID + ", pre-registered")
	case configured.ID != "":
		return configured, &ClientError{issuer, fmt.Sprintf("the client id %q is registered with %s and is not sent to other servers", configured.ID, bound)}
	case redirect == "":
		return configured, &ClientError{issuer, "this grant requires a pre-registered client"}
	case f.server.Documents && f.cfg.MetadataURL != "":
		return Client{ID: f.cfg.MetadataURL, Issuer: issuer, AuthMethod: authNone}, f.done(f.cfg.MetadataURL + ", a client ID metadata document")
	}
	if known, ok := f.a.registered(issuer); ok && known.RedirectURI == redirect {
		return known, f.done(known.ID + ", registered earlier")
	}
	if err := f.noRegistration(); err != nil {
		return configured, err
	}
	if f.server.defaults && !f.cfg.RegisterUnannounced {
		return configured, &UnannouncedError{f.server.Registration}
	}
	c, err := f.register(ctx, redirect, scopes)
	if err != nil {
		return c, err
	}
	f.a.addClient(c)
	return c, f.done(c.ID + ", registered now")
}

// noRegistration returns the reason why no client can be registered, or nil.
func (f *flow) noRegistration() error {
	if f.server.Registration != "" {
		return nil
	}
	return &ClientError{f.server.expected, "it supports neither dynamic registration nor the client ID metadata document"}
}

// hasClient reports whether there is a client for the authorization server without a registration.
func (f *flow) hasClient() bool {
	configured, _ := f.a.configuredClient(f.server.expected)
	_, known := f.a.registered(f.server.expected)
	return configured.ID != "" || known || f.server.Documents && f.cfg.MetadataURL != ""
}

// registration is the client metadata (RFC 7591 §2).
type registration struct {
	Name      string   `json:"client_name"`
	Version   string   `json:"software_version,omitempty"`
	Type      string   `json:"application_type"`
	Redirects []string `json:"redirect_uris"`
	Grants    []string `json:"grant_types"`
	Responses []string `json:"response_types"`
	Method    string   `json:"token_endpoint_auth_method"`
	Scope     string   `json:"scope,omitempty"`
}

// register registers the client dynamically (RFC 7591 §3).
func (f *flow) register(ctx context.Context, redirect string, scopes []string) (c Client, err error) {
	to, err := f.endpoint(f.server.Registration, "registration_endpoint")
	if err != nil {
		return c, err
	}
	body, err := json.Marshal(registration{
		Name: clientName, Version: f.cfg.Version, Type: "native",
		Redirects: []string{redirect}, Grants: []string{"authorization_code", "refresh_token"}, Responses: []string{"code"},
		Method: f.preferredAuthMethod(), Scope: strings.Join(scopes, " "),
	})
	if err != nil {
		return c, err
	}
	reply, err := f.send(ctx, transport.Request{
		Method: http.MethodPost, URL: to, Header: http.Header{"Content-Type": {jsonType}}, Body: body,
	})
	if err != nil {
		return c, err
	}
	var made struct {
		ID      string  `json:"client_id"`
		Secret  string  `json:"client_secret"`
		Expires seconds `json:"client_secret_expires_at"`
		Method  string  `json:"token_endpoint_auth_method"`
	}
	if err := parseResponse(reply, registrationEndpoint, &made); err != nil {
		if serverError, ok := errors.AsType[*ServerError](err); ok {
			serverError.Sent = public(registered(body))
		}
		return c, err
	}
	if made.ID == "" {
		return c, errors.New(`the response of the registration endpoint has no "client_id"`)
	}
	c = Client{ID: made.ID, Secret: made.Secret, Issuer: f.server.expected, AuthMethod: made.Method, RedirectURI: redirect}
	if made.Secret != "" {
		f.remark(made.Expires.remark("client_secret_expires_at", "RFC 7591 §3.2.1"))
		c.Expires = secretExpiry(made.Expires.value)
	}
	return c, nil
}

// secretExpiry returns the time of client_secret_expires_at, or the zero time for a secret that does not expire.
func secretExpiry(at float64) time.Time {
	const latest = 1 << 40 // seconds; later times cannot be stored
	if at <= 0 || at > latest {
		return time.Time{}
	}
	return time.Unix(int64(at), 0)
}

// preferredAuthMethod returns the first supported method, starting with "none": a program on the machine of a
// user is a public client.
func (f *flow) preferredAuthMethod() string {
	for _, method := range []string{authNone, authBasic, authPost} {
		if slices.Contains(f.server.AuthMethods, method) {
			return method
		}
	}
	return authNone
}

// authMethod returns how a client authenticates at the token endpoint.
func (f *flow) authMethod(c Client) (string, error) {
	listed := f.server.AuthMethods
	if len(listed) == 0 {
		listed = []string{authBasic, authPost, authNone} // the first is the default (RFC 8414 §2)
	}
	var able []string
	if c.Key != nil {
		able = append(able, authKey)
	}
	if c.Secret != "" {
		able = append(able, authBasic, authPost)
	}
	if c.Key == nil {
		able = append(able, authNone)
	}
	if c.AuthMethod != "" && slices.Contains(able, c.AuthMethod) {
		return c.AuthMethod, nil // method as registered
	}
	for _, method := range able {
		if slices.Contains(listed, method) {
			return method, nil
		}
	}
	return "", &ClientAuthError{f.server.expected, "authentication methods", listed, able}
}

// authenticateClient adds the authentication of the client to a token request.
func (f *flow) authenticateClient(c Client, header http.Header, form url.Values) error {
	method, err := f.authMethod(c)
	if err != nil {
		return err
	}
	if method == authBasic {
		// Both are form-encoded before they are joined (RFC 6749 §2.3.1).
		r := http.Request{Header: header}
		r.SetBasicAuth(url.QueryEscape(c.ID), url.QueryEscape(c.Secret))
		return nil
	}
	if method != authKey { // the assertion names it (RFC 7521 §4.2)
		form.Set("client_id", c.ID)
	}
	switch method {
	case authPost:
		form.Set("client_secret", c.Secret)
	case authKey:
		assertion, err := clientAssertion(c, f.server.expected, f.server.AssertionAlgs, time.Now())
		if err != nil {
			return err
		}
		form.Set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
		form.Set("client_assertion", assertion)
	}
	return nil
}
