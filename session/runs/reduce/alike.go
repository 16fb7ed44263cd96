package reduce

import (
	"strings"
	"unicode"

	"mcptea/internal/lazyregexp"
)

// quoted matches quoted text in a sentence: a value of a user or of a server.
var quoted = lazyregexp.New("\"[^\"]*\"|'[^']*'|`[^`]*`")

// wordsOf returns the words of a sentence that are not values: it leaves out quoted text, numbers and short
// words.
func wordsOf(text string) map[string]bool {
	all := map[string]bool{}
	isNoLetter := func(r rune) bool { return !unicode.IsLetter(r) }
	for _, word := range strings.FieldsFunc(quoted().ReplaceAllString(strings.ToLower(text), " "), isNoLetter) {
		if len(word) >= 3 && strings.Count(word, word[:1]) < len(word) { // "aaa" is a shape
			all[word] = true
		}
	}
	return all
}

// minAlike is the minimum share of common words in two sentences about the same fault.
const minAlike = 0.7

// alike reports whether two sentences are about the same fault, whatever values they have.
func alike(a, b string) bool {
	x, y := wordsOf(a), wordsOf(b)
	if len(x)+len(y) == 0 {
		return true
	}
	both := 0
	for word := range x {
		if y[word] {
			both++
		}
	}
	return float64(2*both)/float64(len(x)+len(y)) >= minAlike
}
