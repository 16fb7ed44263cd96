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
)

const (
	grantBearer   = "urn:ietf:params:oauth:grant-type:jwt-bearer"
	grantExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
)

// tokenResponse is what a token endpoint gives (OAuth 2.1 §3.2.3, RFC 8693 §2.2.1).
type tokenResponse struct {
	Access  string  `json:"access_token"`
	Refresh string  `json:"refresh_token"`
	Type    string  `json:"token_type"`
	Expires float64 `json:"expires_in"`
	Scope   *string `json:"scope"`
	Issued  string  `json:"issued_token_type"`
}

// requestToken asks the token endpoint. The form says by what right; who asks, for
// which resource, and the proof of possession are added. asked are the scopes
// that the token has when the server does not name them.
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
	t := Token{Access: got.Access, Refresh: got.Refresh, Scopes: asked, Expires: expiry(time.Now(), got.Expires)}
	if got.Scope != nil {
		t.Scopes = strings.Fields(*got.Scope)
	}
	switch {
	case t.Access == "":
		return t, errors.New(`the token endpoint answered without an "access_token"`)
	case strings.ContainsFunc(t.Access, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return t, errors.New("the token endpoint gave a token that does not fit into a header")
	case strings.EqualFold(got.Type, "Bearer"):
		t.Type = "Bearer"
		if f.dpop {
			f.list.Remark("a DPoP token was asked for, and the server gave a bearer token")
		}
	case strings.EqualFold(got.Type, "DPoP") && f.dpop:
		t.Type, t.Key = "DPoP", f.a.signer.marshalKey()
	default:
		return t, fmt.Errorf("the token endpoint gave a token of the type %q, which mcptea cannot use", got.Type)
	}
	return t, nil
}

// postToken sends the form, with a proof where one is due, and once more when the
// server wants a nonce in it (RFC 9449 §8).
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
		f.list.Remark("the server wanted a nonce in the proof; asked again with it")
	}
}

// describe says what a token is, without showing it.
func (t Token) describe() string {
	text := t.Type + " token"
	if len(t.Scopes) > 0 {
		text += " for " + strings.Join(t.Scopes, " ")
	}
	if !t.Expires.IsZero() {
		text += ", expires in " + transport.FormatDuration(time.Until(t.Expires).Round(time.Second))
	}
	if t.Refresh != "" {
		text += ", can be refreshed"
	}
	return text
}
