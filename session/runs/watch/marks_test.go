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
	w.Sync(time.Minute)
	if at := w.Pending(); !at.IsZero() {
		t.Errorf("a change at %s, without one", at)
	}
	for n := range 50 {
		before := time.Now()
		for i := range 1 + n%5 {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d-%d.js", n, i)), []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		w.Sync(time.Minute)
		if at := w.Pending(); at.Before(before) {
			t.Fatalf("round %d: the newest change is of %s, before %s", n, at, before)
		}
	}
	marks := *w.marks.paths.Load()
	w.Close()
	if _, err := os.Stat(filepath.Dir(marks[0])); !os.IsNotExist(err) {
		t.Errorf("the marks are left: %v", err)
	}
}
