package inspector

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcptea/demo"
	"mcptea/internal/test/raced"
	"mcptea/session/runs/checker"
)

var _ = raced.Also(
	TestCheck_FindingToItsFrames, TestCheck_StopEndsConnections, TestCheck_NoToolThatMayChangeSomething,
	TestCheck_ReportIsWritten,
)

// checked runs a few probes in the Check pane of a driven program.
func (d *driver) probed(ids ...string) {
	d.t.Helper()
	d.press("8")
	if !d.model.checker.Start(checker.Selection{Only: ids}) {
		d.t.Fatal("the check did not start")
	}
	for range 120 {
		if d.sleep(time.Second); !d.model.checker.State().Running {
			d.settle() // the screen shows it
			return
		}
	}
	d.t.Fatal("the check does not end")
}

func TestCheck_FindingToItsFrames(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 36}} {
		drive(t, size[0], size[1], demo.Options{Fault: "wrong-id"}, func(d *driver) {
			d.press("8")
			d.sees("8 Prob", "No problems found.", "enter run", "not run yet")
			d.probed("P-001", "P-050")
			d.sees("✗ P-050 tool-unknown", "✓ 1 passed", "tools", "✗ 1", "shows #")
			report := d.model.checker.State().Reports
			frame := report[len(report)-1].Findings[0].Frames[0]
			body, err := d.model.checker.Store().Body(frame.Row)
			if err != nil || !strings.Contains(string(body), "mcptea-no-such-tool") {
				t.Fatalf("the evidence is row %d: %s %v", frame.Row, body, err)
			}
			d.press("<enter>")
			d.sees("Probes  P-050 tool-unknown", "evidence", "mcptea-no-such-tool", "conn:")
			if size[0] > 100 {
				d.sees(`"name": "mcptea-no-such-tool"`)
			}
			d.press("<esc><esc>") // the filter, the window
			d.sees("8 Prob", "P-050 tool-unknown")
			if n := d.session.Store().Snapshot().Pending; n > 0 {
				t.Errorf("%d requests of the session are pending: the frames of the check are in its record", n)
			}
		})
	}
}

func TestCheck_StopEndsConnections(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("8r")
		d.sees("of 1", "stop")
		d.press("x")
		d.sleep(20 * time.Second)
		st := d.model.checker.State()
		if st.Running || st.Stopped == nil {
			t.Fatalf("running %v, stopped %v", st.Running, st.Stopped)
		}
		d.sees("incomplete: stopped")
		d.press("G")
		d.sees("not run yet")
	}) // goroutines that are left fail the bubble
}

func TestCheck_NoToolThatMayChangeSomething(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.probed("P-053", "P-054", "P-058")
		called := func() (n int) {
			st := d.model.checker.Store()
			for i := range int32(st.Snapshot().Rows) {
				if body, _ := st.Body(i); strings.Contains(string(body), `"name":"touch-resource"`) && strings.Contains(string(body), `"tools/call"`) {
					n++
				}
			}
			return n
		}
		if n := called(); n > 0 {
			t.Errorf("%d calls of a tool that is not read-only", n)
		}
		d.press(",")
		d.sees("Tools that the probes may call", "touch-resource", "may change")
		for range 3 {
			if !strings.Contains(d.term.screen(), "▌[ ] touch-resource") {
				d.press("j")
			}
		}
		d.press("<enter>")
		d.sees("[x] touch-resource")
		d.press("<esc>")
		d.sees("read-only tools and touch-resource")
	})
}

func TestCheck_ReportIsWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.md")
	drive(t, 120, 36, demo.Options{Fault: "wrong-id"}, func(d *driver) {
		d.press("8")
		d.within(func() { d.model.Run("check.report") })
		d.sees("There are no results to write yet")
		d.probed("P-050")
		d.press("X")
		d.sees("Report of the probes", "SARIF", "check.md")
		for range len("check.md") {
			d.press("<backspace>")
		}
		d.press(path + "<enter>")
		d.sees("Wrote")
	})
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), "P-050") {
		t.Errorf("%s %v", text, err)
	}
	if info, err := os.Stat(path); err == nil && os.PathSeparator == '/' && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
}
