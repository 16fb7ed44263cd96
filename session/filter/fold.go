package filter

import (
	"bytes"
	"strings"
)

// foldedWord is a word without capitals that is searched in bytes regardless of the
// case of ASCII letters. It looks for its rarest byte first: most frames do not have
// it, and bytes.IndexByte is much faster than a comparison.
type foldedWord struct {
	word   []byte
	anchor int // index of the rarest byte
}

// commonBytes are the bytes of JSON by how often they occur, the most frequent
// first. A byte that is not among them is rare.
const commonBytes = `"etaoi ns:rl,cd{}mup0h1gf2bv_3y4w5.678/9-k[]xzjq`

func newFoldedWord(word string) foldedWord {
	w := foldedWord{word: []byte(word)}
	rarest := -1
	for i := range w.word {
		rank := strings.IndexByte(commonBytes, w.word[i])
		if rank < 0 {
			rank = len(commonBytes)
		}
		if rank > rarest {
			rarest, w.anchor = rank, i
		}
	}
	return w
}

// in reports whether the bytes contain the word.
func (w *foldedWord) in(b []byte) bool {
	if len(w.word) == 0 {
		return true
	}
	c := w.word[w.anchor]
	if c < 'a' || c > 'z' {
		return w.near(b, c)
	}
	return w.near(b, c) || w.near(b, c-'a'+'A')
}

// near reports whether the word is around one of the places of its anchor, in the
// given case.
func (w *foldedWord) near(b []byte, c byte) bool {
	for at := w.anchor; at < len(b); at++ {
		i := bytes.IndexByte(b[at:], c)
		if i < 0 {
			return false
		}
		at += i
		start := at - w.anchor
		if start+len(w.word) > len(b) {
			return false
		}
		if w.equal(b[start : start+len(w.word)]) {
			return true
		}
	}
	return false
}

func (w *foldedWord) equal(b []byte) bool {
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != w.word[i] {
			return false
		}
	}
	return true
}
