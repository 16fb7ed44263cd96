package apps

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// shown are the tags of a document in a short form.
func shown(document string) (all []string) {
	for tag := range elements(document) {
		text := tag.Name
		for _, a := range tag.Attributes {
			text += fmt.Sprintf(" %s=%q", a.Name, a.Value)
		}
		if tag.Text != "" {
			text += fmt.Sprintf(" (%s)", tag.Text)
		}
		all = append(all, text)
	}
	return all
}

func TestMarkup_Tags(t *testing.T) {
	for _, c := range []struct {
		name, document string
		want           []string
	}{
		{"attributes", `<IMG SRC="a&amp;b" alt='x' width=3 hidden / data-x = "y">`, []string{`img src="a&b" alt="x" width="3" hidden="" data-x="y"`}},
		{"doctype", "<!DOCTYPE html><html>", []string{"!doctype", "html"}},
		{"end tags", `<p></p class="x"></ ></><b>`, []string{"p", "b"}},
		{"script", `<script>if (a < b) "<img src=x>"</scripted></SCRIPT ><b>`, []string{`script (if (a < b) "<img src=x>"</scripted>)`, "b"}},
		{"script without end", `<script src=a>x<b>`, []string{`script src="a" (x<b>)`}},
		{"comments", `<!-- <img> --><!--><b><!---><i><!-- a --!><u><!-- -- <s> ---><p><!-- `, []string{"b", "i", "u", "p"}},
		{"text", `a < b <3 <`, nil},
		{"greater-than sign in a value", `<a title=">" href=b>`, []string{`a title=">" href="b"`}},
		{"value without end", `<a href="b`, []string{`a href="b"`}},
		{"name without end", `<a b`, []string{`a b=""`}},
		{"equals sign first", `<a =b=c>`, []string{`a =b="c"`}},
		{"processing instruction", `<?xml a><b>`, []string{"b"}},
		{"empty", ``, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := shown(c.document); !slices.Equal(got, c.want) {
				t.Errorf("%q\ngot  %q\nwant %q", c.document, got, c.want)
			}
		})
	}
}

func TestMarkup_Tags_Bounds(t *testing.T) {
	long := shown(strings.Repeat(" ", 4<<20-3) + "<b><i>")
	if !slices.Equal(long, []string{"b"}) {
		t.Errorf("behind the bound: %q", long)
	}
	for tag := range elements("<a" + strings.Repeat(" x=1", 101) + ">") {
		if len(tag.Attributes) != 100 {
			t.Errorf("%d attributes", len(tag.Attributes))
		}
	}
}

func FuzzMarkup_Tags(f *testing.F) {
	f.Add(`<!doctype html><script src=a>x</script><!-- a --!><img src="b" alt=c/>`)
	f.Add(`<a b='c"></a <`)
	f.Fuzz(func(t *testing.T, document string) {
		n := 0
		for tag := range elements(document) {
			if tag.Name == "" || len(tag.Name) > 3*100 {
				t.Errorf("name %q", tag.Name)
			}
			if n++; n > len(document) {
				t.Fatal("more tags than bytes")
			}
		}
	})
}
