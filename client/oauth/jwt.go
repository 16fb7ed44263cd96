package oauth

import (
	"encoding/json"
	"time"

	"mcptea/internal/jose"
)

// assertionLife is the lifetime of an assertion, which is sent immediately.
const assertionLife = 2 * time.Minute

// clientAssertion authenticates a client by its key (RFC 7523 §3), at one issuer. supported are the issuer's
// algorithms; if empty, it did not list any.
func clientAssertion(c Client, issuer string, supported []string, now time.Time) (string, error) {
	algorithm, err := c.Key.choose(issuer, supported)
	if err != nil {
		return "", err
	}
	header := map[string]any{"typ": "JWT"}
	if c.Key.ID != "" {
		header["kid"] = c.Key.ID
	}
	if c.Key.Thumbprint != "" {
		header["x5t#S256"] = c.Key.Thumbprint
	}
	return jose.Sign(c.Key.signer, algorithm, header, map[string]any{
		"iss": c.ID, "sub": c.ID, "aud": issuer, "jti": jose.Random(),
		"iat": now.Unix(), "exp": now.Add(assertionLife).Unix(),
	})
}

// Claims returns the claims of an access token that is a JWT, or nil. Nothing is verified.
func Claims(token string) json.RawMessage {
	t, err := jose.Parse(token)
	if err != nil {
		return nil
	}
	return t.Claims
}
