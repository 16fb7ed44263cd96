package parts_test

import (
	"strings"
	"testing"

	"mcptea/internal/words/display"
	"mcptea/ui/markdown"
	"mcptea/ui/paint"
)

// markdownShown lays a text out and returns the rows without their styles.
func markdownShown(t *testing.T, source string, w int) []string {
	t.Helper()
	d := markdown.Parse(source)
	if d == nil {
		t.Fatal("not laid out")
	}
	pal := paintPalette()
	high := paint.NewHighlighter(pal)
	var rows []string
	for i := range d.Len() {
		for _, row := range d.Rows(pal, high, i, w) {
			var b strings.Builder
			for _, s := range row {
				b.WriteString(s.Text)
			}
			if got := display.Width(b.String()); got > w {
				t.Errorf("a row of %d cells in %d: %q", got, w, b.String())
			}
			rows = append(rows, strings.TrimRight(b.String(), " "))
		}
	}
	return rows
}

func TestMarkdown_Rows(t *testing.T) {
	for name, c := range map[string]struct {
		source string
		w      int
		want   string
	}{
		"headings and paragraphs": {"# One *two*\n\ntext\nnext line\n\n## Three\nmore", 40, "One two||text|next line||Three||more"},
		"emphasis and code":       {"a **b** _c_ `d_e` \\*f\\* &amp; &lt; g_h_i", 60, "a b c d_e *f* & < g_h_i"},
		"lists": {
			"- one\n- two\n  - inner\n- three\n\n3. c\n4. d\n", 40,
			"• one|• two|  • inner|• three||3. c|4. d",
		},
		"loose list":       {"* one\n\n* two", 40, "• one||• two"},
		"hanging indent":   {"- one two three four", 12, "• one two|  three four"},
		"quotation":        {"> a\n> b\n>\n> > c", 40, "│ a|│ b|│|│ │ c"},
		"code":             {"```go\nfunc main() {\n\tx()\n}\n```\nafter", 40, "  func main() {|      x()|  }||after"},
		"indented code":    {"text\n\n    code  here\n", 40, "text||  code  here"},
		"link":             {"[docs](https://a.example/x) <https://b.example> [https://c.example](https://c.example)", 80, "docs (https://a.example/x) https://b.example https://c.example"},
		"image":            {"![alt](i.png)", 40, "image: alt (i.png)"},
		"rule":             {"a\n\n---\n\nb", 10, "a||──────────||b"},
		"HTML stays":       {"a <b>c</b>\n\n<div>\nx\n</div>\n", 40, "a <b>c</b>||<div>|x|</div>"},
		"table":            {"| a | bb |\n|---|---:|\n| `x|y` | 1 |\n| z |", 40, "a   │ bb|────────|x|y │  1|z   │"},
		"table that wraps": {"| name | text |\n|---|---|\n| a | one two three |", 15, "name │ text|───────────────|a    │ one two|     │ three"},
		"records":          {"| key | default | meaning |\n|---|---|---|\n| records.directory | ~/.local/state/mcptea | where records are |\n| a | | b |", 50, "key|──────────────────────────────────────────────────|records.directory|  default  ~/.local/state/mcptea|  meaning  where records are|a|  meaning  b"},
		"whole words":      {"| key | text |\n|---|---|\n| record.on | one two three four five six seven |", 26, "key       │ text|──────────────────────────|record.on │ one two three|          │ four five six|          │ seven"},
		"no table":         {"a | b\nc | d", 40, "a | b|c | d"},
		"line ends":        {"a\r\nb", 40, "a|b"},
		"control characters": {
			"a\x1b[31m &#27;[2J [x](http://e\x1b]8;;) `c\x07`", 80,
			"a␛[31m ␛[2J x (http://e␛]8;;) c␇",
		},
		"direction overrides": {"a\u202eb **c\u200bd**", 80, "a‹U+202E›b c‹U+200B›d"},
		"empty items":         {"-\n- a", 40, "•|• a"},
		"nothing":             {"", 40, ""},
	} {
		if got := strings.Join(markdownShown(t, c.source, c.w), "|"); got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", name, got, c.want)
		}
	}
}

func TestMarkdown_Rows_Styles(t *testing.T) {
	pal := paintPalette()
	d := markdown.Parse("# T\n\na **b** *c* `d` [e](u)\n\n- i\n\n```go\nfunc\n```")
	have := map[string]paint.Style{}
	for i := range d.Len() {
		for _, row := range d.Rows(pal, paint.NewHighlighter(pal), i, 80) {
			for _, s := range row {
				have[s.Text] = s.Style
			}
		}
	}
	for text, want := range map[string]paint.Style{
		"T": pal.Title, "a ": pal.Text, "b": pal.TextBold, "c": pal.Emphasis, "d": pal.Value, "e": pal.Link, " (u)": pal.Muted, "• ": pal.Accent,
	} {
		if have[text] != want {
			t.Errorf("%q has the style %+v, not %+v", text, have[text], want)
		}
	}
	if st, ok := have["func"]; !ok || st == pal.Text {
		t.Errorf("code is not highlighted: %+v", have)
	}
}

func TestMarkdown_Looks(t *testing.T) {
	for _, s := range []string{
		"# Title\n\ntext", "text\n\n## Sub\n\nmore", "```\ncode\n```", "a **bold** word", "see [docs](https://x.example)",
		"- one\n- two", "1. one\n2. two", "| a | b |\n|---|---|\n| 1 | 2 |", "use `a` or `b`\nand `c`",
	} {
		if !markdown.Looks(s) {
			t.Errorf("%q does not look like Markdown", s)
		}
	}
	for _, s := range []string{
		"", "plain text", "2 * 3 * 4", "#!/bin/sh\n# comment\nls", "snake_case and other_case", "- one thing", "a | b\nc | d",
		"x[0](1)", "[INFO] started\n[INFO] ready", "error at `main`", "-----\ntotal 4\n-----", "a ** b ** c",
	} {
		if markdown.Looks(s) {
			t.Errorf("%q looks like Markdown", s)
		}
	}
}

func TestMarkdown_Parse_TooLargeOrTooDeepIsNotLaidOut(t *testing.T) {
	if markdown.Parse(strings.Repeat("a", markdown.MaxSize+1)) != nil {
		t.Error("a text over the maximum is laid out")
	}
	if markdown.Parse(strings.Repeat("> ", 1000)+"a") != nil {
		t.Error("a thousand quotations in each other are laid out")
	}
}

// A server chooses the text: what would take the parser long is not laid out.
func TestMarkdown_Parse_CostlyTextIsNotLaidOut(t *testing.T) {
	for _, unit := range []string{"> ", ">", "1. ", "- - ", "[", "![", "[a](", "[a]: b\n"} {
		if markdown.Parse(strings.Repeat(unit, markdown.MaxSize/len(unit))) != nil {
			t.Errorf("%q without end is laid out", unit)
		}
	}
	for _, s := range []string{strings.Repeat("[a](b) ", 1000), strings.Repeat("> ", 20) + "a", strings.Repeat("- a\n", 5000), strings.Repeat("-", 200)} {
		if markdown.Parse(s) == nil {
			t.Errorf("%q… is not laid out", s[:20])
		}
	}
}

func FuzzMarkdown_Rows(f *testing.F) {
	f.Add("# a\n\n- b\n  > c\n\n| a | b |\n|---|:-:|\n| `|` | d |\n\n```x\ny\n```\n[l](u)", 20)
	f.Add("a\x1b]0;x\x07 &#27; \u202e", 3)
	f.Fuzz(func(t *testing.T, source string, w int) {
		d := markdown.Parse(source)
		if d == nil {
			return
		}
		w = 1 + (w&0x7fffffff)%100
		pal := paintPalette()
		high := paint.NewHighlighter(pal)
		for i := range d.Len() {
			for _, row := range d.Rows(pal, high, i, w) {
				for _, s := range row {
					if display.Sanitize(s.Text) != s.Text {
						t.Fatalf("%q is not sanitized", s.Text)
					}
				}
			}
		}
	})
}
