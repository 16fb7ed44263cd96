package oauth

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"mime"
	"strconv"
	"strings"

	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
)

// seconds is a number of a response. A value of another type is used if it represents a number, and noted: this
// does not harm a client, and several authorization servers send strings.
type seconds struct {
	value float64 // 0 if there is no number
	odd   string  // the value in words, if it is not a number, or ""
}

// UnmarshalJSON implements [json.Unmarshaler]. It never fails.
func (s *seconds) UnmarshalJSON(b []byte) error {
	var text string
	switch {
	case json.Unmarshal(b, &s.value) == nil && string(b) != "null":
	case json.Unmarshal(b, &text) == nil && string(b) != "null":
		s.value, s.odd = 0, "the text "+strconv.Quote(phrase.Clip(text, maxOdd))
		if n, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil && !math.IsNaN(n) {
			s.value = n
		}
	default:
		s.value, s.odd = 0, jsonKind(b)
	}
	return nil
}

// remark returns a sentence about a value that is not a number, or "".
func (s seconds) remark(member, rule string) string {
	switch {
	case s.odd == "":
		return ""
	case s.value == 0:
		return fmt.Sprintf("%s is %s, not a number (%s): it was ignored", member, s.odd, rule)
	}
	return fmt.Sprintf("%s is %s, not a number (%s): it was read as %v", member, s.odd, rule, s.value)
}

// scopeList is the member scope of a response: a text with scopes that are separated by spaces. An array of texts is
// read, too.
type scopeList struct {
	present bool
	scopes  []string
	odd     string // the value in words, if it is not a text, or ""
}

// UnmarshalJSON implements [json.Unmarshaler]. It never fails.
func (s *scopeList) UnmarshalJSON(b []byte) error {
	var text string
	var list []string
	switch {
	case string(b) == "null":
	case json.Unmarshal(b, &text) == nil:
		s.present, s.scopes = true, strings.Fields(text)
	case json.Unmarshal(b, &list) == nil:
		s.present, s.scopes, s.odd = true, strings.Fields(strings.Join(list, " ")), "an array"
	default:
		s.odd = jsonKind(b)
	}
	return nil
}

// remark returns a sentence about a value that is not a text, or "".
func (s scopeList) remark() string {
	switch {
	case s.odd == "":
		return ""
	case !s.present:
		return fmt.Sprintf("scope is %s, not a text (RFC 6749 §3.3): it was ignored", s.odd)
	}
	return fmt.Sprintf("scope is %s, not a text with spaces (RFC 6749 §3.3): it was read", s.odd)
}

// maxOdd is the maximum length of a value in a remark, in bytes.
const maxOdd = 40

// jsonKind returns the kind of a JSON value, with an article.
func jsonKind(b []byte) string {
	switch b[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a text"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

// remark adds a sentence to the running step, unless it is empty.
func (f *flow) remark(text string) {
	if text != "" {
		f.list.Remark(text)
	}
}

// badResponse returns the error of a response that is not the JSON object of an endpoint. The body may contain a
// token and is quoted only if it is a page.
func badResponse(reply transport.Reply, where string, err error) error {
	media, _, _ := mime.ParseMediaType(reply.Header.Get("Content-Type"))
	if media == "" {
		media = "no media type"
	}
	if _, page := phrase.Page(reply.Body); page || media == "text/html" {
		return fmt.Errorf("%s returned %s, a page, with status %d instead of JSON", where, media, reply.Status)
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
		return fmt.Errorf("the response of %s (status %d) has %q as %s instead of a text", where, reply.Status, wrong.Field, withArticle(wrong.Value))
	}
	return fmt.Errorf("%s returned %s with status %d, which is not a JSON object: %w", where, media, reply.Status, err)
}

// withArticle returns the kind of a JSON value as encoding/json names it, with an article.
func withArticle(kind string) string {
	kind, _, _ = strings.Cut(kind, " ") // "number 12"
	switch kind {
	case "object", "array":
		return "an " + kind
	case "bool":
		return "a boolean"
	}
	return "a " + kind
}
