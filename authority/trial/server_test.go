package trial_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
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
	settings string // "", introspect, stateless, sse or large (results), or dpop or dpop-only, with or without "-nonce"
	machine  machine
	crashed  bool // there is no longer a response: after a wrong JWT with the fault crash-after, or a GET with get-crash
	cached   map[string]cachedKeys
	anyTime  bool              // the expiry of the current token is not compared
	keysFail bool              // the newest request for keys failed
	active   map[string]claims // results of introspection, with the fault introspect-cache
	users    map[string]string // users of open sessions

	seenProofs map[string]bool // ids of proofs
	host       string          // host of the request, or X-Forwarded-Host

	seenTokens map[string]claims // claims of accepted tokens, by the key of a cache with a fault

	says      map[string]string // bodies of rejections, by "none" and "garbage"
	challenge string            // WWW-Authenticate of each 401, or "" for the right one
	started   int
}

type cachedKeys struct {
	at   time.Time
	keys map[string]jose.JWK
}

// get sends a request to the authority. It returns nil if the authority fails.
func (s *server) get(r *http.Request) []byte {
	resp, err := s.machine.RoundTrip(r)
	if err != nil || resp.StatusCode != http.StatusOK {
		return nil
	}
	b, _ := io.ReadAll(resp.Body)
	return b
}

// keys returns the keys at a URL. They are cached for two seconds.
func (s *server) keys(at string) map[string]jose.JWK {
	old, ok := s.cached[at]
	if ok && (time.Since(old.at) < 2*time.Second && s.fault != "keys-flood" || s.fault == "keys-once") {
		return old.keys
	}
	r := httptest.NewRequest(http.MethodGet, at, nil)
	var set struct{ Keys []jose.JWK }
	byID := make(map[string]jose.JWK)
	if json.Unmarshal(s.get(r), &set) != nil {
		s.keysFail = true
		return old.keys
	}
	s.keysFail = false
	if s.fault == "keys-kept" {
		maps.Copy(byID, old.keys)
	}
	for _, k := range set.Keys {
		byID[k.ID] = k
	}
	s.cached[at] = cachedKeys{time.Now(), byID}
	return byID
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.host = cmp.Or(r.Header.Get("X-Forwarded-Host"), "127.0.0.1:3000")
	if strings.Contains(r.URL.Path, "oauth-protected-resource") {
		resource, server := endpoint, issuer
		switch s.fault {
		case "metadata-resource":
			resource = "http://127.0.0.1:3000/"
		case "metadata-slash":
			server += "/"
		case "host-forwarded":
			resource = "http://" + s.host + "/mcp"
		case "metadata-guarded":
			s.reject(w, http.StatusUnauthorized, "")
			return
		}
		w.Header().Set("Content-Type", "application/json")
		d := map[string]any{"resource": resource, "authorization_servers": []string{server}}
		if s.supportsDPoP() {
			d["dpop_signing_alg_values_supported"], d["dpop_bound_access_tokens_required"] = []string{s.proofAlgorithm()}, s.requiresDPoP()
		}
		_ = json.NewEncoder(w).Encode(d)
		return
	}
	if r.URL.Path != "/mcp" && !(r.URL.Path == "/mcp/" && s.fault == "path-open") {
		http.NotFound(w, r)
		return
	}
	if s.crashed {
		panic(io.ErrUnexpectedEOF)
	}
	if r.Method == http.MethodGet && s.respondToGet(w) {
		return
	}
	var m message
	if r.Body != nil {
		body, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(body, &m)
		m.isBatch = strings.HasPrefix(string(body), "[")
	}
	c, ok := s.authorize(w, r, m)
	if !ok {
		return
	}
	session := r.Header.Get("Mcp-Session-Id")
	user, open := s.users[session]
	switch {
	case session != "" && (!open || user != c.Subject && !s.unguarded(r, m) && s.fault != "session-shared"):
		w.WriteHeader(http.StatusNotFound)
	case r.Method == http.MethodDelete:
		delete(s.users, session)
	case r.Method == http.MethodGet:
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, ": open\n\n")
	case m.Method == "tools/call" && m.Params.Name == "write" && !slices.Contains(strings.Fields(c.Scope), "write") && s.fault != "step-up-open":
		s.rejectCall(w)
	case m.isBatch && s.fault == "batch-open":
		_, _ = io.WriteString(w, `[{"jsonrpc":"2.0","id":1,"result":{}}]`)
	case m.isBatch:
		w.WriteHeader(http.StatusBadRequest)
	case strings.HasPrefix(m.Method, "notifications/"):
		w.WriteHeader(http.StatusAccepted)
	case m.Method == "tools/call" && m.Params.Name != "write":
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Unknown tool"}}`)
	default:
		s.respond(w, m.Method, c.Subject)
	}
}

// respondToGet responds to a GET by a fault that is about its status, and reports whether the server has one.
func (s *server) respondToGet(w http.ResponseWriter) bool {
	switch s.fault {
	case "get-silent":
		panic(errHang{})
	case "get-crash":
		s.crashed = true
		panic(io.ErrUnexpectedEOF)
	case "get-cut":
		panic(io.ErrUnexpectedEOF)
	case "get-405":
		w.WriteHeader(http.StatusMethodNotAllowed)
	case "get-500":
		w.WriteHeader(http.StatusInternalServerError)
	case "get-501":
		w.WriteHeader(http.StatusNotImplemented)
	default:
		return false
	}
	return true
}

// A message is a JSON-RPC message of a client.
type message struct {
	Method string `json:"method"`
	Params struct {
		Name string `json:"name"`
	} `json:"params"`
	isBatch bool
}

// unguarded reports whether the fault lets a request pass without a token.
func (s *server) unguarded(r *http.Request, m message) bool {
	switch s.fault {
	case "open":
		return true
	case "session-auth":
		return r.Header.Get("Mcp-Session-Id") != "" && r.Method == http.MethodPost
	case "get-open":
		return r.Method == http.MethodGet
	case "delete-open":
		return r.Method == http.MethodDelete
	case "list-open":
		return m.Method == "tools/list"
	case "path-open":
		return r.URL.Path == "/mcp/"
	case "proxy-user":
		return r.Header.Get("X-Forwarded-User") != ""
	case "proxy-inner":
		return r.Header.Get("X-Middleware-Subrequest") != ""
	case "call-open":
		return m.Method == "tools/call"
	case "notify-open":
		return strings.HasPrefix(m.Method, "notifications/")
	case "batch-open":
		return m.isBatch
	}
	return false
}

// authorize returns the claims of the token of a request. Otherwise it writes a rejection, and ok is false.
func (s *server) authorize(w http.ResponseWriter, r *http.Request, m message) (c claims, ok bool) {
	if s.unguarded(r, m) {
		return c, true
	}
	authorization := r.Header.Values("Authorization")
	inSession := r.Header.Get("Mcp-Session-Id") != ""
	if len(authorization) > 1 && s.fault != "two-headers" {
		w.WriteHeader(http.StatusBadRequest)
		return c, false
	}
	scheme, token, _ := strings.Cut(strings.Join(authorization[max(0, len(authorization)-1):], ""), " ")
	if q := r.URL.Query().Get("access_token"); q != "" && s.fault == "query-dpop" && r.Header.Get("DPoP") != "" {
		scheme, token = "DPoP", q
	}
	if c, err := r.Cookie("access_token"); err == nil && s.fault == "cookie" {
		scheme, token = "Bearer", c.Value
	}
	if q := r.URL.Query().Get("access_token"); q != "" && (s.fault == "query" || s.fault == "query-of-get" && r.Method == http.MethodGet) {
		scheme, token = "Bearer", q
	}
	bound := s.supportsDPoP() && strings.EqualFold(scheme, "DPoP")
	if s.fault == "scheme-case" && scheme != "Bearer" || !bound && (!strings.EqualFold(scheme, "Bearer") || s.requiresDPoP() && !(inSession && s.fault == "session-bearer")) {
		s.reject(w, http.StatusUnauthorized, "")
		return c, false
	}
	c, err := s.verifyIn(token, inSession)
	if bound && err == nil && !(inSession && s.fault == "session-no-proof") {
		if code := s.checkProof(r, token, c); code != "" {
			if strings.HasSuffix(s.settings, "nonce") {
				w.Header().Set("DPoP-Nonce", serverNonce)
			}
			s.reject(w, http.StatusUnauthorized, code)
			return c, false
		}
	}
	switch {
	case err == nil && !bound && len(c.Binding) > 0 && s.fault != "dpop" && !(inSession && s.fault == "session-bearer"):
		s.reject(w, http.StatusUnauthorized, "invalid_token")
	case err != nil && s.fault == "crash-parts" && strings.Count(token, ".") == 4:
		http.Error(w, "p2c", http.StatusInternalServerError)
	case err != nil && (s.fault == "crash-500" || s.fault == "kid-map" && err == errCrash):
		http.Error(w, "Traceback: "+err.Error(), http.StatusInternalServerError)
	case err != nil && s.fault == "hang-up":
		panic(errHang{})
	case err != nil && s.fault == "cut":
		panic(io.ErrUnexpectedEOF)
	case err != nil:
		s.crashed = s.fault == "crash-after" && strings.Count(token, ".") == 2
		s.reject(w, http.StatusUnauthorized, "invalid_token")
		if s.fault == "echo" {
			_, _ = io.WriteString(w, "cannot verify "+token)
		}
	case !s.hasScope(c.Scope) && !(inSession && s.fault == "session-scope") && !(r.Method == http.MethodGet && s.fault == "get-no-scope"):
		s.reject(w, http.StatusForbidden, "insufficient_scope")
	default:
		return c, true
	}
	return c, false
}

func (s *server) hasScope(scope string) bool {
	return slices.ContainsFunc(strings.Fields(scope), func(one string) bool {
		return one == "tools" || s.fault == "scope-end" && strings.HasSuffix(one, "tools") || s.fault == "scope-case" && strings.EqualFold(one, "tools")
	}) || s.fault == "any-scope" || s.fault == "scope-substring" && strings.Contains(scope, "tools")
}

func (s *server) respond(w http.ResponseWriter, method, user string) {
	if s.settings == "stateless" && method == "initialize" {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"Unsupported protocol version"}}`))
		return
	}
	if method == "initialize" {
		s.started++
		id := jose.Random()
		switch s.fault {
		case "session-counts":
			id = "session-" + strconv.Itoa(s.started)
		case "session-short":
			id = jose.Random()[:6]
		}
		s.users[id] = user
		w.Header().Set("Mcp-Session-Id", id)
	}
	result := `{"jsonrpc":"2.0","id":1,"result":{}}`
	if s.settings == "large" {
		result = `{"jsonrpc":"2.0","id":1,"result":{"text":"` + strings.Repeat("x", 200<<10) + `"}}`
	}
	if s.settings == "sse" {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte("event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}\n\nevent: message\ndata: " + result + "\n\n"))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(result))
}
