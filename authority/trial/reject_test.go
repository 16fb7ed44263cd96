package trial_test

import (
	"io"
	"net/http"
	"strings"
)

// reject writes a rejection.
func (s *server) reject(w http.ResponseWriter, status int, code string) {
	challenge := `Bearer resource_metadata="http://127.0.0.1:3000/.well-known/oauth-protected-resource/mcp"`
	if s.fault == "challenge-404" {
		challenge = `Bearer resource_metadata="http://127.0.0.1:3000/oauth/metadata"`
	}
	switch s.fault {
	case "challenge-relative":
		challenge = `Bearer resource_metadata="/.well-known/oauth-protected-resource/mcp"`
	case "host-forwarded":
		challenge = strings.Replace(challenge, "127.0.0.1:3000", s.host, 1)
	}
	if s.requiresDPoP() && s.fault != "challenge-bearer" {
		challenge = "DPoP" + strings.TrimPrefix(challenge, "Bearer") + `, algs="` + s.proofAlgorithm() + `"`
	}
	if code != "" {
		challenge += `, error="` + code + `"`
	} else if s.fault == "challenge-error" {
		challenge += `, error="invalid_token"`
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
	switch {
	case s.fault == "no-scope" && status == http.StatusForbidden:
		challenge = "Bearer"
	case s.challenge != "" && status == http.StatusUnauthorized:
		challenge = s.challenge
	}
	w.Header().Set("WWW-Authenticate", challenge)
	w.WriteHeader(status)
	rejected := "none"
	if code != "" {
		rejected = "garbage"
	}
	_, _ = io.WriteString(w, s.says[rejected])
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
