package session

import (
	"net/http"

	"mcptea/client"
)

// Target is what the session connects to.
func (s *Session) Target() client.Target {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.cfg.Target
	if s.token != "" {
		t.Header = t.Header.Clone()
		if t.Header == nil {
			t.Header = http.Header{}
		}
		t.Header.Set("Authorization", "Bearer "+s.token)
	}
	return t
}

// SetToken sets the access token of the next connection over HTTP, in the place
// of credentials of the target and of an authorization. An empty token drops it.
// It is kept in memory only.
func (s *Session) SetToken(token string) {
	s.mu.Lock()
	s.token = token
	s.mu.Unlock()
}

// hasToken reports whether a token was set by SetToken.
func (s *Session) hasToken() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.token != ""
}
