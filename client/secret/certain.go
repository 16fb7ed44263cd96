package secret

import "strings"

// What [Certain] returns for a secret without the form of a token.
const (
	Bearer   = "bearer"   // after the scheme of HTTP authorization
	Userinfo = "userinfo" // the password in a URL
	Named    = "named"    // after a name that [IsField] accepts
)

// Certain returns the kind of the first certain secret in a text: the name of its form, as in [Found], or
// [Bearer], [Userinfo] or [Named]. It returns "" if there is no certain secret. It finds less than [Find],
// which redacts: a secret with a name counts only if [IsField] accepts the name, and if the value is not a
// short number, a mask or part of a sentence.
func Certain[T ~string | ~[]byte](plain T) string {
	if !mayHoldSecret([]byte(plain)) {
		return "" // most values do not look like a secret, and a full search takes longer
	}
	text := string(plain)
	for _, found := range Find(text) {
		if name := found.certain(text); name != "" {
			return name
		}
	}
	return ""
}

// certain is like Certain, for a secret that was found in a text.
func (f Found) certain(text string) string {
	value := text[f.Start:f.End]
	before := strings.ToLower(text[max(0, f.Start-16):f.Start])
	switch tokens := FindTokens(value); {
	case len(tokens) > 0:
		return tokens[0].Name
	case strings.HasSuffix(strings.TrimRight(before, " \t"), "bearer"):
		return Bearer
	case f.Start > 0 && text[f.Start-1] == ':' && f.End < len(text) && text[f.End] == '@' && !isMasked(value):
		return Userinfo
	case !IsField(f.Name) || isMasked(value) || len(value) < 4:
		return ""
	case len(value) < 8 && strings.Trim(value, "0123456789") == "":
		return ""
	case isKeyAlone(text[:f.Start]) && isNameOfMember(value):
		return ""
	}
	return Named
}

// isKeyAlone reports whether a text ends with the bare name "key" and a separator. In the data of an error, the
// value after it is as often the name of a member as a secret.
func isKeyAlone(before string) bool {
	before = strings.TrimRight(before, "\"'=: \t\\")
	start := len(before)
	for start > 0 && isWordByte[before[start-1]] {
		start--
	}
	return strings.EqualFold(before[start:], "key")
}

// isNameOfMember reports a value made of words, such as a name or a path in JSON: a secret that was generated
// has digits among its letters, or neither separators nor words in lower case.
func isNameOfMember(value string) bool {
	letters := 0 // letters in a row
	for i := range len(value) {
		switch ch := value[i]; {
		case ch|0x20 >= 'a' && ch|0x20 <= 'z':
			letters++
		case strings.IndexByte("._/$:-[]#@ ", ch) >= 0:
			letters = 0
		case ch >= '0' && ch <= '9':
			if letters > 0 && (i+1 < len(value) && value[i+1]|0x20 >= 'a' && value[i+1]|0x20 <= 'z') {
				return false // a digit within a word
			}
		default:
			return false
		}
	}
	return hasWords(value)
}

// hasWords reports a value whose parts, at separators and capitals, are as long as words.
func hasWords(value string) bool {
	parts, letters := 0, 0
	for i := range len(value) {
		ch := value[i]
		isUpper, isLower := ch >= 'A' && ch <= 'Z', ch >= 'a' && ch <= 'z'
		if isUpper && (i == 0 || value[i-1] < 'A' || value[i-1] > 'Z') || isLower && (i == 0 || !isWordByte[value[i-1]]) {
			parts++
		}
		if isUpper || isLower {
			letters++
		}
	}
	return parts > 0 && letters >= 3*parts
}

// isMasked reports whether a value probably stands for a secret: it is empty, one character repeated, or begins
// like a reference to a variable or a word in brackets.
func isMasked(value string) bool {
	return value == "" || value[0] >= 0x80 || strings.Trim(value, value[:1]) == "" || strings.IndexByte("$<{[(*%", value[0]) >= 0
}

// mayHoldSecret reports whether a value has a sign of a secret: the name of one
// before "=" or ":", a scheme of HTTP authorization, user information of a URL,
// or a word as long as a token.
func mayHoldSecret(b []byte) bool {
	const shortest = len("-----BEGIN")
	word := 0 // length of the word that ends here
	for i, ch := range b {
		if isWordByte[ch] {
			if word++; word == shortest {
				return true
			}
			continue
		}
		switch ch {
		case '=', ':':
			if isSecretName(b[:i]) {
				return true
			}
		case '@':
			return true
		case ' ':
			if word >= 5 && strings.EqualFold(string(b[i-5:i]), "basic") || word >= 6 && strings.EqualFold(string(b[i-6:i]), "bearer") {
				return true
			}
		}
		word = 0
	}
	return false
}

// isWordByte are the letters, digits, hyphens and underscores.
var isWordByte = func() (is [256]bool) {
	for ch := range is {
		is[ch] = ch|0x20 >= 'a' && ch|0x20 <= 'z' || ch >= '0' && ch <= '9' || ch == '-' || ch == '_'
	}
	return is
}()

// isSecretName reports whether the text before "=" or ":" ends with the name of a
// secret, with or without quotes.
func isSecretName(b []byte) bool {
	end := len(b)
	for end > 0 && len(b)-end < 4 && strings.IndexByte(`"\' `, b[end-1]) >= 0 {
		end--
	}
	start := end
	for start > 0 && end-start < 64 && (isWordByte[b[start-1]] || b[start-1] == '.') {
		start--
	}
	return end-start >= 3 && IsField(string(b[start:end]))
}
