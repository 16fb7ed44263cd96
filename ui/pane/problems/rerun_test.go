package problems

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mcptea/check/probe"
	"mcptea/lint"
)

// verdict replaces the outcome of a probe, in a run that ends.
func (fx *fixture) verdict(c *probes, id string, v probe.Verdict, found ...probe.Finding) {
	c.st.Running, c.st.Current = true, nil
	c.st.Generation++
	fx.changed()
	c.st.Reports = slices.DeleteFunc(slices.Clone(c.st.Reports), func(r probe.Report) bool { return r.Entry.ID == id })
	c.st.Reports = append(c.st.Reports, probe.Report{Entry: entryNamed(fx.T, id), Verdict: v, Revision: "2025-11-25", Transport: "http", Sent: 16, Findings: found})
	c.st.Running = false
	c.st.Generation++
	fx.changed()
}

// A probe that is run again and passes says so and keeps its row until the cursor moves.
func TestRerun_MendedKeepsItsRow(t *testing.T) {
	fx, c := live(t)
	fx.ran(c)
	c.st.Running, c.st.Current = false, nil
	c.st.Generation++
	fx.changed()
	fx.pane.Select(lineKey{id: "P-050"})
	said := func() string { return strings.Join(fx.Asked, "; ") }
	fx.Press("r")
	fx.verdict(c, "P-050", probe.Fail, probe.Finding{Severity: lint.Error, Message: "A call of an unknown tool returns a result."})
	if !strings.Contains(said(), "P-050 still has findings.") || fx.id() != "P-050" {
		t.Errorf("said %q at %s", said(), fx.id())
	}
	fx.Press("r")
	fx.verdict(c, "P-050", probe.Pass)
	if !strings.Contains(said(), "P-050 passed: 16 frames sent, 1 finding gone.") {
		t.Errorf("said %q", said())
	}
	screen := fx.screen(120, 30)
	if fx.id() != "P-050" || !regexp.MustCompile(`▌ +✓ P-050`).MatchString(screen) || !strings.Contains(screen, "Passed.") {
		t.Errorf("at %s:\n%s", fx.id(), screen)
	}
	if strings.Count(screen, "✓ P-050") != 2 || strings.Contains(screen, "✓ 2 passed") {
		t.Errorf("it is not in the list and in the title, once each:\n%s", screen)
	}
	fx.Press("j")
	fx.changed()
	if screen := fx.screen(120, 30); strings.Contains(screen, "✓ P-050") || !strings.Contains(screen, "✓ 2 passed") {
		t.Errorf("after the cursor has moved:\n%s", screen)
	}
}

// Several probes that are run again are counted, and a run that was stopped says nothing about them.
func TestRerun_SeveralAndStopped(t *testing.T) {
	fx, c := live(t)
	fx.ran(c)
	c.st.Running, c.st.Current = false, nil
	c.st.Generation++
	fx.changed()
	fx.pane.Select(lineKey{group: "tools"})
	fx.Press("r")
	fx.verdict(c, "P-051", probe.Pass)
	if said := strings.Join(fx.Asked, "; "); !strings.Contains(said, "1 of 2 probes passed now; P-050 still has findings.") {
		t.Errorf("said %q", said)
	}
	before := len(fx.Asked)
	fx.pane.Select(lineKey{id: "P-050"})
	fx.Press("r")
	c.st.Stopped = errors.New("stopped")
	fx.verdict(c, "P-050", probe.Pass)
	if said := strings.Join(fx.Asked[before:], "; "); strings.Contains(said, "P-050") {
		t.Errorf("said %q", said)
	}
}

// The line above the list shortens what the probes may do before it cuts their state.
func TestProgress_StateIsNotCut(t *testing.T) {
	fx, c := live(t)
	fx.ran(c)
	c.st.Running, c.st.Current, c.st.Sent, c.st.Seed, c.st.Done = false, nil, 1204, 3144675, 59
	c.st.Generation++
	fx.changed()
	for w, want := range map[int]string{60: "59 probes  1,204 frames sent in 0 ms", 80: "read-only tools only", 120: "seed 3144675"} {
		screen := fx.screen(w, 24)
		line, _, _ := strings.Cut(screen, "\n")
		if !strings.Contains(line, want) || strings.Contains(line, "…") || !strings.Contains(line, "1,204 frames sent in 0 ms") {
			t.Errorf("%d cells: %q", w, line)
		}
	}
}
