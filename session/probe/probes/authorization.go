package probes

import (
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport/httpsyntax"
	"mcptea/internal/lazyregexp"
	"mcptea/session/probe"
)

// anonymous removes the credentials.
var anonymous = http.Header{"Authorization": nil}

// required ends the probe for a server that needs no token.
func required(r *probe.Run) {
	if r.SkipIf(!r.Authorized(), "no authorization") {
		return
	}
}

var metadataURL = lazyregexp.New(`resource_metadata="?([^",\s]+)"?`)

func challenge(r *probe.Run) {
	required(r)
	for _, s := range []struct {
		name string
		body []byte
	}{
		{"the first request without a token", r.InitializeBody()},
		{"an unknown method without a token", r.Body("mcptea/no-such-method", "{}")},
		{"a call of an unknown tool without a token", r.Body("tools/call", `{"name":"mcptea-no-such-tool","arguments":{}}`)},
	} {
		p := r.HTTP(s.name, probe.HTTPRequest{Header: anonymous, Body: s.body})
		value := p.Header.Get("WWW-Authenticate")
		switch {
		case p.OK() && p.Kind == probe.Result && s.name != "the first request without a token":
			r.Error("The server executes %s.", s.name)
		case p.OK():
			r.Info("The server answers %s.", s.name)
		case p.Status != http.StatusUnauthorized:
			r.Warn("The server replied to %s with HTTP status %d; clients obtain a token only after 401.", s.name, p.Status)
		case !strings.HasPrefix(strings.ToLower(value), "bearer"):
			r.Error("The response 401 to %s has no WWW-Authenticate: Bearer.", s.name)
		case r.Since(revision.R20250618) && !metadataURL().MatchString(value):
			r.Warn("WWW-Authenticate has no resource_metadata: clients must guess the address of the metadata.")
		}
	}
}

// document gets the protected resource metadata: from the address of the challenge,
// else from the well-known ones.
func document(r *probe.Run) []byte {
	p := r.HTTP("the first request without a token", probe.HTTPRequest{Header: anonymous, Body: r.InitializeBody()})
	target, err := url.Parse(r.Target().URL)
	if err != nil {
		return nil
	}
	var addresses []string
	if m := metadataURL().FindStringSubmatch(p.Header.Get("WWW-Authenticate")); m != nil {
		addresses = append(addresses, m[1])
	}
	base := target.Scheme + "://" + target.Host + "/.well-known/oauth-protected-resource"
	addresses = append(addresses, base+target.Path, base)
	for _, address := range addresses {
		if u, err := url.Parse(address); err != nil || u.Host != target.Host {
			continue // only the server itself is asked
		}
		q := r.HTTP("GET of the protected resource metadata", probe.HTTPRequest{Method: http.MethodGet, URL: address, Header: http.Header{"Authorization": nil, "Accept": {"application/json"}}})
		if _, ok := jsonrpc.Member(q.Body, "resource"); q.OK() && ok {
			return q.Body
		}
	}
	return nil
}

func resourceMetadata(r *probe.Run) {
	required(r)
	d := document(r)
	if d == nil {
		r.Error("There is no protected resource metadata, neither at the address of WWW-Authenticate nor at the well-known ones.")
		return
	}
	resource := jsonrpc.Text(d, "resource")
	if target := r.Target().URL; resource != target && !strings.HasPrefix(target, strings.TrimSuffix(resource, "/")+"/") {
		r.Error("The metadata is for the resource %s, which is not the server or a parent of it.", resource)
	}
	servers, _ := jsonrpc.Member(d, "authorization_servers")
	found := false
	for range jsonrpc.Elements(servers) {
		found = true
	}
	if !found {
		r.Error("The protected resource metadata names no authorization server.")
	}
	scopes, _ := jsonrpc.Member(d, "scopes_supported")
	for s := range jsonrpc.Elements(scopes) {
		if text, _ := jsonrpc.Unquote(s); text == "*" || text == "all" || text == "admin" {
			r.Warn("scopes_supported has the broad scope %q.", text)
		}
	}
}

func serverMetadata(r *probe.Run) {
	required(r)
	servers, _ := jsonrpc.Member(document(r), "authorization_servers")
	for s := range jsonrpc.Elements(servers) {
		issuer, _ := jsonrpc.Unquote(s)
		u, err := url.Parse(issuer)
		if err != nil || u.Host == "" {
			r.Error("The authorization server %q is no URL.", issuer)
			continue
		}
		local := httpsyntax.IsLoopback(u.Hostname())
		if u.Scheme != "https" && !local {
			r.Error("The authorization server %s is not https.", issuer)
			continue
		}
		var d []byte
		path := strings.TrimSuffix(u.Path, "/")
		base := u.Scheme + "://" + u.Host
		for _, address := range []string{base + "/.well-known/oauth-authorization-server" + path, base + "/.well-known/openid-configuration" + path, base + path + "/.well-known/openid-configuration"} {
			q := r.HTTP("GET of the authorization server metadata", probe.HTTPRequest{Method: http.MethodGet, URL: address, Header: http.Header{"Authorization": nil, "Accept": {"application/json"}}})
			if _, ok := jsonrpc.Member(q.Body, "issuer"); q.OK() && ok {
				d = q.Body
				break
			}
		}
		if d == nil {
			r.Error("The authorization server %s has no metadata.", issuer)
			continue
		}
		if got := jsonrpc.Text(d, "issuer"); strings.TrimSuffix(got, "/") != strings.TrimSuffix(issuer, "/") {
			r.Error("The metadata of %s has the issuer %s.", issuer, got)
		}
		methods, _ := jsonrpc.Member(d, "code_challenge_methods_supported")
		if !strings.Contains(string(methods), `"S256"`) {
			r.Error("The authorization server %s does not list the PKCE method S256.", issuer)
		}
		for _, name := range []string{"authorization_endpoint", "token_endpoint"} {
			if e, err := url.Parse(jsonrpc.Text(d, name)); err != nil || e.Host == "" || e.Scheme != "https" && !httpsyntax.IsLoopback(e.Hostname()) {
				r.Error("The %s of %s is missing or not https.", name, issuer)
			}
		}
	}
}

// forged are tokens in the form of a JWT that no key has signed.
func forged() []string {
	part := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	claims := part(`{"sub":"mcptea","aud":"mcptea","exp":4102444800}`)
	return []string{
		part(`{"alg":"none","typ":"JWT"}`) + "." + claims + ".",
		part(`{"alg":"HS256","typ":"JWT"}`) + "." + claims + "." + part(rand.Text()),
	}
}

func invalidToken(r *probe.Run) {
	required(r)
	values := []string{"Bearer mcptea-invalid", "Bearer", "Basic bWNwOnRlYQ==", "Bearer a b", "Bearer " + strings.Repeat("m", 16<<10)}
	for _, token := range forged() {
		values = append(values, "Bearer "+token)
	}
	for i, value := range values {
		name := []string{"an invalid token", "an empty token", "Basic credentials", "a token with a space", "a token of 16 KiB", "a JWT without a signature", "a JWT with an invalid signature"}[i]
		p := r.HTTP(name, probe.HTTPRequest{Header: http.Header{"Authorization": {value}}, Body: r.InitializeBody()})
		switch {
		case p.OK():
			r.Error("The server accepts %s.", name)
		case p.Status >= 500:
			r.Error("The server replied to %s with HTTP status %d.", name, p.Status)
		case p.Status == http.StatusForbidden:
			r.Warn("The server replied to %s with HTTP status 403; clients obtain a new token only after 401.", name)
		case i == 0 && p.Status == http.StatusUnauthorized && !strings.Contains(p.Header.Get("WWW-Authenticate"), "invalid_token"):
			r.Info("WWW-Authenticate does not have error=\"invalid_token\".")
		}
	}
}

func tokenInQuery(r *probe.Run) {
	required(r)
	token, ok := strings.CutPrefix(r.Target().Header.Get("Authorization"), "Bearer ")
	u, err := url.Parse(r.Target().URL)
	if r.SkipIf(!ok || err != nil || !httpsyntax.IsLoopback(u.Hostname()), "needs a token of the command line, and a server on this machine") {
		return
	}
	q := u.Query()
	q.Set("access_token", token)
	u.RawQuery = q.Encode()
	if p := r.HTTP("the token in the query", probe.HTTPRequest{URL: u.String(), Header: anonymous, Body: r.InitializeBody()}); p.OK() {
		r.Error("The server accepts a token in the query of the URL, where logs keep it.")
	}
}

func sessionIsNoLogin(r *probe.Run) {
	required(r)
	h := r.Session()
	if r.SkipIf(h.Get("Mcp-Session-Id") == "", "no session id") {
		return
	}
	if p := r.HTTP("a request with the session id and without a token", probe.HTTPRequest{Session: h, Header: anonymous, Body: r.ListBody()}); p.OK() {
		r.Error("The server accepts the session id in place of a token.")
	}
}
