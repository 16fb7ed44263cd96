package webhook

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/record"
)

const secretPrefix = "whsec_"

// secretBytes is the length of a secret. 24 to 64 bytes are allowed.
const secretBytes = 32

// NewSecret makes the secret of a subscription, as events/subscribe sends it.
func NewSecret() string {
	b := make([]byte, secretBytes)
	_, _ = rand.Read(b) // Read never returns an error
	return secretPrefix + base64.StdEncoding.EncodeToString(b)
}

// A message is the signed content of a delivery.
type message struct {
	id, timestamp string
	body          []byte
}

func (m message) content() []byte {
	return append([]byte(m.id+"."+m.timestamp+"."), m.body...)
}

func sum(key, content []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(content)
	return mac.Sum(nil)
}

// keyOf returns the key of a secret, or nil if the secret has none: everybody could sign with the empty key.
func keyOf(secret string) []byte {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
	if err != nil {
		return nil
	}
	return key
}

// verify reports whether one of the signatures of a header verifies with a secret.
func verify(secret, header string, m message) bool {
	key := keyOf(secret)
	if len(key) == 0 {
		return false
	}
	want := base64.StdEncoding.EncodeToString(sum(key, m.content()))
	for one := range strings.FieldsSeq(header) {
		if given, ok := strings.CutPrefix(one, "v1,"); ok && hmac.Equal([]byte(given), []byte(want)) {
			return true
		}
	}
	return false
}

// A mistake explains why a signature does not verify: the rest of a sentence that begins with "the
// signature". It is "" if no usual mistake was found.
type mistake string

// The usual mistakes.
const (
	noVersion     mistake = "has no version: it must begin with v1,"
	keyWithPrefix mistake = "is made with the whole text of the secret as the key: the key is what follows whsec_, decoded from base64"
	keyEncoded    mistake = "is made with the base64 text of the secret as the key: it must be decoded"
	inHex         mistake = "is hexadecimal: it must be base64"
	inBase64URL   mistake = "is in the base64 of URLs, or without padding: it must be standard base64"
	bodyAlone     mistake = "is over the body alone: it must be over webhook-id, webhook-timestamp and the body, with dots between them"
	otherTime     mistake = "is over another form of the timestamp than webhook-timestamp has: both are seconds"
	otherBody     mistake = "is over another serialization of the body: it must be over the bytes that are sent"
)

// mistakeOf tries the usual mistakes on a signature that does not verify.
func mistakeOf(secret, header string, m message) mistake {
	var given []string
	for one := range strings.FieldsSeq(header) {
		if version, rest, ok := strings.Cut(one, ","); !ok {
			given = append(given, strings.TrimPrefix(one, "sha256="))
		} else if version == "v1" {
			given = append(given, rest)
		}
	}
	is := func(key, content []byte, encode func([]byte) string) bool {
		want := encode(sum(key, content))
		for _, g := range given {
			if hmac.Equal([]byte(g), []byte(want)) {
				return true
			}
		}
		return false
	}
	std, key := base64.StdEncoding.EncodeToString, keyOf(secret)
	switch content := m.content(); {
	case is(key, content, std):
		return noVersion
	case is([]byte(secret), content, std), is([]byte(secret), content, hex.EncodeToString):
		return keyWithPrefix
	case is([]byte(strings.TrimPrefix(secret, secretPrefix)), content, std), is([]byte(strings.TrimPrefix(secret, secretPrefix)), content, hex.EncodeToString):
		return keyEncoded
	case is(key, content, hex.EncodeToString):
		return inHex
	case is(key, content, base64.RawURLEncoding.EncodeToString), is(key, content, base64.URLEncoding.EncodeToString), is(key, content, base64.RawStdEncoding.EncodeToString):
		return inBase64URL
	case is(key, m.body, std), is(key, m.body, hex.EncodeToString):
		return bodyAlone
	}
	for _, at := range otherTimes(m.timestamp) {
		if is(key, message{m.id, at, m.body}.content(), std) {
			return otherTime
		}
	}
	for _, body := range otherBodies(m.body) {
		if is(key, message{m.id, m.timestamp, body}.content(), std) {
			return otherBody
		}
	}
	return ""
}

// otherTimes returns other forms of a timestamp.
func otherTimes(text string) (forms []string) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil
	}
	if record.IsMilliseconds(n) {
		return []string{strconv.FormatInt(n/1000, 10)}
	}
	return []string{strconv.FormatInt(n*1000, 10), ""}
}

// otherBodies returns the serializations of a body that libraries make: compact, with spaces, and with sorted
// members.
func otherBodies(body []byte) (forms [][]byte) {
	if !jsonrpc.Valid(body) {
		return nil
	}
	var compact bytes.Buffer
	_ = json.Compact(&compact, body) // the body is valid JSON
	forms = append(forms, compact.Bytes(), spaced(compact.Bytes()))
	if indented, ok := jsonrpc.Indent(body); ok {
		forms = append(forms, []byte(indented))
	}
	decoder, value := json.NewDecoder(bytes.NewReader(body)), any(nil)
	decoder.UseNumber()
	if decoder.Decode(&value) == nil {
		if sorted, err := json.Marshal(value); err == nil {
			forms = append(forms, sorted, spaced(sorted))
		}
	}
	return append(forms, append(bytes.TrimSpace(bytes.Clone(body)), '\n'), bytes.TrimSpace(body))
}

// spaced returns compact JSON with a space after each comma and colon.
func spaced(compact []byte) []byte {
	out, inString, escaped := make([]byte, 0, 2*len(compact)), false, false
	for _, ch := range compact {
		out = append(out, ch)
		switch {
		case escaped:
			escaped = false
		case inString && ch == '\\':
			escaped = true
		case ch == '"':
			inString = !inString
		case !inString && (ch == ',' || ch == ':'):
			out = append(out, ' ')
		}
	}
	return out
}
