package ui

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"mcptea/client/jsonrpc"
	"mcptea/demo"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
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
			want = strings.ReplaceAll(paint.Sanitize(want), "␀joined␀", "‹U+200D›")
			if all.String() != want {
				t.Fatalf("%q is shown as %q, want %q", text, all.String(), want)
			}
			var wrapped strings.Builder
			for _, row := range wrapMarked(parts, w) {
				cells := 0
				for _, part := range row {
					wrapped.WriteString(part.text)
					cells += paint.Width(part.text)
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

// A question with hostile text in each place is painted at every size, each row exactly as
// wide as the window.
func TestConsent_HostileTextAtEverySize(t *testing.T) {
	a := newAppearance()
	a.load(&Options{})
	for w := 40; w <= 200; w += 7 {
		for h := 10; h <= 60; h += 5 {
			o := openConsent(&consent{
				title: "Allow this call?", facts: []consentFact{{label: "from", text: hostile}, {label: "on", text: strings.Repeat("日", 300)}}, name: "arguments",
				lines: []string{hostile, strings.Repeat("x ", 400), ""}, warnings: []string{"Line 1 " + hostile}, yes: "allow once", no: "decline", after: "the agent gets an error",
			})
			at := rectOf(o, w, h)
			for range 500 {
				for _, row := range o.paint(a.pal, at.w, at.h) {
					if got := ansi.StringWidth(row); got != at.w {
						t.Fatalf("%dx%d: a row of %d cells, not %d: %q", w, h, got, at.w, ansi.Strip(row))
					}
					for _, r := range ansi.Strip(row) {
						if paint.IsHidden(r) {
							t.Fatalf("%dx%d: %U in %q", w, h, r, row)
						}
					}
				}
				if o.seen {
					break
				}
				o.scroll(1)
			}
			if !o.seen {
				t.Errorf("%dx%d: the end is never in sight", w, h)
			}
		}
	}
}

// A page that an authorization server names is opened after the user has seen all of its
// address.
func TestOpenPage_AddressIsShownInFull(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	page := "https://as.example/authorize?scope=" + strings.Repeat("read%20", 400) + "&redirect=https://evil.example/END"
	drive(t, 100, 30, demo.Options{}, func(d *driver) {
		d.do(action.OpenPage{URL: page, From: "the authorization server"})
		d.sees("Open this page?", "the authorization server", "https://as.example/authorize", "more below")
		d.press("y")
		d.sees("Open this page?")
		d.press("<end>")
		d.sees("END", "y open")
		d.press("y")
		d.lacks("Open this page?")
		d.sees("no browser could be opened")
		d.do(action.OpenPage{URL: "https://spec.example/"}) // mcptea's own
		d.lacks("Open this page?")
	})
}

// The keys of a question are those of the user.
func TestConsent_KeysOfTheUser(t *testing.T) {
	keys, err := command.NewKeymap(map[string][]string{"question.agree": {"f5"}})
	if err != nil {
		t.Fatal(err)
	}
	before := command.Default()
	command.SetDefault(keys)
	t.Cleanup(func() { command.SetDefault(before) })
	drive(t, 100, 30, demo.Options{}, func(d *driver) {
		decided := asked(context.Background(), d, "drop", string(jsonrpc.StringID("x")))
		d.press("y")
		d.sees("Allow this call?", "f5 allow once")
		d.press("<f5>")
		if err := <-decided; err != nil {
			t.Error(err)
		}
	})
}

// rectOf is the place of a window on a screen.
func rectOf(o overlay, screenWidth, screenHeight int) rect {
	w, h := o.size(screenWidth, screenHeight)
	w, h = min(w, screenWidth), min(h, screenHeight)
	return rect{(screenWidth - w) / 2, max(1, (screenHeight-h)/3), w, h}
}
