package display_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
)

// Living scripts have at most six combining marks on a character; a pile of them would leave
// its cell.
func TestDisplay_Sanitize_MaxMarks(t *testing.T) {
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
		if got := display.Sanitize(in); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
		if got := string(display.AppendSanitized(nil, []byte(in))); got != want {
			t.Errorf("%q is appended as %q, want %q", in, got, want)
		}
	}
}

func TestDisplay_WidthAgreesWithTheTerminalLibrary(t *testing.T) {
	for r := rune(0x20); r < 0x3000; r++ {
		if r >= 0x2000 && display.Plain(string(r)) && ansi.StringWidth(string(r)) != 1 {
			t.Errorf("%q counts as one cell and is %d wide", r, ansi.StringWidth(string(r)))
		}
	}
	for _, s := range []string{"", "a", "é", "日本", "⚠️x", "\x1b[1mb\x1b[m", "a→b", "👩‍💻!", "─\u0301", "\x1b]8;;u\x1b\\l\x1b]8;;\x1b\\"} {
		if got, want := display.Width(s), ansi.StringWidth(s); got != want {
			t.Errorf("%q: %d, want %d", s, got, want)
		}
	}
}

func TestDisplay_Cut(t *testing.T) {
	for _, tc := range []struct {
		s    string
		w    int
		want string
	}{{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"日本", 3, "日…"}, {"日本語", 4, "日…"}, {"abc", 0, ""}, {"abc", 1, "…"}} {
		if got := display.Cut(tc.s, tc.w); got != tc.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", tc.s, tc.w, got, tc.want)
		}
	}
}

func TestDisplay_Wrap(t *testing.T) {
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
		if got := strings.Join(display.Wrap(tc.s, tc.w), "|"); got != tc.want {
			t.Errorf("Wrap(%q, %d) = %q, want %q", tc.s, tc.w, got, tc.want)
		}
	}
	// The first lines are those of the whole text, at any width, whatever a cell takes of it.
	for _, word := range []string{"word ", "word", "日本", "👩\u200d👩\u200d👧\u200d👦", "e" + strings.Repeat("\u0301", 6)} {
		for w := 1; w < 20; w++ {
			text := strings.Repeat(word, 400)
			for n, all := 1, display.Wrap(text, w); n < 4; n++ {
				if got := display.WrapFirst(text, w, n); !slices.Equal(got, all[:n]) {
					t.Errorf("the first %d lines of %q in %d cells are %q", n, word, w, got)
				}
			}
		}
	}
}

// The next tab stop is counted in cells, not in characters.
func TestDisplay_Wrap_TabStopsAreCells(t *testing.T) {
	for text, want := range map[string]string{"日本\tx": "日本    x", "日本日本a\tx": "日本日本a   x", "ab\tx": "ab  x"} {
		if got := display.Wrap(text, 40); len(got) != 1 || got[0] != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

// Nothing of a text is lost between the text and its rows, and no row is too wide.
func TestDisplay_Marked_KeepsEverything(t *testing.T) {
	random := rand.New(rand.NewPCG(17, 4))
	pieces := []string{"a", " ", "  ", "\n", "\t", "\x1b[2J", "\u009b2J", "\u202e", "\u200b", "\U000e0041", "日本", "é", "e\u0301\u0301", "👩\u200d👩\u200d👧", "\xff", `"`, ": ", "·", "‹U+200B›", "word"}
	for range 3000 {
		var b strings.Builder
		for range random.IntN(40) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		text, w := b.String(), 10+random.IntN(40)
		for _, blanks := range []bool{false, true} {
			parts := display.Marked(text, blanks)
			var all strings.Builder
			for i, part := range parts {
				if all.WriteString(part.Text); i > 0 && part.Kind == parts[i-1].Kind {
					t.Fatalf("%q: a run of blanks, or of what is hidden, is taken apart: %q", text, parts)
				}
			}
			// The sanitized text, but that joiners are shown.
			want := strings.ReplaceAll(text, "\u200d", "\x00joined\x00")
			want = strings.ReplaceAll(display.Sanitize(want), "␀joined␀", "‹U+200D›")
			if all.String() != want {
				t.Fatalf("%q is shown as %q, want %q", text, all.String(), want)
			}
			var wrapped strings.Builder
			for _, row := range display.WrapParts(parts, w) {
				cells := 0
				for _, part := range row {
					wrapped.WriteString(part.Text)
					cells += display.Width(part.Text)
				}
				if cells > w {
					t.Fatalf("a row of %d cells in %d: %q", cells, w, row)
				}
				for _, part := range row {
					if part.Kind == display.Hidden && strings.Count(part.Text, "‹") != strings.Count(part.Text, "›") {
						t.Fatalf("a code is torn apart at %d: %q", w, row)
					}
				}
			}
			if wrapped.String() != want {
				t.Fatalf("%q is wrapped to %q", text, wrapped.String())
			}
		}
	}
}

func TestDisplay_Marked_WhatCouldBeOverlooked(t *testing.T) {
	for _, tc := range []struct {
		text   string
		blanks bool
		want   string
	}{
		{"a b", true, "a_b"},
		{"a b", false, "a b"},
		{"a  b", false, "a__b"},
		{" a ", true, "_a_"},
		{`  "key": "value"`, false, `  "key": "value"`},
		{`  "key": "value "`, false, `  "key": "value_"`},
		{`  "key": " value"`, false, `  "key": "_value"`},
		{"a\u200bb", false, "a[‹U+200B›]b"},
		{"a\nb", true, "a[⏎]b"},
		{`"a b", "c"`, false, `"a b", "c"`},
		{"\x1b[2J", false, "[␛][2J"},
		{"a\u00a0b\u3000", false, "a[‹U+00A0›]b[‹U+3000›]"},
		{"a\u2800b\u2003c", false, "a[‹U+2800›]b[‹U+2003›]c"},
		{"a\ufe0fb", false, "a[‹U+FE0F›]b"},
		{"❤\ufe0f", false, "❤[‹U+FE0F›]"},
		{"sa\u0336fe", false, "sa[‹U+0336›]fe"},
		{"a\ue000b\U000f0000", false, "a[‹U+E000›]b[‹U+F0000›]"},
		{"a\u0378", false, "a[‹U+0378›]"},
		{"né e\u0301 हिन्दी שלום 日本", false, "né e\u0301 हिन्दी שלום 日本"},
	} {
		var got strings.Builder
		for _, part := range display.Marked(tc.text, tc.blanks) {
			switch part.Kind {
			case display.Blank:
				got.WriteString(strings.Repeat("_", len(part.Text)))
			case display.Hidden:
				got.WriteString("[" + part.Text + "]")
			default:
				got.WriteString(part.Text)
			}
		}
		if got.String() != tc.want {
			t.Errorf("%q is marked %q, want %q", tc.text, got.String(), tc.want)
		}
	}
}

// A word is not broken where it fits into the next row; nothing is left out.
func TestDisplay_WrapParts_KeepsWords(t *testing.T) {
	const text = "frame #8 of session.mcptea.jsonl; it is not read-only and so"
	for w := 46; w < 60; w++ { // a word longer than half a row is broken
		whole := ""
		for _, row := range display.WrapParts(display.Marked(text, false), w) {
			line := ""
			for _, part := range row {
				line += part.Text
			}
			if display.Width(line) > w {
				t.Errorf("a row of %d cells at %d: %q", display.Width(line), w, line)
			}
			if whole += line; len(whole) < len(text) && !strings.HasSuffix(line, " ") {
				t.Errorf("at %d a word is broken: %q", w, line)
			}
		}
		if whole != text {
			t.Errorf("at %d the text is %q", w, whole)
		}
	}
}

func TestDisplay_ShortPath(t *testing.T) {
	for _, tt := range []struct{ home, path, want string }{
		{"/home/ada", "/home/ada", "~"},
		{"/home/ada", "/home/ada/x", "~/x"},
		{"/home/ada", "/home/adam/x", "/home/adam/x"},
		{"/home/ada", "/srv", "/srv"},
		{"", "/srv", "/srv"},
	} {
		if got := phrase.ShortPath(tt.home, tt.path); got != tt.want {
			t.Errorf("%s of %q: %s, want %s", tt.path, tt.home, got, tt.want)
		}
	}
}

// A text that has no room ends with a sentence or a clause of it that has; an enumeration does not end
// early.
func TestDisplay_Phrase(t *testing.T) {
	for _, tc := range []struct {
		text string
		w    int
		want string
	}{
		{"Adds two numbers; the second is 1 if left out", 40, "Adds two numbers"},
		{"Adds two numbers; the second is 1 if left out", 60, "Adds two numbers; the second is 1 if left out"},
		{"Lists files. Hidden ones are left out. Twice.", 40, "Lists files. Hidden ones are left out"},
		{"Lists files, e.g. those of the project that is open", 40, "Lists files, e.g. those of the project …"},
		{"Strings with a format: date, date-time, email", 30, "Strings with a format"},
		{"Sends as fast as it can, or at a pace", 30, "Sends as fast as it can"},
		{"Text, Markdown, sound, and links of all kinds", 30, "Text, Markdown, sound, and lin…"[:29] + "…"},
		{"The app of the tool weather (MCP Apps), in full", 30, "The app of the tool weather"},
		{"Converts – with care – all of the documents there are", 30, "Converts – with care"},
		{"日本語。日本語。日本語", 9, "日本語。…"},
		{"", 5, ""},
		{"word", 0, ""},
	} {
		if got := display.Phrase(tc.text, tc.w); got != tc.want || display.Width(got) > tc.w {
			t.Errorf("%q in %d cells: %q, want %q", tc.text, tc.w, got, tc.want)
		}
	}
}

// A text is cut so that the searched word is visible.
func TestDisplay_CutAround(t *testing.T) {
	for _, tc := range []struct {
		text  string
		w     int
		words []string
		want  string
	}{
		{"q: needle, limit: 5", 30, []string{"needle"}, "q: needle, limit: 5"},
		{"title: a long title, q: needle, limit: 5", 20, []string{"needle"}, "…e, q: needle, limi…"},
		{"title: a long title, q: Needle, limit: 5", 20, []string{"needle"}, "…e, q: Needle, limi…"},
		{"title: a long title, q: needle, limit: 5", 20, []string{"Needle"}, "title: a long title…"},
		{"title: a long title, q: needle, limit: 5", 20, []string{"title"}, "title: a long title…"},
		{"title: a long title, q: needle, limit: 5", 20, nil, "title: a long title…"},
		{"日本語日本語日本語日本語needle", 12, []string{"needle"}, "…本語needle"},
	} {
		if got := display.CutAround(tc.text, tc.w, tc.words); got != tc.want || display.Width(got) > tc.w {
			t.Errorf("%q in %d cells for %q: %q, want %q", tc.text, tc.w, tc.words, got, tc.want)
		}
	}
}

// What is to be pasted into a shell has no break in a word: a line is rather too long.
func TestDisplay_WrapWords(t *testing.T) {
	for _, c := range []struct {
		text string
		w    int
		want []string
	}{
		{`they are not annotated as read-only. --allow $'a tool\041' --allow dup`, 50, []string{`they are not annotated as read-only. --allow`, `$'a tool\041' --allow dup`}},
		{`add --header "Authorization: Bearer $TOKEN" to it`, 26, []string{`add --header`, `"Authorization: Bearer $TOKEN"`, `to it`}},
		{`mcptea list -- node --dir='my own files' x`, 20, []string{`mcptea list -- node`, `--dir='my own files'`, `x`}},
		{`call 'it'\''s one word' {}`, 10, []string{`call`, `'it'\''s one word'`, `{}`}},
		{`https://example.com/a/long/path is it`, 10, []string{`https://example.com/a/long/path`, `is it`}},
		{`the server's tools don't fit`, 12, []string{`the server's`, `tools don't`, `fit`}},
		{`not closed: 'a b c d e f`, 10, []string{`not`, `closed: 'a`, `b c d e f`}},
		{`said "not an option at all" to it`, 12, []string{`said "not an`, `option at`, `all" to it`}},
		{"", 10, []string{""}},
		{"a\n\n  b c", 10, []string{"a", "", "  b c"}},
	} {
		if got := display.WrapWords(c.text, c.w); !slices.Equal(got, c.want) {
			t.Errorf("%q in %d cells is %q", c.text, c.w, got)
		}
	}
	if got := display.Wrap("use 'a b' now or 'a very long word'", 12); !slices.Equal(got, []string{"use 'a b'", "now or", "'a very ", "long word'"}) {
		t.Errorf("in rows of a fixed width %q", got)
	}
}

// Lines have at most their width, and only blanks are removed.
func FuzzDisplay_Wrap(f *testing.F) {
	f.Add("a 'b c' \"d e\" --f \"g h\"", 6)
	f.Add("--x='\\'' \\", 3)
	f.Add("  世界 'a  b", 2)
	f.Fuzz(func(t *testing.T, text string, w int) {
		text, w = display.Sanitize(text), min(max(w, 2), 200)
		kept := func(lines []string) string { return strings.ReplaceAll(strings.Join(lines, ""), " ", "") }
		lines := display.Wrap(text, w)
		for _, line := range lines {
			if display.Width(line) > w && len([]rune(line)) > 1 && display.Width(line[:1]) <= w && !strings.ContainsRune(line, '\u200d') {
				t.Errorf("%q of %q in %d cells", line, text, w)
			}
		}
		if want := strings.ReplaceAll(text, " ", ""); kept(lines) != want || kept(display.WrapWords(text, w)) != want {
			t.Errorf("%q in %d cells is %q and %q", text, w, lines, display.WrapWords(text, w))
		}
	})
}
