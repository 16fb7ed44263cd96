package rule

import (
	"strings"

	"mcptea/client/secret"
)

// SecretIn names the kind of secret that a log message seems to hold, empty
// when there is none. It scans the raw JSON once, from the signs that stand beside
// secrets, and rather overlooks one than takes prose for one.
func SecretIn(b []byte) string {
	for i, ch := range b {
		if !secretSigns[ch] {
			continue
		}
		switch ch {
		case 'b', 'B':
			if len(b)-i > 7 && strings.EqualFold(string(b[i:i+7]), "bearer ") && tokenLength(b[i+7:]) >= 16 {
				return "a bearer token"
			}
		case '=', ':':
			if isSecretAssignment(b, i) {
				return "a password or key"
			}
		case '@':
			if endsURLPassword(b[:i]) {
				return "a password in a URL"
			}
		}
	}
	if !hasLongWord(b) {
		return "" // as most messages: the search is slower
	}
	return CredentialIn(string(b))
}

// hasLongWord reports as many bytes in a row of letters, digits, hyphens and
// underscores as the shortest match of [secret.FindTokens] begins with.
func hasLongWord(b []byte) bool {
	const shortest = len("-----BEGIN")
	for end := shortest - 1; end < len(b); {
		i := end
		for i > end-shortest && isWordByte(b[i]) {
			i--
		}
		if i == end-shortest {
			return true
		}
		end = i + shortest
	}
	return false
}

func isWordByte(ch byte) bool {
	return ch|0x20 >= 'a' && ch|0x20 <= 'z' || ch >= '0' && ch <= '9' || ch == '-' || ch == '_'
}

// CredentialIn names the kind of a value that is secret by its form, empty when there
// is none.
func CredentialIn(text string) string {
	found := secret.FindTokens(text)
	if len(found) == 0 {
		return ""
	}
	switch found[0].Name {
	case "PRIVATE_KEY":
		return "a private key"
	case "AWS_ACCESS_KEY_ID":
		return "an access key"
	case "TOKEN":
		return "a web token"
	case "API_KEY", "GOOGLE_API_KEY":
		return "an API key"
	}
	return "an access token"
}

// secretSigns are the bytes at which secretIn looks closer.
var secretSigns = [256]bool{'b': true, 'B': true, '=': true, ':': true, '@': true}

func isTokenByte(ch byte) bool {
	return ch|0x20 >= 'a' && ch|0x20 <= 'z' || ch >= '0' && ch <= '9' || ch == '-' || ch == '.' || ch == '_' || ch == '~' ||
		ch == '+' || ch == '/' || ch == '='
}

// maxToken is how far a token is followed.
const maxToken = 512

// tokenLength is how many bytes at the beginning could be those of a token.
func tokenLength(b []byte) int {
	for i, ch := range b[:min(len(b), maxToken)] {
		if !isTokenByte(ch) {
			return i
		}
	}
	return min(len(b), maxToken)
}

// endsURLPassword reports scheme://user:password at the end.
func endsURLPassword(b []byte) bool {
	const longest = 128
	colon := -1
	for i := len(b) - 1; i >= 2 && len(b)-i <= longest; i-- {
		switch b[i] {
		case ':':
			colon = i
		case '/':
			return b[i-1] == '/' && b[i-2] == ':' && colon > i && !isPlaceholder(b[colon+1:])
		case ' ', '"', '\\', '@':
			return false
		}
	}
	return false
}

// isPlaceholder reports what stands in the place of a password: nothing, one letter
// again and again, a bullet, or the name of a variable.
func isPlaceholder(b []byte) bool {
	return len(b) == 0 || b[0] >= 0x80 || strings.Trim(string(b), string(b[:1])) == "" || strings.IndexByte("$<{[*%", b[0]) >= 0
}

// secretEndings are how the names of secrets end, in small letters.
var secretEndings = []string{
	"password", "passwd", "passphrase", "pwd", "secret", "api_key", "apikey", "api-key", "secret_key", "private_key",
	"access_token", "refresh_token", "auth_token",
}

// isSecretAssignment reports name=value, "name":"value" and the same as text
// within text, at the sign between the two.
func isSecretAssignment(b []byte, sign int) bool {
	end := sign
	for end > 0 && sign-end < 4 && (b[end-1] == '"' || b[end-1] == '\\' || b[end-1] == '\'' || b[end-1] == ' ') {
		end--
	}
	if end < 3 || b[end-1]|0x20 < 'a' || b[end-1]|0x20 > 'z' {
		return false
	}
	for _, ending := range secretEndings {
		if endsWith(b[:end], ending) {
			quoted := end < sign && b[end] != ' '
			return isSecretValue(b[sign+1:], quoted || b[sign] == '=')
		}
	}
	return false
}

// endsWith compares without regard to capitals; the ending has none.
func endsWith(b []byte, ending string) bool {
	if len(b) < len(ending) {
		return false
	}
	b = b[len(b)-len(ending):]
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] != ending[i] && b[i]|0x20 != ending[i] {
			return false
		}
	}
	return true
}

// isSecretValue reports whether a value after the name of a secret is more than
// a word about it. What is named as in prose must look like a password too.
func isSecretValue(b []byte, named bool) bool {
	const shortest, plausible = 4, 8
	start := 0
	for start < len(b) && start < 4 && (b[start] == ' ' || b[start] == '"' || b[start] == '\\' || b[start] == '\'') {
		start++
	}
	end := start
	for end < len(b) && end-start < 64 && !strings.ContainsRune(" \"'\\,;&})]", rune(b[end])) {
		end++
	}
	value := strings.ToLower(string(b[start:end]))
	if len(value) < shortest || strings.Trim(value, "*•xX.-_#") == "" || value[0] >= 0x80 || strings.ContainsAny(value[:1], "$<{[(*%") {
		return false
	}
	switch value {
	case "null", "none", "true", "false", "undefined", "redacted", "hidden", "masked", "empty", "missing", "required", "invalid":
		return false
	}
	return named || len(value) >= plausible && strings.ContainsAny(value, "0123456789") && strings.ContainsAny(value, "abcdefghijklmnopqrstuvwxyz")
}
