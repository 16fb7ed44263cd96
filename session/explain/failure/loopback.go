package failure

import (
	"net/url"
	"strings"

	"mcptea/client/secret"
	mcphttp "mcptea/client/transport/http"
)

// renamed compares the URL of a server with one that the server gives for itself.
// When the two differ only in the name of this machine, as localhost, 127.0.0.1
// and [::1] do, it returns the URL to connect to: the same with that name.
func renamed(target, named string) (own, other, use string, ok bool) {
	t, err := url.Parse(target)
	n, err2 := url.Parse(named)
	if err != nil || err2 != nil || t.Scheme != n.Scheme || mcphttp.Port(t) != mcphttp.Port(n) {
		return "", "", "", false
	}
	own, other = t.Hostname(), n.Hostname()
	if strings.EqualFold(own, other) || !mcphttp.IsLoopback(own) || !mcphttp.IsLoopback(other) {
		return "", "", "", false
	}
	t.Host = n.Host
	return own, other, secret.URL(t.String()), true
}

// otherName explains a server that is refused only because the URL and the server
// use two names of this machine. what says what the server names.
func otherName(e Explanation, target, named, what string) (Explanation, bool) {
	own, other, use, ok := renamed(target, named)
	if !ok {
		return e, false
	}
	return e.with("other-name", situation{"own": own, "other": other, "gives": what, "use": use}), true
}
