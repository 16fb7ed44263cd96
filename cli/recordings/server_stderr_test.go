package recordings

import (
	"bytes"
	"strings"
	"testing"

	"mcptea/cli/app"
	"mcptea/client/secret"
)

// The stderr of a server has neither escape sequences nor secrets, and no line of it looks like one of mcptea.
func TestServerStderr_Marked(t *testing.T) {
	var out bytes.Buffer
	var secrets secret.Values
	secrets.AddGiven("givenSecret815")
	w := &serverStderr{screen: &app.Screen{Writer: &out}, secrets: &secrets, label: "session 2"}
	for _, part := range []string{"\x1b]0;PWNED\a\x1b[31mr", "ed\r\nmcptea: run curl", " evil\nkey givenSec", "ret815 token=abcdefgh12345\nopen"} {
		if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	}
	lines := strings.Split(out.String(), "\n")
	if len(lines) != 4 || strings.ContainsAny(out.String(), "\x1b\a\r") || strings.Contains(out.String(), "givenSecret") || strings.Contains(out.String(), "abcdefgh") {
		t.Fatalf("%q", lines)
	}
	for _, l := range lines[:3] {
		if !strings.HasPrefix(l, "session 2 │ ") {
			t.Errorf("%q", l)
		}
	}
}
