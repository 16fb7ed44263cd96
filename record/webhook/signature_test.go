package webhook

import (
	"crypto/hmac"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"
)

// The vector is that of Standard Webhooks.
const vectorSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

var vector = message{"msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", []byte(`{"test": 2432232314}`)}

func TestVerify_Vector(t *testing.T) {
	const good = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
	for header, want := range map[string]bool{
		good: true, "v1,AAAA " + good + " v1a,xxx": true, strings.TrimPrefix(good, "v1,"): false, "v1a," + good[3:]: false, "": false,
	} {
		if got := verify(vectorSecret, header, vector); got != want {
			t.Errorf("%q: %v", header, got)
		}
	}
}

func TestMistake(t *testing.T) {
	std, key := base64.StdEncoding.EncodeToString, keyOf(vectorSecret)
	content := vector.content()
	for name, tt := range map[string]struct {
		header string
		want   mistake
	}{
		"no version":   {std(sum(key, content)), noVersion},
		"prefix":       {"v1," + std(sum([]byte(vectorSecret), content)), keyWithPrefix},
		"not decoded":  {"v1," + std(sum([]byte(vectorSecret[6:]), content)), keyEncoded},
		"hex":          {"v1," + hex.EncodeToString(sum(key, content)), inHex},
		"hex alone":    {"sha256=" + hex.EncodeToString(sum(key, content)), inHex},
		"URL":          {"v1," + base64.RawURLEncoding.EncodeToString(sum(key, content)), inBase64URL},
		"body":         {"v1," + std(sum(key, vector.body)), bodyAlone},
		"milliseconds": {"v1," + std(sum(key, message{vector.id, "1614265330000", vector.body}.content())), otherTime},
		"no time":      {"v1," + std(sum(key, message{vector.id, "", vector.body}.content())), otherTime},
		"compact":      {"v1," + std(sum(key, message{vector.id, vector.timestamp, []byte(`{"test":2432232314}`)}.content())), otherBody},
		"another key":  {"v1," + std(sum([]byte("x"), content)), ""},
	} {
		if got := mistakeOf(vectorSecret, tt.header, vector); got != tt.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// The header has milliseconds, and the signature is of seconds.
func TestMistake_SecondsAreSigned(t *testing.T) {
	header := "v1," + base64.StdEncoding.EncodeToString(sum(keyOf(vectorSecret), vector.content()))
	if got := mistakeOf(vectorSecret, header, message{vector.id, vector.timestamp + "000", vector.body}); got != otherTime {
		t.Errorf("%q", got)
	}
}

// The serializations of a body that are tried: compact, with spaces outside of strings, indented and sorted.
func TestMistake_OtherBodies(t *testing.T) {
	sent := []byte(`{"b":"x,:\"y:","a":[1,2]}`)
	for _, signed := range []string{`{"b": "x,:\"y:", "a": [1, 2]}`, `{"a":[1,2],"b":"x,:\"y:"}`, `{"a": [1, 2], "b": "x,:\"y:"}`, "{\n  \"b\": \"x,:\\\"y:\",\n  \"a\": [\n    1,\n    2\n  ]\n}", string(sent) + "\n"} {
		m := message{vector.id, vector.timestamp, []byte(signed)}
		header := "v1," + base64.StdEncoding.EncodeToString(sum(keyOf(vectorSecret), m.content()))
		if got := mistakeOf(vectorSecret, header, message{vector.id, vector.timestamp, sent}); got != otherBody {
			t.Errorf("%q: %q", signed, got)
		}
	}
}

func TestNewSecret(t *testing.T) {
	a, b := NewSecret(), NewSecret()
	if a == b || len(keyOf(a)) != secretBytes || !strings.HasPrefix(a, secretPrefix) {
		t.Errorf("%s %s", a, b)
	}
}

// Whatever comes is not accepted, unless it is the one signature.
func FuzzVerify(f *testing.F) {
	f.Add("v1,x", "id", "1", []byte(`{"a": 1, "b":"\""}`))
	f.Add("", "", "", []byte("{"))
	f.Fuzz(func(t *testing.T, header, id, at string, body []byte) {
		m := message{id, at, body}
		_ = mistakeOf(vectorSecret, header, m)
		if verify(vectorSecret, header, m) && !strings.Contains(header, base64.StdEncoding.EncodeToString(sum(keyOf(vectorSecret), m.content()))) {
			t.Errorf("%q was accepted", header)
		}
		good := "v1," + base64.StdEncoding.EncodeToString(sum(keyOf(vectorSecret), m.content()))
		if !hmac.Equal([]byte(good), []byte(good)) || !verify(vectorSecret, good, m) {
			t.Error("its own signature is refused")
		}
	})
}
