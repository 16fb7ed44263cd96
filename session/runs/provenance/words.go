package provenance

import (
	"fmt"
	"hash/maphash"
	"iter"
	"slices"
)

// words holds the words of texts as hashes, for texts that are searched for many values: most values have a word that no
// text has.
type words struct {
	hashes   []uint32
	isSorted bool
}

var seed = maphash.MakeSeed()

func hashOf(word string) uint32 { return uint32(maphash.String(seed, word)) }

// add adds the words of a text.
func (w *words) add(text string) {
	for word := range wordsOf(text) {
		w.hashes = append(w.hashes, hashOf(word))
	}
	w.isSorted = false
}

// mayHave reports whether the texts may have a value as words of their own. It returns false only if they do not.
func (w *words) mayHave(value string) bool {
	if !w.isSorted {
		slices.Sort(w.hashes)
		w.hashes, w.isSorted = slices.Compact(w.hashes), true
	}
	for word := range wordsOf(value) {
		if _, found := slices.BinarySearch(w.hashes, hashOf(word)); !found {
			return false
		}
	}
	return true
}

// wordsOf returns the words of a text: as long as possible, of characters that [isWord] accepts.
func wordsOf(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start := -1
		for i := range len(text) {
			switch {
			case isWord(text[i]):
				if start < 0 {
					start = i
				}
			case start >= 0:
				if !yield(text[start:i]) {
					return
				}
				start = -1
			}
		}
		if start >= 0 {
			yield(text[start:])
		}
	}
}

// Values is a set of values that texts are searched for. The zero value is empty. It is not safe for concurrent use.
type Values struct {
	known map[any]bool
	// byWord has the values as texts by their first word, or by "" without one.
	byWord map[string][]string
}

// Add adds a string or a number.
func (v *Values) Add(value any) {
	if v.known[value] {
		return
	}
	if v.known == nil {
		v.known, v.byWord = map[any]bool{}, map[string][]string{}
	}
	v.known[value] = true
	text, first := fmt.Sprint(value), ""
	for word := range wordsOf(text) {
		first = word
		break
	}
	v.byWord[first] = append(v.byWord[first], text)
}

// Len returns the number of values.
func (v *Values) Len() int { return len(v.known) }

// IsIn reports whether a leaf of a tree is one of the values, or is a text that has one as words of their own.
func (v *Values) IsIn(leaf any) bool {
	if v.known[leaf] {
		return true
	}
	text, isText := leaf.(string)
	if !isText || len(v.known) == 0 {
		return false
	}
	contained := func(value string) bool { return indexWord(text, value) >= 0 }
	if slices.ContainsFunc(v.byWord[""], contained) {
		return true
	}
	for word := range wordsOf(text) {
		if slices.ContainsFunc(v.byWord[word], contained) {
			return true
		}
	}
	return false
}
