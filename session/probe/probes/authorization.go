package probes

import (
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/lazyregexp"
	"mcptea/session/lint"
	"mcptea/session/probe"
)

// anonymous removes the credentials.
var anonymous = http.Header{"Authorization": nil}

// withoutToken is a raw request without credentials.
func withoutToken(body []byte) probe.HTTPRequest {
	return probe.HTTPRequest{Header: anonymous, Body: body}
}

// needsToken ends the probe for a server that needs no token.
func needsToken(r *probe.Run) { r.SkipIf(!r.Authorized(), "no authorization") }

var metadataURL = lazyregexp.New(`resource_metadata="?([^",\s]+)"?`)

func challenge(r *probe.Run) {
	needsToken(r)
	try(r, post, []sample{
		{name: "the first request without a token", http: withoutToken(r.InitializeBody())},
		{name: "an unknown method without a token", odd: true, http: withoutToken(r.Body("mcptea/no-such-method", "{}"))},
		{name: "a call of an unknown tool without a token", odd: true, http: withoutToken(r.Body("tools/call", `{"name":"mcptea-no-such-tool","arguments":{}}`))},
	},
		verdict{and(isOdd, isOK, isResult), lint.Error, "The server executes {case}."},
		verdict{isOK, lint.Info, "The server answers {case}."},
		verdict{not(hasStatus(http.StatusUnauthorized)), lint.Warn, "The server replied to {case} with HTTP status {status}; clients obtain a token only after 401."},
		verdict{not(isBearerChallenge), lint.Error, "The response 401 to {case} has no WWW-Authenticate: Bearer."},
		verdict{and(since(revision.R20250618), not(namesMetadata)), lint.Warn, "WWW-Authenticate has no resource_metadata: clients must guess the address of the metadata."},
	)
}

// isBearerChallenge is a response that requires a token.
func isBearerChallenge(_ *probe.Run, _ sample, o probe.Outcome) bool {
	return strings.HasPrefix(strings.ToLower(o.Header.Get("WWW-Authenticate")), "bearer")
}

// namesMetadata is a response with the address of the protected resource metadata.
func namesMetadata(_ *probe.Run, _ sample, o probe.Outcome) bool {
	return metadataURL().MatchString(o.Header.Get("WWW-Authenticate"))
}

// since is a server of the version or a newer one.
func since(v revision.Revision) condition {
	return func(r *probe.Run, _ sample, _ probe.Outcome) bool { return r.Since(v) }
}

// document gets the protected resource metadata: from the address of the challenge,
// else from the well-known ones.
func document(r *probe.Run) []byte {
	p := r.HTTP("the first request without a token", withoutToken(r.InitializeBody()))
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
		if d := metadata(r, "protected resource", address, "resource"); d != nil {
			return d
		}
	}
	return nil
}

// metadata gets a document that must have a member; nil without one.
func metadata(r *probe.Run, what, address, member string) []byte {
	q := r.HTTP("GET of the "+what+" metadata", probe.HTTPRequest{Method: http.MethodGet, URL: address, Header: http.Header{"Authorization": nil, "Accept": {"application/json"}}})
	if _, ok := jsonrpc.Member(q.Body, member); q.OK() && ok {
		return q.Body
	}
	return nil
}

func resourceMetadata(r *probe.Run) {
	needsToken(r)
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
	if !hasElements(servers) {
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
	needsToken(r)
	servers, _ := jsonrpc.Member(document(r), "authorization_servers")
	for s := range jsonrpc.Elements(servers) {
		issuer, _ := jsonrpc.Unquote(s)
		u, err := url.Parse(issuer)
		if err != nil || u.Host == "" {
			r.Error("The authorization server %q is no URL.", issuer)
			continue
		}
		local := mcphttp.IsLoopback(u.Hostname())
		if u.Scheme != "https" && !local {
			r.Error("The authorization server %s is not https.", issuer)
			continue
		}
		var d []byte
		path := strings.TrimSuffix(u.Path, "/")
		base := u.Scheme + "://" + u.Host
		for _, address := range []string{base + "/.well-known/oauth-authorization-server" + path, base + "/.well-known/openid-configuration" + path, base + path + "/.well-known/openid-configuration"} {
			if d = metadata(r, "authorization server", address, "issuer"); d != nil {
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
			if e, err := url.Parse(jsonrpc.Text(d, name)); err != nil || e.Host == "" || e.Scheme != "https" && !mcphttp.IsLoopback(e.Hostname()) {
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
	needsToken(r)
	samples := []sample{
		{name: "an invalid token", what: "Bearer mcptea-invalid", odd: true},
		{name: "an empty token", what: "Bearer"},
		{name: "Basic credentials", what: "Basic bWNwOnRlYQ=="},
		{name: "a token with a space", what: "Bearer a b"},
		{name: "a token of 16 KiB", what: "Bearer " + strings.Repeat("m", 16<<10)},
		{name: "a JWT without a signature", what: "Bearer " + forged()[0]},
		{name: "a JWT with an invalid signature", what: "Bearer " + forged()[1]},
	}
	for i, s := range samples {
		samples[i].http = withHeader(r.InitializeBody(), "Authorization", s.what)
	}
	try(r, post, samples,
		verdict{isOK, lint.Error, "The server accepts {case}."},
		verdict{atLeast(http.StatusInternalServerError), lint.Error, "The server replied to {case} with HTTP status {status}."},
		verdict{hasStatus(http.StatusForbidden), lint.Warn, "The server replied to {case} with HTTP status 403; clients obtain a new token only after 401."},
		verdict{and(isOdd, hasStatus(http.StatusUnauthorized), not(hasText("WWW-Authenticate", "invalid_token"))), lint.Info, "WWW-Authenticate does not have error=\"invalid_token\"."},
	)
}

func tokenInQuery(r *probe.Run) {
	needsToken(r)
	token, ok := strings.CutPrefix(r.Target().Header.Get("Authorization"), "Bearer ")
	u, err := url.Parse(r.Target().URL)
	if r.SkipIf(!ok || err != nil || !mcphttp.IsLoopback(u.Hostname()), "needs a token of the command line, and a server on this machine") {
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
	needsToken(r)
	h := r.Session()
	if r.SkipIf(h.Get("Mcp-Session-Id") == "", "no session id") {
		return
	}
	if p := r.HTTP("a request with the session id and without a token", probe.HTTPRequest{Session: h, Header: anonymous, Body: r.ListBody()}); p.OK() {
		r.Error("The server accepts the session id in place of a token.")
	}
}

func suppliedTokens(r *probe.Run) {
	tokens := r.Tokens()
	if r.SkipIf(tokens.Expired == "" && tokens.Foreign == "", "needs --token-expired or --token-foreign") {
		return
	}
	for _, s := range []sample{{name: "an expired token", what: tokens.Expired}, {name: "a token for another audience", what: tokens.Foreign}} {
		if s.what == "" {
			continue
		}
		s.http = withHeader(r.InitializeBody(), "Authorization", "Bearer "+s.what)
		try(r, post, []sample{s},
			verdict{isOK, lint.Error, "The server accepts {case}."},
			verdict{not(hasStatus(http.StatusUnauthorized)), lint.Warn, "The server replied to {case} with HTTP status {status}; clients obtain a new token only after 401."})
	}
}

func scopeChallenge(r *probe.Run) {
	token := r.Tokens().LowScope
	if r.SkipIf(token == "", "needs --token-lowscope") {
		return
	}
	suffices := true
	send := postIn(r.Session())
	try(r, func(r *probe.Run, s sample) probe.Outcome {
		o := send(r, s)
		suffices = suffices && o.OK()
		return o
	}, []sample{
		{name: "a list with a token that has few scopes", http: withHeader(r.ListBody(), "Authorization", "Bearer "+token)},
		{name: "a call with a token that has few scopes", http: withHeader(r.Body("tools/call", `{"name":"mcptea-no-such-tool","arguments":{}}`), "Authorization", "Bearer "+token)},
	},
		verdict{when: isOK},
		verdict{not(hasStatus(http.StatusForbidden)), lint.Warn, "The server replied to {case} with HTTP status {status}; clients request more scopes only after 403."},
		verdict{not(hasText("WWW-Authenticate", "insufficient_scope")), lint.Warn, "The challenge for {case} does not have error=\"insufficient_scope\"."},
		verdict{not(hasText("WWW-Authenticate", "scope=")), lint.Warn, "The challenge for {case} does not name the scopes that are required."},
		verdict{not(namesMetadata), lint.Warn, "The challenge for {case} has no resource_metadata."},
	)
	r.SkipIf(suffices, "the scopes of the token suffice")
}
