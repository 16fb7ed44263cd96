package secret

import (
	"iter"
	"net/url"
	"strings"
)

// URL returns the URL with user information, secret query and fragment parameters, and token-like path segments
// redacted; all other bytes stay unchanged. It returns "(not a URL)" for any other text.
func URL(raw string) string {
	if _, err := url.Parse(raw); err != nil {
		return "(not a URL)"
	}
	return replace(raw, FindURL(raw), urlMark)
}

// FindURL returns the secrets in a URL: the password of the user information (or the user name, if there is no
// password), the values of query and fragment parameters with a secret name or a token-like value, and
// token-like path segments.
func FindURL(raw string) []Found {
	var all []Found
	add := func(start, end int, name string) {
		if start < end && raw[start:end] != urlMark {
			all = append(all, Found{Start: start, End: end, Name: name})
		}
	}
	path := 0
	if i := strings.Index(raw, "//"); i >= 0 && !strings.ContainsAny(raw[:i], "/?#") {
		path = i + 2 + cutLength(raw[i+2:], "/?#")
		findUserinfo(raw[i+2:path], i+2, add)
	}
	query := path + cutLength(raw[path:], "?#")
	for start := path; start < query; {
		end := start + cutLength(raw[start:query], "/;=,:@")
		if isTokenValue(raw[start:end]) {
			add(start, end, "URL_TOKEN")
		}
		start = end + 1
	}
	for start := query + 1; start < len(raw); {
		end := start + cutLength(raw[start:], "&;#?")
		name, value, assigned := strings.Cut(raw[start:end], "=")
		plain, err := url.QueryUnescape(name)
		switch {
		case assigned && (err != nil || IsName(plain) || isTokenValue(value)):
			add(end-len(value), end, variableName(plain))
		case !assigned && isTokenValue(name):
			add(start, end, "URL_TOKEN")
		}
		start = end + 1
	}
	return all
}

// urlsIn returns the places of URLs in a text: a scheme, "://", and everything up to a character that ends a
// URL in prose or code.
func urlsIn(text string) iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		for from := 0; ; {
			colon := strings.Index(text[from:], "://")
			if colon < 0 {
				return
			}
			colon += from
			start := colon
			for i := colon - 1; i >= from && isSchemeByte(text[i]); i-- {
				if isLetter(text[i]) {
					start = i
				}
			}
			end := colon + len("://")
			rest := cutLength(text[end:], " \t\n\f\r\"'<>|;)\\")
			from = end
			if start == colon || rest == 0 {
				continue
			}
			if from = end + rest; !yield(start, from) {
				return
			}
		}
	}
}

func isLetter(ch byte) bool { return ch|' ' >= 'a' && ch|' ' <= 'z' }

func isSchemeByte(ch byte) bool {
	return isLetter(ch) || ch >= '0' && ch <= '9' || ch == '+' || ch == '.' || ch == '-'
}

// findUserinfo adds the secret before the last @ of an authority, which begins
// at the offset.
func findUserinfo(authority string, offset int, add func(start, end int, name string)) {
	at := strings.LastIndexByte(authority, '@')
	if at <= 0 {
		return
	}
	if colon := strings.IndexByte(authority[:at], ':'); colon >= 0 {
		if isTokenValue(authority[:colon]) {
			add(offset, offset+colon, "URL_TOKEN")
		}
		add(offset+colon+1, offset+at, "PASSWORD")
		return
	}
	add(offset, offset+at, "URL_TOKEN")
}

// isTokenValue reports whether a value is secret just by its form.
func isTokenValue(value string) bool {
	if len(value) < minToken {
		return false
	}
	if isRandom(value) {
		return true
	}
	bytes := bytesOf(value)
	for i := range shapes {
		if all := shapes[i].matches(value, &bytes); len(all) > 0 && all[0][0] == 0 {
			return true
		}
	}
	return false
}

// cutLength returns the length of s before the first of the characters.
func cutLength(s, chars string) int {
	if i := strings.IndexAny(s, chars); i >= 0 {
		return i
	}
	return len(s)
}
