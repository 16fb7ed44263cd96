package pins

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"mcptea/internal/system"
)

// Pins that another program has written since they were read are kept.
func TestWrite_ChangedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcptea.txtar")
	if err := os.WriteFile(path, []byte("# of an editor\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := &Pins{path: path, read: true}
	if err := p.write([]byte("# of mcptea\n")); !errors.Is(err, system.ErrChanged) {
		t.Errorf("the error is %v", err)
	}
	if text, _ := os.ReadFile(path); string(text) != "# of an editor\n" {
		t.Errorf("the file has %q", text)
	}
}
