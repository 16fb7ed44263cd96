//go:build unix

package store

import (
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"mcptea/session/record"
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

// TestOpen_NotAFile must not wait for a writer of the pipe, nor read a device.
func TestOpen_NotAFile(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	for _, path := range []string{pipe, "/dev/zero", dir} {
		done := make(chan error, 1)
		go func() {
			_, err := Open(path)
			done <- err
		}()
		select {
		case err := <-done:
			if err == nil {
				t.Errorf("%s is opened", path)
			}
		case <-time.After(time.Minute):
			t.Fatalf("opening %s waits", path)
		}
	}
}
