package session

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"

	"mcptea/client/revision"
	"mcptea/demo"
	"mcptea/lint"
	"mcptea/lint/lintfile"
	"mcptea/record/store"
	"mcptea/session/requests"
)

// described is a finding without its row, which is a row in a running session and
// a line in a recording.
func described(f lint.Finding) string {
	return fmt.Sprintf("%s %s %q %s", f.Rule.ID, f.Path, f.Message, f.Fault)
}

// loadWhole opens a recording that has no problems.
func loadWhole(t *testing.T, path string) *store.Store {
	t.Helper()
	s, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if err := s.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	if texts, n := s.Problems(false); n != 0 {
		t.Errorf("problems: %q", texts)
	}
	return s
}

// sameRows compares the index of a session with that of its recording.
func sameRows(t *testing.T, live *store.Store, path string) {
	t.Helper()
	loaded := loadWhole(t, path)
	if a, b := live.Snapshot().Counts, loaded.Snapshot().Counts; a != b {
		t.Errorf("the session has %+v, its recording %+v", a, b)
	}
	for i := range int32(live.Snapshot().Rows) {
		a, _ := live.Row(i)
		b, _ := loaded.Row(i)
		if a != b || live.Method(a.Method) != loaded.Method(b.Method) {
			t.Errorf("row %d: the session has\n%+v, its recording\n%+v", i, a, b)
		}
	}
	total, stderr := live.Logs()
	if t2, s2 := loaded.Logs(); t2 != total || s2 != stderr {
		t.Errorf("the session has %d log entries, %d of stderr; its recording %d, %d", total, stderr, t2, s2)
	}
}

// The findings of a running session are those of its recording, also for servers
// that break the rules.
func TestRecording_SameFindingsAndRows(t *testing.T) {
	for _, fault := range []string{"", "wrong-id", "banner", "crlf", "duplicate-answer", "no-version", "progress-backwards", "result-and-error", "exit-on-call", "unknown-notification"} {
		for _, r := range []revision.Revision{revision.R20241105, revision.R20251125, ""} {
			t.Run(fmt.Sprintf("%s %s", fault, r), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "r.jsonl")
				var live []string
				var session *Session
				synctest.Test(t, func(t *testing.T) {
					s := openAt(t, path, r, demo.Options{Fault: fault}, requests.Policies{})
					session = s
					if err := s.Connect(t.Context()); err != nil {
						t.Fatal(err)
					}
					synctest.Wait()
					call := s.Start("tools/call", []byte(`{"name":"echo","arguments":{"message":"hi"}}`))
					synctest.Wait()
					call.Cancel()
					synctest.Wait()
					if err := s.Close(t.Context()); err != nil {
						t.Error(err)
					}
					for _, g := range s.Findings().Groups {
						for _, f := range g.Findings {
							live = append(live, described(f))
						}
					}
				})
				text, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				var recorded []string
				report, err := lintfile.Lint(t.Context(), bytes.NewReader(text), func(f lint.Finding) {
					if !f.Self {
						recorded = append(recorded, described(f))
					}
				})
				if err != nil || report.Frames < 4 {
					t.Fatalf("%+v, %v", report, err)
				}
				sameRows(t, session.Store(), path)
				slices.Sort(live)
				slices.Sort(recorded)
				if !slices.Equal(live, recorded) {
					t.Errorf("\nlive     %q\nrecorded %q", live, recorded)
				}
			})
		}
	}
}
