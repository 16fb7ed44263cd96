package revision_test

import (
	"testing"

	"mcptea/client/revision"
)

func TestHeaderValue(t *testing.T) {
	for text, want := range map[string]string{
		"":                 "",
		"eu-north":         "eu-north",
		"a b\tc":           "a b\tc",
		"~!":               "~!",
		"Grüße":            "=?base64?R3LDvMOfZQ==?=",
		" x ":              "=?base64?IHgg?=",
		"\tx":              "=?base64?CXg=?=",
		"a\nb":             "=?base64?YQpi?=",
		"a\r\nHost: evil":  "=?base64?YQ0KSG9zdDogZXZpbA==?=",
		"a\x7f":            "=?base64?YX8=?=",
		"=?base64?zz?=":    "=?base64?PT9iYXNlNjQ/eno/PQ==?=",
		"=?base64?zz":      "=?base64?zz",
		"=?BASE64?zz?=":    "=?BASE64?zz?=",
		"file:///tea/1?x=": "file:///tea/1?x=",
	} {
		if got := revision.HeaderValue(text); got != want {
			t.Errorf("%q is sent as %q, want %q", text, got, want)
		}
	}
}
