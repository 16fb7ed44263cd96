package lint

import (
	"iter"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/secret"
)

// foreign is a piece of foreign text for a sentence that has the quotation
// marks already: cut, and without what a terminal would obey.
func foreign(text string) string {
	if len(text) > mostSnippet {
		text = strings.ToValidUTF8(text[:mostSnippet], "") + "…"
	}
	quoted := strconv.Quote(text)
	return quoted[1 : len(quoted)-1]
}

// token is a raw JSON value for a sentence, such that text and numbers can be
// told apart.
func foreignToken(raw []byte) string {
	if s, ok := jsonrpc.Unquote(raw); ok {
		return Snippet([]byte(s))
	}
	return foreign(string(raw))
}

// kindWithArticle names the JSON type of a raw value in a sentence.
func kindWithArticle(value []byte) string {
	switch kind := Kind(value); kind {
	case "":
		return "missing"
	case "null":
		return "null"
	case "array", "object":
		return "an " + kind
	default:
		return "a " + kind
	}
}

// plainToken writes a raw string or number in its plainest form: 1.0 and 1 are the
// same number, and a letter may be written as an escape.
func plainToken(raw []byte) string {
	switch {
	case Kind(raw) == "string" && strings.IndexByte(string(raw), '\\') >= 0:
		if s, ok := jsonrpc.Unquote(raw); ok {
			return string(jsonrpc.StringID(s))
		}
	case Kind(raw) == "number" && !IsInteger(raw):
		if n, whole := integral(raw); whole {
			return strconv.FormatInt(n, 10)
		}
	}
	return string(raw)
}

// integral is the value of a number that has no fraction, however it is
// written.
func integral(raw []byte) (int64, bool) {
	const exact = 1 << 53
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || f != float64(int64(f)) || f > exact || f < -exact {
		return 0, false
	}
	return int64(f), true
}

// isStringOrInteger reports what ids and tokens may be.
func isStringOrInteger(raw []byte) bool {
	switch Kind(raw) {
	case "string":
		return true
	case "number":
		if IsInteger(raw) {
			return true
		}
		_, whole := integral(raw)
		return whole
	}
	return false
}

// number is the value of a JSON number.
func number(raw []byte) (float64, bool) {
	if Kind(raw) != "number" {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	return f, err == nil
}

// numbered walks over an array and counts.
func numbered(array []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		i := 0
		for element := range jsonrpc.Elements(array) {
			if !yield(i, element) {
				return
			}
			i++
		}
	}
}

// shownURI is a URI for a sentence that has the quotation marks already. Its
// secrets are masked and the rest stays as it is: it may be no URI at all.
func shownURI(uri string) string {
	const mask = "****"
	if before, rest, ok := strings.Cut(uri, "//"); ok {
		end := strings.IndexAny(rest, "/?#")
		if end < 0 {
			end = len(rest)
		}
		if at := strings.LastIndexByte(rest[:end], '@'); at >= 0 {
			uri = before + "//" + mask + rest[at:]
		}
	}
	before, query, ok := strings.Cut(uri, "?")
	if !ok {
		return foreign(uri)
	}
	parts := strings.Split(query, "&")
	for i, p := range parts {
		if name, _, found := strings.Cut(p, "="); found && secret.IsName(name) {
			parts[i] = name + "=" + mask
		}
	}
	return foreign(before + "?" + strings.Join(parts, "&"))
}
