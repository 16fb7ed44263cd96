package system_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcptea/internal/system"
)

func TestReadRegular_Bound(t *testing.T) {
	path := filepath.Join(t.TempDir(), "four")
	if err := os.WriteFile(path, []byte("four"), 0o600); err != nil {
		t.Fatal(err)
	}
	if data, mode, err := system.ReadRegular(path, 4); err != nil || string(data) != "four" || !mode.IsRegular() {
		t.Errorf("%q, %v, %v", data, mode, err)
	}
	if _, _, err := system.ReadRegular(path, 3); err == nil || !strings.Contains(err.Error(), "4 bytes, more than the maximum of 3") {
		t.Errorf("a file above the limit: %v", err)
	}
	if head := system.ReadHead(path, 2); string(head) != "fo" {
		t.Errorf("head %q", head)
	}
	if _, _, err := system.ReadRegular(path+"x", 4); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if _, _, err := system.ReadRegular(filepath.Dir(path), 4); err == nil {
		t.Error("a directory was read")
	}
}
