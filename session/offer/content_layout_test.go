package offer_test

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
