package secret_test

import (
	"testing"

	"mcptea/client/secret"
)

// The metadata of servers (RFC 8414, RFC 9728) has no secrets, and nothing of it is redacted elsewhere.
func TestJSON_MetadataOfServers(t *testing.T) {
	const text = `{"authorization_servers":["http://127.0.0.1:9466"],"token_endpoint":"https://as.example/token1234","authorization_endpoint":"https://as.example/authorize?x=1",` +
		`"dpop_signing_alg_values_supported":["ES256","RS256"],"id_token_signing_alg_values_supported":["RS256"],"token_endpoint_auth_methods_supported":["private_key_jwt"],"token_type":"urn:x:A1b2C3"}`
	var known secret.Values
	if got := string(secret.JSON([]byte(text), &known, nil)); got != text {
		t.Errorf("redacted: %s", got)
	}
	if got := known.Redact("http://127.0.0.1:9466 RS256"); got != "http://127.0.0.1:9466 RS256" {
		t.Errorf("learned: %s", got)
	}
}
