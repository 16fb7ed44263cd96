package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"mcptea/internal/jose"
	"mcptea/internal/words/phrase"
)

// consent is an authorization request with its response.
type consent struct {
	code     string
	verifier string
	redirect string
}

// requestConsent sends the user to the consent page and returns the authorization
// code (OAuth 2.1 §4.1.1). The state and the issuer of the response are checked
// first.
func (f *flow) requestConsent(ctx context.Context, c Client, redirect string, scopes []string) (consent, error) {
	f.list.Begin(StepConsent, "waiting for consent in the browser", f.cfg.ConsentTimeout)
	to, err := f.endpoint(f.server.Authorization, "authorization_endpoint")
	if err != nil {
		return consent{}, err
	}
	given := consent{verifier: jose.Random(), redirect: redirect}
	state := jose.Random()
	q := to.Query()
	for name, value := range map[string]string{
		"response_type": "code", "client_id": c.ID, "redirect_uri": given.redirect, "state": state,
		"code_challenge": jose.SHA256(given.verifier), "code_challenge_method": "S256",
		"resource": f.resource, "scope": strings.Join(scopes, " "),
	} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if slices.Contains(scopes, offlineAccess) {
		q.Set("prompt", "consent") // required for offline_access (OpenID Connect Core 1.0 §11)
	}
	to.RawQuery = q.Encode()
	if f.cfg.Until == StepConsent {
		f.list.Update(func(s *Step) { s.URL = to.String() })
		return consent{}, f.done("the page was not opened")
	}
	f.run.state.Store(&state)
	answer, err := f.awaitCallback(ctx, to.String(), state)
	if err != nil {
		return consent{}, err
	}
	given.code, err = f.parseAuthorizationResponse(answer)
	if serverError, ok := errors.AsType[*ServerError](err); ok {
		serverError.Sent = public(q)
	}
	if err == nil {
		f.list.End("", Done, "consent given")
	}
	return given, err
}

// awaitCallback opens the consent page and waits for the authorization response.
func (f *flow) awaitCallback(ctx context.Context, at, state string) (url.Values, error) {
	late := fmt.Errorf("%w within %s", ErrConsentTimeout, phrase.Duration(f.cfg.ConsentTimeout))
	ctx, stop := context.WithTimeoutCause(ctx, f.cfg.ConsentTimeout, late)
	defer stop()
	f.list.Update(func(s *Step) { s.URL = at })
	deadline := time.Now().Add(f.cfg.ConsentTimeout)
	err := f.cfg.OpenBrowser(ctx, Consent{URL: at, Issuer: f.server.expected, Deadline: deadline, Resource: f.otherResource})
	switch {
	case err == nil:
		f.list.Update(func(s *Step) { s.Opened = true })
	case !errors.Is(err, ErrNotOpened):
		return nil, fmt.Errorf("cannot open the consent page: %w", err)
	}
	for {
		select {
		case answer := <-f.run.callbacks:
			if hasState(answer, state) {
				return answer, nil
			}
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		// Any page that finds the port can send a response.
		f.list.Remark("a response with another state was ignored: it belongs to another authorization request (OAuth 2.1 §7.5)")
	}
}

// parseAuthorizationResponse returns the code of an authorization response.
func (f *flow) parseAuthorizationResponse(answer url.Values) (code string, err error) {
	if err := f.checkResponseIssuer(answer); err != nil {
		return "", err
	}
	if code := answer.Get("error"); code != "" {
		return "", &ServerError{Where: "the authorization endpoint", Code: code, Description: answer.Get("error_description")}
	}
	if code = answer.Get("code"); code == "" {
		return "", errors.New(`the authorization response has neither "code" nor "error"`)
	}
	return code, nil
}

// checkResponseIssuer rejects a response from another issuer, even an error response (RFC 9207 §2.4). The
// comparison is exact.
func (f *flow) checkResponseIssuer(answer url.Values) error {
	const rule = "RFC 9207 §2.4"
	iss, named := answer["iss"]
	expected := f.server.Issuer
	switch {
	case !named && f.server.SendsIssuer:
		text := fmt.Sprintf("the authorization response has no iss, although the metadata of %s announces it", expected)
		return f.report(&Refusal{Kind: MissingIssuer, Text: text, Rule: rule, Expected: expected})
	case named && (len(iss) != 1 || iss[0] != expected):
		found := strings.Join(iss, ", ")
		text := fmt.Sprintf("the authorization response has iss %q, expected %q%s", found, expected, slashHint(found, expected))
		return f.report(&Refusal{Kind: WrongIssuer, Found: found, Text: text, Rule: rule, Expected: expected})
	}
	return nil
}
