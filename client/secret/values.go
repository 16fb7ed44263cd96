package secret

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// minValue is the length of the shortest value that [Values] redacts, in bytes.
// A shorter one would hide ordinary words.
const minValue = 6

// The values of a set: those of the user, such as tokens and passwords, those that frames
// have under a secret name, which a peer can send without end, and those of one request, of
// which each request brings another one. The oldest of a kind are dropped first, and none
// because of another kind.
const (
	usualForms = 2 // of one value: one of letters and digits, and its Base64
	maxValues  = 256
	maxLearned = 256
	maxOneTime = 32
)

// oneTime are the headers whose value is of one request: proofs of DPoP (RFC 9449).
const oneTime = "Dpop"

// Values is a set of secrets that were sent to a peer: header values, tokens,
// passwords, client secrets. A text that quotes the peer is redacted with it,
// because a server may echo what it received. The zero value is an empty set. A
// nil *Values redacts nothing. It is safe for concurrent use.
type Values struct {
	mu      sync.RWMutex
	known   []string // values of the user, of minValue bytes and more, without duplicates; the newest last
	learned []string // the same, of frames
	proof   []string // the same, of one request each

	forms   []string // what is redacted, the longest values first; it is replaced, not changed
	version uint64
}

// Add puts values of the user into the set. Values that are too short to be told from
// ordinary words are left out.
func (v *Values) Add(values ...string) {
	if v != nil {
		v.put(&v.known, maxValues, values)
	}
}

// learn puts a value into the set that a frame has under a secret name.
func (v *Values) learn(value string) { v.put(&v.learned, maxLearned, []string{value}) }

func (v *Values) put(kind *[]string, limit int, values []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, value := range values {
		*kind = appendNewest(*kind, value, limit)
	}
	known := slices.Concat(v.known, v.learned, v.proof)
	slices.SortStableFunc(known, func(a, b string) int { return len(b) - len(a) })
	forms := make([]string, 0, usualForms*len(known))
	for _, value := range known {
		forms = append(forms, formsOf(value)...)
	}
	if !slices.Equal(forms, v.forms) {
		v.forms, v.version = forms, v.version+1
	}
}

// appendNewest appends a value, or moves it to the end, and drops the oldest one
// beyond limit.
func appendNewest(all []string, value string, limit int) []string {
	if len(value) < minValue {
		return all
	}
	if i := slices.Index(all, value); i >= 0 {
		all = slices.Delete(all, i, i+1)
	} else if len(all) == limit {
		all = slices.Delete(all, 0, 1)
	}
	return append(all, value)
}

// AddHeader puts the values of secret headers into the set, those of
// Authorization and Proxy-Authorization without the scheme; of Basic
// credentials also the password and the user:password pair.
func (v *Values) AddHeader(h http.Header) {
	for name, values := range h {
		if !IsName(name) {
			continue
		}
		if strings.EqualFold(name, oneTime) {
			if v != nil {
				v.put(&v.proof, maxOneTime, values)
			}
			continue
		}
		for _, value := range values {
			kind, rest, found := strings.Cut(value, " ")
			if !found || len(kind) > 12 {
				v.Add(value)
				continue
			}
			v.Add(rest)
			if pair, err := base64.StdEncoding.DecodeString(rest); err == nil && strings.EqualFold(kind, "Basic") {
				_, password, _ := strings.Cut(string(pair), ":")
				v.Add(string(pair), password)
			}
		}
	}
}

// AddFound puts the secrets of a command line or URL into the set.
func (v *Values) AddFound(found []Found, argv ...string) {
	for _, f := range found {
		value := argv[f.Arg][f.Start:f.End]
		v.Add(value)
		if plain, err := url.PathUnescape(value); err == nil && plain != value {
			v.Add(plain)
		}
	}
}

// AddForm puts the secret parameters of a form into the set, if the media type
// says that the body is one.
func (v *Values) AddForm(media string, body []byte) {
	if media != formType {
		return
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return // its report keeps none of it
	}
	for name, values := range form {
		if IsMember(name) {
			v.Add(values...)
		}
	}
}

// AddEnv puts the values of secret variables ("NAME=value") into the set.
func (v *Values) AddEnv(env []string) {
	for _, kv := range env {
		if name, value, _ := strings.Cut(kv, "="); IsName(name) {
			v.Add(value)
		}
	}
}

// RedactHeader is [Header], with the known values redacted too.
func (v *Values) RedactHeader(h http.Header) http.Header {
	redacted := Header(h)
	for name, values := range redacted {
		for i := range values {
			if values[i] == "" || IsName(name) || hasScheme(name) {
				values[i] = v.Redact(values[i])
			} else { // whole, before a part of one is masked by its form
				values[i] = headerValue(name, v.Redact(h[name][i]))
			}
		}
	}
	return redacted
}

// Redact returns the text with each known value replaced by the mark: as it is,
// percent-encoded, quoted, and in Base64. Longer values are replaced first.
func (v *Values) Redact(text string) string { return redactForms(text, v.redacted()) }

// RedactURL is [URL], with the known values redacted too: whole, before a part of one is masked by its form.
func (v *Values) RedactURL(raw string) string {
	return strings.ReplaceAll(URL(strings.ReplaceAll(v.Redact(raw), Mark, urlMark)), Mark, urlMark)
}

// redacted are the texts that are redacted, the longest values first.
func (v *Values) redacted() []string {
	if v == nil {
		return nil
	}
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.forms
}

func redactForms(text string, forms []string) string {
	for _, form := range forms {
		text = strings.ReplaceAll(text, form, Mark)
	}
	return text
}

// Version is a number that is another one after values were put into the set.
func (v *Values) Version() uint64 {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.version
}
