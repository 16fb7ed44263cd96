package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func TestWrite_KeepsTheOldFileAfterAnError(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "kept")
	if err := WriteBytes(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	err := Write(path, func(w io.Writer) error {
		_, _ = io.WriteString(w, "half")
		return broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("the error is %v", err)
	}
	text, err := os.ReadFile(path)
	if err != nil || string(text) != "old" {
		t.Errorf("the file has %q, %v", text, err)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		t.Errorf("the directory has %v, %v", files, err)
	}
	if err := WriteBytes(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() != 3 || os.PathSeparator == '/' && info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info, err)
	}
}
