//go:build unix

package app

import (
	"bytes"
	"errors"
	"path/filepath"
	"testing"
)

// TestBoundedWriter_AtTheBound writes as much as may be written, and a byte more.
func TestBoundedWriter_AtTheBound(t *testing.T) {
	var got bytes.Buffer
	w := &boundedWriter{&got, 5}
	for _, text := range []string{"ab", "", "cde"} {
		if n, err := w.Write([]byte(text)); n != len(text) || err != nil {
			t.Errorf("%q: %d, %v", text, n, err)
		}
	}
	if _, err := w.Write([]byte("f")); !errors.Is(err, errPipedTooMuch) || got.String() != "abcde" {
		t.Errorf("%v, %q", err, got.String())
	}
}

// TestRefuseDevice refuses what may have no end, and nothing else.
func TestRefuseDevice(t *testing.T) {
	dir := t.TempDir()
	for path, refused := range map[string]bool{"/dev/zero": true, dir: true, filepath.Join(dir, "none"): false, "recordingfile_test.go": false} {
		if err := RefuseDevice(path); (err != nil) != refused {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// The screen names what was piped, not a made-up file.
func TestPipeName(t *testing.T) {
	for name, want := range map[string]string{"-": "stdin.mcptea.jsonl", "/dev/fd/63": "pipe.mcptea.jsonl", "/proc/self/fd/63": "pipe.mcptea.jsonl", "/tmp/session.fifo": "session.fifo"} {
		if got := pipeName(name); got != want {
			t.Errorf("%s is called %q, want %q", name, got, want)
		}
	}
}
