package oauth

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// ErrCancelled is the error of a flow after [Authorizer.Cancel].
var ErrCancelled = errors.New("authorization was cancelled")

// ErrStopped is the error of a flow that has done what [Config.Until] asks for.
var ErrStopped = errors.New("authorization has ended after the requested step")

// ErrConsentTimeout reports that the user did not finish the consent page in time.
var ErrConsentTimeout = errors.New("no consent in the browser")

// ErrNoCallback reports a URL that is not a redirect of an authorization request.
var ErrNoCallback = errors.New("not the URL of an authorization response: it has no state parameter")

// ErrNotOpened is returned by [Config.OpenBrowser] if it has not opened a browser:
// the user opens the page.
var ErrNotOpened = errors.New("the consent page was not opened in a browser")

// ErrStateMismatch reports the redirect of another authorization request.
var ErrStateMismatch = errors.New("this URL belongs to another authorization request: its state is not the state that was sent")

// Kind is a security rule that a server violates.
type Kind uint8

// The rules; [Config.Lenient] applies to all of them.
const (
	ResourceMismatch    Kind = iota + 1 // metadata of another resource (RFC 9728 §3.3)
	CrossOriginMetadata                 // metadata on another origin
	IssuerMismatch                      // metadata of another issuer (RFC 8414 §3.3)
	InsecureURL                         // http instead of https (OAuth 2.1 §1.5), or an internal address
	NoPKCE                              // S256 is not supported (specification, authorization)
	WrongIssuer                         // the response is from another issuer (RFC 9207 §2.4)
	MissingIssuer                       // the response has no iss, although announced
)

var kindNames = [...]string{
	ResourceMismatch: "resource mismatch", CrossOriginMetadata: "metadata of another origin", IssuerMismatch: "issuer mismatch",
	InsecureURL: "insecure URL", NoPKCE: "no PKCE", WrongIssuer: "wrong issuer", MissingIssuer: "missing issuer",
}

// String returns the name of the kind in recordings.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

// Refusal reports that the client ended the flow because of a violated security rule. No further
// request was sent.
type Refusal struct {
	Kind  Kind
	Found string // the evidence; secrets masked
	Text  string // a sentence with the evidence
	Rule  string // the section of the specification

	Expected string // the issuer, with WrongIssuer and MissingIssuer
}

// Error returns the sentence and the section.
func (r *Refusal) Error() string { return r.Text + " (" + r.Rule + ")" }

// ServerError is an error response of an authorization server (RFC 6749 §4.1.2.1
// and §5.2, RFC 7591 §3.2.2).
type ServerError struct {
	Where       string // such as "the token endpoint"
	Status      int    // 0 for an error through the browser
	Code        string // error code such as invalid_grant, or ""
	Description string // error_description
	// Sent holds the parameters of the request that are not secret.
	Sent url.Values
	body string // a body without a code, in one line
}

// publicParameters holds the parameters of requests to an authorization server that are not secret.
var publicParameters = strings.Fields("client_id redirect_uri redirect_uris scope resource audience grant_type grant_types response_type response_types code_challenge_method token_endpoint_auth_method client_name application_type")

// public returns the parameters of a request that are not secret.
func public(sent url.Values) url.Values {
	shown := url.Values{}
	for _, name := range publicParameters {
		if values, ok := sent[name]; ok {
			shown[name] = values
		}
	}
	return shown
}

// registered returns the members of a registration as parameters.
func registered(body []byte) url.Values {
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil {
		return nil
	}
	sent := url.Values{}
	for name, value := range members {
		var text string
		var list []string
		switch {
		case json.Unmarshal(value, &text) == nil:
			sent.Add(name, text)
		case json.Unmarshal(value, &list) == nil:
			sent[name] = list
		}
	}
	return sent
}

// Error names the endpoint, the status, the code and the description.
func (e *ServerError) Error() string {
	text := e.Where + " returned"
	if e.Status != 0 {
		text += fmt.Sprintf(" %d", e.Status)
	}
	switch {
	case e.Code != "" && e.Description != "":
		return fmt.Sprintf("%s %s: %s", text, e.Code, e.Description)
	case e.Code != "":
		return text + " " + e.Code
	case e.body != "":
		return text + ": " + e.body
	}
	return text
}

// NoBrowserError reports that a flow needs the consent of the user, but has no browser.
type NoBrowserError struct{ Issuer string }

// Error names the issuer.
func (e *NoBrowserError) Error() string {
	return fmt.Sprintf("%s requires consent in a browser, which is not possible here", e.Issuer)
}

// IncompleteError reports metadata of an authorization server without an endpoint that it must have (RFC 8414 §2).
type IncompleteError struct{ Member string }

// Error names the member.
func (e *IncompleteError) Error() string {
	return "the authorization server metadata has no " + e.Member
}

// NoMetadataError reports a server that requires authorization, but has neither resource
// nor server metadata, and that the default endpoints of 2025-03-26 failed, too.
type NoMetadataError struct {
	Server string // origin of the server
	Err    error  // error of the default endpoints
	// Status is the status 401 or 403 of a metadata URL: the server may have metadata. It is 0 if there is none.
	Status int
}

// Error names the server and the failure of the default endpoints.
func (e *NoMetadataError) Error() string {
	text := e.Server + " requires authorization, but has no OAuth metadata (RFC 9728, RFC 8414)"
	if e.Status != 0 {
		text = fmt.Sprintf("%s requires authorization, even for its OAuth metadata (%d), so it is unknown how to obtain a token", e.Server, e.Status)
	}
	var consent *NoBrowserError
	unannounced, ok := errors.AsType[*UnannouncedError](e.Err)
	switch {
	case errors.As(e.Err, &consent), ok && e.Status != 0:
		return text // the user could not know the consent page, or the default endpoint
	case ok:
		return text + "; " + unannounced.Error()
	}
	return fmt.Sprintf("%s, and the default endpoints of 2025-03-26 failed: %v", text, e.Err)
}

// Unwrap returns the error of the default endpoints.
func (e *NoMetadataError) Unwrap() error { return e.Err }

// ClientError reports that there is no client for an authorization server: none is
// configured, and it cannot be registered.
type ClientError struct {
	Issuer string
	Why    string
}

// Error names the issuer and the reason.
func (e *ClientError) Error() string {
	return fmt.Sprintf("no OAuth client for %s: %s; register a client there and set its client id", e.Issuer, e.Why)
}

// registrationEndpoint is the name of the endpoint of RFC 7591 in errors.
const registrationEndpoint = "the registration endpoint"

// RegistersNoClient reports whether an error means that the authorization server has no client for this program
// and does not register one. Unless the user configures a client, each attempt fails in the same way.
func RegistersNoClient(err error) bool {
	var none *ClientError
	var refused *ServerError
	switch {
	case errors.As(err, &none):
		return true
	case !errors.As(err, &refused) || refused.Where != registrationEndpoint:
		return false
	}
	switch refused.Status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone, http.StatusNotImplemented:
		return true
	}
	return false
}

// ClientAuthError reports that a client cannot authenticate in a way that an authorization
// server supports. No request was sent to it.
type ClientAuthError struct {
	Issuer    string
	What      string   // "authentication methods" or "signing algorithms"
	Supported []string // supported by the server
	Able      []string // supported by the client
}

// Error names the issuer and both lists.
func (e *ClientAuthError) Error() string {
	return fmt.Sprintf("no OAuth client authentication for %s: the server supports the %s %s; this client has %s",
		e.Issuer, e.What, strings.Join(e.Supported, ", "), strings.Join(e.Able, ", "))
}

// UnannouncedError reports that no client was registered, since the server does not announce
// that it registers clients; see [Config.RegisterUnannounced].
type UnannouncedError struct {
	Endpoint string // endpoint that the client would be registered at
}

// Error names the endpoint where the client would be registered.
func (e *UnannouncedError) Error() string {
	return "no way to register a client was found; nothing was sent to the default endpoint " + e.Endpoint
}

// TokenRejectedError reports that the server rejects a token that was just issued.
type TokenRejectedError struct {
	Issuer      string
	description string // error_description of the challenge
}

// Error names the issuer.
func (e *TokenRejectedError) Error() string {
	text := fmt.Sprintf("the server rejects the token that %s has just issued for it", e.Issuer)
	if e.description != "" {
		text += ": " + e.description
	}
	return text
}

// ScopeError reports insufficient_scope in a case where another authorization request would not
// help.
type ScopeError struct {
	Wanted []string
	Why    string
}

// Error names the scopes.
func (e *ScopeError) Error() string {
	if len(e.Wanted) == 0 {
		return "insufficient scope: " + e.Why
	}
	return fmt.Sprintf("insufficient scope, %q is required: %s", strings.Join(e.Wanted, " "), e.Why)
}
