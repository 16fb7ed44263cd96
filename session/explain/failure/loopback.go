package failure

import (
	"net/url"
	"strings"

	"mcptea/client/secret"
	mcphttp "mcptea/client/transport/http"
)

// renamed compares the URL of a target with the URL that the server reports for itself. If they differ only in
// the name of this machine, such as localhost, 127.0.0.1 or [::1], it returns both names, and the URL of the
// target with the name of the server.
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

// otherName explains a refusal that is caused only by two names of this machine, one in the URL and one of the
// server. what describes the name of the server.
func otherName(e Explanation, target, named, what string) (Explanation, bool) {
	own, other, use, ok := renamed(target, named)
	if !ok {
		return e, false
	}
	return e.with("other-name", situation{"own": own, "other": other, "gives": what, "use": use}), true
}
