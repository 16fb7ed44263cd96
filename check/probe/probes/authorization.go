package probes

import (
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"

	"mcptea/check/probe"
	"mcptea/client/jsonrpc"
	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/lazyregexp"
)

// anonymous removes the credentials.
var anonymous = http.Header{"Authorization": nil}

var metadataURL = lazyregexp.New(`resource_metadata="?([^",\s]+)"?`)

// document fetches the protected resource metadata, from the address in the challenge or from the well-known
// addresses.
func document(r *probe.Run) ([]byte, probe.Outcome) {
	p := r.HTTP("the first request without a token", probe.HTTPRequest{Header: anonymous, Body: r.InitializeBody()})
	target, err := url.Parse(r.Target().URL)
	if err != nil {
		return nil, p
	}
	var addresses []string
	if m := metadataURL().FindStringSubmatch(p.Header.Get("WWW-Authenticate")); m != nil {
		addresses = append(addresses, m[1])
	}
	base := target.Scheme + "://" + target.Host + "/.well-known/oauth-protected-resource"
	addresses = append(addresses, base+target.Path, base)
	for _, address := range addresses {
		if u, err := url.Parse(address); err != nil || u.Host != target.Host {
			continue // contact only the server itself
		}
		if d, q := metadata(r, "protected resource", address, "resource", "authorization_servers"); d != nil {
			return d, q
		}
	}
	return nil, p
}

// metadata fetches a document that must have one of the members. It returns nil if there is no such document.
func metadata(r *probe.Run, what, address string, members ...string) ([]byte, probe.Outcome) {
	q := r.HTTP("GET of the "+what+" metadata", probe.HTTPRequest{Method: http.MethodGet, URL: address, Metadata: true, Header: http.Header{"Authorization": nil, "Accept": {"application/json"}}})
	for _, member := range members {
		if _, ok := jsonrpc.Member(q.Body, member); q.OK() && ok {
			return q.Body, q
		}
	}
	return nil, q
}

// resourceMetadata makes the client read the document. Rules check its content.
func resourceMetadata(r *probe.Run) {
	d, got := document(r)
	about := r.Case("the protected resource metadata", got)
	if d == nil {
		about.Named("no-metadata").Error("There is no protected resource metadata, neither at the address of WWW-Authenticate nor at the well-known ones.")
		return
	}
	scopes, _ := jsonrpc.Member(d, "scopes_supported")
	for s := range jsonrpc.Elements(scopes) {
		if text, _ := jsonrpc.Unquote(s); text == "*" || text == "all" || text == "admin" {
			about.Warn("scopes_supported has the broad scope %q.", text)
		}
	}
}

// serverMetadata makes the client read the documents. Rules check their content.
func serverMetadata(r *probe.Run) {
	document, _ := document(r)
	servers, _ := jsonrpc.Member(document, "authorization_servers")
	for s := range jsonrpc.Elements(servers) {
		issuer, _ := jsonrpc.Unquote(s)
		u, err := url.Parse(issuer)
		if err != nil || u.Host == "" {
			r.Case("the protected resource metadata").Error("The authorization server %q is not a URL.", issuer)
			continue
		}
		local := mcphttp.IsLoopback(u.Hostname())
		if u.Scheme != "https" && !local {
			r.Case("the protected resource metadata").Named("not-https").Error("The authorization server %s is not https.", issuer)
			continue
		}
		var d []byte
		var got probe.Outcome
		path := strings.TrimSuffix(u.Path, "/")
		base := u.Scheme + "://" + u.Host
		for _, address := range []string{base + "/.well-known/oauth-authorization-server" + path, base + "/.well-known/openid-configuration" + path, base + path + "/.well-known/openid-configuration"} {
			if d, got = metadata(r, "authorization server", address, "issuer"); d != nil {
				break
			}
		}
		if d == nil {
			r.Case("the authorization server metadata", got).Named("no-metadata").Error("The authorization server %s has no metadata.", issuer)
		}
	}
}

// forged returns tokens in the form of a JWT that no key has signed.
func forged() []string {
	part := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	claims := part(`{"sub":"mcptea","aud":"mcptea","exp":4102444800}`)
	return []string{
		part(`{"alg":"none","typ":"JWT"}`) + "." + claims + ".",
		part(`{"alg":"HS256","typ":"JWT"}`) + "." + claims + "." + part(rand.Text()),
	}
}

func invalidToken(r *probe.Run) {
	tokens := forged()
	job{Run: r}.run("P-163", "large", strings.Repeat("m", 16<<10), "unsigned", tokens[0], "forged", tokens[1])
}

func tokenInQuery(r *probe.Run) {
	token, ok := strings.CutPrefix(r.Target().Header.Get("Authorization"), "Bearer ")
	u, err := url.Parse(r.Target().URL)
	if r.SkipIf(!ok || err != nil || !mcphttp.IsLoopback(u.Hostname()), "needs a token of the command line, and a server on this machine") {
		return
	}
	q := u.Query()
	q.Set("access_token", token)
	u.RawQuery = q.Encode()
	if p := r.HTTP("the token in the query", probe.HTTPRequest{URL: u.String(), Header: anonymous, Body: r.InitializeBody()}); p.Accepted() {
		r.Of(p).Error("The server accepts a token in the query of the URL, where logs keep it.")
	}
}

func scopeChallenge(r *probe.Run) {
	suffices := true
	j := job{Run: r, session: r.Session()}
	sending := j
	sending.send = func(s *sample) probe.Outcome {
		o := post(j, s)
		suffices = suffices && o.OK()
		return o
	}
	sending.run("P-167")
	r.SkipIf(suffices, "the scopes of the token suffice")
}
