//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A recording of 2 GB with a hole in it, as a crash can leave one: every command reads
// what is before and after the hole.
func TestRecording_WithAHole(t *testing.T) {
	if !demanded() {
		t.Skip("reads 2 GB several times; set MCPTEA_E2E=1")
	}
	t.Parallel() // it reads files
	dir := t.TempDir()
	good := filepath.Join(dir, "good.mcptea.jsonl")
	mcptea(t, "call", "echo", "message=hi", "--record", good, "--", program(t), "demo", "--serve").exits(t, 0)
	text, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	half := len(lines) / 2
	huge := filepath.Join(dir, "huge.mcptea.jsonl")
	f, err := os.Create(huge)
	if err != nil {
		t.Fatal(err)
	}
	before, after := strings.Join(lines[:half], ""), "\n"+strings.Join(lines[half:], "")
	const size = 2 << 30
	if _, err = f.WriteString(before); err == nil {
		_, err = f.WriteAt([]byte(after), size)
	}
	if closed := f.Close(); err != nil || closed != nil {
		t.Fatal(err, closed)
	}
	for _, args := range [][]string{
		{"diff", good, huge},
		{"lint", huge},
		{"export", huge, "--to", "raw", "--dir", "out", "--output", filepath.Join(dir, "raw.txt")},
		{"replay", huge, "--", program(t), "mock", good},
	} {
		r := startWithin(t, 4*deadline, args...).wait(t) // it reads all of it
		r.exits(t, 0)
		if !strings.Contains(r.stderr, "and was skipped: it is longer than 96 MiB") {
			t.Errorf("%s: %s", args[0], r.stderr)
		}
		if args[0] == "diff" && !strings.Contains(r.stderr, "no differences") {
			t.Errorf("diff lost frames: %s", r.stderr)
		}
	}
	out, err := os.ReadFile(filepath.Join(dir, "raw.txt"))
	if err != nil || !strings.Contains(string(out), `"tools/call"`) {
		t.Errorf("%v, exported %s", err, out)
	}
}
