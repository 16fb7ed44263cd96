package lint

import (
	"bytes"
	"testing"
)

func TestSecretIn(t *testing.T) {
	for text, want := range map[string]string{
		`"authorization: bearer abcdefghijklmnop"`:                        "a bearer token",
		`"bearer abcdefghijklmno"`:                                        "",
		`"-----BEGIN RSA PRIVATE KEY-----\nMII"`:                          "a private key",
		`{"db_password":"hunter2"}`:                                       "a password or key",
		`"{\"apiKey\": \"a1b2c3d4\"}"`:                                    "a password or key",
		`"PGPASSWORD=hunter2 psql"`:                                       "a password or key",
		`"password: Tr0ub4dor"`:                                           "a password or key",
		`"password: incorrect"`:                                           "",
		`"wrong password: 3 tries left"`:                                  "",
		`"password=****"`:                                                 "",
		`"password="`:                                                     "",
		`"max_tokens=4096 tokens:77 key=value"`:                           "",
		`"ghp_0123456789abcdefghijABCDEFGHIJ012345"`:                      "an access token",
		`"AKIAIOSFODNN7EXAMPLE"`:                                          "an access key",
		`"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJl"`: "a web token",
		`"secretary: 12345abc"`:                                           "",
		`"postgres://me:hunter2@db:5432/x"`:                               "a password in a URL",
		`"postgres://me:****@db/x git://me@host a://b:••••@c ssh://h:22/a@b mail a:b@c"`: "",
		`"http://@x http://:@x @ //a:b@c http://a:b1@x"`:                                 "a password in a URL",
		`"DATABASE_URL=postgres://me:hunter2@db/x"`:                                      "a password in a URL",
		`{"n":12345,"text":"one line of a log","token":12}`:                              "",
		`"retry with api_key=${KEY}"`:                                                    "",
		`"X-Api-Key: a1b2c3d4e5"`:                                                        "a password or key",
		`"run --password hunter2x"`:                                                      "a password or key",
		`:`:                                                                              "",
		`=`:                                                                              "",
		`"password:`:                                                                     "",
	} {
		if got := SecretIn([]byte(text)); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// What a value says does not depend on how it is written, nor is it changed.
func TestPlain(t *testing.T) {
	for raw, want := range map[string]string{
		`"a b"`:                                  "a b",
		`"a\nb\/c\u00e9\""`:                      "a\nb/cé\"",
		`{"k\u0065y":["\"x\"",1.0,null],"b":{}}`: `{"key":[""x"",1.0,null],"b":{}}`,
		`{"key":["x"]}`:                          `{"key":["x"]}`,
		`5`:                                      "5",
		`"\`:                                     `\`,
		``:                                       "",
	} {
		b := []byte(raw)
		if got := string(Plain(b, 1000)); got != want || string(b) != raw {
			t.Errorf("%s: %q, want %q", raw, got, want)
		}
	}
	for n := range 40 {
		raw := []byte(`"ab\\c\ud83d\ude00d\u0041 and more" tail`)
		whole := bytes.Clone(raw)
		raw = raw[:len(raw)-5]
		if got := Plain(raw, n); len(got) > n || !bytes.Equal(raw, whole[:len(raw)]) {
			t.Errorf("%d: %q of %q", n, got, raw)
		}
	}
}
