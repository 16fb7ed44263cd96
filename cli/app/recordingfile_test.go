//go:build unix

package app

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
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

func TestRefuseDevice_NamesTheKind(t *testing.T) {
	dir, err := os.MkdirTemp("", "s") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	for path, want := range map[string]string{dir: "is a directory", "/dev/null": "is a device and not a recording", socket: "is a socket and not a recording"} {
		if err := RefuseDevice(path); err == nil || !strings.Contains(err.Error(), path+" "+want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

func TestNotes_CountsWhatIsNotShown(t *testing.T) {
	for total, end := range map[int]string{MaxNotes: fmt.Sprintf("note: line %d\n", MaxNotes), MaxNotes + 1: "note: 1 more note not shown\n", MaxNotes + 5: "note: 5 more notes not shown\n"} {
		var out bytes.Buffer
		p := &App{Err: &Screen{Writer: &out}}
		n := Notes{P: p}
		for i := range total {
			n.Add(fmt.Sprintf("line %d", i+1))
		}
		n.End()
		shown := strings.Count(out.String(), "note: line ")
		if shown != MaxNotes || !strings.HasSuffix(out.String(), end) {
			t.Errorf("%d notes: %d are shown, and the end is %q", total, shown, out.String()[max(0, out.Len()-60):])
		}
	}
}
