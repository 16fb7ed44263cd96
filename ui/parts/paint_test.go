package parts_test

import (
	"math"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"mcptea/internal/test/cputime"
	"mcptea/internal/words/display"
	"mcptea/themes"
	"mcptea/ui/paint"
)

func paintPalette() *paint.Palette { return paint.NewPalette(themes.ForBackground(true), false) }

func plain(rows []string) string { return ansi.Strip(strings.Join(rows, "\n")) }

func TestPaint_RowIsExactlyAsWideAsAsked(t *testing.T) {
	p := paintPalette()
	for _, tc := range []struct{ put, want string }{
		{"echo", "echo      "},
		{"0123456789", "0123456789"},
		{"trigger-long", "trigger-l…"},
		{"日本語日本語", "日本語日… "},
		{"a日本語日x語", "a日本語日…"},
		{"a日本語日本", "a日本語日…"},
		{"⚠️ warn", "⚠️ warn   "},
		{"naïve é", "naïve é   "},
		{"", "          "},
	} {
		r := p.Row()
		r.Start(10, p.Selected)
		r.Put(p.Accent, tc.put)
		got := r.String()
		if ansi.Strip(got) != tc.want || ansi.StringWidth(got) != 10 {
			t.Errorf("%q: got %q, %d cells", tc.put, ansi.Strip(got), ansi.StringWidth(got))
		}
	}
}

func TestPaint_BaseLiesUnderEverySegment(t *testing.T) {
	p := paintPalette()
	r := p.Row()
	r.Start(20, p.Selected)
	r.Put(p.Error, "no")
	r.Gap(2)
	r.Put(p.Muted, "more")
	got := r.String()
	for _, seq := range strings.Split(got, "\x1b[")[1:] {
		if params, _, _ := strings.Cut(seq, "m"); params != "" && !strings.Contains(params, "48;2;43;49;73") {
			t.Errorf("a segment lost the selected background: %q", got)
		}
	}
	mono, err := (*themes.Catalog)(nil).Load("monochrome", true)
	if err != nil {
		t.Fatal(err)
	}
	m := paint.NewPalette(mono, false)
	r.Start(10, m.Selected)
	r.Put(m.Muted, "x")
	if got := r.String(); !strings.Contains(got, "\x1b[0;2;7mx") {
		t.Errorf("muted text on a reversed row: %q", got)
	}
}

func TestPaint_CellFillsItsGround(t *testing.T) {
	p := paintPalette()
	r := p.Row()
	r.Start(8, paint.Style{})
	r.Cell(p.Muted.On(p.Field), "ab", 5)
	got := r.String()
	if at := strings.LastIndex(got, "48;2;43;49;73m"); at < 0 || !strings.HasPrefix(got[at:], "48;2;43;49;73m   \x1b[") {
		t.Errorf("the rest of the field is bare: %q", got)
	}
}

// What has no room in a row is cut.
func TestPaint_Row_CutsTheLastText(t *testing.T) {
	r := paintPalette().Row()
	r.Start(38, paint.Style{})
	r.Put(paint.Style{}, "136 not run yet")
	r.Put(paint.Style{}, "  lifecycle 10, envelope 14")
	if !strings.Contains(ansi.Strip(r.String()), "lifecycle 10, envelo…") {
		t.Errorf("%q", ansi.Strip(r.String()))
	}
}

func TestPaint_RightKeepsItsPlace(t *testing.T) {
	p := paintPalette()
	r := p.Row()
	r.Start(16, paint.Style{})
	r.Right(paint.Span{Style: p.Muted, Text: "1.9 ms"})
	r.Put(p.Text, "get-resource-links")
	if got := ansi.Strip(r.String()); got != "get-reso… 1.9 ms" {
		t.Errorf("before: %q", got)
	}
	r.Start(16, paint.Style{})
	r.Put(p.Text, "get-sum")
	r.Right(paint.Span{Style: p.Muted, Text: "1.9 ms"})
	if got := ansi.Strip(r.String()); got != "get-sum   1.9 ms" {
		t.Errorf("after: %q", got)
	}
}

func TestPaint_Cells(t *testing.T) {
	p := paintPalette()
	r := p.Row()
	r.Start(30, paint.Style{})
	r.CellRight(p.Muted, "7", 4)
	r.Gap(1)
	r.Cell(p.Text, "abcdefgh", 5)
	r.To(12)
	r.Cell(p.Text, "a\nb", 6)
	r.Put(p.Text, "|")
	if got := ansi.Strip(r.String()); got != "   7 abcd…  a⏎b   |           " {
		t.Errorf("got %q", got)
	}
}

func TestPaint_Put_ControlCharactersAreShown(t *testing.T) {
	for in, want := range map[string]string{
		"plain":               "plain",
		"\x1b[31mred\x07":     "␛[31mred␇",
		"a\nb\tc\r":           "a⏎b⇥c␍",
		"\x7f\u0085":          "␡‹U+0085›",
		"abc\u202edef":        "abc‹U+202E›def",
		"a\u200bb\ufeff":      "a‹U+200B›b‹U+FEFF›",
		"tag\U000e0041":       "tag‹U+E0041›",
		"sel\U000e0100\ufe05": "sel‹U+E0100›‹U+FE05›",
		"bad\xff\xc3":         `bad\xff\xc3`,
		"日本 é ⚠️":             "日本 é ⚠️",
		"line\u2028sep\u2029": "line‹U+2028›sep‹U+2029›",
		"soft\u00adhyphen":    "soft‹U+00AD›hyphen",
		"e\u0301\u0301":       "e\u0301\u0301",
		"👩\u200d💻 👩🏽\u200d🔬":  "👩\u200d💻 👩🏽\u200d🔬", // one emoji each
		"❤️\u200d🔥":           "❤️\u200d🔥",
		"👩\u200dx a\u200d💻":   "👩‹U+200D›x a‹U+200D›💻",
		"👩\u200d\u200d💻":      "👩‹U+200D›‹U+200D›💻",
		"blank\u3164hangul":   "blank‹U+3164›hangul",
	} {
		if got := display.Sanitize(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
		if got := string(display.AppendSanitized(nil, []byte(in))); got != want {
			t.Errorf("%q: appended %q, want %q", in, got, want)
		}
	}
}

func TestPaint_Put_StopsAtTheEdge(t *testing.T) {
	p := paintPalette()
	huge := strings.Repeat("\u0301\x1b", 10<<20)
	r := p.Row()
	r.Start(40, paint.Style{})
	var got string
	took := cputime.Of(func() {
		r.Put(p.Text, huge)
		got = r.String()
	})
	if took > 20*time.Millisecond {
		t.Errorf("took %s, so all of it was read", took)
	}
	if ansi.StringWidth(got) != 40 || !strings.Contains(got, "…") {
		t.Errorf("got %q", got)
	}
}

func checkSafe(t *testing.T, out string) {
	t.Helper()
	if !utf8.ValidString(out) {
		t.Fatalf("invalid UTF-8: %q", out)
	}
	runes := []rune(out)
	for i, r := range runes {
		if r == 0x200d && i > 0 && i+1 < len(runes) && runes[i-1] > 0x2190 && runes[i+1] > 0x2190 {
			continue // it joins two emoji
		}
		if r < 0x20 || r >= 0x7f && r < 0xa0 || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) || unicode.Is(unicode.Bidi_Control, r) {
			t.Fatalf("%U went through in %q", r, out)
		}
	}
}

func TestPaint_WidthsFollowTheTerminal(t *testing.T) {
	p := paintPalette()
	base := []string{strings.Repeat("x", 20)}
	for _, byCluster := range []bool{false, true} {
		display.UseGraphemes(byCluster)
		defer display.UseGraphemes(true)
		measure := ansi.StringWidthWc
		if byCluster {
			measure = ansi.StringWidth
		}
		r := p.Row()
		for w := 1; w < 20; w++ {
			r.Start(w, p.Selected)
			r.Put(p.Text, "⚠️ 👍🏽 🇩🇪 1️⃣ 日本 é")
			if got := measure(r.String()); got != w {
				t.Errorf("clusters %v: row of %d is %d cells", byCluster, w, got)
			}
			if got := measure(paint.Overlay(base, []string{"👍🏽🇩🇪"}, w, 0)[0]); got != 20 {
				t.Errorf("clusters %v: overlay at %d is %d cells", byCluster, w, got)
			}
		}
	}
}

func TestPaint_Box(t *testing.T) {
	p := paintPalette()
	rows := paint.Box(p, 24, 4, true, []paint.Span{{Style: p.Strong, Text: "Tools"}}, []paint.Span{{Style: p.Muted, Text: "13"}}, []string{" echo"})
	want := strings.Join([]string{
		"╭─ Tools ───────── 13 ─╮",
		"│ echo                 │",
		"│                      │",
		"╰──────────────────────╯",
	}, "\n")
	if got := plain(rows); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for w := range 30 {
		for h := range 5 {
			rows := paint.Box(p, w, h, false, []paint.Span{{Style: p.Strong, Text: "A long title 日本"}}, []paint.Span{{Style: p.Muted, Text: "note"}}, []string{"日本語日本語日本語日本語日本語"})
			if len(rows) != h {
				t.Fatalf("%d×%d: %d rows", w, h, len(rows))
			}
			for _, row := range rows {
				if ansi.StringWidth(row) != w {
					t.Errorf("%d×%d: row of %d: %q", w, h, ansi.StringWidth(row), ansi.Strip(row))
				}
			}
		}
	}
	a := paint.NewPalette(p.Theme, true)
	for _, row := range paint.Box(a, 20, 3, false, nil, nil, nil) {
		for _, c := range row {
			if c > 0x7f {
				t.Fatalf("%q in an ASCII box", c)
			}
		}
	}
}

func TestPaint_JoinSide(t *testing.T) {
	got := paint.JoinSide([]string{"ab"}, []string{"1", "2"})
	if strings.Join(got, "|") != "ab1|  2" {
		t.Errorf("got %q", got)
	}
}

func TestPaint_Overlay(t *testing.T) {
	p := paintPalette()
	base := []string{p.Error.Render("0123456789"), "日本語日本", "abcdefghij"}
	got := paint.Overlay(base, []string{"XX", "YY"}, 3, 0)
	if plain(got) != "012XX56789\n日 YY 日本\nabcdefghij" {
		t.Errorf("got\n%s", plain(got))
	}
	// What stands right of the dialog is still red.
	if _, after, _ := strings.Cut(got[0], "XX"); !strings.Contains(after, "38;2;237;135;150") {
		t.Errorf("style lost: %q", got[0])
	}
	got = paint.Overlay(base, []string{"0123456789AB", "x"}, -2, 2)
	if plain(got[2:]) != "23456789AB" {
		t.Errorf("clipped: %q", plain(got[2:]))
	}
	got = paint.Overlay(base, []string{"WWWW"}, 8, 2)
	if plain(got[2:]) != "abcdefghWW" {
		t.Errorf("clipped right: %q", plain(got[2:]))
	}
	for x := -3; x < 12; x++ {
		for _, row := range paint.Overlay(base, []string{"日x", "日x", "日x"}, x, 0) {
			if ansi.StringWidth(row) > 10 {
				t.Errorf("x=%d: %q", x, ansi.Strip(row))
			}
		}
	}
}

func TestPaint_Bar(t *testing.T) {
	p := paintPalette()
	for f, want := range map[float64]string{0: "░░░░", 0.5: "██░░", 1: "████", 2: "████", 0.3: "█░░░", -1: "░░░░"} {
		if got := ansi.Strip(paint.Bar(p, 4, f)); got != want {
			t.Errorf("%v: %q, want %q", f, got, want)
		}
	}
	if paint.Spinner(p, -1) != "⣷" || paint.Spinner(p, 8) != "⣾" {
		t.Error("spinner")
	}
}

func FuzzPaint_Sanitize(f *testing.F) {
	for _, s := range []string{"a", "\x1b]52;c;AAAA\x07", "\u202e", "\xff\xfe", "👩‍💻", "e\u0301", "\r\n\t"} {
		f.Add(s)
	}
	p := paintPalette()
	f.Fuzz(func(t *testing.T, s string) {
		out := display.Sanitize(s)
		checkSafe(t, out)
		if again := display.Sanitize(out); again != out {
			t.Fatalf("not stable: %q then %q", out, again)
		}
		r := p.Row()
		for _, w := range []int{1, 7, 30} {
			r.Start(w, p.Selected)
			r.Put(p.Text, s)
			row := r.String()
			if got := ansi.StringWidth(row); got != w {
				t.Fatalf("row of %d is %d cells: %q", w, got, row)
			}
			for _, line := range display.Wrap(s, w) {
				checkSafe(t, line)
				if got := ansi.StringWidth(line); got > w && w > 1 {
					t.Fatalf("wrapped line of %d is %d cells: %q", w, got, line)
				}
			}
		}
	})
}

// No number of a peer or of a recording is one that cannot be painted.
func TestPaint_Extremes(t *testing.T) {
	p := paintPalette()
	for _, n := range []int64{math.MinInt64, math.MaxInt64, -1, 0} {
		for _, w := range []int{-1, 0, 1, 7} {
			for _, f := range []float64{float64(n), math.NaN(), math.Inf(1), math.Inf(-1)} {
				if got := display.Width(paint.Bar(p, w, f)); got != max(w, 0) {
					t.Errorf("a bar of %d cells at %g has %d", w, f, got)
				}
			}
			if got := display.Width(p.Sparkline([]int{int(n), 1, math.MaxInt64, math.MinInt64}, w)); got > max(w, 0) {
				t.Errorf("a sparkline of %d cells has %d", w, got)
			}
		}
		paint.Spinner(p, int(n))
	}
}
