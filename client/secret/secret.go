// Package secret recognizes and redacts secrets: by the name of an option, variable, header, query parameter or
// JSON member, by the form of a value (tokens of well-known services, JSON Web Tokens, private keys,
// random-looking words), and by comparison with values that were sent under a secret name.
//
// It is used for everything that mcptea shows, writes and reports about a connection. The frames of a recording
// are not redacted: they are stored byte for byte.
//
// All functions are pure and safe for concurrent use.
package secret

import (
	"fmt"
	"net/http"
	"strings"
)

// Mark replaces a secret. In URLs it is "****", which needs no percent-encoding.
const (
	Mark    = "••••"
	urlMark = "****"
)

// Pattern is a regular expression that matches the marks of this package.
const Pattern = "(?:" + Mark + `|\*\*\*\*)(?: \(\d+ characters\))?`

// IsRedacted reports whether a secret of the text was redacted.
func IsRedacted(text string) bool {
	return strings.Contains(text, Mark) || strings.Contains(text, urlMark)
}

// nameWords mark a name as secret wherever they occur in it.
var nameWords = signs(
	"authorization", "cookie", "token", "secret", "password", "passwd", "passphrase",
	"api-key", "apikey", "api_key", "access-key", "access_key", "private", "credential", "signature",
	"bearer", "jwt", "dpop", "assertion", "verifier",
)

// nameEndings mark a name as secret if the name is equal to one of them, or ends
// with one after a separator.
var nameEndings = []string{"key", "auth", "sig", "code", "pass", "pwd", "pat", "dsn", "session", "sid"}

// IsName reports whether a header, variable, option or query parameter of this
// name probably holds a secret. Leading hyphens are ignored.
func IsName(name string) bool {
	if name == "PWD" {
		return false // the working directory, in every environment
	}
	name = strings.ToLower(strings.TrimLeft(name, "-"))
	switch name {
	case "mcp-session-id":
		return false // shown by its first characters, see [Header]
	case "dpop-nonce":
		return false // chosen by the server and not confidential
	case "progresstoken":
		return false // part of the protocol: it names a request
	}
	if containsWord(name) {
		return true
	}
	for _, w := range nameEndings {
		if rest, ok := strings.CutSuffix(name, w); ok && (rest == "" || strings.ContainsAny(rest[len(rest)-1:], "-_.")) {
			return true
		}
	}
	return false
}

// containsWord reports a name that is secret in any context, unlike "code" or
// "key".
func containsWord(name string) bool {
	name = strings.ToLower(name)
	bytes := bytesOf(name)
	return containsAny(name, &bytes, nameWords)
}

// markWithLength returns the mark and the length of the value in bytes, which shows
// for example that a token was cut short.
func markWithLength(value string) string { return fmt.Sprintf("%s (%d characters)", Mark, len(value)) }

// Header returns a copy with the values of secret headers redacted. The scheme
// of Authorization stays, and of Mcp-Session-Id what [ParseSessionID] reads again. The
// result is nil if h is nil.
func Header(h http.Header) http.Header {
	if h == nil {
		return nil
	}
	redacted := make(http.Header, len(h))
	for name, values := range h {
		out := make([]string, len(values))
		for i, v := range values {
			out[i] = headerValue(name, v)
		}
		redacted[name] = out
	}
	return redacted
}

// hasScheme reports whether the secret of a header follows the name of a scheme.
func hasScheme(name string) bool {
	return strings.EqualFold(name, "Authorization") || strings.EqualFold(name, "Proxy-Authorization")
}

func headerValue(name, value string) string {
	switch {
	case strings.EqualFold(name, "Mcp-Session-Id") && value != "":
		return ParseSessionID(value).String()
	case hasScheme(name):
		scheme, rest, found := strings.Cut(value, " ")
		if !found || len(scheme) > 12 {
			return markWithLength(value)
		}
		return scheme + " " + markWithLength(rest)
	case IsName(name):
		return markWithLength(value)
	case strings.EqualFold(name, "Location"), strings.EqualFold(name, "Referer"):
		return URL(value)
	}
	return Text(value)
}
