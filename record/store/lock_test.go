package store

import (
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"mcptea/record"
)

// TestInUse_ManyLook has two processes look at a recording, one that is finished and one
// that is written.
func TestInUse_ManyLook(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	w, err := NewWriter(Options{Path: path}, record.Header{})
	if err != nil {
		t.Fatal(err)
	}
	look := func(want bool) {
		t.Helper()
		var wrong atomic.Int64
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				for range 1000 {
					if InUse(path) != want {
						wrong.Add(1)
					}
				}
			})
		}
		wg.Wait()
		if n := wrong.Load(); n > 0 {
			t.Errorf("%d of 2000 looks find that the recording is in use: %v", n, !want)
		}
	}
	look(true)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	look(false)
}

// TestOpen_InUse reads a recording that another handle has marked as one that is written.
func TestOpen_InUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	w, err := NewWriter(Options{Path: path}, record.Header{Target: "a server"})
	if err != nil {
		t.Fatal(err)
	}
	w.Event(&record.Event{Kind: record.KindNote, Text: "a note"})
	w.journal.flushNow()
	if text, err := os.ReadFile(path); err != nil || len(text) == 0 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if s.Header().Target != "a server" || !InUse(path) {
		t.Errorf("header %+v, in use %v", s.Header(), InUse(path))
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if InUse(path) {
		t.Error("a recording that is finished is in use")
	}
}
