package oauthtest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

func (s *Server) issuerHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		s.answerDocument(w, map[string]any{
			"issuer":                                         s.Issuer(),
			"authorization_endpoint":                         s.Issuer() + "/authorize",
			"token_endpoint":                                 s.Issuer() + "/token",
			"registration_endpoint":                          s.Issuer() + "/register",
			"response_types_supported":                       []string{"code"},
			"code_challenge_methods_supported":               []string{"S256"},
			"token_endpoint_auth_methods_supported":          []string{"none", "client_secret_basic", "client_secret_post"},
			"authorization_response_iss_parameter_supported": true,
		}, s.setup.ServerMetadata)
	})
	mux.HandleFunc("POST /register", s.register)
	mux.HandleFunc("GET /authorize", s.authorize)
	mux.HandleFunc("POST /token", s.token)
	return mux
}

func (s *Server) register(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Redirects []string `json:"redirect_uris"`
		Type      string   `json:"application_type"`
	}
	if json.Unmarshal([]byte(bodyOf(r.Context())), &asked) != nil || len(asked.Redirects) == 0 || asked.Type != "native" {
		answerJSON(w, http.StatusBadRequest, map[string]any{"error": "invalid_client_metadata", "error_description": "a native client with a redirect URI is wanted"})
		return
	}
	id := random("client")
	s.mu.Lock()
	s.clients[id] = client{redirects: asked.Redirects}
	s.mu.Unlock()
	answerJSON(w, http.StatusCreated, map[string]any{
		"client_id": id, "redirect_uris": asked.Redirects, "token_endpoint_auth_method": "none",
	})
}

func (s *Server) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	s.mu.Lock()
	c, known := s.clients[q.Get("client_id")]
	s.mu.Unlock()
	back, err := url.Parse(q.Get("redirect_uri"))
	if !known || err != nil || c.redirects != nil && !slices.Contains(c.redirects, back.String()) {
		http.Error(w, "the client or its redirect URI is unknown", http.StatusBadRequest)
		return
	}
	if s.setup.Page && q.Get("agreed") == "" {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!doctype html><title>oauthtest</title><h1>%s wants: %s</h1><p><a href="?%s&amp;agreed=1">Agree</a></p>`,
			html.EscapeString(q.Get("client_id")), html.EscapeString(q.Get("scope")), html.EscapeString(r.URL.RawQuery))
		return
	}
	answer := url.Values{"state": {q.Get("state")}, "iss": {s.Issuer()}}
	if q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" || q.Get("code_challenge") == "" || q.Get("resource") == "" {
		answer.Set("error", "invalid_request")
	} else {
		code := random("code")
		answer.Set("code", code)
		s.mu.Lock()
		s.codes[code] = grant{
			client: q.Get("client_id"), redirect: q.Get("redirect_uri"), challenge: q.Get("code_challenge"),
			resource: q.Get("resource"), scopes: strings.Fields(q.Get("scope")),
		}
		s.mu.Unlock()
	}
	if s.setup.Callback != nil {
		s.setup.Callback(answer)
	}
	back.RawQuery = answer.Encode()
	http.Redirect(w, r, back.String(), http.StatusFound)
}

func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	status, answer := http.StatusOK, map[string]any{}
	if g, code := s.judge(r); code != "" {
		status = http.StatusBadRequest
		answer["error"], answer["error_description"] = code, "oauthtest does not like it"
	} else {
		answer = s.issue(g)
	}
	if s.setup.Token != nil {
		status = s.setup.Token(status, answer)
	}
	answerJSON(w, status, answer)
}

// judge returns what a token request entitles to, or the error.
func (s *Server) judge(r *http.Request) (g grant, code string) {
	id, ok := s.authenticate(r)
	if !ok {
		return g, "invalid_client"
	}
	form := r.PostForm
	s.mu.Lock()
	defer s.mu.Unlock()
	switch form.Get("grant_type") {
	case "authorization_code":
		g, ok = s.codes[form.Get("code")]
		delete(s.codes, form.Get("code")) // a code counts once
		sum := sha256.Sum256([]byte(form.Get("code_verifier")))
		ok = ok && g.redirect == form.Get("redirect_uri") && g.resource == form.Get("resource") &&
			g.challenge == base64.RawURLEncoding.EncodeToString(sum[:])
	case "refresh_token":
		token := form.Get("refresh_token")
		g, ok = s.refresh[token]
		delete(s.refresh, token) // they rotate
		if _, again := s.refreshed[token]; again {
			s.reused++
			if s.setup.EndReused {
				clear(s.refresh)
				clear(s.tokens)
			}
		}
		if ok {
			s.refreshed[token] = struct{}{}
		}
	case "client_credentials":
		g = grant{client: id, resource: form.Get("resource"), scopes: strings.Fields(form.Get("scope"))}
		ok = s.clients[id].secret != ""
	default:
		return g, "unsupported_grant_type"
	}
	if !ok || g.client != id {
		return g, "invalid_grant"
	}
	return g, ""
}

// authenticate returns the client that sent a request.
func (s *Server) authenticate(r *http.Request) (id string, ok bool) {
	id, secret, basic := r.BasicAuth()
	if basic {
		// Both are form-encoded (RFC 6749 §2.3.1).
		id, _ = url.QueryUnescape(id)
		secret, _ = url.QueryUnescape(secret)
	} else {
		id, secret = r.PostForm.Get("client_id"), r.PostForm.Get("client_secret")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c, known := s.clients[id]
	return id, known && c.secret == secret
}

func (s *Server) issue(g grant) map[string]any {
	if s.setup.Grant != nil {
		g.scopes = s.setup.Grant(g.scopes)
	}
	access := random("access")
	answer := map[string]any{
		"access_token": access, "token_type": "Bearer", "expires_in": int(s.setup.Lifetime.Seconds()),
		"scope": strings.Join(g.scopes, " "),
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.setup.NoRefresh && g.challenge != "" { // the other grants need no consent and therefore no refresh token
		refresh := random("refresh")
		answer["refresh_token"] = refresh
		s.refresh[refresh] = g
	}
	g.until = time.Now().Add(s.setup.Lifetime)
	s.tokens[access] = g
	return answer
}
