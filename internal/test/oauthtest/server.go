package oauthtest

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// Setup configures the servers. With the zero value they behave correctly.
type Setup struct {
	// Scope is the scope that every request needs, or "". AdminScope is the scope that a request with "admin"
	// in its body needs.
	Scope, AdminScope string

	// ResourceMetadata and ServerMetadata change the two documents before they
	// are sent. A document that is made nil is not there.
	ResourceMetadata, ServerMetadata func(document map[string]any) map[string]any

	// MetadataStatus is the status of a document that is not there, or 0 for 404.
	MetadataStatus int

	// Challenge changes the WWW-Authenticate header.
	Challenge func(value string) string

	// Callback changes the query with which the browser is sent back.
	Callback func(q url.Values)

	// Grant returns the scopes that are granted of the requested ones.
	Grant func(scopes []string) []string

	// Token changes the answer of the token endpoint, and its status.
	Token func(status int, answer map[string]any) int

	// Lifetime is the lifetime of tokens; an hour when zero. If NoRefresh is set, no refresh tokens are issued.
	Lifetime  time.Duration
	NoRefresh bool

	// EndReused revokes all tokens when a refresh token is used for the second time (RFC 9700 §4.14.2).
	EndReused bool

	// Clients maps the ids of registered clients to their secrets, which may be empty.
	Clients map[string]string

	// Page makes the server ask for consent on an HTML page. Otherwise it consents immediately.
	Page bool

	// ResourceAddress and IssuerAddress are the addresses of the two servers; "" selects a free port.
	ResourceAddress, IssuerAddress string
}

// Server is the two servers while they run.
type Server struct {
	setup                  Setup
	resource               *httptest.Server
	resourceURL, issuerURL string
	issuer                 *httptest.Server

	mu      sync.Mutex
	seen    []Seen
	clients map[string]client
	codes   map[string]grant
	tokens  map[string]grant // access tokens
	refresh map[string]grant

	refreshed map[string]struct{} // refresh tokens that were used
	reused    int
}

// Seen is one request that one of the two servers received.
type Seen struct {
	Method, Path  string
	Authorization string
	Form          url.Values // parameters of the query and of the body
	JSON          string     // JSON in the body
}

type client struct {
	secret    string
	redirects []string // any on loopback when nil
}

// grant holds what a code or a token was issued for.
type grant struct {
	client, redirect, challenge, resource string
	scopes                                []string
	until                                 time.Time
}

// Start starts both servers; the caller closes.
func Start(setup Setup) *Server {
	s := &Server{
		setup:   setup,
		clients: make(map[string]client), codes: make(map[string]grant),
		tokens: make(map[string]grant), refresh: make(map[string]grant), refreshed: make(map[string]struct{}),
	}
	for id, secret := range setup.Clients {
		s.clients[id] = client{secret: secret}
	}
	if s.setup.Lifetime == 0 {
		s.setup.Lifetime = time.Hour
	}
	s.resource = listen(setup.ResourceAddress, s.noting(s.resourceHandler()))
	s.issuer = listen(setup.IssuerAddress, s.noting(s.issuerHandler()))
	// Each server names the other, and may be used as soon as it has started.
	s.resourceURL = "http://" + s.resource.Listener.Addr().String()
	s.issuerURL = "http://" + s.issuer.Listener.Addr().String()
	s.resource.Start()
	s.issuer.Start()
	return s
}

func listen(address string, h http.Handler) *httptest.Server {
	s := httptest.NewUnstartedServer(h)
	if address == "" {
		return s
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		panic("oauthtest: " + err.Error())
	}
	_ = s.Listener.Close() // the one on a free port
	s.Listener = l
	return s
}

// Close ends both servers.
func (s *Server) Close() {
	s.resource.Close()
	s.issuer.Close()
}

// URL returns the endpoint of the MCP server.
func (s *Server) URL() string { return s.resourceURL + "/mcp" }

// Issuer returns the authorization server.
func (s *Server) Issuer() string { return s.issuerURL }

// Seen returns the requests to a path so far; all when it is empty.
func (s *Server) Seen(path string) []Seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	if path == "" {
		return slices.Clone(s.seen)
	}
	return slices.DeleteFunc(slices.Clone(s.seen), func(r Seen) bool { return r.Path != path })
}

// Refreshes returns how many refresh tokens were exchanged, and how many were sent again afterwards.
func (s *Server) Refreshes() (exchanged, reused int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.refreshed), s.reused
}

// Revoke revokes all access tokens, and if refresh is set all refresh tokens.
func (s *Server) Revoke(refresh bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.tokens)
	if refresh {
		clear(s.refresh)
	}
}

// ForgetClients makes all clients unknown, as a restart of a server does that
// keeps them in memory.
func (s *Server) ForgetClients() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.clients)
}

// noting records the requests.
func (s *Server) noting(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen := Seen{Method: r.Method, Path: r.URL.Path, Authorization: r.Header.Get("Authorization")}
		if strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
			var raw json.RawMessage
			_ = json.NewDecoder(r.Body).Decode(&raw) // handlers that need JSON reject other bodies
			seen.JSON = string(raw)
		}
		_ = r.ParseForm() // the same
		seen.Form = r.Form
		s.mu.Lock()
		s.seen = append(s.seen, seen)
		s.mu.Unlock()
		next.ServeHTTP(w, r.WithContext(withBody(r.Context(), seen.JSON)))
	})
}

func (s *Server) resourceHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, _ *http.Request) {
		document := map[string]any{"resource": s.URL(), "authorization_servers": []string{s.Issuer()}}
		if s.setup.Scope != "" {
			document["scopes_supported"] = []string{s.setup.Scope}
		}
		s.answerDocument(w, document, s.setup.ResourceMetadata)
	})
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		if s.admit(w, r) {
			answerMCP(w, r)
		}
	})
	return mux
}

// admit checks the token of a request and answers what lacks one.
func (s *Server) admit(w http.ResponseWriter, r *http.Request) bool {
	scheme, text, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	s.mu.Lock()
	g, known := s.tokens[text]
	s.mu.Unlock()
	challenge := fmt.Sprintf(`resource_metadata="%s/.well-known/oauth-protected-resource/mcp"`, s.resourceURL)
	needed := []string{s.setup.Scope}
	if strings.Contains(bodyOf(r.Context()), `"admin"`) {
		needed = append(needed, s.setup.AdminScope)
	}
	needed = slices.DeleteFunc(needed, func(scope string) bool { return scope == "" })
	switch {
	case text == "":
		s.challenge(w, http.StatusUnauthorized, "Bearer "+challenge)
	case !known || !strings.EqualFold(scheme, "Bearer") || time.Now().After(g.until):
		s.challenge(w, http.StatusUnauthorized, `Bearer error="invalid_token", error_description="unknown, expired or revoked", `+challenge)
	case slices.ContainsFunc(needed, func(scope string) bool { return !slices.Contains(g.scopes, scope) }):
		s.challenge(w, http.StatusForbidden, fmt.Sprintf(`Bearer error="insufficient_scope", scope="%s", %s`, needed[len(needed)-1], challenge))
	default:
		return true
	}
	return false
}

func (s *Server) challenge(w http.ResponseWriter, status int, value string) {
	if s.setup.Challenge != nil {
		value = s.setup.Challenge(value)
	}
	w.Header().Set("WWW-Authenticate", value)
	http.Error(w, "no", status)
}

func (s *Server) answerDocument(w http.ResponseWriter, document map[string]any, change func(map[string]any) map[string]any) {
	if change != nil {
		document = change(document)
	}
	if document == nil {
		http.Error(w, "no metadata here", cmp.Or(s.setup.MetadataStatus, http.StatusNotFound))
		return
	}
	answerJSON(w, http.StatusOK, document)
}

func answerJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	text, err := json.Marshal(v)
	if err != nil {
		panic("oauthtest: " + err.Error())
	}
	_, _ = w.Write(text) // a client that has gone needs no answer
}

func random(kind string) string { return kind + "-" + rand.Text() }
