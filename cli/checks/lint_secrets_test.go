package checks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcptea/client/secret"
)

// A secret that a line of a log names is redacted in the lines before it, too.
func TestLearnSecrets_NamedLater(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l.log")
	const first = `{"id":1,"result":{"content":[{"type":"text","text":"use hunterSecretValue77"}]}}`
	text := "received ← " + first + "\nsent → " + `{"id":2,"method":"tools/call","params":{"name":"t","arguments":{"password":"hunterSecretValue77"}}}` + "\nno JSON"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var known secret.Values
	learnSecrets(path, &known)
	if got := string(secret.JSON([]byte(first), &known, nil)); strings.Contains(got, "hunter") || !strings.Contains(got, "use ") {
		t.Error(got)
	}
	learnSecrets(filepath.Dir(path), &known)
	learnSecrets("-", &known)
}
