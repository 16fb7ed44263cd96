package state_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"mcptea/session/state"
)

func TestResponses_Bounds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "saved.jsonl")
	f := state.NewResponses(path)
	var lines strings.Builder
	for i := range 199 {
		fmt.Fprintf(&lines, `{"method":"m","name":"%d","result":{}}`+"\n", i)
	}
	if err := os.WriteFile(path, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	one := func(name string) state.Saved {
		return state.Saved{Method: "m", Name: name, Result: json.RawMessage(`{}`)}
	}
	if err := f.Save(one("last")); err != nil {
		t.Errorf("result 200 is not saved: %v", err)
	}
	if err := f.Save(one("more")); err == nil || !strings.Contains(err.Error(), "200 are saved already") {
		t.Errorf("result 201: %v", err)
	}
	if err := f.Save(one("last")); err != nil {
		t.Errorf("a saved result is not replaced: %v", err)
	}
	for size, want := range map[int]bool{256 << 10: true, 256<<10 + 1: false} {
		s := state.Saved{Method: "large", Name: "last", Result: json.RawMessage(`{"a":"` + strings.Repeat("x", size-len(`{"a":""}`)) + `"}`)}
		if err := state.NewResponses(filepath.Join(t.TempDir(), "one.jsonl")).Save(s); (err == nil) != want {
			t.Errorf("a result of %d bytes: %v", size, err)
		}
	}
	large := filepath.Join(t.TempDir(), "large.jsonl")
	if err := os.WriteFile(large, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, 8<<20+1); err != nil {
		t.Fatal(err)
	}
	if _, err := state.NewResponses(large).Load(""); err == nil || !strings.Contains(err.Error(), "not a file of mcptea") {
		t.Errorf("a file of 8 MB and a byte: %v", err)
	}
}

// Two processes save at a time: both results are kept.
func TestResponses_TwoWriters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "saved.jsonl")
	var wg sync.WaitGroup
	for w := range 2 {
		wg.Go(func() {
			f := state.NewResponses(path)
			for i := range 50 {
				if err := f.Save(state.Saved{Method: "m", Name: fmt.Sprintf("%d-%d", w, i), Result: json.RawMessage(`{}`)}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if all, err := state.NewResponses(path).Load("m"); err != nil || len(all) != 100 {
		t.Errorf("of 100 results %d are kept, %v", len(all), err)
	}
}
