package lint

import "strings"

// secretIn names the kind of secret that a log message seems to hold, empty
// when there is none. It looks at the raw JSON once, from the signs that stand
// beside secrets, and rather overlooks one than takes plainToken words for one.
func secretIn(b []byte) string {
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
		case '-':
			if isPrivateKey(b[i:]) {
				return "a private key"
			}
		case '_':
			if i >= 3 && string(b[i-3:i]) == "ghp" && startsWord(b, i-3) && tokenLength(b[i+1:]) >= 30 ||
				i >= 10 && string(b[i-10:i]) == "github_pat" && tokenLength(b[i+1:]) >= 30 {
				return "an access token"
			}
		case 'A':
			if hasPrefixAt(b, i, "AKIA") && startsWord(b, i) && tokenLength(b[i:]) == 20 {
				return "an access key"
			}
		case 'J':
			if i >= 2 && string(b[i-2:i]) == "ey" && startsWord(b, i-2) && isWebToken(b[i-2:]) {
				return "a web token"
			}
		}
	}
	return ""
}

// secretSigns are the bytes at which secretIn looks closer.
var secretSigns = [256]bool{'b': true, 'B': true, '=': true, ':': true, '@': true, '-': true, '_': true, 'A': true, 'J': true}

func hasPrefixAt(b []byte, i int, prefix string) bool {
	return len(b)-i >= len(prefix) && string(b[i:i+len(prefix)]) == prefix
}

func startsWord(b []byte, i int) bool { return i == 0 || !isTokenByte(b[i-1]) }

func isTokenByte(ch byte) bool {
	return ch|0x20 >= 'a' && ch|0x20 <= 'z' || ch >= '0' && ch <= '9' || ch == '-' || ch == '.' || ch == '_' || ch == '~' ||
		ch == '+' || ch == '/' || ch == '='
}

// mostToken is how far a token is followed.
const mostToken = 512

// tokenLength is how many bytes at the beginning could be those of a token.
func tokenLength(b []byte) int {
	for i, ch := range b[:min(len(b), mostToken)] {
		if !isTokenByte(ch) {
			return i
		}
	}
	return min(len(b), mostToken)
}

func isPrivateKey(b []byte) bool {
	const begin, longest = "-----BEGIN ", 64
	if !hasPrefixAt(b, 0, begin) {
		return false
	}
	return strings.Contains(string(b[len(begin):min(len(b), longest)]), "PRIVATE KEY")
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
			return b[i-1] == '/' && b[i-2] == ':' && colon > i && !isMask(b[colon+1:])
		case ' ', '"', '\\', '@':
			return false
		}
	}
	return false
}

// isMask reports what stands in the place of a password: nothing, one letter
// again and again, a bullet, or the name of a variable.
func isMask(b []byte) bool {
	return len(b) == 0 || b[0] >= 0x80 || strings.Trim(string(b), string(b[:1])) == "" || strings.IndexByte("$<{[*%", b[0]) >= 0
}

// isWebToken reports two parts of a JSON web token, the second of which begins
// as an object, too.
func isWebToken(b []byte) bool {
	head, rest, ok := strings.Cut(string(b[:tokenLength(b)]), ".")
	return ok && len(head) >= 10 && strings.HasPrefix(rest, "eyJ") && len(rest) >= 20
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
