package lint

import (
	"bytes"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/secret"
	"mcptea/internal/words/phrase"
)

// ContainsAny reports whether a text contains at least one of the words.
func ContainsAny(text string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// Seconds returns a duration in whole seconds, without the unit.
func Seconds(d time.Duration) string { return fmt.Sprintf("%.0f", d.Seconds()) }

// The texts of findings contain text of the peer. It is truncated, and escaped for terminals.

// maxSnippet bounds a text of the peer in a message, in bytes.
const maxSnippet = 60

// Escaped returns a text of the peer for a template that already has quotation marks around it.
func Escaped[T ~string | ~[]byte](text T) string {
	quoted := strconv.Quote(phrase.Clip(text, maxSnippet))
	return quoted[1 : len(quoted)-1]
}

// Quoted returns a text of the peer in quotation marks.
func Quoted[T ~string | ~[]byte](text T) string { return `"` + Escaped(text) + `"` }

// ShownValue returns a raw JSON value for display, with quotation marks around a string.
func ShownValue(raw []byte) string {
	if s, ok := jsonrpc.Unquote(raw); ok {
		return Quoted(s)
	}
	return Escaped(raw)
}

// ShownOrMissing is like ShownValue, but returns "missing" for a missing member.
func ShownOrMissing(raw []byte) string {
	if raw == nil {
		return "missing"
	}
	return ShownValue(raw)
}

// BareValue returns a raw JSON value for display, without quotation marks around a string.
func BareValue(raw []byte) string {
	if s, ok := jsonrpc.Unquote(raw); ok {
		return Escaped(s)
	}
	return EscapedOrNone(string(raw))
}

// EscapedOrNone is like Escaped, but returns "(none)" for an empty text.
func EscapedOrNone(s string) string {
	if s == "" {
		return "(none)"
	}
	return Escaped(s)
}

// ShownPath returns a JSON pointer for display, without the leading slash.
func ShownPath(path string) string { return Escaped(strings.TrimPrefix(path, "/")) }

// KindOf returns the type of a raw JSON value with its article.
func KindOf(value []byte) string { return WithArticle(jsonrpc.TypeOf(value)) }

// WithArticle returns a JSON type with its article, or "missing" for "".
func WithArticle(kind string) string {
	switch kind {
	case "":
		return "missing"
	case "null":
		return kind
	case "array", "object", "integer":
		return "an " + kind
	}
	return "a " + kind
}

// Plain returns the content of a raw value, up to about most bytes: the text of a string, or JSON
// with unescaped strings. It is for the search of patterns, in which escapes must not matter. The
// result may alias raw.
func Plain(raw []byte, most int) []byte {
	if bytes.IndexByte(raw[:min(len(raw), most)], '\\') < 0 {
		raw = raw[:min(len(raw), most)]
		if len(raw) > 0 && raw[0] == '"' {
			raw = bytes.TrimSuffix(raw[1:], []byte{'"'})
		}
		return raw
	}
	if raw[0] == '"' {
		return appendPlain(nil, raw, most)
	}
	var out []byte
	for tokens := jsonrpc.NewTokens(raw); len(out) < most; {
		token := tokens.Next()
		if token == nil {
			break
		}
		if token[0] != '"' {
			out = append(out, token...)
			continue
		}
		out = append(appendPlain(append(out, '"'), token, most-len(out)), '"')
	}
	return out
}

// longestEscape is the length of an escaped surrogate pair.
const longestEscape = len(`\ud83d\ude00`)

// appendPlain appends the text of a string token, at most most bytes of the token.
func appendPlain(dst, token []byte, most int) []byte {
	if len(token) > most {
		token = token[:max(most, 1)]
		if at := bytes.LastIndexByte(token[max(1, len(token)-longestEscape):], '\\'); at >= 0 {
			token = token[:max(1, len(token)-longestEscape)+at] // the cut may have split the last escape
		}
		token = append(bytes.Clone(bytes.TrimRight(token, `\`)), '"')
	}
	text, ok := jsonrpc.Unquote(token)
	if !ok {
		return append(dst, bytes.Trim(token, `"`)...)
	}
	return append(dst, text...)
}

// ShownURL returns a URL for display, without user information, query and fragment.
func ShownURL(u *url.URL) string {
	short := *u
	short.User, short.RawQuery, short.Fragment, short.RawFragment = nil, "", "", ""
	return Escaped(short.String())
}

// ShownURI is a URI without its secrets, or a text that is not a URI. It is a value for a template.
// The search for secrets takes long, so it happens only for findings that are displayed.
type ShownURI string

// String returns the URI for a text.
func (u ShownURI) String() string {
	if _, err := url.Parse(string(u)); err != nil {
		return Escaped(secret.Text(string(u)))
	}
	return Escaped(secret.URL(string(u)))
}

// QuotedURI is [ShownURI] in quotation marks.
type QuotedURI string

// String returns the URI for a text.
func (u QuotedURI) String() string { return `"` + ShownURI(u).String() + `"` }

// ParseTime parses a time in a common form of ISO 8601.
func ParseTime(text string) (time.Time, bool) {
	for _, layout := range []string{
		time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04:05Z0700", "2006-01-02 15:04:05Z07:00", "2006-01-02T15:04Z07:00",
		"2006-01-02T15:04", "20060102T150405Z0700", time.DateOnly,
	} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// MembersByName returns the members of an object, for rules that use many. If several members have
// the same name, the last one wins.
func MembersByName(object []byte) map[string][]byte {
	all := map[string][]byte{}
	for name, value := range jsonrpc.Members(object) {
		all[string(name)] = value
	}
	return all
}

// LSPCodes maps error codes of the Language Server Protocol to their names.
var LSPCodes = map[int64]string{
	-32800: "RequestCancelled", -32801: "ContentModified", -32802: "ServerCancelled", -32803: "RequestFailed",
}

// ErrorCode returns the code of an error if it is an integer.
func ErrorCode(m *Message) (int64, bool) {
	if !m.IsError() {
		return 0, false
	}
	return jsonrpc.Integer(m.Get(m.Error, "code"))
}

// DescribesMissing reports whether an error text in lower case means that an entity with one of the names does
// not exist.
func DescribesMissing(text string, names ...string) bool {
	if ContainsAny(text, "method", "session") {
		return false
	}
	for _, name := range names {
		if strings.Contains(text, "unknown "+name) {
			return true
		}
	}
	return ContainsAny(text, "not found", "does not exist", "doesn't exist", "no such")
}

// ExtensionIDFault returns why the id of an extension, a key of _meta with a prefix, is invalid, or "".
func ExtensionIDFault(id string) string {
	if prefix, _, ok := strings.Cut(id, "/"); !ok || prefix == "" {
		return "it has no prefix"
	}
	return MetaKeyFault(id)
}

// MetaKeyFault returns why a key of _meta is invalid (specification, basic, "_meta"), or "".
func MetaKeyFault(key string) string {
	prefix, name, found := strings.Cut(key, "/")
	if !found {
		prefix, name = "", key
	}
	if found {
		for label := range strings.SplitSeq(prefix, ".") {
			switch {
			case label == "":
				return "the prefix has an empty part"
			case !IsLetter(label[0]):
				return "each part of the prefix begins with a letter"
			case !isAlphanumeric(label[len(label)-1]):
				return "each part of the prefix ends with a letter or digit"
			case !IsWord(label, "-"):
				return "the prefix may have only letters, digits, hyphens and dots"
			}
		}
	}
	switch {
	case name == "":
		return ""
	case strings.Contains(name, "/"):
		return "there is more than one slash"
	case !IsWord(name, "-_."):
		return "the name may have only letters, digits, hyphens, underscores and dots"
	case !isAlphanumeric(name[0]) || !isAlphanumeric(name[len(name)-1]):
		return "the name begins and ends with a letter or digit"
	}
	return ""
}

// IsLetter reports whether a byte is an ASCII letter.
func IsLetter(ch byte) bool { return ch|0x20 >= 'a' && ch|0x20 <= 'z' }

func isAlphanumeric(ch byte) bool { return IsLetter(ch) || ch >= '0' && ch <= '9' }

// IsWord reports whether a text consists of ASCII letters, digits and the characters in other.
func IsWord(s, other string) bool {
	for i := range len(s) {
		if !isAlphanumeric(s[i]) && strings.IndexByte(other, s[i]) < 0 {
			return false
		}
	}
	return true
}
