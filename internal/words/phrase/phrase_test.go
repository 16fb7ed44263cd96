package phrase

import "testing"

func TestClip(t *testing.T) {
	for _, tt := range []struct {
		text string
		most int
		want string
	}{{"abc", 3, "abc"}, {"abcd", 3, "abc…"}, {"ab€d", 3, "ab…"}, {"", 0, ""}} {
		if got := Clip(tt.text, tt.most); got != tt.want {
			t.Errorf("%q at %d: %q, want %q", tt.text, tt.most, got, tt.want)
		}
	}
}

func TestQuote(t *testing.T) {
	for _, tt := range []struct{ text, want string }{{"abc", `"abc"`}, {"a…", `"a…"`[:2] + `"…`}, {"ab\n", `"ab\n"`}, {"ab€d", `"ab"…`}} {
		if got := Quote(tt.text, 3); got != tt.want {
			t.Errorf("%q: %s, want %s", tt.text, got, tt.want)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 tools", 1: "1 tool", 1204: "1,204 tools"} {
		if got := Count(n, "tool"); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
}

func TestCapital(t *testing.T) {
	if Capital("") != "" || Capital("it") != "It" {
		t.Error(Capital("it"))
	}
}

func TestDigits(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := Digits(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
