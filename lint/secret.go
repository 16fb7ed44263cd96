package lint

import (
	"cmp"

	"mcptea/client/secret"
)

// maxSecretText bounds the part of a value that [SecretIn] searches, in bytes.
const maxSecretText = 64 << 10

// SecretIn returns the kind of the first certain secret in a raw JSON value, or ""; see
// [secret.Certain].
func SecretIn(raw []byte) string { return SecretInText(Plain(raw, maxSecretText)) }

// SecretInText is like SecretIn, but takes plain text.
func SecretInText[T ~string | ~[]byte](plain T) string {
	name := secret.Certain(plain[:min(len(plain), maxSecretText)])
	if name == "" {
		return ""
	}
	return cmp.Or(secretKinds[name], "an access token")
}

// secretKinds maps names of package secret to kinds of secrets. Secrets with other names are access
// tokens.
var secretKinds = map[string]string{
	"PRIVATE_KEY": "a private key", "AWS_ACCESS_KEY_ID": "an access key", "TOKEN": "a web token",
	"API_KEY": "an API key", "GOOGLE_API_KEY": "an API key",
	secret.Bearer: "a bearer token", secret.Userinfo: "a password in a URL", secret.Named: "a password or key",
}
