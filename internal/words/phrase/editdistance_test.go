package phrase_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcptea/internal/words/phrase"
)

func TestEditdistance_Nearest(t *testing.T) {
	names := []string{"echo", "add", "long-work", "slow-answer", "big-answer", "never-answer"}
	for word, want := range map[string][]string{
		"ehco":     {"echo"},
		"dad":      {"add"}, // the first two letters
		"ecoh":     {"echo"},
		"each":     nil,
		"answer":   {"slow-answer", "big-answer", "never-answer"},
		"longwork": {"long-work"},
		"zzzzzz":   nil,
	} {
		if diff := cmp.Diff(want, phrase.Nearest(word, names)); diff != "" {
			t.Errorf("%s: %s", word, diff)
		}
	}
}
