package trial_test

import (
	"context"
	"crypto/hmac"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"time"

	"mcptea/internal/jose"
)

const (
	issuer   = "http://127.0.0.1:9400"
	endpoint = "http://127.0.0.1:3000/mcp"
)

// A machine is the servers of this machine, by host. Requests to them use no network.
type machine map[string]http.Handler

// errHang is the error of a request without a response.
type errHang struct{}

func (m machine) RoundTrip(r *http.Request) (*http.Response, error) {
	h := m[r.URL.Host]
	if h == nil {
		return nil, errors.New("connection refused")
	}
	w := httptest.NewRecorder()
	var failure error
	func() {
		defer func() {
			switch cause := recover().(type) {
			case nil:
			case errHang:
				failure = context.DeadlineExceeded
			case error:
				failure = cause
			}
		}()
		h.ServeHTTP(w, r)
	}()
	if failure != nil {
		return nil, failure
	}
	return w.Result(), nil
}

// A server is a resource server with at most one fault. It was written from the specifications and shares no code
// with the authority, except for signatures.
type server struct {
	fault    string
	settings string // "", introspect, stateless or sse
	machine  machine
	cached   map[string]cachedKeys
	sessions int // that are open
}

type cachedKeys struct {
	at   time.Time
	keys map[string]jose.JWK
}

// get sends a request to the authority.
func (s *server) get(r *http.Request) []byte {
	resp, err := s.machine.RoundTrip(r)
	if err != nil {
		return nil
	}
	b, _ := io.ReadAll(resp.Body)
	return b
}

// keys returns the keys at a URL. They are cached for two seconds.
func (s *server) keys(at string) map[string]jose.JWK {
	if c, ok := s.cached[at]; ok && time.Since(c.at) < 2*time.Second {
		return c.keys
	}
	r := httptest.NewRequest(http.MethodGet, at, nil)
	var set struct{ Keys []jose.JWK }
	_ = json.Unmarshal(s.get(r), &set)
	byID := make(map[string]jose.JWK)
	for _, k := range set.Keys {
		byID[k.ID] = k
	}
	s.cached[at] = cachedKeys{time.Now(), byID}
	return byID
}

type claims struct {
	Issuer   string          `json:"iss"`
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
	if !s.isSigned(token, h) || len(h.Critical) > 0 && s.fault != "crit" || h.Type != "at+jwt" && s.fault != "any-typ" {
		return c, errRejected
	}
	return c, s.checkClaims(c)
}

// isSigned reports whether the signature is accepted.
func (s *server) isSigned(token string, h header) bool {
	published := s.keys(issuer + "/jwks")
	switch {
	case s.fault == "no-signature", s.fault == "alg-none" && h.Algorithm == "none":
		return true
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
	i := strings.LastIndexByte(token, '.')
	mac := hmac.New(sha256.New, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
	mac.Write([]byte(token[:i]))
	return jose.Encode(mac.Sum(nil)) == token[i+1:]
}

// hasAudience reports whether the audience is accepted.
func (s *server) hasAudience(aud any) bool {
	list, isList := aud.([]any)
	if !isList {
		list = []any{aud}
	}
	return slices.ContainsFunc(list, func(v any) bool {
		text, ok := v.(string)
		return text == endpoint || ok && s.fault == "audience-prefix" && strings.HasPrefix(text, endpoint)
	}) || s.fault == "any-audience" || s.fault == "audience-optional" && aud == nil
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
		c.Issuer != issuer && s.fault != "any-issuer",
		c.Before > now && s.fault != "no-nbf",
		len(c.Binding) > 0 && s.fault != "dpop",
		s.fault != "no-exp" && !(s.fault == "exp-optional" && c.Expires == nil) && (!hasTime || expires <= now-leeway):
		return errRejected
	}
	return nil
}

func (s *server) introspect(token string) (c claims, err error) {
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

// reject writes a rejection.
func (s *server) reject(w http.ResponseWriter, status int, code string) {
	challenge := `Bearer resource_metadata="http://127.0.0.1:3000/.well-known/oauth-protected-resource/mcp"`
	if code != "" {
		challenge += `, error="` + code + `"`
	}
	if status == http.StatusForbidden {
		challenge += `, scope="tools"`
	}
	switch s.fault {
	case "401-as-400":
		status = http.StatusBadRequest
	case "401-as-403":
		status = http.StatusForbidden
	case "200-error":
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"Unauthorized"}}`))
		return
	case "no-challenge":
		w.WriteHeader(status)
		return
	}
	w.Header().Set("WWW-Authenticate", challenge)
	w.WriteHeader(status)
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.Contains(r.URL.Path, "oauth-protected-resource"):
		resource := endpoint
		if s.fault == "metadata-resource" {
			resource = "http://127.0.0.1:3000/"
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"resource": resource, "authorization_servers": []string{issuer}})
		return
	case r.Method == http.MethodDelete:
		s.sessions--
		return
	case r.Method != http.MethodPost:
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	body, _ := io.ReadAll(r.Body)
	var m struct {
		Method string `json:"method"`
		Params struct {
			Name string `json:"name"`
		} `json:"params"`
	}
	_ = json.Unmarshal(body, &m)
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if q := r.URL.Query().Get("access_token"); q != "" && s.fault == "query" {
		scheme, token = "Bearer", q
	}
	switch {
	case s.fault == "open":
		s.respond(w, m.Method)
		return
	case s.fault == "scheme-case" && scheme != "Bearer", !strings.EqualFold(scheme, "Bearer"):
		s.reject(w, http.StatusUnauthorized, "")
		return
	}
	c, err := s.verify(token)
	switch {
	case err != nil && s.fault == "crash-500":
		http.Error(w, "Traceback: "+err.Error(), http.StatusInternalServerError)
	case err != nil && s.fault == "hang-up":
		panic(errHang{})
	case err != nil && s.fault == "cut":
		panic(io.ErrUnexpectedEOF)
	case err != nil:
		s.reject(w, http.StatusUnauthorized, "invalid_token")
	case !slices.Contains(strings.Fields(c.Scope), "tools") && s.fault != "any-scope":
		s.reject(w, http.StatusForbidden, "insufficient_scope")
	case m.Method == "tools/call" && m.Params.Name == "write" && !slices.Contains(strings.Fields(c.Scope), "write") && s.fault != "step-up-open":
		s.rejectCall(w)
	default:
		s.respond(w, m.Method)
	}
}

// rejectCall rejects a call of the tool write without its scope.
func (s *server) rejectCall(w http.ResponseWriter) {
	switch s.fault {
	case "step-up-401":
		s.reject(w, http.StatusUnauthorized, "invalid_token")
	case "step-up-result":
		_, _ = w.Write([]byte(`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no"}}`))
	case "step-up-bare":
		w.WriteHeader(http.StatusForbidden)
	default:
		w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="tools write"`)
		w.WriteHeader(http.StatusForbidden)
	}
}

func (s *server) respond(w http.ResponseWriter, method string) {
	if s.settings == "stateless" && method == "initialize" {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"Unsupported protocol version"}}`))
		return
	}
	if method == "initialize" {
		s.sessions++
		w.Header().Set("Mcp-Session-Id", "one")
	}
	const result = `{"jsonrpc":"2.0","id":1,"result":{}}`
	if s.settings == "sse" {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte("event: message\ndata: " + result + "\n\n"))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(result))
}
