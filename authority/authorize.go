package authority

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/jose"
	"mcptea/internal/system"
)

// authorize is the authorization endpoint (RFC 6749 §4.1.1).
func (a *Authority) authorize(x *exchange) {
	q := x.r.URL.Query()
	x.form = q
	c, how, why := a.clientOf(x.r.Context(), q.Get("client_id"))
	x.seen.Client, x.seen.Registration = c.Name, how
	if why != "" {
		x.find(levelError, "client", "RFC 6749 §4.1.2.1", "%s.", capital(why))
		x.fail(http.StatusBadRequest, "invalid_client", why)
		return
	}
	redirect := q.Get("redirect_uri")
	if redirect == "" && len(c.Redirects) == 1 {
		redirect = c.Redirects[0]
	}
	// An error must never be sent to a redirect URI that is not registered.
	if !c.hasRedirect(redirect) {
		x.find(levelError, "redirect", "RFC 6749 §3.1.2.3; RFC 9700 §2.1", "The redirect_uri %s is not one of the registration: %s.", redirect, strings.Join(c.Redirects, ", "))
		x.fail(http.StatusBadRequest, "invalid_request", "the redirect_uri is not registered")
		return
	}
	if why := redirectReason(redirect); why != "" {
		x.find(levelError, "redirect", "RFC 8252 §7", "The redirect_uri %s %s.", redirect, why)
		x.fail(http.StatusBadRequest, "invalid_request", "the redirect_uri "+why)
		return
	}
	a.judgeAuthorization(x, q)
	refuse := func(code, text string) {
		a.respond(x, redirect, q.Get("state"), url.Values{"error": {code}, "error_description": {text}})
	}
	switch {
	case q.Get("response_type") != "code":
		refuse("unsupported_response_type", "only code is supported")
		return
	case q.Get("code_challenge") == "" || q.Get("code_challenge_method") != "S256":
		refuse("invalid_request", "PKCE with S256 is required")
		return
	case len(q["resource"]) > 0 && !isResource(q.Get("resource")):
		refuse("invalid_target", "the resource is not an absolute URI without a fragment")
		return
	}
	g := Grant{
		Client: q.Get("client_id"), Resource: q.Get("resource"), Scope: q.Get("scope"), kind: kindCode, family: jose.Random(),
		redirect: redirect, challenge: q.Get("code_challenge"), key: q.Get("dpop_jkt"), nonce: q.Get("nonce"),
	}
	// A page of another origin can open this URL. It must not obtain consent that way.
	site := x.r.Header.Get("Sec-Fetch-Site")
	if a.options.Page || site != "" && site != "none" && site != "same-origin" {
		a.askConsent(x, c, request{g, q.Get("state")})
		return
	}
	a.allow(x, request{g, q.Get("state")})
}

// isResource reports whether a text is an absolute URI without a fragment (RFC 8707 §2).
func isResource(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Scheme != "" && u.Host != "" && !strings.Contains(text, "#")
}

// judgeAuthorization reports data that a client must not send.
func (a *Authority) judgeAuthorization(x *exchange, q url.Values) {
	for name, values := range q {
		if len(values) > 1 && name != "resource" {
			x.find(levelError, "repeated", "RFC 6749 §3.1", "The request has the parameter %s %d times.", name, len(values))
		}
	}
	const pkce = "MCP authorization, authorization code protection; "
	switch method := q.Get("code_challenge_method"); {
	case q.Get("code_challenge") == "":
		x.find(levelError, "pkce", pkce+"RFC 7636 §4.3", "The request has no code_challenge: PKCE is required.")
	case method != "S256":
		x.find(levelError, "pkce", pkce+"RFC 7636 §4.2", "The code_challenge_method is %q: S256 is required.", method)
	case len(q.Get("code_challenge")) != 43:
		x.find(levelError, "pkce", "RFC 7636 §4.2", "The code_challenge has %d characters: a SHA-256 has 43 in base64url.", len(q.Get("code_challenge")))
	}
	a.judgeResource(x, q)
	if q.Get("state") == "" {
		x.find(levelWarning, "state", "RFC 6749 §10.12; RFC 9700 §4.7", "The request has no state.")
	}
	for s := range strings.FieldsSeq(q.Get("scope")) {
		if len(a.options.Scopes) > 0 && !slices.Contains(a.options.Scopes, s) && s != "openid" && s != "offline_access" {
			x.find(levelInfo, "scope", "RFC 6749 §3.3", "The scope %s is not in scopes_supported.", s)
		}
	}
}

// judgeResource reports a missing or wrong resource in an authorization or token request (RFC 8707
// §2).
func (a *Authority) judgeResource(x *exchange, q url.Values) {
	const spec = "MCP authorization, resource parameter implementation; RFC 8707 §2"
	expected := a.resource()
	switch got := q["resource"]; {
	case len(got) == 0:
		x.find(levelError, "resource", spec, "The request has no resource: MCP clients must send it in both requests.")
	case !isResource(got[0]):
		x.find(levelError, "resource", spec, "The resource %s is not an absolute URI without a fragment.", got[0])
	case expected != "" && got[0] != expected:
		x.find(levelWarning, "resource", spec, "The resource is %s, but the identifier of the server is %s.", got[0], expected)
	}
}

// codeLife is the lifetime of an authorization code.
const codeLife = time.Minute

// A request is an authorization request that the user may allow.
type request struct {
	grant Grant
	state string
}

// allow issues a code and sends it to the client.
func (a *Authority) allow(x *exchange, r request) {
	if a.wrong.Name == "denied" {
		a.respond(x, r.grant.redirect, r.state, url.Values{"error": {"access_denied"}, "error_description": {onPurpose}})
		return
	}
	code := prefixCode + jose.Random()
	r.grant.until = a.now().Add(codeLife)
	a.keep(code, r.grant)
	a.respond(x, r.grant.redirect, r.state, url.Values{"code": {code}})
}

// respond redirects the browser to the client with an authorization response, which has iss (RFC 9207 §2).
func (a *Authority) respond(x *exchange, redirect, state string, q url.Values) {
	q.Set("iss", a.Issuer())
	if state != "" {
		q.Set("state", state)
	}
	switch a.wrong.Name {
	case "state-other":
		q.Set("state", jose.Random())
	case "state-missing":
		q.Del("state")
	case "iss-other":
		q.Set("iss", otherIssuer)
	case "iss-missing":
		q.Del("iss")
	}
	u, _ := url.Parse(redirect) // valid: it was compared with the registration
	all := u.Query()
	for name := range q {
		all.Set(name, q.Get(name))
	}
	u.RawQuery = all.Encode()
	h := x.w.Header()
	h.Set("Location", u.String())
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	x.seen.Error = q.Get("error")
	x.status(http.StatusFound)
}

// redirectReason returns why no code is sent to a redirect URI, or "" if a code may be sent. Only
// programs on this machine receive codes. Web pages do not.
func redirectReason(text string) string {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme == "" || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return "is not an absolute URI"
	case strings.Contains(text, "#"):
		return "has a fragment"
	case u.User != nil:
		return "has a user name"
	case u.Port() != "" && !system.IsPort(u.Port()):
		return "has no valid port"
	case u.Scheme == "http" || u.Scheme == "https":
		if mcphttp.IsLoopback(u.Hostname()) {
			return ""
		}
		return "is on another machine, and this authority sends codes only to this one"
	case isReversedDomain(u.Scheme), slices.Contains(applicationSchemes, strings.ToLower(u.Scheme)):
		return "" // a private-use URI scheme (RFC 8252 §7.1), or the scheme of a known application
	}
	return "has a scheme that other programs or machines may answer: a private-use scheme is a reversed domain name, as in com.example.app:/callback"
}

// isReversedDomain reports whether a scheme has at least two labels between dots, none of them empty.
func isReversedDomain(scheme string) bool {
	labels := strings.Split(scheme, ".")
	return len(labels) > 1 && !slices.Contains(labels, "")
}

// applicationSchemes lists the schemes of known MCP hosts. The names of these schemes have no dot.
var applicationSchemes = []string{
	"chatbox", "cherrystudio", "claude", "code-oss", "cursor", "goose", "idea", "jan", "jetbrains", "kiro", "librechat", "lmstudio", "raycast", "trae", "void",
	"vscode", "vscode-insiders", "vscodium", "warp", "windsurf", "windsurf-next", "witsy", "zed",
}

// hasRedirect reports whether a redirect URI is registered. The comparison is exact, except for the port of a
// loopback address (RFC 8252 §7.3).
func (c registration) hasRedirect(redirect string) bool {
	withoutPort := func(text string) string {
		u, err := url.Parse(text)
		if err != nil || u.Scheme != "http" || !mcphttp.IsLoopback(u.Hostname()) {
			return text
		}
		return strings.Replace(text, u.Host, u.Hostname(), 1)
	}
	return redirect != "" && (c.anyRedirect || slices.ContainsFunc(c.Redirects, func(r string) bool { return withoutPort(r) == withoutPort(redirect) }))
}
