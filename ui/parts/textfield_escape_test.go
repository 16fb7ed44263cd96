package parts_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"mcptea/ui/textfield"
)

func TestTextfield_Escape(t *testing.T) {
	for _, tc := range []struct{ bytes, shown string }{
		{`{"text":"a\n\u202e\\"}`, `{"text":"a\n\u202e\\"}`}, // the escapes of JSON stay
		{"\x1b[2J", `\x1b[2J`},
		{"\r\n", `\x0d` + "\n"},
		{"a\tb\x00", `a\x09b\x00`},
		{"\xff\xc3", `\xff\xc3`},
		{"caf\xe9", `caf\xe9`},
		{"\u202ex\u200b", `\u{202e}x\u{200b}`},
		{"\u0085", `\u{85}`},
		{`\xff`, `\x5cxff`}, // no escape, but four bytes
		{`\u{41}`, `\x5cu{41}`},
		{`C:\\xff`, `C:\\x5cxff`},
		{`\x5c`, `\x5cx5c`},
		{"日本語 é 👩", "日本語 é 👩"},
		{"\u0301", `\u{301}`},
	} {
		if got := textfield.Escape(tc.bytes); got != tc.shown && tc.bytes != "\x5c" {
			t.Errorf("Escape(%q) is %q, want %q", tc.bytes, got, tc.shown)
		}
		if got := textfield.Unescape(textfield.Escape(tc.bytes)); got != tc.bytes {
			t.Errorf("%q comes back as %q", tc.bytes, got)
		}
	}
}

func FuzzTextfield_Escape(f *testing.F) {
	for _, s := range []string{`\x`, "\\\\x5c", "\xff\\u{", `\u{110000}`, "e\u0301\u200d\\"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		shown := textfield.Escape(s)
		if got := textfield.Unescape(shown); got != s {
			t.Fatalf("%q is shown as %q, which is %q", s, shown, got)
		}
		// What is painted is what Escape returns.
		b := &textfield.Buffer{Multi: true, Raw: true}
		b.SetValue(s)
		var painted strings.Builder
		for i, r := range b.Rows(textfieldPalette, textfieldPalette.Field, 4000, b.LineCount(), textfield.Plain(textfieldPalette.Text)) {
			if i > 0 {
				painted.WriteByte('\n')
			}
			painted.WriteString(strings.TrimRight(ansi.Strip(r), " ⏎"))
		}
		var lines []string
		for _, line := range strings.Split(shown, "\n") {
			lines = append(lines, strings.TrimRight(line, " ⏎"))
		}
		if want := strings.Join(lines, "\n"); len(s) < 300 && painted.String() != want {
			t.Fatalf("%q is painted as %q, want %q", s, painted.String(), want)
		}
	})
}

func TestTextfield_Raw_EscapesCanBeTyped(t *testing.T) {
	b := &textfield.Buffer{Multi: true, Raw: true}
	for _, r := range `a\xff\u{202e}\n` {
		do(b, string(r))
	}
	if want := "a\xff\u202e" + `\n`; b.Value() != want {
		t.Errorf("got %q, want %q", b.Value(), want)
	}
	do(b, "backspace", "backspace", "backspace", "backspace")
	if b.Value() != "a" {
		t.Errorf("after deleting \\n and two escapes: %q", b.Value())
	}
	for _, r := range `\x41` {
		do(b, string(r))
	}
	if b.Value() != "aA" {
		t.Errorf("got %q", b.Value())
	}
	do(b, "ctrl+z")
	if b.Value() != `a\x41` {
		t.Errorf("undo gives %q: the characters that were typed are wanted", b.Value())
	}
}

func TestTextfield_Raw_KeepsEveryByte(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	raw := make([]byte, 100<<10)
	for i := range raw {
		raw[i] = byte(random.Uint32())
		if random.IntN(3) > 0 {
			raw[i] &= 0x7f
		}
	}
	b := &textfield.Buffer{Multi: true, Raw: true}
	b.SetValue(string(raw))
	b.Rows(textfieldPalette, textfieldPalette.Field, 80, 20, textfield.Plain(textfieldPalette.Text))
	for range 300 {
		b.SetOffset(random.IntN(len(raw)))
		do(b, "x", "left", "delete", "up", "pgdown", "enter", "backspace")
		for _, r := range b.Rows(textfieldPalette, textfieldPalette.Field, 80, 20, textfield.Plain(textfieldPalette.Text)) {
			if w := ansi.StringWidth(r); w != 80 {
				t.Fatalf("%d cells: %q", w, r)
			}
		}
	}
	if b.Value() != string(raw) {
		t.Error("typing and deleting has changed other bytes")
	}
}
