package secret

import "strings"

// What [Certain] returns for a secret without the form of a token.
const (
	Bearer   = "bearer"   // behind the scheme of HTTP authorization
	Userinfo = "userinfo" // the password in a URL
	Named    = "named"    // behind a name that [IsField] knows
)

// Certain names the first secret in a text that is certain to be one: as [Found] does by its
// form, or else [Bearer], [Userinfo] or [Named]; it is empty without one. It finds less
// than [Find], which redacts: a secret with a name counts if [IsField] knows the name
// and the value is not a short number, a mask or a part of a sentence.
func Certain[T ~string | ~[]byte](plain T) string {
	if !mayHoldSecret([]byte(plain)) {
		return "" // as most values: the search takes longer
	}
	text := string(plain)
	for _, found := range Find(text) {
		if name := found.certain(text); name != "" {
			return name
		}
	}
	return ""
}

// certain is Certain for a secret that was found in a text.
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
	}
	return Named
}

// isMasked reports a value that stands for a secret: one character repeated, a
// reference to a variable, or a word in brackets.
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
