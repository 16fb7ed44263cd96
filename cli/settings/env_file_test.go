package settings

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The byte order mark of an editor is not a part of the first name.
func TestReadEnvFile_ByteOrderMark(t *testing.T) {
	path := filepath.Join(t.TempDir(), "my.env")
	if err := os.WriteFile(path, []byte("\ufeffAPI_KEY=a\r\nOTHER=b\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if env, err := readEnvFile(t.Context(), path); err != nil || !slices.Equal(env, []string{"API_KEY=a", "OTHER=b"}) {
		t.Errorf("%q, %v", env, err)
	}
}
