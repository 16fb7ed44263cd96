package display

import (
	"strings"
	"testing"
)

func TestWrapMost_SaysThatThereIsMore(t *testing.T) {
	for text, want := range map[string]string{
		"one two":            "one two",
		"one two three":      "one two|three",
		"one two three four": "one two|three…",
		"one\ntwo\nthree":    "one|two…",
	} {
		if got := strings.Join(WrapMost(text, 7, 2), "|"); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
