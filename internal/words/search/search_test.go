package search_test

import (
	"testing"

	"mcptea/internal/words/search"
)

func TestWords_In(t *testing.T) {
	for _, c := range []struct {
		typed string
		want  bool
	}{
		{"", true}, {"  ", true}, {"echo", true}, {"ECHO", true}, {"back echo", true}, {"echo  back", true}, {"ech ack", true}, {"echo forth", false}, {"backtext", false},
	} {
		if got := search.Of(c.typed).In("Echo", "Sends it back", "text"); got != c.want {
			t.Errorf("%q: %t, want %t", c.typed, got, c.want)
		}
	}
}
