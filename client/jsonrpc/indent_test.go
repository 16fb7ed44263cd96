package jsonrpc

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestIndent_SameAsEncodingJSON(t *testing.T) {
	for _, raw := range []string{
		`{}`, ` [ ] `, `1.0`, `"a\"b{,"`, `{"a":[1,2,{"b":null}],"c":{ },"d":"x: y, z"}`, `[[],[[]],{"a":{}}]`, "{\n\"a\" :\t1 }",
		`not JSON`, `{"a":1`,
	} {
		var want bytes.Buffer
		if json.Indent(&want, []byte(strings.TrimSpace(raw)), "", "  ") != nil {
			want.Reset()
			want.WriteString(raw)
		}
		if got := string(Indent([]byte(raw))); got != want.String() {
			t.Errorf("%s:\n%s\nwant\n%s", raw, got, want.String())
		}
	}
}

func TestIndent_DeepValuesStaySmall(t *testing.T) {
	const depth = 4500
	raw := []byte(strings.Repeat(`{"a":[`, depth) + "1" + strings.Repeat("]}", depth))
	got := Indent(raw)
	if len(got) > 4*len(raw) {
		t.Errorf("%d bytes became %d", len(raw), len(got))
	}
	var back bytes.Buffer
	if err := json.Compact(&back, got); err != nil || !bytes.Equal(back.Bytes(), raw) {
		t.Errorf("the tokens changed: %v", err)
	}
}
