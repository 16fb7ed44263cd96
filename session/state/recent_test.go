package state_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"mcptea/session/state"
)

func TestRecent_NewestFirstWithoutDuplicates(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "recent.jsonl")
	f := state.NewRecent(path)
	if entries, err := f.Load(); err != nil || entries != nil {
		t.Fatalf("without a file: %v, %v", entries, err)
	}
	const maxTargets, maxTarget = 20, 8 << 10 // how many are kept, and the bytes of one
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for i := range 2 * maxTargets {
		if err := f.Add(state.Target{Time: at, Command: fmt.Sprintf("-- server %d", i%(maxTargets+5)), Dir: "/src"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Add(state.Target{Command: strings.Repeat("x", maxTarget)}); err != nil {
		t.Fatal(err)
	}
	entries, err := f.Load()
	if err != nil || len(entries) != maxTargets-1 { // the one that is too large took a place
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	seen := map[string]bool{}
	for i, e := range entries {
		if seen[e.Command] || !e.Time.Equal(at) {
			t.Errorf("entry %d: %+v", i, e)
		}
		seen[e.Command] = true
	}
	if entries[0].Command != "-- server 14" {
		t.Errorf("the newest is %q", entries[0].Command)
	}
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestRecent_DamagedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "recent.jsonl")
	if err := os.WriteFile(path, []byte("{\"command\":\"a\"}\nnot JSON\n{}\n{\"command\":\"b\"}\n{\"comm"), 0o600); err != nil {
		t.Fatal(err)
	}
	entries, err := state.NewRecent(path).Load()
	if err != nil || len(entries) != 2 || entries[0].Command != "a" || entries[1].Command != "b" {
		t.Errorf("%v, %v", entries, err)
	}
	for _, path := range []string{t.TempDir(), large(t)} {
		if _, err := state.NewRecent(path).Load(); err == nil {
			t.Errorf("%s was read", path)
		}
		if err := state.NewRecent(path).Add(state.Target{Command: "a"}); err == nil {
			t.Errorf("%s was replaced", path)
		}
	}
}

func large(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "recent.jsonl")
	if err := os.WriteFile(path, make([]byte, 20*(8<<10+1)+1), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Two processes add at a time: the entries of both are kept.
func TestRecent_TwoWriters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "recent.jsonl")
	var wg sync.WaitGroup
	for w := range 2 {
		wg.Go(func() {
			for i := range 10 {
				if err := state.NewRecent(path).Add(state.Target{Command: fmt.Sprintf("mcptea -- %d-%d", w, i)}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if all, err := state.NewRecent(path).Load(); err != nil || len(all) != 20 {
		t.Errorf("of 20 entries %d are kept, %v", len(all), err)
	}
}
