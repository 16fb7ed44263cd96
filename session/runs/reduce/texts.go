package reduce

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"mcptea/internal/jsontree"
)

// invented returns texts that may replace a text, the simplest first. n makes the replacements of
// different texts different.
func invented(text string, n int) (all []string) {
	letter := string(rune('a' + n%26))
	if strings.Contains(text, "://") {
		all = append(all, fmt.Sprintf("https://%s%d.test", letter, n), fmt.Sprintf("https://%s%d.test/mcp", letter, n))
	}
	return append(all, letter, fmt.Sprintf("%s%d", letter, n), shape(text, n))
}

// wordsAndRest splits a text into words and the characters between them.
func wordsAndRest(text string) (parts []string) {
	isWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	from, before := 0, false
	for i, r := range text {
		if is := isWord(r); i > 0 && is != before {
			parts = append(parts, text[from:i])
			from, before = i, is
		} else {
			before = is
		}
	}
	return append(parts, text[from:])
}

// written joins the words of a text: keep contains the numbers of the kept words, in order, and other returns
// the replacements of the rest. If other is nil, they are left out.
func written(words []string, keep []int, other func(word string) string) string {
	var b strings.Builder
	next := 0
	for i, word := range words {
		switch {
		case next < len(keep) && keep[next] == i:
			b.WriteString(word)
			next++
		case other != nil:
			b.WriteString(other(word))
		}
	}
	return b.String()
}

// fixedMembers are members of events of a recording whose values are not texts of the user.
var fixedMembers = strings.Fields("phase what purpose method transport by state step refused")

// chosenTexts returns the texts of frames that are not of the protocol, sorted.
func chosenTexts(frames []Frame) []string {
	methods, texts := map[string]bool{}, map[string]bool{}
	for i := range frames {
		f := &frames[i]
		if method, ok := jsontree.Get(f.tree(), "method"); ok && f.IsFrame() {
			text, _ := method.(string)
			methods[text] = true
		}
		jsontree.Walk(f.tree(), func(at jsontree.Place, v any) bool {
			switch x := v.(type) {
			case map[string]any:
				for name := range x {
					if f.IsFrame() || len(at) > 0 && !isHeader(name) {
						texts[name] = true
					}
				}
			case string:
				if f.IsFrame() || len(at) != 1 || !slices.Contains(fixedMembers, fmt.Sprint(at[0])) {
					texts[x] = true
				}
			}
			return true
		})
	}
	var all []string
	for text := range texts {
		if text != "" && !methods[text] && !isVocabulary(text) {
			all = append(all, text)
		}
	}
	slices.Sort(all)
	return all
}

// headers are the names of headers that MCP, HTTP and browsers define.
var headers = strings.Fields(`Accept Accept-Encoding Accept-Language Allow Authorization Cache-Control Connection Content-Encoding Content-Length
	Content-Type Cookie Date Dpop Etag Host Last-Event-Id Link Location Mcp-Method Mcp-Name Mcp-Protocol-Version Mcp-Session-Id Origin Pragma Referer
	Retry-After Server Set-Cookie Transfer-Encoding User-Agent Vary Via Www-Authenticate X-Accel-Buffering X-Content-Type-Options X-Powered-By
	Access-Control-Allow-Headers Access-Control-Allow-Methods Access-Control-Allow-Origin Access-Control-Expose-Headers Keep-Alive`)

func isHeader(name string) bool { return slices.Contains(headers, http.CanonicalHeaderKey(name)) }
