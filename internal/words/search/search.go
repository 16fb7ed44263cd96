// Package search compares what a user has typed into a search with the texts of an entry.
package search

import (
	"slices"
	"strings"
)

// Words are the words of a search, in lower case. No words find every entry.
type Words []string

// Of returns the words of a typed text. Blanks separate them.
func Of(typed string) Words { return strings.Fields(strings.ToLower(typed)) }

// In reports whether all words are in the texts of an entry, in any order and in any case.
func (w Words) In(texts ...string) bool {
	if len(w) == 0 {
		return true
	}
	text := strings.ToLower(strings.Join(texts, "\n"))
	return !slices.ContainsFunc(w, func(word string) bool { return !strings.Contains(text, word) })
}
