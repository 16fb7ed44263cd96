package authority

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"

	"mcptea/internal/jose"
)

// consentPage asks the user for consent. Texts of the client are escaped. It does not use
// html/template: that makes the linker keep every exported method, which costs 5 MB.
const consentPage = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>mcptea authority</title><style>
body{font-family:system-ui,sans-serif;line-height:1.5;max-width:40em;margin:3em auto;padding:0 1em;color:#222;background:#fff}
h1{font-size:1.3em}dl{border:1px solid #bbb;border-radius:6px;padding:.5em 1em}dt{color:#666;margin-top:.5em}
dd{margin:0 0 .5em;overflow-wrap:anywhere;font-family:ui-monospace,monospace}
button{font:inherit;padding:.5em 1.5em;margin-right:.5em;border:1px solid #888;border-radius:6px;background:#f4f4f4;cursor:pointer}
button[value=allow]{background:#1a5fb4;border-color:#1a5fb4;color:#fff}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#1c1c1c}dt{color:#999}button{background:#333;color:#ddd}}
</style></head><body>
<h1>Allow this client?</h1>
<p>This is the authorization server of mcptea, for tests. Its tokens are accepted only by servers that trust %s.</p>
<dl>%s</dl>
<form method="post" action="%s"><input type="hidden" name="request" value="%s">
<button name="do" value="allow">Allow</button><button name="do" value="deny">Deny</button></form></body></html>
`

// askConsent shows the consent page.
func (a *Authority) askConsent(x *exchange, c registration, r request) {
	id := prefixConsent + jose.Random()
	a.mu.Lock()
	if len(a.pending) >= maxPending {
		clear(a.pending)
	}
	a.pending[id] = r
	a.mu.Unlock()
	h := x.w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "same-origin") // with no-referrer, the form would have the origin null
	var rows strings.Builder
	client := c.ID
	if c.Name != "" {
		client = c.Name + " (" + c.ID + ")"
	}
	for _, row := range [...][2]string{{"Client", client}, {"The code is sent to", r.grant.redirect}, {"Resource", r.grant.Resource}, {"Scopes", r.grant.Scope}} {
		if row[1] != "" {
			fmt.Fprintf(&rows, "<dt>%s</dt><dd>%s</dd>", row[0], html.EscapeString(row[1]))
		}
	}
	issuer := a.Issuer()
	u, _ := url.Parse(issuer)
	x.status(http.StatusOK)
	fmt.Fprintf(x.w, consentPage, html.EscapeString(issuer), rows.String(), html.EscapeString(u.EscapedPath()+pathConsent), id)
}

// consent receives the choice of the user, once for each page.
func (a *Authority) consent(x *exchange) {
	id := x.form.Get("request")
	a.mu.Lock()
	r, ok := a.pending[id]
	delete(a.pending, id)
	a.mu.Unlock()
	switch {
	case !ok:
		x.fail(http.StatusForbidden, "access_denied", "this page was used already, or is not of this authority")
	case x.form.Get("do") == "allow":
		a.allow(x, r)
	default:
		a.respond(x, r.grant.redirect, r.state, url.Values{"error": {"access_denied"}})
	}
}
