package oauth

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"mcptea/client/transport"
)

func TestSeconds_OddValues(t *testing.T) {
	for text, want := range map[string]struct {
		value  float64
		remark string
	}{
		`3600`:     {3600, ""},
		`3600.5`:   {3600.5, ""},
		`"3600"`:   {3600, `expires_in is the text "3600", not a number (RFC 6749 §5.1): it was read as 3600`},
		`" 60.0 "`: {60, `expires_in is the text " 60.0 ", not a number (RFC 6749 §5.1): it was read as 60`},
		`"soon"`:   {0, `expires_in is the text "soon", not a number (RFC 6749 §5.1): it was ignored`},
		`"NaN"`:    {0, `expires_in is the text "NaN", not a number (RFC 6749 §5.1): it was ignored`},
		`null`:     {0, `expires_in is null, not a number (RFC 6749 §5.1): it was ignored`},
		`true`:     {0, `expires_in is a boolean, not a number (RFC 6749 §5.1): it was ignored`},
		`[3600]`:   {0, `expires_in is an array, not a number (RFC 6749 §5.1): it was ignored`},
		`{}`:       {0, `expires_in is an object, not a number (RFC 6749 §5.1): it was ignored`},
	} {
		var got tokenResponse
		if err := json.Unmarshal([]byte(`{"expires_in":`+text+`}`), &got); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if remark := got.Expires.remark("expires_in", "RFC 6749 §5.1"); got.Expires.value != want.value || remark != want.remark {
			t.Errorf("%s: %v, %s", text, got.Expires.value, remark)
		}
	}
}

func TestScopeList_OddValues(t *testing.T) {
	for text, want := range map[string]struct {
		scopes  []string
		present bool
		remark  string
	}{
		`"a b"`:     {[]string{"a", "b"}, true, ""},
		`""`:        {nil, true, ""},
		`null`:      {nil, false, ""},
		`["a","b"]`: {[]string{"a", "b"}, true, "scope is an array, not a text with spaces (RFC 6749 §3.3): it was read"},
		`["a b"]`:   {[]string{"a", "b"}, true, "scope is an array, not a text with spaces (RFC 6749 §3.3): it was read"},
		`[1]`:       {nil, false, "scope is an array, not a text (RFC 6749 §3.3): it was ignored"},
		`7`:         {nil, false, "scope is a number, not a text (RFC 6749 §3.3): it was ignored"},
	} {
		var got tokenResponse
		if err := json.Unmarshal([]byte(`{"scope":`+text+`}`), &got); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if s := got.Scope; !slices.Equal(s.scopes, want.scopes) || s.present != want.present || s.remark() != want.remark {
			t.Errorf("%s: %v %t %s", text, s.scopes, s.present, s.remark())
		}
	}
}

func TestSecretExpiry_Range(t *testing.T) {
	for at, zero := range map[float64]bool{0: true, -1: true, 1e300: true, 4102444800: false} {
		if secretExpiry(at).IsZero() != zero {
			t.Errorf("%v: %v", at, secretExpiry(at))
		}
	}
}

// An endpoint that does not return JSON is named with what it has returned, and a token is never quoted.
func TestParseResponse_NoJSON(t *testing.T) {
	for name, c := range map[string]struct{ media, body, says string }{
		"page":          {"text/html; charset=utf-8", "<!doctype html><title>Sign in</title>", "the token endpoint returned text/html, a page, with status 200 instead of JSON"},
		"page as JSON":  {"application/json", "<html><title>x</title></html>", "the token endpoint returned application/json, a page, with status 200 instead of JSON"},
		"form":          {"application/x-www-form-urlencoded", "access_token=hidden", "the token endpoint returned application/x-www-form-urlencoded with status 200, which is not a JSON object"},
		"nothing":       {"", "", "the token endpoint returned no media type with status 200, which is not a JSON object: unexpected end of JSON input"},
		"token as list": {"application/json", `{"access_token":["hidden"]}`, `the response of the token endpoint (status 200) has "access_token" as an array instead of a text`},
		"token as text": {"application/json", `{"access_token":12}`, `the response of the token endpoint (status 200) has "access_token" as a number instead of a text`},
		"list":          {"application/json", `["hidden"]`, "the token endpoint returned application/json with status 200, which is not a JSON object"},
	} {
		var into tokenResponse
		reply := transport.Reply{Status: http.StatusOK, Header: http.Header{"Content-Type": {c.media}}, Body: []byte(c.body)}
		err := parseResponse(reply, "the token endpoint", &into)
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEndpoint_Schemes(t *testing.T) {
	for raw, says := range map[string]string{
		"https://as.example/authorize": "",
		"javascript:alert(1)":          `the authorization_endpoint is "javascript:alert(1)", which a browser runs as code, and not an https:// URL`,
		"JavaScript:alert(1)":          `which a browser runs as code`,
		"data:text/html,x":             `which a browser runs as code`,
		"file:///etc/passwd":           `the authorization_endpoint is "file:///etc/passwd", not an https:// URL`,
		"/authorize":                   `the authorization_endpoint is "/authorize", not an https:// URL`,
		"https:///authorize":           `not an https:// URL`,
		"http://as.example/authorize":  `without https`,
		"https://u:p@as.example/":      `with a user name`,
		"https://\x7f/":                `the authorization_endpoint of the authorization server metadata is not a URL`,
		"":                             `the authorization server metadata has no authorization_endpoint`,
	} {
		f := waitingFlow(nil, nil)
		_, err := f.endpoint(raw, "authorization_endpoint")
		if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", raw, err)
		}
	}
}
