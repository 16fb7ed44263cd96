package link

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"mcptea/cli/app"
	"mcptea/cli/settings"
)

// TestScreen_SanitizesServerText checks that nothing of a server reaches a terminal in
// a form that would move the cursor, hide text or turn it around.
func TestScreen_SanitizesServerText(t *testing.T) {
	evil := "a\x1b[2J\u009b31m\u202eb\U000E0041\x7f\r\x00"
	var b bytes.Buffer
	s := &app.Screen{Writer: &b, Terminal: true, Width: 40}
	result, err := json.Marshal(map[string]any{
		"content": []map[string]any{
			{"type": "text", "text": evil},
			{"type": "image", "mimeType": evil, "data": evil},
			{"type": "resource_link", "uri": evil, "name": evil},
			{"type": "resource", "resource": map[string]string{"uri": evil, "text": evil}},
			{"type": evil, "x": evil},
		},
		"structuredContent": map[string]string{evil: evil},
	})
	if err != nil {
		t.Fatal(err)
	}
	New(settings.New(&app.App{Out: s, Err: s})).PrintResult("tools/call", result)
	b.WriteString(s.JSON(string(result)))
	if i := strings.IndexAny(b.String(), "\x1b\u009b\u202e\U000E0041\x7f\r\x00"); i >= 0 {
		t.Errorf("%q reaches the terminal", b.String()[i:min(i+20, b.Len())])
	}
}

func TestScreen_JSONKeepsItsMeaning(t *testing.T) {
	const text = "{\"a\":\"\u009b\u202e\U000E0041 é 😀\",\n\t\"b\":1.0}"
	s := &app.Screen{Terminal: true}
	var want, got any
	if err := json.Unmarshal([]byte(text), &want); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(s.JSON(text)), &got); err != nil {
		t.Fatal(err)
	}
	if want.(map[string]any)["a"] != got.(map[string]any)["a"] {
		t.Errorf("got %q, want %q", got, want)
	}
	if pipe := (&app.Screen{}).JSON(text); pipe != text {
		t.Errorf("a pipe gets %q", pipe)
	}
}
