package app

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/tree"

	"mcptea/internal/words/display"
)

func TestTable(t *testing.T) {
	var b bytes.Buffer
	s := &Screen{Writer: &b}
	table := Table{Out: s, Indent: " ", Right: []int{1}, Head: true}
	table.Row("name", "size", "file")
	table.Row("緑茶", "12", "a")
	table.Row("a\x1bb", "1,204", "")
	table.Row("this name is wider than a column may be, which is forty", "1", "b")
	table.Print()
	const pad = "                                      "
	want := " name" + pad[2:] + "   size  file\n" +
		" 緑茶" + pad[2:] + "     12  a\n" +
		" a␛b" + pad[1:] + "  1,204\n" +
		" this name is wider than a column may be, which is forty      1  b\n"
	if b.String() != want {
		t.Errorf("\n%s\nwant\n%s", &b, want)
	}
}

func TestTable_CutAtTheTerminal(t *testing.T) {
	var b bytes.Buffer
	s := &Screen{Writer: &b, Terminal: true, Width: 12}
	table := Table{Out: s, Looks: []lipgloss.Style{Name}}
	table.Row("echo", "says back what was said")
	table.Print()
	if got, want := b.String(), "echo  says …\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// On a terminal a line is below the names of the columns, and columns keep their alignment.
func TestTable_HeadOfATerminal(t *testing.T) {
	var b bytes.Buffer
	table := Table{Out: &Screen{Writer: &b, Terminal: true, Width: 80}, Right: []int{1}, Head: true}
	table.Row("name", "size", "file")
	table.Row("緑茶", "12", "a")
	table.Row("a\x1bb", "1,204", "")
	table.Print()
	if got, want := b.String(), "name   size  file\n─────────────────\n緑茶     12  a\na␛b   1,204\n"; got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
}

// No line is wider than the terminal, the columns before the last one are whole, and nothing
// that the server has sent is obeyed.
func TestTable_Widths(t *testing.T) {
	for _, colors := range []bool{false, true} {
		for width := 1; width <= 90; width++ {
			var b bytes.Buffer
			table := Table{Out: &Screen{Writer: &b, Terminal: true, Colors: colors, Width: width}, Looks: []lipgloss.Style{Name}}
			table.Row("緑茶-and-more", "👩‍💻 family", "a text that goes on\x1b[2J and on and on, until the edge of the terminal")
			table.Row("n", "x", "日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語")
			table.Print()
			lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
			if len(lines) != 2 {
				t.Fatalf("%d columns: %d lines: %q", width, len(lines), lines)
			}
			for _, l := range lines {
				if display.Width(l) > width || strings.Contains(l, "\x1b[2J") {
					t.Errorf("%d columns: %q has %d cells", width, l, display.Width(l))
				}
			}
			if width >= 40 && !strings.Contains(lines[0], "緑茶-and-more") {
				t.Errorf("%d columns: the name is cut: %q", width, lines[0])
			}
		}
	}
}

// With Wrap nothing is cut.
func TestTable_Wrap(t *testing.T) {
	words := strings.Fields("one two three four five six seven eight nine ten eleven twelve")
	for width := 20; width <= 100; width++ {
		var b bytes.Buffer
		table := Table{Out: &Screen{Writer: &b, Terminal: true, Width: width}, Wrap: true}
		table.Row("key", strings.Join(words, " "))
		table.Print()
		if got := strings.Fields(strings.TrimPrefix(b.String(), "key")); fmt.Sprint(got) != fmt.Sprint(words) {
			t.Errorf("%d columns: %q", width, got)
		}
	}
}

// A table with very many rows has the same lines as a small one.
func TestTable_ManyRows(t *testing.T) {
	var small, large bytes.Buffer
	for _, n := range []int{maxRendered, maxRendered + 1} {
		b := &small
		if n > maxRendered {
			b = &large
		}
		table := Table{Out: &Screen{Writer: b, Terminal: true, Colors: true, Width: 50}, Looks: []lipgloss.Style{Name}}
		for i := range n {
			table.Row(fmt.Sprintf("tool-%04d", i), "a description that goes on behind the edge of the terminal")
		}
		table.Print()
	}
	if want, got := small.String(), large.String(); !strings.HasPrefix(got, want) {
		t.Errorf("%.300q, want %.300q", got, want)
	}
}

func TestScreen_Tree(t *testing.T) {
	for _, tc := range []struct {
		terminal, ascii bool
		want            string
	}{
		{false, false, "root\n  one\n  two\n    more\n    below\n"},
		{true, false, "root\n├── one\n╰── two\n    ╰── more\n        below\n"},
		{true, true, "root\n|-- one\n`-- two\n    `-- more\n        below\n"},
	} {
		var b bytes.Buffer
		s := &Screen{Writer: &b, Terminal: tc.terminal, ASCII: tc.ascii}
		s.Tree(tree.Root("root").Child("one", tree.Root("two").Child(s.Labeled("", "more\nbelow", 0))))
		if b.String() != tc.want {
			t.Errorf("\n%s\nwant\n%s", &b, tc.want)
		}
	}
}

// A table of 1,000 rows, by Lip Gloss and as lines, which were 8 times faster.
func BenchmarkSwapTable(b *testing.B) {
	table := Table{Out: &Screen{Writer: io.Discard, Terminal: true, Colors: true, Width: 80}, Looks: []lipgloss.Style{Name}}
	for i := range maxRendered {
		table.Row(fmt.Sprintf("tool-%04d", i), "a description that goes on behind the edge of the terminal")
	}
	for name, print := range map[string]func(){"own": table.printLines, "charm": table.Print} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				print()
			}
		})
	}
}
