//go:build unix

package tokens_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mcptea/cli/tokens"
)

// A pipe, a device or a huge file with the name of the token file is refused within bounded time and memory. The error
// names the path and the kind of file, and the file stays.
func TestRead_NotAFile(t *testing.T) {
	for name, c := range map[string]struct {
		put  func(path string) error
		want string
	}{
		"a pipe":       {func(path string) error { return syscall.Mkfifo(path, 0o600) }, "not a regular file"},
		"a device":     {func(path string) error { return os.Symlink("/dev/zero", path) }, "not a regular file"},
		"a directory":  {func(path string) error { return os.Mkdir(path, 0o700) }, "is a directory"},
		"a large file": {func(path string) error { return sparse(path, 16<<20+1) }, "more than the maximum of 16777216"},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, tokensFile)
		if err := c.put(path); err != nil {
			t.Fatal(err)
		}
		s := tokens.With(dir, nil)
		_, err := s.List()
		for of, err := range map[string]error{"list": err, "save": s.Save(saved("https://h/mcp", "https://issuer"))} {
			if err == nil || !strings.HasPrefix(err.Error(), "cannot read the authorizations in "+path) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %s: %v", name, of, err)
			}
		}
		if _, err := os.Lstat(path); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// sparse makes a file of a size that takes no space.
func sparse(path string, size int64) error {
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		return err
	}
	return os.Truncate(path, size)
}
