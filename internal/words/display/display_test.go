package display

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// Living scripts have at most six combining marks on a character; a pile of them would leave
// its cell.
func TestSanitize_MaxMarks(t *testing.T) {
	const shown = "‹U+0301›"
	six := strings.Repeat("\u0301", 6)
	for in, want := range map[string]string{
		"a" + six + "b":                 "a" + six + "b",
		"a" + six + "\u0301b":           "a" + six + shown + "b",
		"a" + six + "é" + six:           "a" + six + "é" + six,
		"é" + six + "\u0301\u20dd":      "é" + six + shown + "‹U+20DD›",
		"a" + strings.Repeat(six, 2):    "a" + six + strings.Repeat(shown, 6),
		"a\u0e31" + six[:10] + "\u0301": "a\u0e31" + six[:10] + shown,
	} {
		if got := Sanitize(in); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
		if got := string(AppendSanitized(nil, []byte(in))); got != want {
			t.Errorf("%q is appended as %q, want %q", in, got, want)
		}
	}
}

func TestWidthAgreesWithTheTerminalLibrary(t *testing.T) {
	for r := rune(0x20); r < 0x3000; r++ {
		if n := len(string(r)); narrow(r) && (ansi.StringWidth(string(r)) != 1 || n != 3) {
			t.Errorf("%q counts as narrow and is %d wide", r, ansi.StringWidth(string(r)))
		}
	}
	for _, s := range []string{"", "a", "é", "日本", "⚠️x", "\x1b[1mb\x1b[m", "a→b", "👩‍💻!", "─\u0301", "\x1b]8;;u\x1b\\l\x1b]8;;\x1b\\"} {
		if got, want := Width(s), ansi.StringWidth(s); got != want {
			t.Errorf("%q: %d, want %d", s, got, want)
		}
	}
}

func TestCut(t *testing.T) {
	for _, tc := range []struct {
		s    string
		w    int
		want string
	}{{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"日本", 3, "日…"}, {"日本語", 4, "日…"}, {"abc", 0, ""}, {"abc", 1, "…"}} {
		if got := Cut(tc.s, tc.w); got != tc.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", tc.s, tc.w, got, tc.want)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, tc := range []struct {
		s    string
		w    int
		want string
	}{
		{"the quick brown fox", 10, "the quick|brown fox"},
		{"one\n\ntwo\r\n", 10, "one||two|"},
		{"  indented text stays", 12, "  indented|text stays"},
		{"abcdefghijkl", 5, "abcde|fghij|kl"},
		{"see https://example.com/long now", 12, "see|https://exam|ple.com/long|now"},
		{"日本語日本語", 5, "日本|語日|本語"},
		{"\tx\x1b", 10, "    x␛"},
		{"exactly ten", 7, "exactly|ten"},
		{"word ", 4, "word"},
		{"", 4, ""},
	} {
		if got := strings.Join(Wrap(tc.s, tc.w), "|"); got != tc.want {
			t.Errorf("Wrap(%q, %d) = %q, want %q", tc.s, tc.w, got, tc.want)
		}
	}
	if got := WrapFirst(strings.Repeat("word ", 1000), 10, 2); len(got) != 2 {
		t.Errorf("%d lines", len(got))
	}
}

// The next tab stop is counted in cells, not in characters.
func TestWrap_TabStopsAreCells(t *testing.T) {
	for text, want := range map[string]string{"日本\tx": "日本    x", "日本日本a\tx": "日本日本a   x", "ab\tx": "ab  x"} {
		if got := Wrap(text, 40); len(got) != 1 || got[0] != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
