package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"mcptea/client/transport"
)

// consent is an authorization request that a person has agreed to.
type consent struct {
	code     string
	verifier string
	redirect string
}

// requestConsent has a person agree (OAuth 2.1 §4.1.1). Nothing of the answer is used
// before its state and its issuer are checked.
func (f *flow) requestConsent(ctx context.Context, c Client, back RedirectListener, scopes []string) (consent, error) {
	f.list.Begin(StepConsent, "waiting for somebody to agree in a browser", f.cfg.ConsentTimeout)
	to, err := f.endpoint(f.server.Authorization, "authorization_endpoint")
	if err != nil {
		return consent{}, err
	}
	given := consent{verifier: randomString(), redirect: back.RedirectURI()}
	state := randomString()
	q := to.Query()
	for name, value := range map[string]string{
		"response_type": "code", "client_id": c.ID, "redirect_uri": given.redirect, "state": state,
		"code_challenge": sha256Base64(given.verifier), "code_challenge_method": "S256",
		"resource": f.resource, "scope": strings.Join(scopes, " "),
	} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if slices.Contains(scopes, offlineAccess) {
		q.Set("prompt", "consent") // or it is not granted (OpenID Connect Core 1.0 §11)
	}
	to.RawQuery = q.Encode()
	f.setState(state)
	back.Expect(state)
	answer, err := f.awaitCallback(ctx, to.String(), state, back)
	if err != nil {
		return consent{}, err
	}
	given.code, err = f.parseAuthorizationResponse(answer)
	if err == nil {
		f.list.End("", Done, "agreed")
	}
	return given, err
}

// awaitCallback shows the person the way and waits for the browser to come back.
func (f *flow) awaitCallback(ctx context.Context, at, state string, back RedirectListener) (url.Values, error) {
	late := fmt.Errorf("%w within %s", ErrConsentTimeout, transport.FormatDuration(f.cfg.ConsentTimeout))
	ctx, stop := context.WithTimeoutCause(ctx, f.cfg.ConsentTimeout, late)
	defer stop()
	f.list.Update(func(s *Step) { s.URL = at })
	deadline := time.Now().Add(f.cfg.ConsentTimeout)
	err := f.cfg.OpenBrowser(ctx, Consent{URL: at, Issuer: f.server.expected, Deadline: deadline})
	switch {
	case err == nil:
		f.list.Update(func(s *Step) { s.Opened = true })
	case !errors.Is(err, ErrNotOpened):
		return nil, fmt.Errorf("the page to agree on could not be shown: %w", err)
	}
	for {
		answer, err := f.nextCallback(ctx, back)
		if err != nil || hasState(answer, state) {
			return answer, err
		}
		// Any page that finds the port can send one: the wait goes on.
		f.list.Remark("a response with another state was ignored: it is to another authorization request (OAuth 2.1 §7.5)")
	}
}

// nextCallback waits for the browser, or for an address that the user pastes.
func (f *flow) nextCallback(ctx context.Context, back RedirectListener) (url.Values, error) {
	type caught struct {
		answer url.Values
		err    error
	}
	inner, stop := context.WithCancel(ctx)
	came := make(chan caught, 1)
	go func() {
		answer, err := back.Wait(inner)
		came <- caught{answer, err}
	}()
	select {
	case answer := <-f.run.pasted:
		stop()
		<-came
		return answer, nil
	case c := <-came:
		stop()
		if c.err != nil && ctx.Err() != nil {
			c.err = context.Cause(ctx)
		}
		return c.answer, c.err
	}
}

// parseAuthorizationResponse takes the code from the answer, or says why not.
func (f *flow) parseAuthorizationResponse(answer url.Values) (code string, err error) {
	if err := f.checkResponseIssuer(answer); err != nil {
		return "", err
	}
	if code := answer.Get("error"); code != "" {
		return "", &ServerError{Where: "the authorization endpoint", Code: code, Description: answer.Get("error_description")}
	}
	if code = answer.Get("code"); code == "" {
		return "", errors.New("the browser came back without a code and without an error")
	}
	return code, nil
}

// checkResponseIssuer refuses the answer of another issuer (RFC 9207 §2.4). The two are
// compared as they are: no slash and no capital is put right. It holds for
// errors as well.
func (f *flow) checkResponseIssuer(answer url.Values) error {
	const rule = "RFC 9207 §2.4"
	iss, named := answer["iss"]
	expected := f.server.Issuer
	switch {
	case !named && f.server.SendsIssuer:
		return f.report(&Refusal{
			Kind: MissingIssuer, Rule: rule, Expected: expected,
			Text: fmt.Sprintf("the answer names no issuer (iss), though %s announces that it always does", expected),
		})
	case named && (len(iss) != 1 || iss[0] != expected):
		found := strings.Join(iss, ", ")
		text := fmt.Sprintf("the answer comes from the issuer %q, and it was %q that was asked", found, expected)
		if strings.TrimSuffix(found, "/") == strings.TrimSuffix(expected, "/") {
			text += "; the two differ by the slash at the end, and they must be identical"
		}
		return f.report(&Refusal{Kind: WrongIssuer, Found: found, Text: text, Rule: rule, Expected: expected})
	}
	return nil
}
