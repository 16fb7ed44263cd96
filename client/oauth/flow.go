package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"mcptea/client/step"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
)

// offlineAccess is the scope for refresh tokens. It is requested only from servers
// that list it: others may reject the whole request.
const offlineAccess = "offline_access"

// flow is one way from a refusal to a token. One goroutine uses it.
type flow struct {
	a         *Authorizer
	cfg       *Config
	requester transport.Requester
	list      *step.List
	status    int // status of the refusal
	challenge challengeParams
	previous  grantedToken // the rejected token, or zero
	stepUp    bool         // the rejected token is valid, but has too few scopes
	number    int          // number of the token, from 1
	names     []string

	run *flowRun // shared with the callers that wait

	server   serverMetadata
	checked  map[string]*url.URL // endpoints of the metadata that were checked, by name and URL
	resource string              // resource of the token (RFC 8707)
	dpop     bool                // request a DPoP-bound token

	refreshFailed error           // error of the newest refresh
	protected     *protectedError // error of the newest metadata URL that requires authorization, or nil
	otherResource string          // see [Facts]
	unlock        func()          // releases the lock of the refresh token, or nil if this flow does not have it
}

// getToken runs the steps from the challenge to a token.
func (f *flow) getToken(ctx context.Context, answered transport.ResponseInfo) (grantedToken, error) {
	f.list.Begin(StepChallenge, "", 0)
	if u := f.a.server; u.Scheme != "https" && !mcphttp.IsLoopback(u.Hostname()) {
		at := mcphttp.Origin(u)
		if err := f.refuse(InsecureURL, "RFC 6750 §5.3", at, "the server is %s: without https the token can be read on the network", at); err != nil {
			return grantedToken{}, err
		}
	}
	if err := f.done(f.describeChallenge(answered)); err != nil {
		return grantedToken{}, err
	}
	meta, err := f.discoverResource(ctx)
	if err != nil {
		return grantedToken{}, err
	}
	issuer, err := f.chooseServer(meta)
	if err != nil {
		return grantedToken{}, err
	}
	if err := f.discoverServer(ctx, issuer, meta != nil); err != nil {
		return grantedToken{}, err
	}
	f.resource = canonical(f.a.server)
	var supported []string
	if meta != nil {
		f.resource, supported = meta.Resource, meta.Scopes
	}
	f.dpop = f.useDPoP(meta)
	scopes := f.chooseScopes(supported)
	if h, ok := f.renew(ctx); ok {
		return h, nil
	}
	if ctx.Err() != nil {
		return grantedToken{}, context.Cause(ctx)
	}
	if f.cfg.Until == StepRefresh && f.refreshFailed != nil {
		return grantedToken{}, f.refreshFailed
	}
	h, err := f.requestGrant(ctx, scopes)
	if err == nil && f.cfg.Until == StepRefresh {
		return f.refreshNow(ctx, h)
	}
	if err != nil && f.server.defaults && ctx.Err() == nil && !errors.Is(err, ErrStopped) {
		missing := &NoMetadataError{Server: mcphttp.Origin(f.a.server), Err: err}
		if f.protected != nil {
			missing.Status = f.protected.status
		}
		err = missing
	}
	return h, err
}

// done ends the running step. The error is [ErrStopped] if the flow ends with it.
func (f *flow) done(detail string) error { return f.stopAfter(f.list.End("", Done, detail)) }

// absent ends a step that has no result.
func (f *flow) absent(detail string) error { return f.stopAfter(f.list.EndAbsent(detail)) }

func (f *flow) stopAfter(step string) error {
	if step == f.cfg.Until && f.cfg.Until != "" {
		return ErrStopped
	}
	return nil
}

func (f *flow) describeChallenge(answered transport.ResponseInfo) string {
	text := transport.StatusText(answered.Status)
	if answered.Asked != "" {
		text += " to " + answered.Asked
	}
	schemes := Challenges(answered.Header)
	if len(schemes) == 0 {
		return text + ", without a WWW-Authenticate header"
	}
	for _, c := range schemes {
		text += ", " + c.scheme
	}
	if f.challenge.err != "" {
		text += " " + f.challenge.err
	}
	if f.challenge.description != "" {
		text += ": " + f.challenge.description
	}
	if f.challenge.scopes != nil {
		text += fmt.Sprintf(", scope %q", strings.Join(f.challenge.scopes, " "))
	}
	return text
}

// chooseScopes returns the first of these that is not empty: the configured scopes, the scopes of the
// challenge, and scopes_supported of the resource (specification, authorization, "Scope Selection
// Strategy"). For a step-up, it adds the scopes of the earlier request.
func (f *flow) chooseScopes(supported []string) []string {
	scopes := f.cfg.Scopes
	if len(scopes) == 0 {
		scopes = f.challenge.scopes
	}
	if len(scopes) == 0 {
		scopes = supported
	}
	if f.stepUp {
		scopes = union(union(f.previous.requested, scopes), f.challenge.scopes)
	}
	scopes = missing(scopes, []string{offlineAccess})
	if f.cfg.Grant == nil && len(scopes) > 0 && slices.Contains(f.server.Scopes, offlineAccess) {
		scopes = append(scopes, offlineAccess)
	}
	return scopes
}

// requestGrant obtains a token with the configured grant.
func (f *flow) requestGrant(ctx context.Context, scopes []string) (grantedToken, error) {
	switch g := f.cfg.Grant.(type) {
	case nil:
		return f.authorizationCode(ctx, scopes)
	case ClientCredentials:
		return f.clientCredentials(ctx, scopes, url.Values{"grant_type": {"client_credentials"}})
	case Workload:
		return f.jwtBearer(ctx, scopes, func(context.Context, Client) (string, error) { return g.Assertion(ctx) })
	case Enterprise:
		return f.jwtBearer(ctx, scopes, func(ctx context.Context, _ Client) (string, error) { return f.exchangeIDToken(ctx, g, scopes) })
	}
	return grantedToken{}, fmt.Errorf("unknown grant %T", f.cfg.Grant)
}

func (f *flow) authorizationCode(ctx context.Context, scopes []string) (grantedToken, error) {
	if f.cfg.OpenBrowser == nil {
		if err := f.noRegistration(); err != nil && !f.hasClient() { // a browser would not help
			f.list.Begin(StepClient, "", 0)
			return grantedToken{}, err
		}
		f.list.Begin(StepConsent, "", 0)
		return grantedToken{}, &NoBrowserError{f.server.expected}
	}
	h, release, err := f.awaitTurn(ctx)
	if err != nil || h.token.Access != "" {
		return h, err
	}
	defer release()
	known, _ := f.a.registered(f.server.expected)
	back, err := listenLoopback(ctx, f.cfg.RedirectURI, known.RedirectURI, f.run)
	if err != nil {
		return grantedToken{}, err
	}
	defer func() { _ = back.Close() }() // the flow needs it no more
	c, err := f.chooseClient(ctx, back.uri, scopes)
	if err != nil {
		return grantedToken{}, err
	}
	watched, found := f.watchStore(ctx)
	given, err := f.requestConsent(watched, c, back.uri, scopes)
	if h := found(); err != nil && h.token.Access != "" {
		f.list.End("", Done, givenElsewhere)
		return h, nil
	}
	if err != nil {
		return grantedToken{}, err
	}
	return f.redeem(ctx, c, scopes, url.Values{
		"grant_type": {"authorization_code"}, "code": {given.code},
		"redirect_uri": {given.redirect}, "code_verifier": {given.verifier},
	})
}

func (f *flow) clientCredentials(ctx context.Context, scopes []string, form url.Values) (grantedToken, error) {
	c, err := f.chooseClient(ctx, "", scopes)
	if err != nil {
		return grantedToken{}, err
	}
	return f.redeem(ctx, c, scopes, withScope(form, scopes))
}

// withScope adds the scopes to a request, if there are any.
func withScope(form url.Values, scopes []string) url.Values {
	if len(scopes) > 0 {
		form.Set("scope", strings.Join(scopes, " "))
	}
	return form
}

// jwtBearer uses an assertion as the authorization grant (RFC 7523 §2.1). It is sent
// only once: a server would reject it again.
func (f *flow) jwtBearer(ctx context.Context, scopes []string, assertion func(context.Context, Client) (string, error)) (grantedToken, error) {
	c, err := f.chooseClient(ctx, "", scopes)
	if err != nil {
		return grantedToken{}, err
	}
	text, err := assertion(ctx, c)
	if err != nil {
		return grantedToken{}, err
	}
	form := withScope(url.Values{"grant_type": {grantBearer}, "assertion": {text}}, scopes)
	return f.redeem(ctx, c, scopes, form)
}

// exchangeIDToken exchanges an ID token for an assertion for the authorization
// server, at the identity provider (RFC 8693, "Identity Assertion Authorization
// Grant").
func (f *flow) exchangeIDToken(ctx context.Context, g Enterprise, scopes []string) (string, error) {
	f.list.Begin(StepIdentity, "", f.cfg.Timeout)
	to, err := f.endpoint(g.TokenEndpoint, "token endpoint of the identity provider")
	if err != nil {
		return "", err
	}
	subject, err := g.IDToken(ctx)
	if err != nil {
		return "", err
	}
	form := url.Values{
		"grant_type":           {grantExchange},
		"requested_token_type": {"urn:ietf:params:oauth:token-type:id-jag"},
		"subject_token":        {subject},
		"subject_token_type":   {"urn:ietf:params:oauth:token-type:id_token"},
		"audience":             {f.server.expected},
		"resource":             {f.resource},
		"client_id":            {g.Client.ID},
	}
	if g.Client.Secret != "" {
		form.Set("client_secret", g.Client.Secret)
	}
	var got tokenResponse
	if _, err := f.post(ctx, to, "the identity provider", nil, withScope(form, scopes), &got); err != nil {
		return "", err
	}
	if got.Access == "" {
		return "", errors.New(`the response of the identity provider has no "access_token"`)
	}
	return got.Access, f.done("assertion for " + f.server.expected)
}

// redeem requests the token, which is the last step of each grant.
func (f *flow) redeem(ctx context.Context, c Client, scopes []string, form url.Values) (grantedToken, error) {
	f.list.Begin(StepToken, "", f.cfg.Timeout)
	t, err := f.requestToken(ctx, c, form, scopes)
	if err != nil {
		f.forgetRegistration(ctx, c, err)
		return grantedToken{}, err
	}
	f.list.End("", Done, t.describe())
	return grantedToken{token: t, client: c, issuer: f.server.expected, requested: scopes, source: fromGrant}, nil
}

// forgetRegistration removes a dynamic registration after invalid_client, so that the
// next flow registers again.
func (f *flow) forgetRegistration(ctx context.Context, c Client, err error) {
	var refused *ServerError
	if c.RedirectURI != "" && errors.As(err, &refused) && refused.Code == "invalid_client" {
		f.a.forgetClient(c)
		f.forget(ctx, c)
	}
}
