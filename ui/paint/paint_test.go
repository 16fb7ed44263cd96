package paint

import (
	"math"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"mcptea/internal/test/cputime"
	"mcptea/themes"
)

func dark() *Palette { return NewPalette(themes.ForBackground(true), false) }

func plain(rows []string) string { return ansi.Strip(strings.Join(rows, "\n")) }

func TestRowIsExactlyAsWideAsAsked(t *testing.T) {
	p := dark()
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

func TestBaseLiesUnderEverySegment(t *testing.T) {
	p := dark()
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
	m := NewPalette(mono, false)
	r.Start(10, m.Selected)
	r.Put(m.Muted, "x")
	if got := r.String(); !strings.Contains(got, "\x1b[0;2;7mx") {
		t.Errorf("muted text on a reversed row: %q", got)
	}
}

func TestCellFillsItsGround(t *testing.T) {
	p := dark()
	r := p.Row()
	r.Start(8, Style{})
	r.Cell(p.Muted.On(p.Field), "ab", 5)
	got := r.String()
	if at := strings.LastIndex(got, "48;2;43;49;73m"); at < 0 || !strings.HasPrefix(got[at:], "48;2;43;49;73m   \x1b[") {
		t.Errorf("the rest of the field is bare: %q", got)
	}
}

// A list does not grow for what a row can do without.
func TestRow_WantedWithoutSpare(t *testing.T) {
	r := dark().Row()
	r.Start(38, Style{})
	r.Put(Style{}, "136 not run yet")
	r.PutSpare(Style{}, "  lifecycle 10, envelope 14")
	if r.Wanted() != 15 || !strings.Contains(ansi.Strip(r.String()), "lifecycle 10, envelo…") {
		t.Errorf("%d cells are wanted", r.Wanted())
	}
}

func TestRightKeepsItsPlace(t *testing.T) {
	p := dark()
	r := p.Row()
	r.Start(16, Style{})
	r.Right(Span{p.Muted, "1.9 ms"})
	r.Put(p.Text, "get-resource-links")
	if got := ansi.Strip(r.String()); got != "get-reso… 1.9 ms" {
		t.Errorf("before: %q", got)
	}
	r.Start(16, Style{})
	r.Put(p.Text, "get-sum")
	r.Right(Span{p.Muted, "1.9 ms"})
	if got := ansi.Strip(r.String()); got != "get-sum   1.9 ms" {
		t.Errorf("after: %q", got)
	}
}

func TestCells(t *testing.T) {
	p := dark()
	r := p.Row()
	r.Start(30, Style{})
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

func TestPut_ControlCharactersAreShown(t *testing.T) {
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
		if got := Sanitize(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
		if got := string(appendSanitized(nil, []byte(in))); got != want {
			t.Errorf("%q: appended %q, want %q", in, got, want)
		}
	}
}

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
		if got := string(appendSanitized(nil, []byte(in))); got != want {
			t.Errorf("%q is appended as %q, want %q", in, got, want)
		}
	}
}

func TestPut_StopsAtTheEdge(t *testing.T) {
	p := dark()
	huge := strings.Repeat("\u0301\x1b", 10<<20)
	r := p.Row()
	r.Start(40, Style{})
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

func FuzzSanitize(f *testing.F) {
	for _, s := range []string{"a", "\x1b]52;c;AAAA\x07", "\u202e", "\xff\xfe", "👩‍💻", "e\u0301", "\r\n\t"} {
		f.Add(s)
	}
	p := dark()
	f.Fuzz(func(t *testing.T, s string) {
		out := Sanitize(s)
		checkSafe(t, out)
		if again := Sanitize(out); again != out {
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
			for _, line := range Wrap(s, w) {
				checkSafe(t, line)
				if got := ansi.StringWidth(line); got > w && w > 1 {
					t.Fatalf("wrapped line of %d is %d cells: %q", w, got, line)
				}
			}
		}
	})
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

func TestWidthsFollowTheTerminal(t *testing.T) {
	p := dark()
	base := []string{strings.Repeat("x", 20)}
	for _, byCluster := range []bool{false, true} {
		UseGraphemes(byCluster)
		defer UseGraphemes(true)
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
			if got := measure(Overlay(base, []string{"👍🏽🇩🇪"}, w, 0)[0]); got != 20 {
				t.Errorf("clusters %v: overlay at %d is %d cells", byCluster, w, got)
			}
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

func TestBox(t *testing.T) {
	p := dark()
	rows := Box(p, 24, 4, true, []Span{{p.Strong, "Tools"}}, []Span{{p.Muted, "13"}}, []string{" echo"})
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
			rows := Box(p, w, h, false, []Span{{p.Strong, "A long title 日本"}}, []Span{{p.Muted, "note"}}, []string{"日本語日本語日本語日本語日本語"})
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
	a := NewPalette(p.Theme, true)
	for _, row := range Box(a, 20, 3, false, nil, nil, nil) {
		for _, c := range row {
			if c > 0x7f {
				t.Fatalf("%q in an ASCII box", c)
			}
		}
	}
}

func TestJoinSide(t *testing.T) {
	got := JoinSide([]string{"ab"}, []string{"1", "2"})
	if strings.Join(got, "|") != "ab1|  2" {
		t.Errorf("got %q", got)
	}
}

func TestOverlay(t *testing.T) {
	p := dark()
	base := []string{p.Error.Render("0123456789"), "日本語日本", "abcdefghij"}
	got := Overlay(base, []string{"XX", "YY"}, 3, 0)
	if plain(got) != "012XX56789\n日 YY 日本\nabcdefghij" {
		t.Errorf("got\n%s", plain(got))
	}
	// What stands right of the dialog is still red.
	if _, after, _ := strings.Cut(got[0], "XX"); !strings.Contains(after, "38;2;237;135;150") {
		t.Errorf("style lost: %q", got[0])
	}
	got = Overlay(base, []string{"0123456789AB", "x"}, -2, 2)
	if plain(got[2:]) != "23456789AB" {
		t.Errorf("clipped: %q", plain(got[2:]))
	}
	got = Overlay(base, []string{"WWWW"}, 8, 2)
	if plain(got[2:]) != "abcdefghWW" {
		t.Errorf("clipped right: %q", plain(got[2:]))
	}
	for x := -3; x < 12; x++ {
		for _, row := range Overlay(base, []string{"日x", "日x", "日x"}, x, 0) {
			if ansi.StringWidth(row) > 10 {
				t.Errorf("x=%d: %q", x, ansi.Strip(row))
			}
		}
	}
}

func TestBar(t *testing.T) {
	p := dark()
	for f, want := range map[float64]string{0: "░░░░", 0.5: "██░░", 1: "████", 2: "████", 0.3: "█░░░", -1: "░░░░"} {
		if got := ansi.Strip(Bar(p, 4, f)); got != want {
			t.Errorf("%v: %q, want %q", f, got, want)
		}
	}
	if Spinner(p, -1) != "⣷" || Spinner(p, 8) != "⣾" {
		t.Error("spinner")
	}
}

func TestHuman(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 ms", 85 * time.Microsecond: "85 µs", 300: "1 µs", 900 * time.Microsecond: "0.9 ms", 1900 * time.Microsecond: "1.9 ms",
		312 * time.Millisecond: "312 ms", 9999 * time.Microsecond: "10 ms", 6100 * time.Millisecond: "6.1 s",
		10 * time.Second: "10.0 s", 59990 * time.Millisecond: "1m00s", 62 * time.Second: "1m02s",
		125 * time.Minute: "2h05m", -time.Second: "-1.0 s",
	} {
		if got := HumanDuration(d); got != want {
			t.Errorf("%d: %q, want %q", d, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0 B", 98: "98 B", 999: "999 B", 1234: "1.2 kB", 9960: "10 kB", 48_000_000: "48 MB", 999_600: "1.0 MB"} {
		if got := HumanSize(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int]string{0: "0", 999: "999", 1204: "1,204", 1234567: "1,234,567", -1204: "-1,204"} {
		if got := HumanCount(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	at := time.Date(2026, 1, 2, 10, 22, 1, 334e6, time.UTC)
	for deadline, want := range map[time.Time]string{
		{}: "4.3 s", at.Add(59 * time.Second): "4.3 s, times out in 55 s", at.Add(3 * time.Minute): "4.3 s, times out in 2m56s", at: "4.3 s, times out in 0 s",
	} {
		if got := Waited(at, deadline, at.Add(4321*time.Millisecond)); got != want {
			t.Errorf("waited %q, want %q", got, want)
		}
	}
	if got := HumanClock(at); got != "10:22:01.334" {
		t.Errorf("clock %q", got)
	}
}

// No number of a peer or of a recording is one that cannot be painted.
func TestHuman_Extremes(t *testing.T) {
	for n, want := range map[int64]string{math.MinInt64: "-2562047h47m", math.MaxInt64: "2562047h47m", -1: "-1 µs", 0: "0 ms"} {
		if got := HumanDuration(time.Duration(n)); got != want {
			t.Errorf("duration %d: %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int64]string{math.MinInt64: "-9.2 EB", math.MaxInt64: "9.2 EB", -1: "-1 B", 0: "0 B"} {
		if got := HumanSize(n); got != want {
			t.Errorf("size %d: %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int]string{math.MinInt64: "-9,223,372,036,854,775,808", math.MaxInt64: "9,223,372,036,854,775,807", -1: "-1", 0: "0"} {
		if got := HumanCount(n); got != want {
			t.Errorf("count %d: %q, want %q", n, got, want)
		}
		if got := Plural(n, "tool"); got != want+" tools" {
			t.Errorf("plural %d: %q", n, got)
		}
	}
	for n, want := range map[int64]string{math.MinInt64: "0:00", math.MaxInt64: "2562047:47:16", -1: "0:00", 0: "0:00"} {
		if got := HumanCountdown(time.Duration(n)); got != want {
			t.Errorf("countdown %d: %q, want %q", n, got, want)
		}
	}
	for n, want := range map[float64]string{math.Inf(-1): "-Inf", math.MaxFloat64: "1.7976931348623157e+308", 5e-324: "5e-324", -1: "-1", 0: "0"} {
		if got := HumanNumber(n); got != want {
			t.Errorf("number %g: %q, want %q", n, got, want)
		}
	}
	p := dark()
	for _, n := range []int64{math.MinInt64, math.MaxInt64, -1, 0} {
		for _, at := range []time.Time{time.Unix(n, 0), time.Unix(0, n)} {
			if HumanDate(at, time.Unix(0, 0)) == "" || HumanDate(time.Unix(0, 0), at) == "" || HumanClock(at) == "" {
				t.Errorf("time %d is painted as nothing", n)
			}
		}
		for _, w := range []int{-1, 0, 1, 7} {
			for _, f := range []float64{float64(n), math.NaN(), math.Inf(1), math.Inf(-1)} {
				if got := Width(Bar(p, w, f)); got != max(w, 0) {
					t.Errorf("a bar of %d cells at %g has %d", w, f, got)
				}
			}
			if got := Width(p.Sparkline([]int{int(n), 1, math.MaxInt64, math.MinInt64}, w)); got > max(w, 0) {
				t.Errorf("a sparkline of %d cells has %d", w, got)
			}
		}
		Spinner(p, int(n))
	}
}

func TestHumanCountdown(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0:00", 9 * time.Second: "0:09", 298 * time.Second: "4:58", 3723 * time.Second: "1:02:03",
	} {
		if got := HumanCountdown(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
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
