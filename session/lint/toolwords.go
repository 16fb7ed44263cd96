package lint

import (
	"strings"

	"mcptea/client/jsonrpc"
)

// spokenKind is the JSON type of a raw value as a sentence has it.
func spokenKind(value []byte) string {
	switch k := Kind(value); k {
	case "":
		return "nothing"
	case "null":
		return k
	case "object", "array":
		return "an " + k
	default:
		return "a " + k
	}
}

// innerText is foreign text for a place that has its quotation marks already.
func innerText(s string) string {
	text := Snippet([]byte(s))
	if cut, ok := strings.CutSuffix(text, `"…`); ok {
		return cut[1:] + "…"
	}
	return text[1 : len(text)-1]
}

// shownValue is a raw value for a sentence, a string in simple quotation marks.
func shownValue(raw []byte) string {
	if s, ok := jsonrpc.Unquote(raw); ok {
		return Snippet([]byte(s))
	}
	return innerText(string(raw))
}

// spokenPath is a path for a sentence, safe to print.
func spokenPath(path string) string { return innerText(strings.TrimPrefix(path, "/")) }

// below is a place further down.
func below(at Place, pointer string) Place { return Place{path: at.path + pointer, offset: -1} }

// memberSet are the members of an object, of which several are asked for. Of a
// name that stands twice the last one counts.
func memberSet(object []byte) map[string][]byte {
	all := map[string][]byte{}
	for name, value := range jsonrpc.Members(object) {
		all[string(name)] = value
	}
	return all
}

// isSecretField reports whether something of this name is very likely to hold a
// secret. It is narrower than what is masked: a page token is none, and a limit
// of tokens neither.
func isSecretField(name string) bool {
	plain := strings.ToLower(strings.NewReplacer("-", "", "_", "", " ", "", ".", "").Replace(name))
	for _, harmless := range []string{"pagetoken", "nexttoken", "continuationtoken", "progresstoken", "synctoken", "cancellationtoken"} {
		if strings.HasSuffix(plain, harmless) {
			return false
		}
	}
	for _, word := range secretFields {
		if strings.HasSuffix(plain, word) {
			return true
		}
	}
	return false
}

var secretFields = []string{
	"password", "passwd", "passphrase", "secret", "token", "apikey", "accesskey", "privatekey", "secretkey", "authorization",
	"credential", "credentials", "ssn", "socialsecuritynumber", "cardnumber", "creditcard", "cvv", "cvc", "passcode", "pincode", "otp", "totp", "2facode", "mfacode", "onetimecode", "passwort", "kennwort",
}
