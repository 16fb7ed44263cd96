package probes

import (
	"net/http"
	"strings"

	"mcptea/session/probe"
)

// bearer has a request carry a token in the place of that of the user.
func bearer(token string) http.Header {
	return http.Header{"Authorization": {"Bearer " + token}}
}

func suppliedTokens(r *probe.Run) {
	tokens := r.Tokens()
	if r.SkipIf(tokens.Expired == "" && tokens.Foreign == "", "needs --token-expired or --token-foreign") {
		return
	}
	for _, s := range []struct{ name, token string }{
		{"an expired token", tokens.Expired}, {"a token for another audience", tokens.Foreign},
	} {
		if s.token == "" {
			continue
		}
		p := r.HTTP(s.name, probe.HTTPRequest{Header: bearer(s.token), Body: r.InitializeBody()})
		switch {
		case p.OK():
			r.Error("The server accepts %s.", s.name)
		case p.Status != http.StatusUnauthorized:
			r.Warn("The server replied to %s with HTTP status %d; clients obtain a new token only after 401.", s.name, p.Status)
		}
	}
}

func scopeChallenge(r *probe.Run) {
	token := r.Tokens().LowScope
	if r.SkipIf(token == "", "needs --token-lowscope") {
		return
	}
	h := r.Session()
	suffices := true
	for _, s := range []struct {
		name string
		body []byte
	}{
		{"a list with a token that has few scopes", r.ListBody()},
		{"a call with a token that has few scopes", r.Body("tools/call", `{"name":"mcptea-no-such-tool","arguments":{}}`)},
	} {
		p := r.HTTP(s.name, probe.HTTPRequest{Session: h, Header: bearer(token), Body: s.body})
		challenge := p.Header.Get("WWW-Authenticate")
		switch {
		case p.OK():
			continue
		case p.Status != http.StatusForbidden:
			r.Warn("The server replied to %s with HTTP status %d; clients request more scopes only after 403.", s.name, p.Status)
		case !strings.Contains(challenge, "insufficient_scope"):
			r.Warn("The challenge for %s does not have error=\"insufficient_scope\".", s.name)
		case !strings.Contains(challenge, "scope="):
			r.Warn("The challenge for %s does not name the scopes that are required.", s.name)
		case !metadataURL().MatchString(challenge):
			r.Warn("The challenge for %s has no resource_metadata.", s.name)
		}
		suffices = false
	}
	if r.SkipIf(suffices, "the scopes of the token suffice") {
		return
	}
}
