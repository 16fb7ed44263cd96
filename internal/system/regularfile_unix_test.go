//go:build unix

package system_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"mcptea/internal/system"
)

// A repository may contain a link to a device, and a directory a pipe: neither is read, and nothing waits
// for a writer.
func TestReadRegular_NeitherPipeNorDevice(t *testing.T) {
	dir := t.TempDir()
	pipe, link, toPipe := filepath.Join(dir, "pipe"), filepath.Join(dir, "package.json"), filepath.Join(dir, "pyproject.toml")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, of := range map[string]string{link: "/dev/zero", toPipe: pipe} {
		if err := os.Symlink(of, name); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{pipe, link, toPipe, "/dev/zero"} {
		if data, _, err := system.ReadRegular(path, 1<<20); err == nil {
			t.Errorf("%s: %d bytes were read", path, len(data))
		}
		if head := system.ReadHead(path, 16); len(head) != 0 {
			t.Errorf("%s: a head of %d bytes", path, len(head))
		}
	}
}
