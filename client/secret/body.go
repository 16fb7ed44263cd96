package secret

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

const formType = "application/x-www-form-urlencoded"

// memberNames are the secret members of requests to and responses from an authorization server (RFC 6749,
// 7591, 7636, 7523, 8628, 8693), and memberEndings what the names of all others end with. Names such as
// token_endpoint, which only mention a secret, are not among them.
var (
	memberNames   = []string{"code", "code_verifier", "device_code", "user_code", "password", "assertion", "token"}
	memberEndings = []string{"_token", "_secret", "_password", "_assertion"}
)

// isMember reports whether a member of a request to or a response from an
// authorization server is secret.
func isMember(name string) bool {
	name = strings.ToLower(name)
	return slices.Contains(memberNames, name) || slices.ContainsFunc(memberEndings, func(ending string) bool { return strings.HasSuffix(name, ending) })
}

// Body returns the body of a request to an authorization server, or of its response, with the secrets redacted;
// media is its bare media type. If a body is neither a form nor JSON, only its size is reported, because
// secrets cannot be recognized in it.
func Body(media string, body []byte) []byte {
	switch {
	case media == formType:
		return []byte(redactForm(string(body)))
	case len(bytes.TrimSpace(body)) == 0:
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber() // keeps the spelling of numbers
	var value any
	if err := d.Decode(&value); err != nil || d.More() {
		return fmt.Appendf(nil, "(%d bytes that are not JSON)", len(body))
	}
	redacted, err := json.Marshal(redactValue(value))
	if err != nil {
		return fmt.Appendf(nil, "(%d bytes)", len(body))
	}
	return redacted
}

// redactForm keeps the order and the encoding of the other parameters.
func redactForm(form string) string {
	parts := strings.Split(form, "&")
	for i, p := range parts {
		name, value, _ := strings.Cut(p, "=")
		plain, err := url.QueryUnescape(name)
		if err != nil || isMember(plain) {
			parts[i] = name + "=" + markWithLength(value)
		}
	}
	return strings.Join(parts, "&")
}

func redactValue(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			if text, ok := member.(string); ok && isMember(name) {
				v[name] = markWithLength(text)
			} else if isMember(name) && !isScalar(member) {
				v[name] = Mark
			} else {
				v[name] = redactValue(member)
			}
		}
	case []any:
		for i := range v {
			v[i] = redactValue(v[i])
		}
	case string:
		return Text(v)
	}
	return value
}

// isScalar reports whether a member is too simple to be a secret: a JSON-RPC error code is called "code", too.
func isScalar(member any) bool {
	switch member.(type) {
	case json.Number, bool, nil:
		return true
	}
	return false
}
