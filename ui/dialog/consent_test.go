package dialog

import (
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/internal/test/panetest"
	"mcptea/internal/words/display"
	"mcptea/session/question"
	"mcptea/ui/keys"
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
				all.WriteString(part.text)
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
					wrapped.WriteString(part.text)
					cells += display.Width(part.text)
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
			switch part.kind {
			case markBlank:
				got.WriteString(strings.Repeat("_", len(part.text)))
			case markHidden:
				got.WriteString("[" + part.text + "]")
			default:
				got.WriteString(part.text)
			}
		}
		if got.String() != tc.want {
			t.Errorf("%q is marked %q, want %q", tc.text, got.String(), tc.want)
		}
	}
}

// hostile has what a terminal obeys, does not show, or shows in another order.
const hostile = "\x1b]52;c;cHduZWQ=\x07\x1b[31337m\x1b[2J\x07\x08\r\n\t\x00\x7f\u009d52;c;cHduZWQ=\u009c\u009b31337mX\u202e\u2066\u200b\U000e0041"

func ask(t *testing.T, q Consent) (p *panetest.Program, decided *string) {
	t.Helper()
	p, decided = program(t), new(string)
	q.Accept, q.Decline = func() { *decided += "yes" }, func() { *decided += "no" }
	q.Open(p)
	return p, decided
}

// A question with hostile text in each place is painted at every size.
func TestConsent_HostileTextAtEverySize(t *testing.T) {
	for w := 40; w <= 200; w += 7 {
		for h := 10; h <= 60; h += 5 {
			p, decided := ask(t, Consent{
				Title: "Allow this call?", Facts: []Fact{{Label: "from", Text: hostile}, {Label: "on", Text: strings.Repeat("日", 300)}}, Name: "arguments",
				Lines: []string{hostile, strings.Repeat("x ", 400), ""}, Warnings: []string{"Line 1 " + hostile}, Yes: "allow once", No: "decline", After: "the agent gets an error",
			})
			o := p.Pane.(*consent)
			o.grace = 0
			dw, dh := o.Size(&p.Screen, w, h)
			p.W, p.H = dw, dh
			for range 500 {
				screen := p.Paint(dw, dh, true)
				for _, r := range screen {
					if display.IsHidden(r) && r != '\n' {
						t.Fatalf("%dx%d: %U in\n%s", w, h, r, screen)
					}
				}
				if o.seen {
					break
				}
				if p.Press("y"); *decided != "" {
					t.Fatalf("%dx%d: decided before the end was in sight", w, h)
				}
				o.text.Move(1)
			}
			if !o.seen || !strings.Contains(p.Paint(dw, dh, true), "y allow once") {
				t.Errorf("%dx%d: the end is never in sight", w, h)
			}
		}
	}
}

func TestConsent_EndIsSeenBeforeAgreement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, decided := ask(t, Consent{Title: "Go?", Name: "text", Lines: strings.Split(strings.Repeat("line\n", 100)+"THE END", "\n"), Yes: "go", No: "stay"})
		time.Sleep(time.Second)
		sees(t, p, "y go", "more below")
		if asked := p.Press("y"); asked != "off: This works after the last line was in sight." || *decided != "" {
			t.Fatalf("asked %q, decided %q", asked, *decided)
		}
		for range 200 { // a row at a time, to where one row is still below
			if p.Press("down"); p.Pane.(*consent).text.Below() == 1 {
				break
			}
		}
		sees(t, p, "1 more below")
		if p.Press("y"); *decided != "" {
			t.Fatalf("decided %q with a row that was never in sight", *decided)
		}
		p.Press("down")
		sees(t, p, "THE END", "end")
		p.Pane.Motion(keys.Top)
		p.Press("y")
		if *decided != "yes" || isOpen(p) {
			t.Errorf("decided %q", *decided)
		}
	})
}

func TestConsent_Keys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct {
			key, want          string
			unasked, interrupt bool
			wait               time.Duration
		}{
			{"y", "yes", false, false, askedGrace},
			{"esc", "no", false, false, askedGrace},
			{"ctrl+c", "no", false, false, askedGrace},
			{"ctrl+c", "yes", false, true, 0},
			{"y", "", false, false, askedGrace - 1},
			{"esc", "", false, false, askedGrace - 1},
			{"y", "", true, false, askedGrace},
			{"ctrl+c", "", true, false, askedGrace},
			{"y", "yes", true, false, question.Grace},
			{"alt+y", "", false, false, askedGrace},
			{"enter", "", false, false, askedGrace},
			{"q", "", false, false, askedGrace},
			{"tab", "", false, false, askedGrace},
			{"left", "", false, false, askedGrace},
		} {
			p, decided := ask(t, Consent{Title: "Go?", Facts: []Fact{{Label: "to", Text: "x"}}, Yes: "go", No: "stay", Unasked: tt.unasked, Interrupt: tt.interrupt})
			time.Sleep(tt.wait)
			p.Press(tt.key)
			if *decided != tt.want || isOpen(p) != (tt.want == "") {
				t.Errorf("%s after %v: %q, open %v", tt.key, tt.wait, *decided, isOpen(p))
			}
		}
	})
}

func TestConsent_TooLongToBeRead(t *testing.T) {
	p, decided := ask(t, Consent{Title: "Go?", Name: "text", Lines: []string{strings.Repeat("x", question.MaxText+1)}, Yes: "go", No: "stay"})
	p.Pane.(*consent).grace = 0
	sees(t, p, "More than", "y does nothing: this cannot be shown in full")
	p.Press("y")
	if *decided != "" {
		t.Error("agreed")
	}
	p.Press("esc")
	if *decided != "no" {
		t.Error("not declined")
	}
}

func TestConsent_Deadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _ := ask(t, Consent{Title: "Go?", Yes: "go", No: "stay", Deadline: time.Now().Add(time.Minute), Expires: "declines in"})
		sees(t, p, "declines in 1:00")
	})
}

// A word is not broken where it fits into the next row; nothing is left out.
func TestWrapMarked_KeepsWords(t *testing.T) {
	const text = "frame #8 of session.mcptea.jsonl; it is not read-only and so"
	for w := 46; w < 60; w++ { // a word longer than half a row is broken
		whole := ""
		for _, row := range wrapMarked(marked(text, false), w) {
			line := ""
			for _, part := range row {
				line += part.text
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

// What is exactly as long as can be read is shown, and can be agreed to; the warnings are shown.
func TestConsent_AtTheBound(t *testing.T) {
	for size, large := range map[int]bool{question.MaxText: false, question.MaxText + 1: true} {
		facts, lines := size/2, size-size/2
		q := Consent{Title: "Go?", Name: "text", Facts: []Fact{{Label: "to", Text: strings.Repeat("x", facts)}}, Lines: []string{strings.Repeat("x", lines)}}
		if q.IsLarge() != large {
			t.Errorf("%d bytes are too large: %v", size, q.IsLarge())
		}
	}
	p, _ := ask(t, Consent{Title: "Go?", Name: "text", Lines: []string{"x"}, Warnings: []string{"Line 1 has an escape sequence."}, Yes: "go", No: "stay"})
	sees(t, p, "Line 1 has an escape sequence.")
}
