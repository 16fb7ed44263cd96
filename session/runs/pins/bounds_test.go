package pins

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcptea/session/session"
)

// A file that is too large is not read.
func TestRead_MaxFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcptea.txtar")
	for size, want := range map[int64]string{10: "", 64<<20 + 1: " has 67108865 bytes, more than 67108864"} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, size); err != nil { // a hole: it takes no room
			t.Fatal(err)
		}
		text, err := read(path)
		if (err == nil) != (want == "") || err != nil && (!strings.HasSuffix(err.Error(), want) || text != nil) || err == nil && len(text) != int(size) {
			t.Errorf("a file of %d bytes: %d are read, %v", size, len(text), err)
		}
	}
}

// The newest runs are kept.
func TestPins_MaxRuns(t *testing.T) {
	s, err := session.Open(session.Config{Record: "off"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	p := New(t.Context(), s, "")
	for _, tt := range []struct {
		runs, kept int
		oldest     int32
	}{{50, 50, 1}, {51, 50, 2}} {
		for n := p.version + 1; n <= tt.runs; n++ {
			p.finish([]Pin{{RequestRow: int32(n)}}, 0)
		}
		if runs := p.runs; len(runs) != tt.kept || runs[0].From != tt.oldest {
			t.Errorf("of %d runs %d are kept, the oldest is number %d", tt.runs, len(runs), runs[0].From)
		}
	}
}
