package secret

// IsField reports whether a form field, argument or member with this name very likely holds a
// secret of the user. It is narrower than [IsName], which decides what is redacted: "pageToken",
// "max_tokens" and "country_code" are not secret.
func IsField(name string) bool {
	var buf [fieldTail]byte
	plain := normalizedInto(&buf, name)
	return hasEnding(plain, fieldEndings) && !hasEnding(plain, publicTokens)
}

// fieldTail is the number of letters and digits at the end of a name that determine whether it is secret.
const fieldTail = 24

func normalized(name string) []byte {
	var buf [fieldTail]byte
	return normalizedInto(&buf, name)
}

// normalizedInto returns the last letters and digits of a name, in lower case.
func normalizedInto(ending *[fieldTail]byte, name string) []byte {
	n := len(ending)
	for i := len(name) - 1; i >= 0 && n > 0; i-- {
		switch ch := name[i]; {
		case ch == '-' || ch == '_' || ch == ' ' || ch == '.':
			continue
		case ch >= 'A' && ch <= 'Z':
			n--
			ending[n] = ch + 'a' - 'A'
		default:
			n--
			ending[n] = ch
		}
	}
	return ending[n:]
}

func hasEnding(plain []byte, endings []string) bool {
	for _, ending := range endings {
		if len(plain) >= len(ending) && plain[len(plain)-1] == ending[len(ending)-1] && string(plain[len(plain)-len(ending):]) == ending {
			return true
		}
	}
	return false
}

// publicTokens end the names of tokens that are not credentials.
var publicTokens = []string{"pagetoken", "nexttoken", "continuationtoken", "progresstoken", "synctoken", "cancellationtoken"}

// publicFacts are endings of names whose values are facts about secrets, but not secrets. Examples
// in the metadata of an authorization server (RFC 8414 §2) are token_endpoint and
// dpop_signing_alg_values_supported.
var publicFacts = []string{"supported", "required", "method", "methods", "type", "types", "endpoint", "servers"}

// fieldEndings end the names of secrets, in lower case and without separators.
var fieldEndings = []string{
	"password", "passwd", "passphrase", "secret", "token", "apikey", "accesskey", "privatekey", "secretkey", "authorization",
	"credential", "credentials", "ssn", "socialsecuritynumber", "cardnumber", "creditcard", "cvv", "cvc", "passcode", "pincode",
	"otp", "totp", "2facode", "mfacode", "onetimecode", "passwort", "kennwort", "pwd",
}
