package display

import (
	"strings"
	"unicode/utf8"

	"mcptea/internal/words/phrase"
)

// CutAround is like [Cut], for a text that contains searched words: if its start contains none of them, the
// text is cut so that the first one is visible. Lower-case words match in any case.
func CutAround(s string, w int, words []string) string {
	if len(words) == 0 || Width(s) <= w {
		return Cut(s, w)
	}
	n, _, _ := Fit(s, w, 1)
	from, to := find(s, words)
	if from < 0 || to <= n {
		return Cut(s, w)
	}
	dots := phrase.Ellipsis()
	start, room := from, min(w/3, w-2*Width(dots)-Width(s[from:to])) // width of the text before the word
	for start > 0 {
		_, n := utf8.DecodeLastRuneInString(s[:start])
		if Width(s[start-n:from]) > room {
			break
		}
		start -= n
	}
	return dots + Cut(s[start:], max(w-Width(dots), 0))
}

// find returns the place of the first of the words in a text, or -1.
func find(s string, words []string) (from, to int) {
	from = -1
	for _, word := range words {
		exact := word != strings.ToLower(word)
		for i := 0; word != "" && i+len(word) <= len(s) && (from < 0 || i < from); i++ {
			if part := s[i : i+len(word)]; part == word || !exact && strings.EqualFold(part, word) {
				from, to = i, i+len(word)
			}
		}
	}
	return from, to
}
