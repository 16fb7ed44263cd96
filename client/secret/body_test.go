package secret

import "testing"

// Each secret of the specifications is one, and no name that only mentions one.
func TestIsMember(t *testing.T) {
	for _, name := range []string{
		"code", "code_verifier", "password", "refresh_token", "access_token", "client_secret", // RFC 6749, 7636
		"registration_access_token", "assertion", "client_assertion", "id_token", // RFC 7591, 7523, OpenID Connect
		"device_code", "user_code", "subject_token", "actor_token", "token", // RFC 8628, 8693, 7009
		"app_password", "saml_assertion", "Access_Token", "CODE",
	} {
		if !isMember(name) {
			t.Errorf("%s is not secret", name)
		}
	}
	for _, name := range []string{
		"token_type", "token_endpoint", "client_assertion_type", "subject_token_type", "code_challenge", "code_challenge_method",
		"response_type", "grant_type", "expires_in", "scope", "state", "client_id", "error_code", "codes", "tokens", "",
	} {
		if isMember(name) {
			t.Errorf("%s is secret", name)
		}
	}
}

func TestBody_Redacted(t *testing.T) {
	const form, json = "application/x-www-form-urlencoded", "application/json"
	for _, c := range []struct{ media, body, want string }{
		{form, "grant_type=authorization_code&code=abc&code_verifier=xyz&resource=https%3A%2F%2Fh", "grant_type=authorization_code&code=•••• (3 characters)&code_verifier=•••• (3 characters)&resource=https%3A%2F%2Fh"},
		{form, "client_assertion_type=urn&client_assertion=e.y.J&subject_token_type=t&subject_token=1234", "client_assertion_type=urn&client_assertion=•••• (5 characters)&subject_token_type=t&subject_token=•••• (4 characters)"},
		{form, "saml_assertion=abc&app_password=abc&app_secret=abc&app_token=abc&assertions=abc", "saml_assertion=•••• (3 characters)&app_password=•••• (3 characters)&app_secret=•••• (3 characters)&app_token=•••• (3 characters)&assertions=abc"},
		{form, "refresh%5Ftoken=abc&%zz=abc", "refresh%5Ftoken=•••• (3 characters)&%zz=•••• (3 characters)"},
		{json, `{"access_token":"abc","token_type":"Bearer","expires_in":3600,"scope":"a b"}`, `{"access_token":"•••• (3 characters)","expires_in":3600,"scope":"a b","token_type":"Bearer"}`},
		{json, `{"client_id":"me","client_secret":"hush","registration_access_token":{"a":"b"},"token_endpoint_auth_method":"none"}`, `{"client_id":"me","client_secret":"•••• (4 characters)","registration_access_token":"••••","token_endpoint_auth_method":"none"}`},
		{json, `{"error":{"code":-32001,"data":[{"id_token":"abc"}]},"token_endpoint":"https://h/token"}`, `{"error":{"code":-32001,"data":[{"id_token":"•••• (3 characters)"}]},"token_endpoint":"https://h/token"}`},
		{"text/html", "<p>access_token=abc", "(19 bytes that are not JSON)"},
		{json, `{"access_token":"abc`, "(20 bytes that are not JSON)"},
		{json, `{"a":1} access_token=abc`, "(24 bytes that are not JSON)"},
		{json, `{"a":1}{"access_token":"abc"}`, "(29 bytes that are not JSON)"},
		{json, `{"access_token":}`, "(17 bytes that are not JSON)"},
		{json, "", ""},
	} {
		got := string(Body(c.media, []byte(c.body)))
		if got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.body, got, c.want)
		}
	}
	const query = "https://h/authorize?client_id=me&code_challenge=c&state=s&code_verifier=v&client_assertion=a"
	if got := URL(query); got != "https://h/authorize?client_id=me&code_challenge=c&state=s&code_verifier=****&client_assertion=****" {
		t.Errorf("got %s", got)
	}
}
