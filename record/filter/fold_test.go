package filter

import (
	"bytes"
	"strings"
	"testing"
)

// lowered is the plain way to search regardless of the case of ASCII letters.
func lowered(b []byte, word string) bool {
	lower := bytes.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, b)
	return strings.Contains(string(lower), word)
}

func TestFoldedWord(t *testing.T) {
	for _, tt := range []struct{ word, text string }{
		{"hello", "say HeLLo there"}, {"hello", "hell"}, {"o", "O"}, {"zz", "zZ"}, {"a1", "xA"}, {"ü", "Ü"}, {"x", ""}, {"kk", "akKa"}, {`"id":7`, `{"ID":7}`},
	} {
		w := newFoldedWord(tt.word)
		if got, want := w.index([]byte(tt.text)) >= 0, lowered([]byte(tt.text), tt.word); got != want {
			t.Errorf("%q in %q: %v", tt.word, tt.text, got)
		}
	}
}

func FuzzFoldedWord(f *testing.F) {
	f.Add("tools", []byte(`{"method":"Tools/call"}`))
	f.Fuzz(func(t *testing.T, word string, text []byte) {
		if word == "" || strings.ToLower(word) != word || !bytes.Equal(text, []byte(strings.ToValidUTF8(string(text), ""))) {
			t.Skip()
		}
		w := newFoldedWord(word)
		if got, want := w.index(text) >= 0, lowered(text, word); got != want {
			t.Errorf("%q in %q: %v", word, text, got)
		}
	})
}
