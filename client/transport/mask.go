package transport

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// Error names the exchange, the status, and the first words of the body.
func (e *StatusError) Error() string {
	text := fmt.Sprintf("%s %s answered %d %s", e.Method, e.URL, e.Status, http.StatusText(e.Status))
	if body := strings.TrimSpace(string(e.Body)); body != "" {
		const most = 200
		if len(body) > most {
			body = strings.ToValidUTF8(body[:most], "") + "…"
		}
		text += ": " + body
	}
	return text
}

// secretWords mark a header, query key or variable as secret when its name
// contains one of them.
var secretWords = []string{
	"authorization", "cookie", "token", "secret", "password", "passwd",
	"api-key", "apikey", "api_key", "access-key", "access_key", "private", "credential", "signature",
}

// IsSecretName reports whether a header, variable or query key of this name is
// likely to hold a secret.
func IsSecretName(name string) bool {
	name = strings.ToLower(name)
	for _, w := range secretWords {
		if strings.Contains(name, w) {
			return true
		}
	}
	return name == "key" || strings.HasSuffix(name, "_key") || strings.HasSuffix(name, "-key")
}

// Mask hides a secret value but keeps its scheme and its length, which is
// often what one needs to know ("Bearer" missing, a token cut short).
func Mask(value string) string {
	scheme, rest, found := strings.Cut(value, " ")
	if !found || len(scheme) > 12 {
		scheme, rest = "", value
	} else {
		scheme += " "
	}
	return fmt.Sprintf("%s•••• (%d characters)", scheme, len(rest))
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
			switch {
			case strings.EqualFold(name, "Mcp-Session-Id") && len(v) > 8:
				out[i] = v[:8] + "…"
			case IsSecretName(name):
				out[i] = Mask(v)
			default:
				out[i] = v
			}
		}
		masked[name] = out
	}
	return masked
}

// MaskURL returns the URL with the password and secret query values masked. A
// text that is no URL comes back as it is.
func MaskURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return raw
	}
	if _, has := u.User.Password(); has {
		u.User = url.UserPassword(u.User.Username(), "****")
	}
	parts := strings.Split(u.RawQuery, "&")
	for i, p := range parts {
		if name, _, found := strings.Cut(p, "="); found && IsSecretName(name) {
			parts[i] = name + "=****"
		}
	}
	u.RawQuery = strings.Join(parts, "&")
	return strings.Replace(u.String(), "%2A%2A%2A%2A@", "****@", 1)
}

// MaskArgs returns a copy of a command line in which the values of secret
// options (--api-key VALUE, --token=VALUE, API_KEY=VALUE) are masked.
func MaskArgs(argv []string) []string {
	out := make([]string, len(argv))
	next := false
	for i, arg := range argv {
		name, value, found := strings.Cut(arg, "=")
		switch {
		case next && !strings.HasPrefix(arg, "-"):
			out[i] = "••••"
		case found && value != "" && IsSecretName(name):
			out[i] = name + "=••••"
		default:
			out[i] = arg
		}
		next = !found && strings.HasPrefix(arg, "-") && IsSecretName(arg)
	}
	return out
}
