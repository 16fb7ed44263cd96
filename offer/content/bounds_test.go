package content_test

import (
	"fmt"
	"strings"
	"testing"

	"mcptea/offer/content"
)

func TestContent_TablesOf_Bounds(t *testing.T) {
	columns := func(n int) []byte {
		var members []string
		for i := range n {
			members = append(members, fmt.Sprintf(`"c%d":1`, i))
		}
		return []byte("[{" + strings.Join(members, ",") + "}]")
	}
	for n, want := range map[int]bool{1: true, 60: true, 61: false} {
		if _, ok := content.TablesOf(columns(n)); ok != want {
			t.Errorf("an array with %d columns is a table: %t", n, ok)
		}
	}
	const row = `[{"a":"`
	for over, want := range []bool{true, false} {
		raw := []byte(row + strings.Repeat("x", 8<<20-len(row)-len(`"}]`)+over) + `"}]`)
		if _, ok := content.TablesOf(raw); ok != want {
			t.Errorf("%d bytes are a table: %t", len(raw), ok)
		}
	}
}

// Of very many content blocks the first ones are shown, and the others counted.
func TestContent_Parse_ManyBlocks(t *testing.T) {
	const block = `{"type":"text","text":"a"},`
	for _, tt := range []struct{ method, before, after string }{
		{"tools/call", `{"content":[`, `]}`},
		{"prompts/get", `{"messages":[{"role":"user","content":[`, `]}]}`},
	} {
		for n, want := range map[int]string{50_000: "", 50_001: "1 further block not shown", 60_000: "10,000 further blocks not shown"} {
			blocks := strings.TrimSuffix(strings.Repeat(block, n), ",")
			texts, note := 0, ""
			for _, part := range content.Parse(tt.method, []byte(tt.before+blocks+tt.after)) {
				switch part := part.(type) {
				case content.Text:
					texts++
				case content.Note:
					note = part.Text
				}
			}
			if texts != min(n, 50_000) || !strings.HasPrefix(note, want) || (want == "") != (note == "") {
				t.Errorf("%s with %d blocks: %d texts and the note %q", tt.method, n, texts, note)
			}
		}
	}
}
