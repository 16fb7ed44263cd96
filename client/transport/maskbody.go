package transport

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
)

// secretMembers are the secret members of what is said to and by an
// authorization server (RFC 6749, 7591, 7636, 7523, 8693). The names that
// merely talk of secrets, such as token_endpoint, are none.
var secretMembers = map[string]bool{
	"code": true, "code_verifier": true, "password": true, "assertion": true, "client_assertion": true,
	"access_token": true, "refresh_token": true, "id_token": true, "subject_token": true, "actor_token": true,
	"registration_access_token": true, "client_secret": true, "device_code": true, "user_code": true, "token": true,
}

// IsSecretMember reports whether a member of what is said to or by an
// authorization server is secret.
func IsSecretMember(name string) bool {
	name = strings.ToLower(name)
	return secretMembers[name] || strings.HasSuffix(name, "_token") || strings.HasSuffix(name, "_secret") ||
		strings.HasSuffix(name, "_password") || strings.HasSuffix(name, "_assertion")
}

// MaskBody returns the body of a request to an authorization server, or of its
// answer, with its secrets masked; media is its bare type. Of a body in which
// secrets could not be told from the rest only the size is kept.
func MaskBody(media string, body []byte) []byte {
	switch {
	case media == "application/x-www-form-urlencoded":
		return []byte(maskForm(string(body)))
	case len(bytes.TrimSpace(body)) == 0:
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber() // numbers stay as they were written
	var value any
	if err := d.Decode(&value); err != nil || d.More() {
		return fmt.Appendf(nil, "(%d bytes that are not JSON)", len(body))
	}
	masked, err := json.Marshal(maskValue(value))
	if err != nil {
		return fmt.Appendf(nil, "(%d bytes)", len(body))
	}
	return masked
}

// maskForm masks a form and leaves its order and its encoding alone.
func maskForm(form string) string {
	parts := strings.Split(form, "&")
	for i, p := range parts {
		name, value, _ := strings.Cut(p, "=")
		plain, err := url.QueryUnescape(name)
		if err != nil || IsSecretMember(plain) {
			parts[i] = name + "=" + Mask(value)
		}
	}
	return strings.Join(parts, "&")
}

func maskValue(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			if text, ok := member.(string); ok && IsSecretMember(name) {
				v[name] = Mask(text)
			} else if IsSecretMember(name) && !isCount(member) {
				v[name] = hidden
			} else {
				v[name] = maskValue(member)
			}
		}
	case []any:
		for i := range v {
			v[i] = maskValue(v[i])
		}
	}
	return value
}

// isCount reports whether a member is too simple to be a secret: an error code
// is called "code" as well.
func isCount(member any) bool {
	switch member.(type) {
	case json.Number, bool, nil:
		return true
	}
	return false
}
