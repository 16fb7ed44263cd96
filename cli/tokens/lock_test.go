package tokens_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"mcptea/cli/tokens"
)

// Each store stands for a process: the lock is that of an open file.
func TestSave_ByManyProcessesAtOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	const processes, each = 8, 5
	var wg sync.WaitGroup
	for p := range processes {
		wg.Go(func() {
			s := tokens.With(dir, nil)
			for i := range each {
				if err := s.Save(saved(fmt.Sprintf("https://h/%d/%d", p, i), "https://issuer")); err != nil {
					t.Error(err)
				}
			}
			if err := s.Forget(saved(fmt.Sprintf("https://h/%d/0", p), "https://issuer")); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	all, err := tokens.With(dir, nil).List()
	if err != nil || len(all) != processes*(each-1) {
		t.Errorf("%d tokens are kept, want %d: %v", len(all), processes*(each-1), err)
	}
}

func TestRead_TightensPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no such permissions")
	}
	dir := t.TempDir()
	if err := tokens.With(dir, nil).Save(saved("https://h/mcp", "https://issuer")); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, tokensFile)
	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
	var told []string
	s := tokens.With(dir, nil)
	s.Warn = func(text string) { told = append(told, text) }
	for range 2 {
		if _, err := s.Load("https://h/mcp"); err != nil {
			t.Fatal(err)
		}
	}
	if len(told) != 1 || !strings.Contains(told[0], "mode 0666") || !strings.Contains(told[0], path) {
		t.Errorf("told %q", told)
	}
	for _, name := range []string{tokensFile, tokensLock} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}
