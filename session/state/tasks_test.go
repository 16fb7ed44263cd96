package state_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mcptea/session/state"
)

// Ids of tasks are kept for the user alone, for the server that they are of, until they are
// over or expired; without limit they would fill the disk.
func TestTasks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tasks.jsonl")
	f, now := state.NewTasks(path), time.Unix(1000, 0)
	keep := func(server, id string, ttl int64) {
		t.Helper()
		if err := f.Keep(state.Task{Server: server, ID: id, Tool: "brew", Created: now, TTL: ttl}); err != nil {
			t.Fatal(err)
		}
	}
	ids := func(server string, at time.Time) (ids []string) {
		t.Helper()
		all, err := f.Of(server, at)
		if err != nil {
			t.Fatal(err)
		}
		for _, task := range all {
			ids = append(ids, task.ID)
		}
		return ids
	}
	if err := f.Forget("a", "1"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("there is a file although nothing was kept")
	}
	keep("a", "1", 5000)
	keep("a", "2", 0)
	keep("a", "2", -1)
	keep("b", "3", 0)
	if got := fmt.Sprint(ids("a", now), ids("b", now), ids("a", now.Add(time.Minute))); got != "[1 2] [3] [2]" {
		t.Errorf("kept %s", got)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("the file is not for the user alone: %v, %v", info.Mode(), err)
	}
	if err := f.Forget("a", "1"); err != nil {
		t.Fatal(err)
	}
	const maxTasks = 500
	for i := range maxTasks { // the oldest are left out
		keep("c", fmt.Sprint(i), 0)
	}
	if got := fmt.Sprint(ids("a", now), ids("b", now), len(ids("c", now))); got != fmt.Sprint("[] [] ", maxTasks) {
		t.Errorf("kept %s", got)
	}
}
