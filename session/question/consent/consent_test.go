package consent

import (
	"math/rand/v2"
	"strings"
	"testing"

	"mcptea/client"
	"mcptea/internal/words/display"
	"mcptea/session/question"
)

// Nothing of a text is lost between the text and its rows, and no row is too wide.
func TestMarked_KeepsEverything(t *testing.T) {
	random := rand.New(rand.NewPCG(17, 4))
	pieces := []string{"a", " ", "  ", "\n", "\t", "\x1b[2J", "\u009b2J", "\u202e", "\u200b", "\U000e0041", "日本", "é", "e\u0301\u0301", "👩\u200d👩\u200d👧", "\xff", `"`, ": ", "·", "‹U+200B›", "word"}
	for range 3000 {
		var b strings.Builder
		for range random.IntN(40) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		text, w := b.String(), 10+random.IntN(40)
		for _, blanks := range []bool{false, true} {
			parts := marked(text, blanks)
			var all strings.Builder
			for _, part := range parts {
				all.WriteString(part.Text)
			}
			// The sanitized text, but that joiners are shown.
			want := strings.ReplaceAll(text, "\u200d", "\x00joined\x00")
			want = strings.ReplaceAll(display.Sanitize(want), "␀joined␀", "‹U+200D›")
			if all.String() != want {
				t.Fatalf("%q is shown as %q, want %q", text, all.String(), want)
			}
			var wrapped strings.Builder
			for _, row := range wrapMarked(parts, w) {
				cells := 0
				for _, part := range row {
					wrapped.WriteString(part.Text)
					cells += display.Width(part.Text)
				}
				if cells > w {
					t.Fatalf("a row of %d cells in %d: %q", cells, w, row)
				}
			}
			if wrapped.String() != want {
				t.Fatalf("%q is wrapped to %q", text, wrapped.String())
			}
		}
	}
}

func TestMarked_WhatCouldBeOverlooked(t *testing.T) {
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
		{"❤\ufe0f", false, "❤\ufe0f"},
		{"sa\u0336fe", false, "sa[‹U+0336›]fe"},
		{"a\ue000b\U000f0000", false, "a[‹U+E000›]b[‹U+F0000›]"},
		{"a\u0378", false, "a[‹U+0378›]"},
		{"né e\u0301 हिन्दी שלום 日本", false, "né e\u0301 हिन्दी שלום 日本"},
	} {
		var got strings.Builder
		for _, part := range marked(tc.text, tc.blanks) {
			switch part.Kind {
			case Blank:
				got.WriteString(strings.Repeat("_", len(part.Text)))
			case Hidden:
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
func TestWrapMarked_KeepsWords(t *testing.T) {
	const text = "frame #8 of session.mcptea.jsonl; it is not read-only and so"
	for w := 46; w < 60; w++ { // a word longer than half a row is broken
		whole := ""
		for _, row := range wrapMarked(marked(text, false), w) {
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

// What is exactly as long as can be read can be agreed to.
func TestText_AtTheBound(t *testing.T) {
	for size, large := range map[int]bool{question.MaxText: false, question.MaxText + 1: true} {
		facts, lines := size/2, size-size/2
		q := Text{Name: "text", Facts: []Fact{{Label: "to", Text: strings.Repeat("x", facts)}}, Lines: []string{strings.Repeat("x", lines)}}
		if q.IsLarge() != large {
			t.Errorf("%d bytes are too large: %v", size, q.IsLarge())
		}
	}
}

var plain = Marks{Blank: "·", Wrapped: "↳", Style: func(text string) string { return text }}

func TestTerminalRows(t *testing.T) {
	c := Call("clock 1.0, the app of the tool show", "node server.js",
		client.Proposal{Calls: "delete_files", Part: "arguments", Text: `{"path":"/home/u","note":"two  blanks and a text that is longer than a row"}`})
	want := ` from      clock 1.0, the app of the
           tool show
 calls     delete_files
 on        node server.js
 arguments: 4 lines
  1  {
  2    "path": "/home/u",
  3    "note": "two··blanks and a text
  ↳  that is longer than a row"
  4  }
     end
Allow the call of "delete_files"?`
	var lines []string
	for _, row := range append(c.TerminalRows(40, plain), c.TerminalQuestion(plain)) {
		lines = append(lines, strings.TrimRight(row, " "))
	}
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
