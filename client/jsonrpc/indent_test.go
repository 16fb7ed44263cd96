package jsonrpc_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"mcptea/client/jsonrpc"
)

func indentedByStandard(raw string) string {
	var b bytes.Buffer
	_ = json.Indent(&b, []byte(raw), "", "  ")
	return strings.TrimRight(b.String(), " \t\r\n")
}

func TestIndent_LikeTheStandardLibrary(t *testing.T) {
	for _, raw := range []string{
		`1`, `"a"`, ` null `, `{}`, `[ ]`, `[[]]`, `{"a":{},"b":[ ],"c" : [1, 2.50 , {"d":"\"}\\"}]}`, "[\n1,\n\t2]", `[{},{"a":1}]`, `{"a":"é\u0041"}`,
	} {
		got, ok := jsonrpc.Indent([]byte(raw))
		if want := indentedByStandard(raw); !ok || got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", raw, got, want)
		}
	}
	for _, raw := range []string{``, `{`, `[1,]`, `nope`} {
		if _, ok := jsonrpc.Indent([]byte(raw)); ok {
			t.Errorf("%q was taken for JSON", raw)
		}
	}
}

// The bounds of the blanks that a layout adds.
const (
	maxIndent  = 100 // levels
	maxBlanks  = 8   // for each byte
	moreBlanks = 1 << 20
)

func TestIndent_DeepNesting(t *testing.T) {
	raw := strings.Repeat(`[`, jsonrpc.MaxDepth) + `1` + strings.Repeat(`]`, jsonrpc.MaxDepth)
	got, ok := jsonrpc.Indent([]byte(raw))
	if !ok || len(got) > 10*len(raw)+2*moreBlanks {
		t.Fatalf("%d bytes are laid out as %d", len(raw), len(got))
	}
	deepest := 0
	for line := range strings.SplitSeq(got, "\n") {
		deepest = max(deepest, len(line)-len(strings.TrimLeft(line, " ")))
	}
	if deepest > 2*maxIndent || deepest < 20 {
		t.Errorf("a line is indented by %d", deepest)
	}
	if back := strings.Join(strings.Fields(got), ""); back != raw {
		t.Error("tokens were lost")
	}

	// Many members below many levels.
	raw = strings.Repeat(`[`, 80) + strings.Repeat(`1,`, 1<<20) + `1` + strings.Repeat(`]`, 80)
	if got, _ := jsonrpc.Indent([]byte(raw)); len(got) > (maxBlanks+3)*len(raw)+2*moreBlanks {
		t.Errorf("%d bytes are laid out as %d", len(raw), len(got))
	}
}

func FuzzIndent(f *testing.F) {
	f.Add([]byte(`{"a":[1,{},[],"x\"y"],"b":-1.5e3}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, ok := jsonrpc.Indent(raw)
		if ok != json.Valid(raw) {
			t.Fatalf("%q: %v", raw, ok)
		}
		if ok && got != indentedByStandard(string(raw)) && !strings.Contains(string(raw), strings.Repeat("[", 50)) {
			t.Fatalf("%q: got\n%s\nwant\n%s", raw, got, indentedByStandard(string(raw)))
		}
	})
}
