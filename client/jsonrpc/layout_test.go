package jsonrpc_test

import (
	"slices"
	"strings"
	"testing"

	"mcptea/client/jsonrpc"
)

// The lines of a layout are those of the whole text, for each group on its own.
func TestLayout_Groups(t *testing.T) {
	for _, raw := range []string{
		`1`, `[]`, ` [ 1 , 2 ] `,
		`{"a":[` + strings.Repeat(`{"b": [[],{} , 1,"x"],"c":{"d":{"e":"f"}}} , `, 100) + `0]}`,
		strings.Repeat("[", 200) + strings.Repeat("]", 200),
		`[` + strings.Repeat("1,", jsonrpc.GroupSize-3) + `1]`,
		`[` + strings.Repeat("1,", jsonrpc.GroupSize-2) + `1]`,
	} {
		text, ok := jsonrpc.Indent([]byte(raw))
		l, valid := jsonrpc.NewLayout([]byte(raw))
		if !ok || !valid {
			t.Fatalf("%.30s: %v, %v", raw, ok, valid)
		}
		var lines []string
		most := 0
		for n := range (l.Lines() + jsonrpc.GroupSize - 1) / jsonrpc.GroupSize {
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
