package trial_test

import (
	"crypto/hmac"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"mcptea/internal/jose"
)

type claims struct {
	Issuer   string          `json:"iss"`
	Subject  string          `json:"sub"`
	Audience any             `json:"aud"`
	Expires  any             `json:"exp"`
	Before   float64         `json:"nbf"`
	Scope    string          `json:"scope"`
	Binding  json.RawMessage `json:"cnf"`
	Active   bool            `json:"active"`
	Type     string          `json:"token_type"`
}

type header struct {
	Algorithm string   `json:"alg"`
	Type      string   `json:"typ"`
	KeyID     string   `json:"kid"`
	Key       jose.JWK `json:"jwk"`
	KeysAt    string   `json:"jku"`
	Critical  []string `json:"crit"`
	Chain     [][]byte `json:"x5c"`
	ChainAt   string   `json:"x5u"`
}

var errRejected = errors.New("rejected")

// verify returns the claims of a token, or an error.
func (s *server) verify(token string) (claims, error) {
	if s.settings == "introspect" || strings.HasPrefix(s.fault, "introspect") {
		return s.introspect(token)
	}
	var h header
	var c claims
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return c, errRejected
	}
	for i, to := range []any{&h, &c} {
		b, err := base64.RawURLEncoding.DecodeString(parts[i])
		if err != nil || json.Unmarshal(b, to) != nil {
			return c, errRejected
		}
	}
	typed := h.Type == "at+jwt" || h.Type == "application/at+jwt" && s.fault != "typ-short"
	if !s.isSigned(token, h, c) || len(h.Critical) > 0 && s.fault != "crit" || !typed && s.fault != "any-typ" {
		return c, errRejected
	}
	return c, s.checkClaims(c)
}

// certified returns the key of a certificate.
func certified(der []byte) (jose.JWK, bool) {
	c, err := x509.ParseCertificate(der)
	if err != nil {
		return jose.JWK{}, false
	}
	k, err := jose.PublicJWK(c.PublicKey)
	return k, err == nil
}

// discovered returns the keys of an issuer, from its metadata.
func (s *server) discovered(of string) map[string]jose.JWK {
	u, err := url.Parse(of)
	if err != nil || u.Host == "" {
		return nil
	}
	var d struct {
		KeysAt string `json:"jwks_uri"`
	}
	r := httptest.NewRequest(http.MethodGet, u.Scheme+"://"+u.Host+"/.well-known/oauth-authorization-server"+u.Path, nil)
	if json.Unmarshal(s.get(r), &d) != nil || d.KeysAt == "" {
		return nil
	}
	return s.keys(d.KeysAt)
}

// isSigned reports whether the signature is accepted.
func (s *server) isSigned(token string, h header, c claims) bool {
	published := s.keys(issuer + "/jwks")
	switch {
	case s.fault == "no-signature", s.fault == "alg-none" && h.Algorithm == "none":
		return true
	case s.fault == "kid-path" && h.Algorithm == "HS256" && path.Clean("/keys/"+h.KeyID) == "/dev/null":
		return isMACOf(token, nil)
	case s.fault == "hs256" && h.Algorithm == "HS256":
		for _, k := range published {
			if isMAC(token, k) {
				return true
			}
		}
		return false
	case h.Algorithm != "RS256":
		return false
	}
	k, ok := published[h.KeyID]
	switch {
	case s.fault == "jwk-header" && h.Key.Type != "":
		k, ok = h.Key, true
	case s.fault == "jku" && h.KeysAt != "":
		k, ok = s.keys(h.KeysAt)[h.KeyID]
	case s.fault == "issuer-discovery":
		k, ok = s.discovered(c.Issuer)[h.KeyID]
	case s.fault == "x5c" && len(h.Chain) > 0:
		k, ok = certified(h.Chain[0])
	case s.fault == "x5u" && h.ChainAt != "":
		if block, _ := pem.Decode(s.get(httptest.NewRequest(http.MethodGet, h.ChainAt, nil))); block != nil {
			k, ok = certified(block.Bytes)
		}
	}
	if !ok {
		return false
	}
	key, err := k.PublicKey()
	if err != nil {
		return false
	}
	t, err := jose.Parse(token)
	return err == nil && t.Verify(key) == nil
}

// isMAC reports whether the signature is an HMAC with the public key as its secret.
func isMAC(token string, k jose.JWK) bool {
	key, err := k.PublicKey()
	if err != nil {
		return false
	}
	der, _ := x509.MarshalPKIXPublicKey(key.(*rsa.PublicKey))
	return isMACOf(token, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
}

// isMACOf reports whether the signature is an HMAC with a secret.
func isMACOf(token string, secret []byte) bool {
	i := strings.LastIndexByte(token, '.')
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(token[:i]))
	return jose.Encode(mac.Sum(nil)) == token[i+1:]
}

// hasAudience reports whether the audience is accepted.
func (s *server) hasAudience(aud any) bool {
	list, isList := aud.([]any)
	if !isList {
		list = []any{aud}
	}
	if isList && s.fault == "audience-no-list" {
		return false
	}
	return slices.ContainsFunc(list, func(v any) bool {
		text, ok := v.(string)
		return text == endpoint || ok && s.fault == "audience-prefix" && strings.HasPrefix(text, endpoint) ||
			ok && s.fault == "audience-within" && strings.HasPrefix(endpoint, text) ||
			ok && s.fault == "audience-host" && hostOf(text) == hostOf(endpoint)
	}) || s.fault == "any-audience" || s.fault == "audience-optional" && aud == nil
}

func hostOf(text string) string {
	u, _ := url.Parse(text)
	return u.Host
}

func (s *server) checkClaims(c claims) error {
	now := float64(time.Now().Unix())
	leeway := 0.0
	if s.fault == "leeway" {
		leeway = 300
	}
	expires, hasTime := c.Expires.(float64)
	switch {
	case !s.hasAudience(c.Audience),
		c.Issuer != issuer && s.fault != "any-issuer" && s.fault != "issuer-discovery",
		c.Before > now && s.fault != "no-nbf",
		len(c.Binding) > 0 && s.fault != "dpop" && !s.supportsDPoP(),
		s.fault != "no-exp" && !(s.fault == "exp-optional" && c.Expires == nil) && (!hasTime || expires <= now-leeway):
		return errRejected
	}
	return nil
}

func (s *server) introspect(token string) (c claims, err error) {
	if known, ok := s.active[token]; ok && s.fault == "introspect-cache" {
		return known, nil
	}
	defer func() {
		if err == nil && s.active != nil {
			s.active[token] = c
		}
	}()
	r := httptest.NewRequest(http.MethodPost, issuer+"/introspect", strings.NewReader(url.Values{"token": {token}}.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if err := json.Unmarshal(s.get(r), &c); err != nil {
		return c, errRejected
	}
	switch {
	case !c.Active && s.fault == "introspect-inactive":
		c.Scope = "tools"
		return c, nil
	case !c.Active,
		!s.hasAudience(c.Audience) && s.fault != "introspect-aud",
		c.Type != "Bearer" && s.fault != "introspect-type",
		len(c.Binding) > 0:
		return c, errRejected
	}
	return c, nil
}
