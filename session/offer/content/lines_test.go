package content

import (
	"encoding/json"
	"strings"
	"testing"
)

// A long text is not decoded, and its lines and its size are those of the text.
func TestText_LinesOfLong(t *testing.T) {
	unit := "a \"quoted\" é line\r\n\n\ta tab, \U0001F600\n"
	for name, text := range map[string]string{
		"lines":            strings.Repeat(unit, maxDecoded/len(unit)+1),
		"no end":           strings.Repeat(unit, maxDecoded/len(unit)+1) + "end",
		"one line":         strings.Repeat("é", maxDecoded),
		"a whole group":    strings.Repeat(strings.Repeat("x", 2<<10)+"\n", 10*GroupSize),
		"begins as JSON":   "{" + strings.Repeat(unit, maxDecoded/len(unit)+1),
		"is JSON":          "\n" + `{"a":"` + strings.Repeat("x", maxDecoded) + `"} `,
		"blanks, a string": strings.Repeat("\n", 2*GroupSize) + `"` + strings.Repeat("x", maxDecoded) + `"`,
		"blanks at first":  strings.Repeat("\n", 2*longestLine) + strings.Repeat(unit, maxDecoded/len(unit)+1),
	} {
		t.Run(name, func(t *testing.T) {
			quoted, err := json.Marshal(text)
			if err != nil {
				t.Fatal(err)
			}
			parts := Parse("tools/call", []byte(`{"content":[{"type":"text","text":`+string(quoted)+`}]}`))
			long, ok := parts[0].(Text)
			if !ok || long.Lines() == nil || len(parts) != 1 {
				t.Fatalf("parts: %T of %d", parts[0], len(parts))
			}
			if long.String() != text || long.size().Bytes() != int64(len(text)) {
				t.Errorf("the text differs; %d bytes, want %d", long.size().Bytes(), len(text))
			}
			if want := strings.TrimSpace(text); (want[0] == '{' && json.Valid([]byte(want))) != (string(long.JSON) == want) {
				t.Errorf("as JSON it has %d bytes", len(long.JSON))
			}
			compareLines(t, long.Lines(), text)
		})
	}
}

func compareLines(t *testing.T, l *Lines, text string) {
	t.Helper()
	rest, n := text, 0
	for group := range (l.Lines() + GroupSize - 1) / GroupSize {
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
