package session

import (
	"bytes"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/demo"
	"mcptea/internal/test/raced"
	"mcptea/lint"
	"mcptea/lint/lintfile"
	"mcptea/record/store"
	"mcptea/session/requests"
)

// recordDemo are recordings of the demo server over stdio and over HTTP.
func recordDemo(t *testing.T) map[string]string {
	t.Helper()
	dir := t.TempDir()
	paths := map[string]string{"stdio": filepath.Join(dir, "stdio.jsonl"), "http": filepath.Join(dir, "http.jsonl")}
	use := func(t *testing.T, s *Session) {
		if err := s.Connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, params := range []string{`{"name":"echo","arguments":{"message":"hi"}}`, `{"name":"progress","arguments":{}}`, `{"name":"none"}`} {
			<-s.Start("tools/call", []byte(params)).Done()
		}
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		s := openAt(t, paths["stdio"], revision.R20251125, demo.Options{Fault: "banner"}, requests.Policies{})
		s.cfg.Lists = nil // a short recording, of which most is cut
		use(t, s)
	})
	web := httptest.NewServer(demo.New(demo.Options{Pace: time.Millisecond}).HandlerContext(t.Context()))
	t.Cleanup(web.Close)
	s, err := Open(Config{
		Target: client.Target{URL: web.URL + "/mcp"}, Record: paths["http"],
		Client: client.Config{Name: "mcptea", Version: "test", Revision: revision.R20251125}, Subscribe: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	use(t, s)
	return paths
}

// everyByte is the part of the end in which a recording is cut at each byte. Before
// that it is cut at both sides of each line end, and at every thirteenth byte.
const everyByte = 300

// A recording that was cut off anywhere, as by a crash or a full disk, opens and
// can be linted.
func TestRecording_CutOffAnywhere(t *testing.T) {
	raced.Never(t, "loads one recording for each place at which it is cut off")
	for name, path := range recordDemo(t) {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			whole := loadWhole(t, path)
			cut := filepath.Join(t.TempDir(), "cut.jsonl")
			for n := max(len(text)-4096, bytes.IndexByte(text, '\n')+1); n < len(text); n++ {
				atLineEnd := text[n] == '\n' || text[n-1] == '\n'
				if os.Getenv("MCPTEA_E2E") == "" && !atLineEnd && len(text)-n > everyByte && n%41 != 0 {
					continue
				}
				if err := os.WriteFile(cut, text[:n], 0o600); err != nil {
					t.Fatal(err)
				}
				openCut(t, cut, whole)
				_, err := lintfile.Lint(t.Context(), bytes.NewReader(text[:n]), func(lint.Finding) {})
				begins := bytes.Count(text[:n], []byte("\n")) < 2 // the first event may be incomplete
				if err != nil && !(begins && errors.Is(err, lintfile.ErrNoEvents)) {
					t.Fatalf("lint after %d bytes: %v", n, err)
				}
			}
		})
	}
}

// openCut opens a recording that was cut off and compares its rows with those of
// the whole one.
func openCut(t *testing.T, path string, whole *store.Store) {
	t.Helper()
	s, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if err := s.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := s.Snapshot().Rows; n > 0 {
		want, _ := whole.Row(int32(n - 1))
		got, _ := s.Row(int32(n - 1))
		if got.Time != want.Time || got.Kind != want.Kind || got.Conn != want.Conn {
			t.Fatalf("the last of %d rows is %+v, want %+v", n, got, want)
		}
	}
}
