package phrase_test

import (
	"testing"

	"mcptea/internal/words/phrase"
)

func TestPhrase_Clip(t *testing.T) {
	for _, tt := range []struct {
		text string
		most int
		want string
	}{{"abc", 3, "abc"}, {"abcd", 3, "abc…"}, {"ab€d", 3, "ab…"}, {"", 0, ""}} {
		if got := phrase.Clip(tt.text, tt.most); got != tt.want {
			t.Errorf("%q at %d: %q, want %q", tt.text, tt.most, got, tt.want)
		}
	}
}

func TestPhrase_Quote(t *testing.T) {
	for _, tt := range []struct{ text, want string }{{"abc", `"abc"`}, {"a…", `"a…"`[:2] + `"…`}, {"ab\n", `"ab\n"`}, {"ab€d", `"ab"…`}} {
		if got := phrase.Quote(tt.text, 3); got != tt.want {
			t.Errorf("%q: %s, want %s", tt.text, got, tt.want)
		}
	}
}

func TestPhrase_Count(t *testing.T) {
	for n, want := range map[int]string{0: "0 tools", 1: "1 tool", 1204: "1,204 tools"} {
		if got := phrase.Count(n, "tool"); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
	for noun, want := range map[string]string{"entry": "2 entries", "reply": "2 replies", "day": "2 days", "query": "2 queries", "y": "2 ys"} {
		if got := phrase.Count(2, noun); got != want {
			t.Errorf("%s: %q", noun, got)
		}
	}
}

func TestPhrase_Capital(t *testing.T) {
	if phrase.Capital("") != "" || phrase.Capital("it") != "It" {
		t.Error(phrase.Capital("it"))
	}
}

func TestPhrase_Digits(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := phrase.Digits(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
