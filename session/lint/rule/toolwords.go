package rule

import (
	"strings"
)

// Below is a place further down.
func Below(at Place, pointer string) Place { return Place{path: at.path + pointer, offset: -1} }

// IsSecretField reports whether something of this name is very likely to hold a
// secret. It is narrower than what is masked: a page token is none, and a limit
// of tokens neither.
func IsSecretField(name string) bool {
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
