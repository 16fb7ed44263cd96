package trial_test

import (
	"bytes"
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
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptea/internal/jose"
)

type claims struct {
	Issuer   any             `json:"iss"`
	Subject  string          `json:"sub"`
	Audience any             `json:"aud"`
	Expires  any             `json:"exp"`
	Before   float64         `json:"nbf"`
	Scope    string          `json:"scope"`
	Binding  json.RawMessage `json:"cnf"`
	Client   string          `json:"client_id"`
	Active   any             `json:"active"`
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

var errRejected, errCrash = errors.New("rejected"), errors.New("crash")

// verifyIn is like verify, for a request that may be in a session.
func (s *server) verifyIn(token string, inSession bool) (c claims, err error) {
	switch {
	case inSession && s.fault == "session-decode":
		parts := strings.Split(token+"..", ".")
		b, _ := base64.RawURLEncoding.DecodeString(parts[1])
		if json.Unmarshal(b, &c) != nil {
			return c, errRejected
		}
		return c, nil
	case inSession && s.fault == "session-expired":
		s.anyTime = true
		defer func() { s.anyTime = false }()
	}
	key := s.cacheKey(token)
	if known, ok := s.seenTokens[key]; ok && key != "" {
		return known, nil
	}
	if c, err = s.verify(token); err == nil && key != "" {
		s.seenTokens[key] = c
	}
	return c, err
}

// cacheKey returns the key of a token in a cache that is a fault, or "" without one.
func (s *server) cacheKey(token string) string {
	switch {
	case s.fault == "cache-unsigned" && strings.Count(token, ".") == 2:
		return token[:strings.LastIndexByte(token, '.')]
	case s.fault == "cache-forever":
		return token
	case s.fault == "introspect-start" && len(token) > 320:
		return token[:320]
	}
	return ""
}

// withTwice applies the first of claims that are twice in a JSON object.
func (c *claims) withTwice(raw []byte) {
	d := json.NewDecoder(bytes.NewReader(raw))
	_, _ = d.Token()
	seen := make(map[string]bool)
	for d.More() {
		name, _ := d.Token()
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return
		}
		text, _ := name.(string)
		if seen[text] {
			continue
		}
		seen[text] = true
		_ = json.Unmarshal([]byte(`{"`+text+`":`+string(value)+`}`), c)
	}
}

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
		if s.fault == "padding" {
			parts[i] = strings.TrimRight(parts[i], "=")
		}
		b, err := base64.RawURLEncoding.DecodeString(parts[i])
		if err != nil || json.Unmarshal(b, to) != nil {
			return c, errRejected
		}
	}
	if s.fault == "first-claim" {
		raw, _ := base64.RawURLEncoding.DecodeString(parts[1])
		c.withTwice(raw)
	}
	if s.fault == "kid-map" && (h.KeyID == "__proto__" || h.KeyID == "constructor") {
		return c, errCrash
	}
	if s.fault == "padding" {
		token = strings.TrimRight(token, "=")
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
	case strings.HasPrefix(s.fault, "hs256") && h.Algorithm == "HS256":
		for _, k := range published {
			if isMACOf(token, secretOf(s.fault, k)) {
				return true
			}
		}
		return false
	case s.fault == "alg-trimmed" && h.Algorithm != "none" && strings.TrimSpace(h.Algorithm) == "none", s.fault == "alg-optional" && h.Algorithm == "":
		return true
	case s.fault == "secret-kid" && h.Algorithm == "HS256":
		return isMACOf(token, []byte(h.KeyID))
	case s.fault == "zero" && h.Algorithm == "ES256" && published[h.KeyID].Type == "EC":
		return strings.HasSuffix(token, "."+strings.Repeat("A", 86))
	case h.Algorithm != "RS256" && !(s.fault == "any-rsa" && h.Algorithm == "PS256"):
		return false
	}
	k, ok := published[h.KeyID]
	switch {
	case s.fault == "keys-fail-open" && s.keysFail && !ok:
		return true
	case s.fault == "jwk-unknown" && !ok && h.KeyID != "" && h.Key.Type != "":
		k, ok = h.Key, true
	case s.fault == "jwk-header" && h.Key.Type != "":
		k, ok = h.Key, true
	case s.fault == "jku" && h.KeysAt != "":
		k, ok = s.keys(h.KeysAt)[h.KeyID]
	case s.fault == "issuer-discovery":
		of, _ := c.Issuer.(string)
		k, ok = s.discovered(of)[h.KeyID]
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

// secretOf returns the form of a public key that the fault uses as a secret.
func secretOf(fault string, k jose.JWK) []byte {
	key, err := k.PublicKey()
	public, ok := key.(*rsa.PublicKey)
	if err != nil || !ok {
		return []byte("a key of another kind")
	}
	der, _ := x509.MarshalPKIXPublicKey(public)
	file := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	switch fault {
	case "hs256-trimmed":
		return bytes.TrimRight(file, "\n")
	case "hs256-der":
		return der
	case "hs256-pkcs1":
		return pem.EncodeToMemory(&pem.Block{Type: "RSA PUBLIC KEY", Bytes: x509.MarshalPKCS1PublicKey(public)})
	case "hs256-jwk":
		text, _ := json.Marshal(k)
		return text
	case "hs256-modulus":
		return public.N.Bytes()
	}
	return file
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
	switch {
	case isList && len(list) == 0 && s.fault == "audience-empty":
		return true
	case isList && len(list) > 0 && s.fault == "audience-first":
		list = list[:1]
	}
	return slices.ContainsFunc(list, func(v any) bool {
		text, ok := v.(string)
		return text == endpoint || ok && s.fault == "audience-pattern" && regexp.MustCompile("^"+endpoint+"$").MatchString(text) ||
			ok && s.fault == "audience-case" && strings.EqualFold(text, endpoint) ||
			ok && s.fault == "audience-query" && withoutQuery(text) == endpoint || ok && s.fault == "audience-prefix" && strings.HasPrefix(text, endpoint) ||
			ok && s.fault == "audience-within" && strings.HasPrefix(endpoint, text) ||
			ok && s.fault == "audience-host" && hostOf(text) == hostOf(endpoint)
	}) || s.fault == "any-audience" || s.fault == "audience-optional" && aud == nil
}

// withoutQuery returns a URL without query and fragment.
func withoutQuery(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host + u.Path
}

// isIssuer reports whether the issuer is accepted.
func (s *server) isIssuer(value any) bool {
	if list, ok := value.([]any); ok {
		return s.fault == "issuer-list" && slices.Contains(list, any(issuer))
	}
	text, _ := value.(string)
	switch s.fault {
	case "any-issuer", "issuer-discovery":
		return true
	case "issuer-within":
		return text != "" && strings.Contains(issuer, text)
	case "issuer-slash":
		return strings.TrimSuffix(text, "/") == issuer
	}
	return text == issuer
}

func hostOf(text string) string {
	u, _ := url.Parse(text)
	return u.Host
}

func (s *server) checkClaims(c claims) error {
	now := float64(time.Now().Unix())
	leeway := 0.0
	switch s.fault {
	case "leeway":
		leeway = 300
	case "leeway-hour":
		leeway = 3540
	}
	expires, hasTime := c.Expires.(float64)
	if text, ok := c.Expires.(string); ok && s.fault == "exp-converted" {
		number, err := strconv.ParseFloat(text, 64)
		expires, hasTime = number, err == nil
	}
	switch {
	case !s.hasAudience(c.Audience) && !(s.fault == "audience-client" && c.Client == endpoint),
		!s.isIssuer(c.Issuer),
		c.Before > now && s.fault != "no-nbf",
		len(c.Binding) > 0 && s.fault != "dpop" && !s.supportsDPoP(),
		s.fault != "no-exp" && !s.anyTime && !(s.fault == "exp-optional" && c.Expires == nil) && (!hasTime || expires <= now-leeway):
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
	response := s.get(r)
	if response == nil && s.fault == "introspect-fail-open" {
		c.Scope = "tools"
		return c, nil
	}
	if err := json.Unmarshal(response, &c); err != nil {
		return c, errRejected
	}
	active := c.Active == true || s.fault == "introspect-text" && c.Active != false && c.Active != nil
	switch {
	case !active && s.fault == "introspect-inactive":
		c.Scope = "tools"
		return c, nil
	case !active,
		!s.hasAudience(c.Audience) && s.fault != "introspect-aud",
		c.Type != "Bearer" && s.fault != "introspect-type",
		len(c.Binding) > 0:
		return c, errRejected
	}
	return c, nil
}
