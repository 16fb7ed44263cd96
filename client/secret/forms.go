package secret

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// formsOf are the forms in which a text can have a value: as it is, percent-encoded as parts of a URL and
// of a form are, quoted for a program, JSON, HTML or a shell, in Base64, and as a peer has it that takes
// its bytes for ISO 8859-1. A value of letters and digits has two.
func formsOf(value string) (forms []string) {
	add := func(form string) {
		if !slices.Contains(forms, form) {
			forms = append(forms, form)
		}
	}
	add(value)
	query := url.QueryEscape(value)
	component := strings.ReplaceAll(query, "+", "%20") // as encodeURIComponent, but for the signs that it leaves
	for _, form := range []string{
		query, component, strings.ReplaceAll(component, "%2F", "/"), url.PathEscape(value), (&url.URL{Path: value}).EscapedPath(), ValidQuery(value),
	} {
		add(form)
		add(lowerPercent(form))
	}
	add(base64.StdEncoding.EncodeToString([]byte(value)))
	add(base64.URLEncoding.EncodeToString([]byte(value)))
	if forHTML, err := json.Marshal(value); err == nil { // as servers in Go write it
		add(string(forHTML[1 : len(forHTML)-1]))
	}
	quoted := strconv.Quote(value)
	add(quoted[1 : len(quoted)-1])
	add(asciiJSON(value, ""))
	add(asciiJSON(value, "<>&"))
	add(html.EscapeString(value))
	add(strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(value))
	add(strings.ReplaceAll(value, "'", `'\''`))
	add(latin1(value))
	return forms
}

// ValidQuery is the query of a URL with what a request cannot have in it percent-encoded: blanks,
// control characters, and all that is not ASCII.
func ValidQuery(query string) string {
	var b strings.Builder
	for i := range len(query) {
		if ch := query[i]; ch <= ' ' || ch >= 0x7f {
			fmt.Fprintf(&b, "%%%02X", ch)
		} else {
			b.WriteByte(ch)
		}
	}
	return b.String()
}

// lowerPercent has the digits of percent-encoded bytes in lower case.
func lowerPercent(text string) string {
	b := []byte(text)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:], strings.ToLower(text[i+1:i+3]))
			i += 2
		}
	}
	return string(b)
}

// asciiJSON is a text in a string of JSON, with escapes for what is not ASCII, and for further characters.
func asciiJSON(text, further string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '"', r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r < ' ' || r >= 0x7f || strings.ContainsRune(further, r):
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// latin1 is a text each of whose bytes was taken for a character.
func latin1(text string) string {
	var b []byte
	for i := range len(text) {
		b = utf8.AppendRune(b, rune(text[i]))
	}
	return string(b)
}
