package parts_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"mcptea/ui/paint"
)

func TestPaint_Code(t *testing.T) {
	h := paint.NewHighlighter(paintPalette())
	text := "package main\n\nfunc main() {\n\tprintln(\"hi\x1b\")\n}\n"
	for _, kind := range []string{"text/x-go; charset=utf-8", "main.go", "go", "", "application/x-nothing"} {
		c := paint.Source{Kind: kind, Text: text}
		var got []string
		for i := 2; i < 4; i++ {
			s := ""
			for _, sp := range c.Line(h, i) {
				s += sp.Text
			}
			got = append(got, s)
		}
		if strings.Join(got, "|") != "func main() {|    println(\"hi␛\")" {
			t.Errorf("%q: %q", kind, got)
		}
		if c.Line(h, 5) != nil || c.Line(h, 6) != nil {
			t.Errorf("%q: text after the end", kind)
		}
	}
	c := paint.Source{Kind: "go", Text: text}
	if line := c.Line(h, 0); len(line) < 2 || line[0].Style == line[len(line)-1].Style {
		t.Errorf("keyword and name look the same: %+v", line)
	}
}

func TestPaint_JSONLine(t *testing.T) {
	p := paintPalette()
	js := paint.NewJSONStyles(p.Theme)
	r := p.Row()
	r.Start(60, paint.Style{})
	js.Put(r, `{"name":"ec\"ho","n":-1.5e3,"ok":true,"open`)
	got := r.String()
	if !strings.HasPrefix(ansi.Strip(got), `{"name":"ec\"ho","n":-1.5e3,"ok":true,"open`) {
		t.Errorf("got %q", ansi.Strip(got))
	}
	for _, part := range []paint.Span{{Style: js.Key, Text: `"name"`}, {Style: js.String, Text: `"ec\"ho"`}, {Style: js.Number, Text: "-1.5e3"}, {Style: js.Literal, Text: "true"}} {
		if !strings.Contains(got, sequenceOf(part.Style)+part.Text) {
			t.Errorf("%s is not in its style: %q", part.Text, got)
		}
	}
}
