package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
)

const (
	grantBearer   = "urn:ietf:params:oauth:grant-type:jwt-bearer"
	grantExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
)

// tokenResponse is a response of the token endpoint (OAuth 2.1 §3.2.3, RFC 8693 §2.2.1).
type tokenResponse struct {
	Access  string    `json:"access_token"`
	Refresh string    `json:"refresh_token"`
	Type    string    `json:"token_type"`
	Expires seconds   `json:"expires_in"`
	Scope   scopeList `json:"scope"`
	Issued  string    `json:"issued_token_type"`
}

// requestToken sends a token request. The form has the grant; the resource, the client
// authentication and the DPoP proof are added. requested are the scopes of a
// response that does not name them.
func (f *flow) requestToken(ctx context.Context, c Client, form url.Values, asked []string) (Token, error) {
	to, err := f.endpoint(f.server.Token, "token_endpoint")
	if err != nil {
		return Token{}, err
	}
	form.Set("resource", f.resource)
	header := http.Header{}
	if err := f.authenticateClient(c, header, form); err != nil {
		return Token{}, err
	}
	got, err := f.postToken(ctx, to, header, form)
	if err != nil {
		return Token{}, err
	}
	t := Token{Access: got.Access, Refresh: got.Refresh, Scopes: asked, Expires: expiry(time.Now(), got.Expires.value)}
	f.remark(got.Expires.remark("expires_in", "RFC 6749 §5.1"))
	f.remark(got.Scope.remark())
	if got.Scope.present {
		t.Scopes = got.Scope.scopes
	}
	switch {
	case t.Access == "":
		return t, errors.New(`the response of the token endpoint has no "access_token"`)
	case strings.ContainsFunc(t.Access, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return t, errors.New("the token endpoint returned a token with characters that a header must not have")
	case strings.EqualFold(got.Type, "Bearer"):
		t.Type = "Bearer"
		if f.dpop {
			f.list.Remark("the server returned a bearer token instead of a DPoP token")
		}
	case strings.EqualFold(got.Type, "DPoP") && f.dpop:
		t.Type, t.Key = "DPoP", f.a.signer.marshalKey()
	default:
		return t, fmt.Errorf("the token endpoint returned the token type %q, which mcptea does not support", got.Type)
	}
	return t, nil
}

// postToken sends the form with a DPoP proof if the token is bound, and again with the nonce if
// the server requires one (RFC 9449 §8).
func (f *flow) postToken(ctx context.Context, to *url.URL, header http.Header, form url.Values) (got tokenResponse, err error) {
	for again := false; ; again = true {
		if f.dpop {
			proof, err := f.a.signer.proof(http.MethodPost, to, "")
			if err != nil {
				return got, err
			}
			header.Set(dpopHeader, proof)
		}
		var reply transport.Reply
		reply, err = f.post(ctx, to, "the token endpoint", header, form, &got)
		fresh := f.dpop && f.a.signer.noteNonce(to, reply.Header)
		var refused *ServerError
		if !fresh || again || !errors.As(err, &refused) || refused.Code != "use_dpop_nonce" {
			return got, err
		}
		f.list.Remark("the server required a DPoP nonce; sent again")
	}
}

// Lifetime returns when a token expires or has expired, for display, or "" if that is unknown.
func Lifetime(expires time.Time) string {
	switch {
	case expires.IsZero():
		return ""
	case HasExpired(expires):
		return "expired " + expires.Local().Format(time.DateTime)
	}
	return "expires in " + phrase.Took(time.Until(expires).Round(time.Second))
}

// describe returns the type, scopes and lifetime of a token, without the token.
func (t Token) describe() string {
	text := t.Type + " token"
	if len(t.Scopes) > 0 {
		text += " for " + strings.Join(t.Scopes, " ")
	}
	if lifetime := Lifetime(t.Expires); lifetime != "" {
		text += ", " + lifetime
	}
	if t.Refresh != "" {
		text += ", can be refreshed"
	}
	return text
}
