package oauth

import (
	"errors"
	"fmt"
	"strings"
)

// ErrCancelled is what a flow ends with that [Authorizer.Cancel] gave up.
var ErrCancelled = errors.New("authorization was cancelled")

// ErrConsentTimeout says that a person was asked and did not answer in time.
var ErrConsentTimeout = errors.New("nobody agreed")

// ErrNoCallback says that an address is not one at which a browser ends that was
// sent back.
var ErrNoCallback = errors.New("this is not the address to which the browser was sent back: it has no state")

// ErrNotOpened is what [Config.Browse] returns when it has opened no browser: the
// user opens the page.
var ErrNotOpened = errors.New("the page was not opened in a browser")

// ErrStateMismatch says that an address has the state of another authorization
// request than the one that waits.
var ErrStateMismatch = errors.New("this address belongs to another authorization request: its state is not the one that was sent")

// Kind names a rule that was broken.
type Kind uint8

// The rules. Leniency helps with all of them.
const (
	ResourceMismatch    Kind = iota + 1 // the metadata is about another resource (RFC 9728 §3.3)
	CrossOriginMetadata                 // metadata on another origin than asked
	IssuerMismatch                      // the metadata is of another issuer (RFC 8414 §3.3)
	InsecureURL                         // http where it must be https (OAuth 2.1 §1.5)
	NoPKCE                              // S256 is not announced (specification, authorization)
	WrongIssuer                         // the answer comes from another issuer (RFC 9207 §2.4)
	MissingIssuer                       // the answer names no issuer, though it was to
)

var kindNames = [...]string{
	ResourceMismatch: "resource mismatch", CrossOriginMetadata: "metadata of another origin", IssuerMismatch: "issuer mismatch",
	InsecureURL: "insecure URL", NoPKCE: "no PKCE", WrongIssuer: "wrong issuer", MissingIssuer: "missing issuer",
}

// String names the kind as recordings do.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

// Refusal is something that a client must not put up with. Nothing was sent
// after it was found.
type Refusal struct {
	Kind  Kind
	Found string // the evidence; secrets masked
	Text  string // a sentence with the evidence in it
	Rule  string // who says so

	Expected string // the issuer, with WrongIssuer and MissingIssuer
}

// Error is the sentence and the rule.
func (r *Refusal) Error() string { return r.Text + " (" + r.Rule + ")" }

// ServerError is an error that an authorization server answered with (RFC 6749
// §4.1.2.1 and §5.2, RFC 7591 §3.2.2).
type ServerError struct {
	Where       string // such as "the token endpoint"
	Status      int    // 0 when it came by way of the browser
	Code        string // such as invalid_grant; empty when the answer has none
	Description string // the server's own words
	Body        string // the head of a body without a code
}

// Error gives the server's code and words.
func (e *ServerError) Error() string {
	text := e.Where + " answered"
	if e.Status != 0 {
		text += fmt.Sprintf(" %d", e.Status)
	}
	switch {
	case e.Code != "" && e.Description != "":
		return fmt.Sprintf("%s %s: %s", text, e.Code, e.Description)
	case e.Code != "":
		return text + " " + e.Code
	case e.Body != "":
		return fmt.Sprintf("%s: %q", text, e.Body)
	}
	return text
}

// NoBrowserError says that a person has to agree and that nobody can be asked.
type NoBrowserError struct{ Issuer string }

// Error says who wants the consent.
func (e *NoBrowserError) Error() string {
	return fmt.Sprintf("%s wants a person to agree in a browser, and nobody can be asked here", e.Issuer)
}

// NoMetadataError says that a server refuses requests and tells nobody where to
// get a token, so that one could only try what servers of 2025-03-26 had.
type NoMetadataError struct {
	Server string // its origin
	Err    error  // what came of that
}

// Error says both.
func (e *NoMetadataError) Error() string {
	text := e.Server + " has no metadata that says where to get a token"
	var consent *NoBrowserError
	if errors.As(e.Err, &consent) {
		return text // nobody would know what to agree to
	}
	return fmt.Sprintf("%s, and the endpoints of 2025-03-26 did not help: %v", text, e.Err)
}

// Unwrap returns what came of the endpoints.
func (e *NoMetadataError) Unwrap() error { return e.Err }

// ClientError says that we are nobody to an authorization server.
type ClientError struct {
	Issuer string
	Why    string
}

// Error says what to give.
func (e *ClientError) Error() string {
	return fmt.Sprintf("%s does not know mcptea: %s; register a client there and give its id", e.Issuer, e.Why)
}

// TokenRejectedError says that the server does not take a token that is quite new.
type TokenRejectedError struct {
	Issuer      string
	Description string // the server's words
}

// Error names the issuer.
func (e *TokenRejectedError) Error() string {
	text := fmt.Sprintf("the server does not accept the token that %s has just issued for it", e.Issuer)
	if e.Description != "" {
		text += ": " + e.Description
	}
	return text
}

// ScopeError says that the server wants scopes which asking again will not
// bring.
type ScopeError struct {
	Wanted []string
	Why    string
}

// Error names the scopes.
func (e *ScopeError) Error() string {
	if len(e.Wanted) == 0 {
		return "the token does not suffice: " + e.Why
	}
	return fmt.Sprintf("the token does not suffice for the scope %q: %s", strings.Join(e.Wanted, " "), e.Why)
}
