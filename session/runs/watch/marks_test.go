package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// After Sync each change that was made before is known, however many there were; its own are not reported.
func TestWatcher_Sync(t *testing.T) {
	dir := t.TempDir()
	w, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if n := w.Now(time.Minute); n != 0 {
		t.Errorf("%d changes, without one", n)
	}
	before := uint64(0)
	for n := range 50 {
		files := 1 + n%5
		for i := range files {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d-%d.js", n, i)), []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		now := w.Now(time.Minute)
		if now < before+uint64(files) {
			t.Fatalf("round %d: generation %d after %d, with %d files more", n, now, before, files)
		}
		before = now
	}
	marks := *w.marks.paths.Load()
	w.Close()
	if _, err := os.Stat(filepath.Dir(marks[0])); !os.IsNotExist(err) {
		t.Errorf("the marks are left: %v", err)
	}
}
