package link

import (
	"bytes"
	"strings"
	"testing"

	"mcptea/cli/app"
	"mcptea/cli/settings"
)

// On a terminal a name separates the structured content from a text before it; in a pipe the output
// is that of the parts alone.
func TestPrintResult_SeparatesParts(t *testing.T) {
	const result = `{"content":[{"type":"text","text":"three"}],"structuredContent":{"sum":3}}`
	for terminal, want := range map[bool]string{
		true:  "three\n[structured content]\n{\n  \"sum\": 3\n}\n",
		false: "three\n{\n  \"sum\": 3\n}\n",
	} {
		var b bytes.Buffer
		p := &Link{Settings: &settings.Settings{App: &app.App{Out: &app.Screen{Writer: &b, Terminal: terminal, Width: 80}}}}
		p.PrintResult("tools/call", []byte(result))
		if got := strings.ReplaceAll(b.String(), "\r", ""); got != want {
			t.Errorf("terminal %v: %q, want %q", terminal, got, want)
		}
	}
}
