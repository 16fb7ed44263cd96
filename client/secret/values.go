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

// minGiven is the same for a value that the user has given as a secret, such as a PIN.
const minGiven = 4

// Values of a set are of three kinds: values of the user, such as tokens and passwords; values
// under a secret name in frames, which a peer can send endlessly; and values of single requests.
// When a kind is full, its oldest values are dropped, and values of other kinds stay.
const (
	maxValues  = 256
	maxLearned = 256
	maxOneTime = 32
)

// A peer chooses how long the values are that frames have.
const (
	maxLearnedLength = 64 << 10 // bound for a value that is searched for elsewhere, in bytes
	maxLearnedBytes  = 1 << 20  // bound for all values of frames, in bytes
)

// IsShort reports whether a value is redacted only as a whole word, and only if the user declared it as a
// secret.
func IsShort(value string) bool { return len(value) < minValue }

// oneTime are the headers whose value is of one request: proofs of DPoP (RFC 9449).
const oneTime = "Dpop"

// Values is a set of secrets that were sent to a peer: header values, tokens, passwords, client
// secrets. Texts that quote the peer are redacted with it, because a server may echo what it
// received. The zero value is an empty set. A nil *Values redacts nothing. It is safe for
// concurrent use.
type Values struct {
	mu      sync.RWMutex
	known   []entry // values of the user, without duplicates; the newest last
	learned []entry // values learned from frames
	proof   []entry // values learned from one request each

	matcher *matcher // matcher of all values, or nil if it must be built
	version uint64
}

// entry is a value with its needles.
type entry struct {
	value   string
	needles []*needle
}

// Add adds values of the user to the set. Values that are too short to be distinguished from ordinary words are
// left out.
func (v *Values) Add(values ...string) {
	if v != nil {
		v.put(&v.known, maxValues, minValue, values)
	}
}

// AddGiven adds values that the user declared as secrets to the set. Values of at least minGiven bytes are
// redacted where they are whole words.
func (v *Values) AddGiven(values ...string) {
	if v != nil {
		v.put(&v.known, maxValues, minGiven, values)
	}
}

// AddAll adds the values of another set.
func (v *Values) AddAll(other *Values) {
	other.mu.RLock()
	all := slices.Concat(other.learned, other.proof, other.known)
	other.mu.RUnlock()
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, e := range all {
		v.putEntry(&v.known, maxValues, e)
	}
}

// learn puts a value into the set that a frame has under a secret name, unless it is longer than any token, and reports
// whether it is new. The oldest values of frames are dropped if all of them have more than maxLearnedBytes.
func (v *Values) learn(value string) (isNew bool) {
	if len(value) > maxLearnedLength || len(value) < minValue {
		return false
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	before := v.version
	v.putEntry(&v.learned, maxLearned, entry{value: value})
	total, first := 0, len(v.learned)
	for first > 0 && total+len(v.learned[first-1].value) <= maxLearnedBytes {
		first--
		total += len(v.learned[first].value)
	}
	v.learned = slices.Delete(v.learned, 0, first)
	return v.version != before
}

func (v *Values) put(kind *[]entry, limit, least int, values []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, value := range values {
		if len(value) >= least {
			v.putEntry(kind, limit, entry{value: value})
		}
	}
}

// putEntry puts an entry into a kind as the newest one. The caller holds the lock.
func (v *Values) putEntry(kind *[]entry, limit int, e entry) {
	if i := slices.IndexFunc(*kind, func(known entry) bool { return known.value == e.value }); i >= 0 {
		known := (*kind)[i]
		*kind = append(slices.Delete(*kind, i, i+1), known)
		return
	}
	if len(*kind) == limit {
		*kind = slices.Delete(*kind, 0, 1)
	}
	if e.needles == nil {
		e.needles = needlesOf(e.value)
	}
	*kind = append(*kind, e)
	v.matcher, v.version = nil, v.version+1
}

// AddHeader adds the values of secret headers to the set: for Authorization and Proxy-Authorization without the
// scheme, and for Basic credentials also the password and the user:password pair.
func (v *Values) AddHeader(h http.Header) {
	for name, values := range h {
		if !IsName(name) {
			continue
		}
		if strings.EqualFold(name, oneTime) {
			if v != nil {
				v.put(&v.proof, maxOneTime, minValue, values)
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

// AddForm adds the secret parameters of a form to the set, if the media type is the type of a form.
func (v *Values) AddForm(media string, body []byte) {
	if media != formType {
		return
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return // the report does not contain the body
	}
	for name, values := range form {
		if isMember(name) {
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

// RedactHeader is like [Header], but redacts the known values, too.
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

// Redact returns the text with each known value replaced by the mark: in any letter case, with
// escapes of URLs, JSON, HTML and shells, in Base64 and in hexadecimal digits; and with the beginning
// of one at the end of the text.
func (v *Values) Redact(text string) string {
	redacted, _ := v.searched().redact(text)
	return redacted
}

// Find returns the places where [Values.Redact] finds values in a text, in order and without overlap. name is
// the name of a variable for each.
func (v *Values) Find(text, name string) []Found {
	spans, _ := v.searched().find(text)
	var all []Found
	for _, s := range spans {
		all = append(all, Found{Start: s.start, End: s.end, Name: name})
	}
	return merge(all)
}

// Error returns an error whose text is the redacted text of err. It wraps err, whose own text is unchanged. If
// there is nothing to redact it returns err itself.
func (v *Values) Error(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	if redacted := v.Redact(text); redacted != text {
		return &redactedError{redacted, err}
	}
	return err
}

type redactedError struct {
	text string
	err  error
}

func (e *redactedError) Error() string { return e.text }
func (e *redactedError) Unwrap() error { return e.err }

// RedactURL is like [URL], but redacts the known values, too: as a whole, before a part of a value is masked
// because of its form.
func (v *Values) RedactURL(raw string) string {
	return strings.ReplaceAll(URL(strings.ReplaceAll(v.Redact(raw), Mark, urlMark)), Mark, urlMark)
}

// searched returns what finds the values, nil for an empty set.
func (v *Values) searched() *matcher {
	if v == nil {
		return nil
	}
	v.mu.RLock()
	m, empty := v.matcher, len(v.known)+len(v.learned)+len(v.proof) == 0
	v.mu.RUnlock()
	if m != nil || empty {
		return m
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.matcher == nil {
		var needles []*needle
		for _, kind := range [][]entry{v.known, v.learned, v.proof} {
			for _, e := range kind {
				needles = append(needles, e.needles...)
			}
		}
		v.matcher = newMatcher(needles)
	}
	return v.matcher
}

// Version returns a number that changes when values are added to the set.
func (v *Values) Version() uint64 {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.version
}
