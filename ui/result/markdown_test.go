package result

import (
	"encoding/json"
	"strings"
	"testing"

	"mcptea/ui/markdown"
	"mcptea/ui/paint"
)

// textResult is a result with one text.
func textResult(t *testing.T, mime, text string) *Body {
	t.Helper()
	quoted, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	if mime == "" {
		return resultOf("tools/call", `{"content":[{"type":"text","text":`+string(quoted)+`}]}`)
	}
	return resultOf("resources/read", `{"contents":[{"uri":"a://b","mimeType":"`+mime+`","text":`+string(quoted)+`}]}`)
}

func TestMarkdown_RenderedAndSource(t *testing.T) {
	source := paint.NewPalette(palette.Theme, false)
	source.Source = true
	for mime, text := range map[string]string{"": "# Head\n\n- **one**\n- two", "text/markdown": "**one**"} {
		v := textResult(t, mime, text)
		if !v.Markdown() {
			t.Errorf("%q %q is not Markdown", mime, text)
		}
		rendered := screen(t, v, 40, 10)
		if strings.Contains(rendered, "**") || !strings.Contains(rendered, "one") {
			t.Errorf("not rendered:\n%s", rendered)
		}
		v.Window().End()
		screen(t, v, 40, 2) // scrolled, in the lines of the rendering
		if got := strings.Join(v.Rows(source, colours, 40, 10, true), "\n"); !strings.Contains(got, "**one**") {
			t.Errorf("the source is not shown:\n%s", got)
		}
		if got, _ := v.Whole(); !strings.Contains(got, text) {
			t.Errorf("%q is copied, not the source", got)
		}
		if again := screen(t, v, 40, 10); again != rendered {
			t.Errorf("rendered again:\n%s", again)
		}
	}
}

func TestMarkdown_NotOfOtherText(t *testing.T) {
	for _, v := range []*Body{
		textResult(t, "", "plain text\nwith_two lines *"),
		textResult(t, "text/plain", "# Head\n\n**bold**"),
		textResult(t, "text/x-python", "# Head\n\n**bold**"),
		resultOf("tools/call", `{"isError":true,"content":[{"type":"text","text":"# Head\n\n**bold**"}]}`),
	} {
		if v.Markdown() {
			t.Errorf("rendered as Markdown:\n%s", screen(t, v, 40, 6))
		}
	}
}

func TestMarkdown_LargeTextIsPlainWithANote(t *testing.T) {
	v := textResult(t, "text/markdown", "# Head\n\n"+strings.Repeat("**word** ", markdown.MaxSize/9+1))
	if v.Markdown() {
		t.Error("rendered")
	}
	if got := screen(t, v, 60, 6); !strings.Contains(got, "is shown as its source") || !strings.Contains(got, "# Head") {
		t.Errorf("got:\n%s", got)
	}
}

func TestMarkdown_EscapesStayText(t *testing.T) {
	v := textResult(t, "text/markdown", "# a\x1b]8;;http://x\x07b\n\n&#27;[2J `c\x1b[31m` [d](http://e\x1b\\)")
	for _, row := range v.Rows(palette, colours, 80, 10, true) {
		for _, bad := range []string{"\x1b]", "\x1b[2J", "\x1b[31m", "\x07", "\x1b\\"} {
			if strings.Contains(row, bad) {
				t.Errorf("%q is obeyed: %q", bad, row)
			}
		}
	}
}
