//go:build unix

package app

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A named pipe without a writer is not waited for without end; one with a writer may be slow.
func TestReadFile_PipeWithoutWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	if writerTimeout != 5*time.Second {
		t.Errorf("%s", writerTimeout)
	}
	_, err := readFile(t.Context(), path, 100, time.Millisecond)
	if err == nil || !strings.Contains(err.Error(), path+": it is a pipe, and no process writes to it within 1ms") {
		t.Errorf("%v", err)
	}
	path += "2" // what waits for the first one goes on
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	go func() {
		w, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = w.WriteString("text")
		_ = w.Close()
	}()
	if b, err := readFile(t.Context(), path, 100, time.Hour); err != nil || string(b) != "text" {
		t.Errorf("%q, %v", b, err)
	}
}
