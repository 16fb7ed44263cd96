package script

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file on the disk that is too large is not read.
func TestFile_MaxFile(t *testing.T) {
	if maxFile != 64<<20 {
		t.Errorf("a file may have %d bytes", maxFile)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "args")
	for size, want := range map[int64]string{10: "", 64<<20 + 1: "@args: the file has 67108865 bytes, more than the maximum of 67108864"} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, size); err != nil { // a hole: it takes no room
			t.Fatal(err)
		}
		_, err := Parse(filepath.Join(dir, "s.txtar"), []byte("call t @args\n"))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("a file of %d bytes: %v", size, err)
		}
	}
}
