package display

import (
	"strings"
	"testing"
)

// The rows of a text with what is between them are the text again.
func TestDisplay_Joints_GiveTheTextBack(t *testing.T) {
	for _, text := range []string{
		"", "one", "one two three four", "one  two   three", "one\ntwo three four\n\nfive", "averylongwordthatisfolded twice",
		"日本語のテキスト がある", "a:b,c;d:e,f;g:h", "   indented text that is folded", "aa aa aa aa aa aa",
	} {
		for w := 2; w < 20; w++ {
			rows, joints := Wrap(text, w), Joints(text, w)
			if len(rows) != len(joints) {
				t.Fatalf("%q in %d cells: %d rows, %d joints", text, w, len(rows), len(joints))
			}
			var back strings.Builder
			for i, row := range rows {
				back.WriteString(joints[i] + row)
			}
			if back.String() != text {
				t.Errorf("%q in %d cells: %q", text, w, back.String())
			}
		}
	}
	if joints := Joints("text", 0); joints != nil {
		t.Errorf("in no cells: %q", joints)
	}
}
