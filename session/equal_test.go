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
	"mcptea/session/lint"
	"mcptea/session/lintfile"
)

// described is a finding without its row, which is a row in a running session and
// a line in a recording.
func described(f lint.Finding) string {
	return fmt.Sprintf("%s %s %q %s", f.Rule.ID, f.Path, f.Message, f.Fault)
}

// The findings of a running session are those of its recording, also for servers
// that break the rules.
func TestLint_RecordingGivesTheSameFindings(t *testing.T) {
	for _, fault := range []string{"", "wrong-id", "banner", "crlf", "duplicate-answer", "no-version", "progress-backwards", "result-and-error", "exit-on-call", "unknown-notification"} {
		for _, r := range []revision.Revision{revision.R20241105, revision.R20251125, ""} {
			t.Run(fmt.Sprintf("%s %s", fault, r), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "r.jsonl")
				var live []string
				synctest.Test(t, func(t *testing.T) {
					s := openAt(t, path, r, demo.Options{Fault: fault}, Policies{})
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
				slices.Sort(live)
				slices.Sort(recorded)
				if !slices.Equal(live, recorded) {
					t.Errorf("\nlive     %q\nrecorded %q", live, recorded)
				}
			})
		}
	}
}
