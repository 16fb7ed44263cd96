package content_test

import (
	"encoding/json"
	"strings"
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/offer/content"
)

const (
	maxDecoded  = 1 << 20 // bytes of a text that is decoded at once
	longestLine = 4 << 10 // bytes of a long text in a line
)

// A long text is not decoded, and its lines and its size are those of the text.
func TestContent_Text_LinesOfLong(t *testing.T) {
	unit := "a \"quoted\" é line\r\n\n\ta tab, \U0001F600\n"
	for name, text := range map[string]string{
		"lines":            strings.Repeat(unit, maxDecoded/len(unit)+1),
		"no end":           strings.Repeat(unit, maxDecoded/len(unit)+1) + "end",
		"one line":         strings.Repeat("é", maxDecoded),
		"a whole group":    strings.Repeat(strings.Repeat("x", 2<<10)+"\n", 10*jsonrpc.GroupSize),
		"begins as JSON":   "{" + strings.Repeat(unit, maxDecoded/len(unit)+1),
		"is JSON":          "\n" + `{"a":"` + strings.Repeat("x", maxDecoded) + `"} `,
		"blanks, a string": strings.Repeat("\n", 2*jsonrpc.GroupSize) + `"` + strings.Repeat("x", maxDecoded) + `"`,
		"blanks at first":  strings.Repeat("\n", 2*longestLine) + strings.Repeat(unit, maxDecoded/len(unit)+1),
	} {
		t.Run(name, func(t *testing.T) {
			quoted, err := json.Marshal(text)
			if err != nil {
				t.Fatal(err)
			}
			parts := content.Parse("tools/call", []byte(`{"content":[{"type":"text","text":`+string(quoted)+`}]}`))
			long, ok := parts[0].(content.Text)
			if !ok || long.Lines() == nil || len(parts) != 1 {
				t.Fatalf("parts: %T of %d", parts[0], len(parts))
			}
			if size := sizeOf(t, quoted); long.String() != text || size != int64(len(text)) {
				t.Errorf("the text differs; %d bytes, want %d", size, len(text))
			}
			if want := strings.TrimSpace(text); (want[0] == '{' && json.Valid([]byte(want))) != (string(long.JSON) == want) {
				t.Errorf("as JSON it has %d bytes", len(long.JSON))
			}
			compareLines(t, long.Lines(), text)
		})
	}
}

// sizeOf is the size that is said of a resource with a text, a JSON string, in bytes.
func sizeOf(t *testing.T, quoted []byte) int64 {
	t.Helper()
	for _, p := range content.Parse("resources/read", []byte(`{"contents":[{"uri":"a:b","text":`+string(quoted)+`}]}`)) {
		if heading, ok := p.(content.Heading); ok {
			for _, f := range heading.Facts {
				if f.Size.Bytes() > 0 {
					return f.Size.Bytes()
				}
			}
		}
	}
	t.Error("a resource has no size")
	return 0
}

func compareLines(t *testing.T, l *content.Lines, text string) {
	t.Helper()
	rest, n := text, 0
	for group := range (l.Lines() + jsonrpc.GroupSize - 1) / jsonrpc.GroupSize {
		for _, line := range l.Group(group) {
			n++
			after, ok := strings.CutPrefix(rest, line)
			if !ok || len(line) > longestLine {
				t.Fatalf("line %d is %.40q, the text goes on with %.40q", n, line, rest)
			}
			rest = strings.TrimPrefix(after, "\n")
			if len(line) < longestLine-4 && len(rest) == len(after) && rest != "" {
				t.Fatalf("line %d ends before its line feed: %.40q", n, rest)
			}
		}
	}
	if rest != "" || n != l.Lines() {
		t.Errorf("%d lines, announced %d; left: %.40q", n, l.Lines(), rest)
	}
}
