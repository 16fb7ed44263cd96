package http

// The rules of URLs and header fields that net/url and net/http do not export.

import (
	"net/http"
	"net/url"
	"strings"

	"mcptea/internal/system"
)

// Port returns the port of a URL, or the default port of http or https, or "" for other schemes.
func Port(u *url.URL) string {
	switch p := u.Port(); {
	case p != "":
		return p
	case u.Scheme == "https":
		return "443"
	case u.Scheme == "http":
		return "80"
	}
	return ""
}

// Origin returns scheme, host and port in a form that can be compared (RFC 6454 §4). It leaves out the default
// port. Without a host, it returns only the scheme.
func Origin(u *url.URL) string {
	if u.Host == "" {
		return u.Scheme + ":"
	}
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port == "" || u.Scheme == "https" && port == "443" || u.Scheme == "http" && port == "80" {
		return u.Scheme + "://" + host
	}
	return u.Scheme + "://" + host + ":" + port
}

// SameOrigin reports whether scheme, host and port are the same (RFC 6454 §5).
func SameOrigin(a, b *url.URL) bool { return Origin(a) == Origin(b) }

// IsLoopback reports whether a host is this machine by its name: localhost, or a
// loopback address.
func IsLoopback(host string) bool { return system.IsLoopback(host) }

// IsToken reports whether a header may have a name (RFC 9110 §5.6.2).
func IsToken(name string) bool {
	for i := range len(name) {
		c := name[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0:
		default:
			return false
		}
	}
	return name != ""
}

// Values returns the values of a header with any spelling of its name, or nil.
func Values(h http.Header, name string) []string {
	if values, ok := h[name]; ok {
		return values
	}
	for n, values := range h {
		if strings.EqualFold(n, name) {
			return values
		}
	}
	return nil
}

// Value returns the first value of a header with any spelling of its name, or empty if there is
// none.
func Value(h http.Header, name string) string {
	if values := Values(h, name); len(values) > 0 {
		return values[0]
	}
	return ""
}
