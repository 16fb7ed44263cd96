package secret

import "strings"

// IsField reports whether a form field, argument or member of this name very
// likely holds a secret of the user. It is narrower than [IsName], which decides
// what is redacted: "pageToken", "max_tokens" and "country_code" are not secret.
func IsField(name string) bool {
	plain := strings.ToLower(strings.NewReplacer("-", "", "_", "", " ", "", ".", "").Replace(name))
	for _, token := range publicTokens {
		if strings.HasSuffix(plain, token) {
			return false
		}
	}
	for _, ending := range fieldEndings {
		if strings.HasSuffix(plain, ending) {
			return true
		}
	}
	return false
}

// publicTokens end the names of tokens that are not credentials.
var publicTokens = []string{"pagetoken", "nexttoken", "continuationtoken", "progresstoken", "synctoken", "cancellationtoken"}

// fieldEndings end the names of secrets, in lower case and without separators.
var fieldEndings = []string{
	"password", "passwd", "passphrase", "secret", "token", "apikey", "accesskey", "privatekey", "secretkey", "authorization",
	"credential", "credentials", "ssn", "socialsecuritynumber", "cardnumber", "creditcard", "cvv", "cvc", "passcode", "pincode",
	"otp", "totp", "2facode", "mfacode", "onetimecode", "passwort", "kennwort", "pwd",
}
