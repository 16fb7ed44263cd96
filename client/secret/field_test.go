package secret

import (
	"strings"
	"testing"
)

func TestIsField(t *testing.T) {
	for name, want := range map[string]bool{
		"password": true, "db_password": true, "apiKey": true, "X-Api-Key": true, "access.token": true, "PGPASSWORD": true, "cvv": true,
		"socialSecurityNumber": true, "the social-security number": true, strings.Repeat("x", 100) + "_password": true, // longer than what decides
		"password" + strings.Repeat("x", 24): false, "pageToken": false, "max_tokens": false, "country_code": false, "key": false, "secretary": false, "": false,
	} {
		if got := IsField(name); got != want {
			t.Errorf("IsField(%q) = %v", name, got)
		}
	}
}

// What forms and arguments ask for that a user would not have shown.
func TestIsField_NamesOfForms(t *testing.T) {
	for _, name := range []string{
		"Your password", "smtp_passwd", "ssh passphrase", "clientSecret", "github_token", "OPENAI_API_KEY", "aws.access-key", "private_key", "secret-key",
		"Proxy-Authorization", "credential", "AWS credentials", "SSN", "social_security_number", "cardNumber", "companyCreditCard", "CVV", "cvc", "door passcode",
		"pinCode", "otp", "TOTP", "2FA code", "mfa_code", "one-time code", "Passwort", "kennwort", "DB_PWD",
	} {
		if !IsField(name) {
			t.Errorf("%s is no secret", name)
		}
	}
}

// Each ending is a credential by itself and after a word, in both notations; other words are not.
func TestIsField_Endings(t *testing.T) {
	for _, ending := range fieldEndings {
		for _, name := range []string{ending, strings.ToUpper(ending), "my_" + ending, "my-" + ending[:1] + "." + ending[1:]} {
			if !IsField(name) {
				t.Errorf("%s is no secret", name)
			}
		}
		if IsField(ending + "s_x") {
			t.Errorf("%ss_x is a secret", ending)
		}
	}
	for _, ending := range publicTokens {
		if IsField(ending) || IsField("my_"+ending) {
			t.Errorf("%s is a secret", ending)
		}
	}
}
