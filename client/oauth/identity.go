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

// The ways to prove at the token endpoint who one is (RFC 7591 §2, RFC 7523
// §2.2).
const (
	authNone  = "none"
	authBasic = "client_secret_basic"
	authPost  = "client_secret_post"
	authKey   = "private_key_jwt"
)

// chooseClient finds out who we are to the server: agreed on beforehand, by a
// document of ours that it reads, as it knows us from before, or by
// registration (specification, authorization, "Client Registration
// Approaches"). redirect is where the browser is sent back to, empty when no
// browser takes part.
func (f *flow) chooseClient(ctx context.Context, redirect string, scopes []string) (Client, error) {
	f.list.Begin(StepClient, "", f.cfg.Timeout)
	issuer := f.server.expected
	own, bound := f.a.configuredClient(issuer)
	switch {
	case own.ID != "" && bound == issuer:
		f.list.End("", Done, own.ID+", registered beforehand")
		return own, nil
	case own.ID != "":
		return own, &ClientError{issuer, fmt.Sprintf("the client id %q is for %s, and what is known to one server is never shown to another", own.ID, bound)}
	case redirect == "":
		return own, &ClientError{issuer, "this grant needs a client that was registered beforehand"}
	case f.server.Documents && f.cfg.MetadataURL != "":
		f.list.End("", Done, f.cfg.MetadataURL+", a document that the server reads")
		return Client{ID: f.cfg.MetadataURL, Issuer: issuer, AuthMethod: authNone}, nil
	}
	if known, ok := f.a.registered(issuer); ok && known.RedirectURI == redirect {
		f.list.End("", Done, known.ID+", registered earlier")
		return known, nil
	}
	if f.server.Registration == "" {
		return own, &ClientError{issuer, "it registers nobody on request and reads no client metadata document of ours"}
	}
	c, err := f.register(ctx, redirect, scopes)
	if err != nil {
		return c, err
	}
	f.a.addClient(c)
	f.list.End("", Done, c.ID+", registered now")
	return c, nil
}

// registration is what a client tells of itself (RFC 7591 §2).
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

// register makes us known to the server (RFC 7591 §3).
func (f *flow) register(ctx context.Context, redirect string, scopes []string) (c Client, err error) {
	to, err := f.endpoint(f.server.Registration, "registration_endpoint")
	if err != nil {
		return c, err
	}
	body, err := json.Marshal(registration{
		Name: f.cfg.Name, Version: f.cfg.Version, Type: "native",
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
		Expires float64 `json:"client_secret_expires_at"`
		Method  string  `json:"token_endpoint_auth_method"`
	}
	if err := parseResponse(reply, "the registration endpoint", &made); err != nil {
		return c, err
	}
	if made.ID == "" {
		return c, errors.New(`the registration endpoint answered without a "client_id"`)
	}
	c = Client{ID: made.ID, Secret: made.Secret, Issuer: f.server.expected, AuthMethod: made.Method, RedirectURI: redirect}
	if made.Expires > 0 && made.Secret != "" {
		c.Expires = time.Unix(int64(made.Expires), 0)
	}
	return c, nil
}

// preferredAuthMethod is how we would like to prove who we are: a program on
// somebody's machine keeps no secrets, so not at all where that is possible.
func (f *flow) preferredAuthMethod() string {
	for _, method := range []string{authNone, authBasic, authPost} {
		if slices.Contains(f.server.AuthMethods, method) {
			return method
		}
	}
	return authNone
}

// authMethod is how a client proves itself to the server that knows it.
func (f *flow) authMethod(c Client) (string, error) {
	listed := f.server.AuthMethods
	if len(listed) == 0 {
		listed = []string{authBasic, authPost, authNone} // the first is what the server's silence means (RFC 8414 §2)
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
		return c.AuthMethod, nil // so it was agreed on
	}
	for _, method := range able {
		if slices.Contains(listed, method) {
			return method, nil
		}
	}
	return "", &ClientError{f.server.expected, fmt.Sprintf(
		"it wants clients to prove themselves by %s, and mcptea could by %s", strings.Join(listed, ", "), strings.Join(able, ", "))}
}

// authenticateClient adds to a token request what says who we are.
func (f *flow) authenticateClient(c Client, header http.Header, form url.Values) error {
	method, err := f.authMethod(c)
	if err != nil {
		return err
	}
	if method == authBasic {
		// The two are encoded as in a form before they are put together (RFC
		// 6749 §2.3.1).
		r := http.Request{Header: header}
		r.SetBasicAuth(url.QueryEscape(c.ID), url.QueryEscape(c.Secret))
		return nil
	}
	form.Set("client_id", c.ID)
	switch method {
	case authPost:
		form.Set("client_secret", c.Secret)
	case authKey:
		assertion, err := clientAssertion(c, f.server.expected, time.Now())
		if err != nil {
			return err
		}
		form.Set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
		form.Set("client_assertion", assertion)
	}
	return nil
}
