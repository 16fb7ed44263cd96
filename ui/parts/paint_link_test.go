package parts_test

import (
	"regexp"
	"strings"
	"testing"

	"mcptea/internal/words/display"
	"mcptea/themes"
	"mcptea/ui/paint"
)

const target = "https://modelcontextprotocol.io/specification/2025-11-25/server/tools"

// linked are the cells of a painted row that lead somewhere, as "." for one that does not; open reports a link
// that is open at its end.
func linked(row string) (cells string, open bool) {
	link := ""
	var b strings.Builder
	for i := 0; i < len(row); {
		if row[i] == 0x1b {
			n := display.Sequence(row[i:])
			if rest, ok := strings.CutPrefix(row[i:i+n], "\x1b]8;"); ok {
				_, link, _ = strings.Cut(strings.TrimRight(rest, "\a"), ";")
			}
			i += n
			continue
		}
		n, w := display.Step(row, i)
		b.WriteString(strings.Repeat(paint.If(link != "", "#", "."), w))
		i += n
	}
	return b.String(), link != ""
}

// Whatever is cut out of a row or laid over it, the cells of a link lead where they led, no others do, and no
// link is open at the end.
func TestPaint_LinksSurviveCuts(t *testing.T) {
	pal := paint.NewPalette(themes.ForBackground(true), false)
	r := pal.Row()
	r.Start(30, paint.Style{})
	r.Put(pal.Text, "see ")
	r.Link(pal.Link, target, "the tool section")
	r.Put(pal.Text, " there")
	row := r.String()
	whole, open := linked(row)
	if open || strings.Count(whole, "#") != 16 {
		t.Fatalf("%q: %s", row, whole)
	}
	is := func(what, row, want string) {
		t.Helper()
		got, open := linked(row)
		if open || got != want {
			t.Errorf("%s: %s, want %s, open: %t\n%q", what, got, want, open, row)
		}
	}
	for x := range 30 {
		for w := 0; x+w <= 30; w++ {
			is("slice", paint.Slice(row, x, w), whole[x:x+w])
		}
	}
	plain := strings.Repeat("x", 30)
	for x := range 20 {
		over := paint.Overlay([]string{row}, []string{"over"}, x, 0)[0]
		is("overlay", over, whole[:x]+"...."+whole[x+4:])
		is("under", paint.Overlay([]string{plain}, []string{paint.Slice(row, 0, 10)}, x, 0)[0], strings.Repeat(".", x)+whole[:10]+strings.Repeat(".", 20-x))
	}
	if got, _ := linked(paint.Marked(row, 2, 10)); len(got) != 30 {
		t.Errorf("selected: %d cells", len(got))
	}
}

// What a terminal could read as something else than an address is not written as a link.
func TestPaint_LinkTargets(t *testing.T) {
	pal := paint.NewPalette(themes.ForBackground(true), false)
	link := func(w int, write func(r *paint.Row)) string {
		r := pal.Row()
		r.Start(w, paint.Style{})
		write(r)
		got := regexp.MustCompile(`\x1b\]8;[^;]*;([^\a\x1b]+)`).FindStringSubmatch(r.String())
		if got == nil {
			return ""
		}
		return got[1]
	}
	if got := link(60, func(r *paint.Row) { r.Link(pal.Link, target, "text") }); got != target {
		t.Errorf("leads to %q", got)
	}
	for _, address := range []string{"", "https://a\x1b\\b", "https://a b", "https://" + strings.Repeat("a", 3000), "https://é"} {
		if got := link(60, func(r *paint.Row) { r.Link(pal.Link, address, "text") }); got != "" {
			t.Errorf("%.40q: leads to %.40q", address, got)
		}
	}
}
