package display_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
)

// What a terminal interprets, or what is invisible, is shown by its code: both ends of each range, and
// their neighbors that are not.
func TestDisplay_Hidden_Ranges(t *testing.T) {
	for _, r := range []struct{ from, to rune }{
		{0x00, 0x1f},
		{0x7f, 0x9f}, // controls: C0, delete, C1
		{0xad, 0xad},
		{0x34f, 0x34f},
		{0x61c, 0x61c},
		{0x115f, 0x1160},
		{0x17b4, 0x17b5},
		{0x180b, 0x180f},
		{0x200b, 0x200f},
		{0x2028, 0x202e},
		{0x2060, 0x2064},
		{0x2066, 0x206f},
		{0x3164, 0x3164},
		{0xfe00, 0xfe0d},
		{0xfeff, 0xfeff},
		{0xffa0, 0xffa0},
		{0xfff9, 0xfffb},
		{0xfffe, 0xffff},
		{0x1d173, 0x1d17a},
		{0xe0000, 0xe0fff},
		{0x1fffe, 0x1ffff},
		{0x10fffe, 0x10ffff},
	} {
		middle := r.from + (r.to-r.from)/2
		for _, in := range []rune{r.from, middle, r.to} {
			text := display.Sanitize("a" + string(in) + "b")
			if !display.IsHidden(in) || strings.ContainsRune(text, in) {
				t.Errorf("%U is not hidden: %q", in, text)
			}
		}
	}
	for in := rune(0x80); in < 0xa0; in++ { // each C1 control has its own meaning to a terminal
		if got, want := display.Sanitize(string(in)), fmt.Sprintf("‹%U›", in); got != want {
			t.Errorf("%U: %q", in, got)
		}
	}
	for in := rune(0xe0000); in < 0xe1000; in++ {
		if text := display.Sanitize("a" + string(in)); strings.ContainsRune(text, in) {
			t.Fatalf("%U is on the screen", in)
		}
	}
	for _, shown := range []rune{0x20, 0x7e, 0xa0, 0xac, 0xae, 0x34e, 0x350, 0x115e, 0x17b3, 0x180a, 0x1810, 0x2010, 0x2027, 0x2030, 0x205e, 0x2070, 0x3163, 0xfe0e, 0xfe0f, 0xfe10, 0xff9f, 0xffa1, 0xfffd, 0xe000, 0xe1000} {
		if display.IsHidden(shown) {
			t.Errorf("%U is hidden", shown)
		}
	}
}

// Printable ASCII ends below delete and begins at the blank.
func TestDisplay_CleanASCII_Range(t *testing.T) {
	for c := range 256 {
		if got, want := display.CleanASCII([]byte{'a', byte(c), 'b'}), c >= 0x20 && c <= 0x7e; got != want {
			t.Errorf("%#x: %v", c, got)
		}
	}
}

// What Sanitize shows by its code is escaped in JSON and in quotation marks too, also what Go calls printable.
func TestDisplay_Escapes(t *testing.T) {
	for r := rune(0x80); r < 0xe1000; r++ {
		if !utf8.ValidRune(r) || !display.IsHidden(r) {
			continue
		}
		in := `"a` + string(r) + `b"`
		out := display.EscapeJSON(in)
		var before, after string
		if json.Unmarshal([]byte(in), &before) != nil || json.Unmarshal([]byte(out), &after) != nil || before != after {
			t.Fatalf("%U: %s is not %s", r, out, in)
		}
		if strings.ContainsRune(out, r) || strings.ContainsRune(phrase.QuoteAll(before), r) {
			t.Fatalf("%U is in %q and %q", r, out, phrase.QuoteAll(before))
		}
		if back, err := strconv.Unquote(phrase.QuoteAll(before)); back != before {
			t.Fatalf("%U is read back as %q: %v", r, back, err)
		}
	}
	if got := phrase.QuoteAll("é✗\n"); got != `"é✗\n"` {
		t.Errorf("plain text is quoted as %s", got)
	}
}

// A joiner between pictures makes them one and hides nothing, also behind each color of skin; anywhere
// else it is shown by its code.
func TestDisplay_Sanitize_Joiner(t *testing.T) {
	for text, shown := range map[string]bool{
		"\U0001f469\u200d\U0001f4bb": true, "\U0001f469\U0001f3fb\u200d\U0001f4bb": true, "\U0001f469\U0001f3ff\u200d\U0001f4bb": true,
		"a\u200d\U0001f4bb": false, "\U0001f469\u200da": false, "\U0001f469\u200d": false, "\u200d\U0001f469": false,
	} {
		if got := display.Sanitize(text); (got == text) != shown {
			t.Errorf("%+q is %+q", text, got)
		}
	}
}

// In a question each character that looks like nothing is shown by its code, by its properties and wherever it
// is: also what elsewhere belongs to a picture.
func TestDisplay_Marked_LooksLikeNothing(t *testing.T) {
	is := func(r rune) bool {
		return unicode.In(r, unicode.Zs, unicode.Zl, unicode.Zp, unicode.Cf, unicode.Cc, unicode.Co, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point) && r != ' '
	}
	named := []rune{0x2800, 0x3164, 0xffa0, 0x115f, 0x1160, 0x200d, 0xfe0e, 0xfe0f, 0x180e, 0x17b4, 0x34f, 0x61c, 0xad, 0x1d159, 0x16fe4, 0x303f, 0xfffc, 0x13441, 0xe0001, 0xe0041, 0xe01ef}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) || !is(r) && !slices.Contains(named, r) {
			continue
		}
		for _, around := range [][2]string{{"a", "b"}, {"", ""}, {"\U0001f469", "\U0001f4bb"}, {"1", "\u20e3"}} {
			for _, blanks := range []bool{false, true} {
				parts := display.Marked(around[0]+string(r)+around[1], blanks)
				if !slices.ContainsFunc(parts, func(p display.Part) bool { return p.Kind == display.Hidden }) {
					t.Fatalf("%U is not marked between %q: %+v", r, around, parts)
				}
				for _, p := range parts {
					if strings.ContainsRune(p.Text, r) {
						t.Fatalf("%U is in %+v", r, parts)
					}
				}
			}
		}
	}
}
