package transport

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// hidden stands in the place of a secret.
const hidden = "••••"

// secretWords mark a header, query key, option or variable as secret when its
// name contains one of them.
var secretWords = []string{
	"authorization", "cookie", "token", "secret", "password", "passwd", "passphrase",
	"api-key", "apikey", "api_key", "access-key", "access_key", "private", "credential", "signature",
	"bearer", "jwt", "dpop", "assertion", "verifier",
}

// secretNames are secret when the name is exactly that, or ends with it after a
// separator.
var secretNames = []string{"key", "auth", "sig", "code", "pass", "pwd", "pat", "dsn", "session", "sid"}

// IsSecretName reports whether a header, variable, option or query key of this
// name is likely to hold a secret.
func IsSecretName(name string) bool {
	name = strings.ToLower(strings.TrimLeft(name, "-"))
	switch name {
	case "mcp-session-id":
		return false // it has a form of its own; see MaskHeader
	case "dpop-nonce":
		return false // it is the server's, and of no use to anybody else
	}
	for _, w := range secretWords {
		if strings.Contains(name, w) {
			return true
		}
	}
	for _, w := range secretNames {
		if rest, ok := strings.CutSuffix(name, w); ok && (rest == "" || strings.HasSuffix(rest, "-") || strings.HasSuffix(rest, "_") || strings.HasSuffix(rest, ".")) {
			return true
		}
	}
	return false
}

// Mask hides a secret value but keeps its length, which is often what one needs
// to know (a token cut short).
func Mask(value string) string { return fmt.Sprintf("%s (%d characters)", hidden, len(value)) }

// maskAuthorization keeps the scheme too: "Bearer" may be what is missing.
func maskAuthorization(value string) string {
	scheme, rest, found := strings.Cut(value, " ")
	if !found || len(scheme) > 12 {
		return Mask(value)
	}
	return scheme + " " + Mask(rest)
}

// MaskHeader returns a copy in which the values of secret headers are masked.
// A session id stays recognisable by its first eight characters.
func MaskHeader(h http.Header) http.Header {
	if h == nil {
		return nil
	}
	masked := make(http.Header, len(h))
	for name, values := range h {
		out := make([]string, len(values))
		for i, v := range values {
			out[i] = maskField(name, v)
		}
		masked[name] = out
	}
	return masked
}

func maskField(name, value string) string {
	switch {
	case strings.EqualFold(name, "Mcp-Session-Id") && len(value) > 8:
		return value[:8] + "…"
	case strings.EqualFold(name, "Authorization"), strings.EqualFold(name, "Proxy-Authorization"):
		return maskAuthorization(value)
	case IsSecretName(name):
		return Mask(value)
	case strings.EqualFold(name, "Location"), strings.EqualFold(name, "Referer"):
		return MaskURL(value)
	}
	return value
}

// MaskURL returns the URL with the user, the password and secret query values
// masked. Of a text that is no URL nothing is kept.
func MaskURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "(not a URL)"
	}
	who := ""
	if u.User != nil {
		who = "****@"
		if _, has := u.User.Password(); has {
			who = u.User.Username() + ":****@"
		}
		u.User = nil
	}
	parts := strings.FieldsFunc(u.RawQuery, func(r rune) bool { return r == '&' || r == ';' })
	for i, p := range parts {
		if name, _, found := strings.Cut(p, "="); found && IsSecretName(name) {
			parts[i] = name + "=****"
		}
	}
	u.RawQuery = strings.Join(parts, "&")
	text := u.String()
	if who == "" {
		return text
	}
	scheme, rest, _ := strings.Cut(text, "//")
	return scheme + "//" + who + rest
}
