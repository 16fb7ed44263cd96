package parts_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
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

// An error of a file of the user has its place, as an absolute path; one without a line leads nowhere.
func TestPaint_PlaceOf(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("paths of Unix")
	}
	_, err := (&themes.Catalog{Dir: t.TempDir()}).Load("absent", true)
	if file, line := paint.PlaceOf(err); file != "" || line != 0 {
		t.Errorf("%v: %s %d", err, file, line)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "mine.yaml")
	if err := os.WriteFile(path, []byte("dark: true\nno-such-role: red\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = (&themes.Catalog{Dir: dir}).Load("mine", true)
	if file, line := paint.PlaceOf(fmt.Errorf("cannot use it: %w", err)); file != path || line != 2 {
		t.Errorf("%v: %s %d", err, file, line)
	}
	text := paint.LinkedPlace(err.Error(), path, 2)
	if cells, open := linked(text); open || strings.Count(cells, "#") != len(path)+2 {
		t.Errorf("%q: %s", text, cells)
	}
	if plain := paint.LinkedPlace("no place", path, 2); plain != "no place" {
		t.Errorf("%q", plain)
	}
}

// A place in a file is a link where a text names that file and that line, and nothing else of the text is.
func TestPaint_LinkPlace(t *testing.T) {
	pal := paint.NewPalette(themes.ForBackground(true), false)
	const file = "/home/dev/my server/src/s2.py"
	if runtime.GOOS == "windows" {
		t.Skip("paths of Unix")
	}
	for _, tt := range []struct{ text, linked string }{
		{`  File "/home/dev/my server/src/s2.py", line 2, in main`, ""}, // the blank in the path: what is before it is not known to belong to it
		{"open s2.py:2 in your editor", "s2.py:2"},
		{"src/s2.py:2:14: SyntaxError", "src/s2.py:2"},
		{"at main (src/s2.py:2:14)", "src/s2.py:2"},
		{`File "src/s2.py", line 2`, `src/s2.py", line 2`},
		{"other/s2.py:2", ""},
		{"/etc/src/s2.py:2", ""},
		{"s2.py:23", ""},
		{"xs2.py:2", ""},
		{"s2.py", ""},
	} {
		r := pal.Row()
		r.Start(80, paint.Style{})
		r.LinkPlace(pal.Text, tt.text, file, 2)
		row := r.String()
		cells, open := linked(row)
		first, last := strings.IndexByte(cells, '#'), strings.LastIndexByte(cells, '#')
		got := ""
		if first >= 0 {
			got = tt.text[first : last+1]
		}
		if open || got != tt.linked {
			t.Errorf("%q: %q is a link, want %q", tt.text, got, tt.linked)
		}
		if tt.linked != "" && !regexp.MustCompile(`\x1b\]8;;file://[^/]*/home/dev/my%20server/src/s2\.py\a`).MatchString(row) {
			t.Errorf("%q leads elsewhere: %q", tt.text, row)
		}
	}
	if got := paint.FileAddress("src/s2.py"); got != "" {
		t.Errorf("a path that is not absolute has the address %q", got)
	}
}
