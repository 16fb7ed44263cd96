package lint

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/secret"
)

// The texts of findings hold text of the peer, which is cut and escaped, so that
// no terminal obeys it.

// maxSnippet is how much of a text of the peer a sentence quotes, in bytes.
const maxSnippet = 60

// escaped is a text of the peer for a sentence that has the quotation marks.
func escaped[T ~string | ~[]byte](text T) string {
	s, more := string(text[:min(len(text), maxSnippet)]), ""
	if len(text) > maxSnippet {
		s, more = strings.ToValidUTF8(s, ""), "…"
	}
	quoted := strconv.Quote(s)
	return quoted[1:len(quoted)-1] + more
}

// quoted is a text of the peer in quotation marks.
func quoted[T ~string | ~[]byte](text T) string { return `"` + escaped(text) + `"` }

// shownValue is a raw JSON value: a string in quotation marks, and anything else
// as it is in the frame.
func shownValue(raw []byte) string {
	if s, ok := jsonrpc.Unquote(raw); ok {
		return quoted(s)
	}
	return escaped(raw)
}

// bareValue is a raw JSON value, a string without quotation marks.
func bareValue(raw []byte) string {
	if s, ok := jsonrpc.Unquote(raw); ok {
		return escaped(s)
	}
	return orNone(string(raw))
}

// orNone is escaped, and "(none)" for an empty text.
func orNone(s string) string {
	if s == "" {
		return "(none)"
	}
	return escaped(s)
}

// shownPath is a JSON pointer without the slash at its beginning.
func shownPath(path string) string { return escaped(strings.TrimPrefix(path, "/")) }

// kindOf is the type of a raw JSON value with its article.
func kindOf(value []byte) string { return withArticle(Kind(value)) }

// withArticle is a JSON type with its article; an empty one is that of a member
// that is not there.
func withArticle(kind string) string {
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

// quoteList joins the first n entries, and says how many more there are.
func quoteList(list []string, n int) string {
	if len(list) > n {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:n], ", "), len(list)-n)
	}
	return strings.Join(list, ", ")
}

// shownURL is a URL without user information, query and fragment.
func shownURL(u *url.URL) string {
	short := *u
	short.User, short.RawQuery, short.Fragment, short.RawFragment = nil, "", "", ""
	return escaped(short.String())
}

// shownURI is a URI with its secrets redacted, or a text that is not a URI.
func shownURI(uri string) string {
	if _, err := url.Parse(uri); err != nil {
		return escaped(secret.Text(uri))
	}
	return escaped(secret.URL(uri))
}

// isoTime parses a time in one of the forms of ISO 8601 that are in use.
func isoTime(text string) (time.Time, bool) {
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

// membersByName are the members of an object, for a rule that looks up many. Of
// a name that occurs twice the last one counts.
func membersByName(object []byte) map[string][]byte {
	all := map[string][]byte{}
	for name, value := range jsonrpc.Members(object) {
		all[string(name)] = value
	}
	return all
}
