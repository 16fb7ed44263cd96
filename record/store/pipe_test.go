//go:build unix

package store

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

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
