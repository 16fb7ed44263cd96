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

// commonBytes lists the bytes of JSON, most frequent first. Other bytes are rare.
const commonBytes = `"etaoi ns:rl,cd{}mup0h1gf2bv_3y4w5.678/9-k[]xzjq`

func newFoldedWord(word string) foldedWord {
	w := foldedWord{word: []byte(word)}
	rarest := -1
	for i := range w.word {
		if r := rarity(w.word[i]); r > rarest {
			rarest, w.anchor = r, i
		}
	}
	return w
}

// rarity returns a larger number for a rarer byte.
func rarity(c byte) int {
	if rank := strings.IndexByte(commonBytes, c); rank >= 0 {
		return rank
	}
	return len(commonBytes)
}

// index returns the first position of the word in the bytes, or -1.
func (w *foldedWord) index(b []byte) int {
	if len(w.word) == 0 {
		return 0
	}
	c := w.word[w.anchor]
	at := w.near(b, c)
	if c < 'a' || c > 'z' {
		return at
	}
	if at >= 0 {
		b = b[:at+len(w.word)]
	}
	if capital := w.near(b, c-'a'+'A'); capital >= 0 {
		return capital
	}
	return at
}

// near returns the first position of the word around an occurrence of its anchor in the given case, or -1.
func (w *foldedWord) near(b []byte, c byte) int {
	for at := w.anchor; at < len(b); at++ {
		i := bytes.IndexByte(b[at:], c)
		if i < 0 {
			return -1
		}
		at += i
		start := at - w.anchor
		if start+len(w.word) > len(b) {
			return -1
		}
		if w.equal(b[start : start+len(w.word)]) {
			return start
		}
	}
	return -1
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
