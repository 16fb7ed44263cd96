package content_test

import (
	"slices"
	"strings"
	"testing"

	"mcptea/session/offer/content"
)

// The lines of a layout are those of the whole text, for each group on its own.
func TestContent_Layout_Groups(t *testing.T) {
	for _, raw := range []string{
		`1`, `[]`, ` [ 1 , 2 ] `,
		`{"a":[` + strings.Repeat(`{"b": [[],{} , 1,"x"],"c":{"d":{"e":"f"}}} , `, 100) + `0]}`,
		strings.Repeat("[", 200) + strings.Repeat("]", 200),
		`[` + strings.Repeat("1,", content.GroupSize-3) + `1]`,
		`[` + strings.Repeat("1,", content.GroupSize-2) + `1]`,
	} {
		text, ok := content.Indent([]byte(raw))
		l, valid := content.NewLayout([]byte(raw))
		if !ok || !valid {
			t.Fatalf("%.30s: %v, %v", raw, ok, valid)
		}
		var lines []string
		most := 0
		for n := range (l.Lines() + content.GroupSize - 1) / content.GroupSize {
			lines = append(lines, l.Group(n)...)
		}
		for _, line := range lines {
			most = max(most, len(line))
		}
		if want := strings.Split(text, "\n"); !slices.Equal(lines, want) || len(lines) != l.Lines() || l.Longest() < most {
			t.Errorf("%.30s: %d lines, %d announced, want %d; up to %d bytes, %d announced", raw, len(lines), l.Lines(), len(want), most, l.Longest())
		}
	}
}

// A blob that is a text is shown as one, and its size is that of the bytes.
func TestContent_Layout_TextInABlob(t *testing.T) {
	for frame, want := range map[string]string{
		`{"contents":[{"uri":"a://b","mimeType":"text/plain","blob":"SGVsbG8sIHRlYSE="}]}`: "Hello, tea!",
		`{"contents":[{"uri":"a://b","mimeType":"text/plain","blob":"//79"}]}`:             "",
		`{"contents":[{"uri":"a://b","mimeType":"application/zip","blob":"SGVsbG8="}]}`:    "",
		`{"contents":[{"uri":"a://b","text":"tea"}]}`:                                      "tea",
		`{"contents":[{"uri":"a://b","text":"a\tb \u00e9 \ud83c\udf75"}]}`:                 "a\tb é 🍵",
	} {
		text := ""
		for _, part := range content.Parse("resources/read", []byte(frame)) {
			if p, ok := part.(content.Text); ok {
				text += p.String()
			}
		}
		if text != want {
			t.Errorf("%s is shown as %q", frame, text)
		}
		for _, it := range content.Items("resources/read", []byte(frame)) {
			if data, err := it.Data(); err != nil || len(data) != it.Size() {
				t.Errorf("%s has %d bytes, said to be %d: %v", frame, len(data), it.Size(), err)
			}
		}
	}
}
