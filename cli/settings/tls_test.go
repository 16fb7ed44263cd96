package settings_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"mcptea/cli/settings"
)

// SSL_CERT_FILE and SSL_CERT_DIR count on all systems: crypto/x509 reads them on most, and
// mcptea on the others.
func TestTLS_FilesOfTheEnvironment(t *testing.T) {
	dir := t.TempDir()
	inDir := filepath.Join(dir, "a.pem")
	if err := os.WriteFile(inDir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"SSL_CERT_FILE": "own.pem", "SSL_CERT_DIR": dir + string(os.PathListSeparator) + filepath.Join(dir, "none")}
	for system, want := range map[string][]string{"linux": nil, "freebsd": nil, "darwin": {"own.pem", inDir}, "windows": {"own.pem", inDir}} {
		if got := settings.AuthorityFiles(system, func(name string) string { return env[name] }); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", system, got, want)
		}
	}
	if got := settings.AuthorityFiles("darwin", func(string) string { return "" }); got != nil {
		t.Errorf("without variables: %q", got)
	}
}
