package oauth

import (
	"errors"
	"net/http"
)

// Facts holds what an [Authorizer] knows about the authorization with its server. It contains no token.
type Facts struct {
	// Stored is the state of the token store for the server. StoreErr explains why the state is unknown
	// ([StoreUnreadable]), or why the newest token was not saved.
	Stored   Stored
	StoreErr error

	Token   TokenFacts // zero if there is no token
	Refresh Refresh    // refresh of the token
	// RefreshErr is the error of [RefreshFailed]: a *[ServerError] if the token endpoint has refused it.
	RefreshErr error

	Challenge ChallengeFacts // newest challenge
	// Resource is the resource that the metadata names, if it covers the URL of the server and is not the same.
	Resource string
}

// TokenFacts are the properties of the token that requests carried or, before that, of the stored one.
type TokenFacts struct {
	Present     bool
	Sent        bool // requests carried it
	Accepted    bool // the server has accepted it at least once
	Expired     bool // the token was expired when the facts were collected
	Refreshable bool // the token has a refresh token
	Registered  bool // the client was registered dynamically
	Issuer      string
	ClientID    string
	Scopes      []string // granted
}

// ChallengeFacts describes the server's challenge to a token that it rejected.
type ChallengeFacts struct {
	StepUp      bool     // status 403: the token is valid, and its scopes are not sufficient
	Code        string   // error, such as "invalid_token"
	Description string   // error_description
	Scopes      []string // scopes that the request requires
}

// Missing returns the scopes of the challenge that the token does not have.
func (f Facts) Missing() []string { return missing(f.Challenge.Scopes, f.Token.Scopes) }

// Needed returns the scopes of the token and the scopes of the challenge.
func (f Facts) Needed() []string { return union(f.Token.Scopes, f.Challenge.Scopes) }

// Stored is the state of a token store for a server.
type Stored uint8

// States of a token store.
const (
	StoreUnknown    Stored = iota // the store was not read
	StoreOff                      // tokens are not kept beyond the program
	StoreUnreadable               // reading it failed
	StoreEmpty                    // the store contains no token
	StoreUnused                   // only tokens that the configuration excludes: of another client or issuer, or a new token is requested
	StoreHasToken
)

// Refresh is the outcome of the refresh of a token.
type Refresh uint8

// The outcomes of a refresh.
const (
	NotRefreshed      Refresh = iota // no token, no reason to refresh it, or the refresh succeeded
	NoRefreshToken                   // the authorization server has issued none
	RefreshFailed                    // the token endpoint refused it, or was not reached
	RefreshElsewhere                 // the refresh token is from another authorization server than the server now names
	RefreshedRejected                // the rejected token is the result of a refresh
)

// factsError is the error of a flow with the facts known at its end. Its text is the text of the error.
type factsError struct {
	error
	facts Facts
}

func (e *factsError) Unwrap() error { return e.error }

// FactsOf returns the facts known when a flow ended with an error. ok is false if the error is not from a flow.
func FactsOf(err error) (facts Facts, ok bool) {
	if e, ok := errors.AsType[*factsError](err); ok {
		return e.facts, true
	}
	return Facts{}, false
}

// Facts returns the facts of the newest flow. It does not read the store again.
func (a *Authorizer) Facts() Facts {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.factsAfter(&a.last)
}

// ended holds the results of a flow that has ended.
type ended struct {
	previous   grantedToken // the rejected token, or the stored one that was not used
	refreshErr error
	issuer     string // issuer that the server names, or "" if the flow has not reached it
	challenge  ChallengeFacts
	resource   string // see [Facts]
}

// end returns the results of the flow.
func (f *flow) end() ended {
	return ended{previous: f.previous, refreshErr: f.refreshFailed, issuer: f.server.expected, challenge: f.challenge.facts(f.status), resource: f.otherResource}
}

// facts returns the facts of the challenge of a response with a status.
func (d challengeParams) facts(status int) ChallengeFacts {
	return ChallengeFacts{StepUp: status == http.StatusForbidden, Code: d.err, Description: d.description, Scopes: d.scopes}
}

// factsAfter returns the facts after a flow. The caller holds a.mu.
func (a *Authorizer) factsAfter(e *ended) Facts {
	f := Facts{Stored: a.stored, StoreErr: a.storeErr, Challenge: e.challenge, Resource: e.resource}
	if !a.storeIsPersistent() {
		f.Stored = StoreOff
	}
	token := e.previous
	if a.current.number > token.number { // the flow has obtained a newer token
		f.Token = a.current.facts()
		return f
	}
	f.Token = token.facts()
	switch {
	case !f.Token.Present, e.challenge.StepUp, e.issuer == "":
	case !f.Token.Refreshable:
		f.Refresh = NoRefreshToken
	case e.refreshErr != nil:
		f.Refresh, f.RefreshErr = RefreshFailed, e.refreshErr
	case token.issuer != e.issuer:
		f.Refresh = RefreshElsewhere
	case token.source == fromRefresh && !token.accepted:
		f.Refresh = RefreshedRejected
	}
	return f
}

// facts returns the properties of a token, or zero values if there is no token.
func (h grantedToken) facts() TokenFacts {
	if h.token.Access == "" {
		return TokenFacts{}
	}
	return TokenFacts{
		Present: true, Sent: h.number != 0, Accepted: h.accepted, Expired: HasExpired(h.token.Expires), Refreshable: h.token.Refresh != "",
		Registered: h.client.RedirectURI != "", Issuer: h.issuer, ClientID: h.client.ID, Scopes: h.token.Scopes,
	}
}
