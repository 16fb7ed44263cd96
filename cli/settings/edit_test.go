package settings

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"mcptea/internal/system"
)

// A file that an editor has saved since it was read is not replaced.
func TestReplace_ChangedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	for _, now := range []string{"theme: dark\n", ""} {
		if err := os.WriteFile(path, []byte(now), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, before := range [][]byte{nil, []byte("theme: light\n")} {
			if err := replace(t.Context(), path, before, []byte("mute: []\n")); !errors.Is(err, system.ErrChanged) && !(now == "" && before == nil) {
				t.Errorf("%q, read as %q: %v", now, before, err)
			}
			if err := os.WriteFile(path, []byte(now), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 {
		t.Errorf("files %v: %v", left, err)
	}
}
