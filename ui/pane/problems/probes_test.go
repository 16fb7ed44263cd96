package problems

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"mcptea/check/probe"
	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/internal/test/sessiontest"
	"mcptea/lint"
	"mcptea/offer"
	"mcptea/session/runs/checker"
	"mcptea/session/session"
	"mcptea/ui/app"
)

// probes is a checker that does what a test says.
type probes struct {
	st  checker.State
	ran []string // the runs, the probes of each
}

func (c *probes) State() checker.State { return c.st }

func (c *probes) Allow(tool string, on bool) {
	if c.st.Allowed = nil; on {
		c.st.Allowed = []string{tool}
	}
	c.st.Generation++
}

func (c *probes) Start(s checker.Selection) bool {
	c.ran = append(c.ran, strings.Join(s.Only, " "))
	return true
}

func (c *probes) Stop() { c.ran = append(c.ran, "stop") }

func entryNamed(t *testing.T, id string) *probe.Entry {
	for _, e := range probe.Catalogue() {
		if e.ID == id {
			return e
		}
	}
	t.Fatal("no probe " + id)
	return nil
}

// live has a session with findings, and a checker whose probes have not run.
func live(t *testing.T) (*fixture, *probes) {
	fx, c := several(t), &probes{}
	fx.pane = New(fx, fx, c)
	fx.pane.Probes = slices.DeleteFunc(slices.Clone(fx.pane.Probes), func(e *probe.Entry) bool { return !sessiontest.IsFixed(e.ID) })
	fx.Pane = fx.pane
	fx.pane.Frames = func(title string, rows []int32) {
		fx.Asked = append(fx.Asked, fmt.Sprint("frames of ", title, " ", rows))
	}
	fx.changed()
	return fx, c
}

// ran has probes with all outcomes; one runs.
func (fx *fixture) ran(c *probes) {
	report := func(id string, v probe.Verdict, skip string, found ...probe.Finding) {
		one := probe.Report{Entry: entryNamed(fx.T, id), Verdict: v, Revision: "2025-11-25", Transport: "http", Skip: skip, Findings: found}
		if v == probe.Skipped {
			one.Reason = probe.OtherVersion
		}
		c.st.Reports = append(c.st.Reports, one)
	}
	report("P-001", probe.Pass, "")
	report("P-010", probe.Skipped, "2026-07-28")
	report("P-050", probe.Fail, "",
		probe.Finding{Severity: lint.Warn, Case: "an empty name", Subject: "tool:x", Message: "The error has no message.", Hint: "Say which name is wrong."},
		probe.Finding{Severity: lint.Error, Case: "an unknown name", Message: "A call of an unknown tool returns a result.", Hint: "Return error -32602.", Frames: []probe.Frame{
			{Row: 6, Dir: transport.Out, Bytes: []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`)},
			{Row: 7, Dir: transport.In, Bytes: []byte(`{"jsonrpc":"2.0","id":1,"result":{}}`)},
		}})
	report("P-051", probe.Failure, "the connection was lost")
	c.st.Started, c.st.Running, c.st.Done, c.st.Total = noon.Add(-4*time.Second), true, 4, 130
	c.st.Current = []*probe.Entry{entryNamed(fx.T, "P-052")}
	c.st.Servers = []*probe.Server{{Revision: "2025-11-25", Uncalled: []probe.Uncalled{{Tool: "drop", Why: "not annotated as read-only", Flag: "--allow"}}}}
	c.st.Generation++
	fx.changed()
}

func TestProbes_Screens(t *testing.T) {
	for name, show := range map[string]func(*fixture, *probes){
		"not run": func(fx *fixture, _ *probes) { fx.Press("G") },
		"running": func(fx *fixture, c *probes) { fx.ran(c) },
		"ended": func(fx *fixture, c *probes) {
			fx.ran(c)
			c.st.Running, c.st.Current, c.st.Sent, c.st.Took, c.st.Seed = false, nil, 1204, 12*time.Second, 7
			c.st.Generation++
			fx.changed()
			fx.Press("j", "j", "j", "j", "j")
		},
		"stopped": func(fx *fixture, c *probes) {
			fx.ran(c)
			c.st.Running, c.st.Stopped = false, errors.New("stopped")
			c.st.Generation++
			fx.changed()
			fx.Press("G", "k", "space")
		},
	} {
		for _, size := range [][2]int{{80, 21}, {120, 27}} {
			t.Run(fmt.Sprintf("%s %d", name, size[0]), func(t *testing.T) {
				fx, c := live(t)
				fx.W, fx.H = size[0], size[1]
				show(fx, c)
				golden.RequireEqual(t, fx.screen(size[0], size[1]))
			})
		}
	}
}

// A finding has what it rests on beside its frames.
// What a library does is one row that is folded; a probe with a finding of the server's own is listed.
func TestProbes_WhatALibraryDoesIsFolded(t *testing.T) {
	fx, c := live(t)
	sdk := &probe.Library{Name: "the TypeScript SDK"}
	both := []probe.Finding{{Severity: lint.Warn, Message: "It is silent.", Library: sdk}, {Severity: lint.Warn, Message: "It is its own.", Case: "another"}}
	for id, found := range map[string][]probe.Finding{"P-005": both[:1], "P-024": both[:1], "P-025": both} {
		c.st.Reports = append(c.st.Reports, probe.Report{Entry: entryNamed(fx.T, id), Verdict: probe.Warn, Revision: "2025-11-25", Findings: found})
	}
	c.st.Generation++
	fx.changed()
	text := fx.Paint(120, 36, true)
	if !strings.Contains(text, "▸ ⚠ 2 what a library does") || !strings.Contains(text, "P-025") || strings.Contains(text, "P-005") {
		t.Error(text)
	}
}

func TestProbes_FindingIsExamined(t *testing.T) {
	fx, c := live(t)
	c.st.Reports = []probe.Report{{Entry: entryNamed(t, "P-050"), Verdict: probe.Fail, Revision: "2025-11-25", Transport: "stdio", Findings: []probe.Finding{{
		Severity: lint.Error, Case: "an unknown name", Message: "A call of an unknown tool gets no response.",
		Acts: []probe.Act{{What: "stopped waiting for a response after 3 s"}}, Also: []string{"an empty name"},
		Control: &probe.Control{Sent: "tools/call in its plain form", Outcome: probe.Outcome{Kind: probe.Result}},
		Ground:  &probe.Ground{Says: "Servers MUST respond."},
		Exit:    &probe.Exit{Stderr: []string{"TypeError: x is not a function", "    at run (a.js:1:1)"}},
	}}}}
	c.st.Generation++
	fx.changed()
	fx.Press("g", "j", "j")
	fx.sees(120, 36, "stopped waiting for a response after 3 s", "control", "tools/call in its plain form gets a result", "an empty name", "Servers MUST respond.", "TypeError: x is not a function")
}

// What holds in all protocol versions is one row, and the counts are of probes; what holds in one
// of them names it.
func TestProbes_FindingOfSeveralVersionsIsOneRow(t *testing.T) {
	fx, c := live(t)
	both := probe.Finding{Severity: lint.Error, Message: "A call of an unknown tool returns a result."}
	one := probe.Finding{Severity: lint.Warn, Message: "The error has no message."}
	for _, run := range []struct {
		version string
		of      [2][]probe.Finding
	}{{"2025-11-25", [2][]probe.Finding{{both}, {one}}}, {"2026-07-28", [2][]probe.Finding{{both}, nil}}} {
		version, of := run.version, run.of
		c.st.Servers = append(c.st.Servers, &probe.Server{Revision: revision.Revision(version)})
		for i, id := range []string{"P-050", "P-051"} {
			verdict := probe.Pass
			if of[i] != nil {
				verdict = []probe.Verdict{probe.Fail, probe.Warn}[i]
			}
			c.st.Reports = append(c.st.Reports, probe.Report{Entry: entryNamed(t, id), Verdict: verdict, Revision: version, Transport: "stdio", Findings: of[i]})
		}
	}
	c.st.Generation++
	fx.changed()
	screen := fx.screen(120, 30)
	if n := strings.Count(screen, "P-050  A call"); n != 1 {
		t.Errorf("%d rows:\n%s", n, screen)
	}
	if at := regexp.MustCompile(`P-051  The error has no message. +2025-11-25`); !at.MatchString(screen) {
		t.Errorf("the version is not named:\n%s", screen)
	}
	fx.pane.Select(lineKey{id: "P-051"})
	fx.sees(120, 30, "2025-11-25, 2026-07-28", "only in  2025-11-25")
	fx.pane.Select(lineKey{id: "P-050"})
	if screen = fx.screen(120, 30); strings.Contains(screen, "only in") {
		t.Errorf("of all versions:\n%s", screen)
	}
}

// A long frame of the evidence goes on in the rows that there are, and says when it is cut.
func TestProbes_EvidenceOfLongFrame(t *testing.T) {
	fx, c := live(t)
	report := func(text string) {
		c.st.Reports = []probe.Report{{Entry: entryNamed(t, "P-050"), Verdict: probe.Fail, Revision: "2025-11-25", Transport: "stdio", Findings: []probe.Finding{{
			Severity: lint.Error, Message: "The text is not valid.",
			Frames: []probe.Frame{{Row: 7, Dir: transport.In, Bytes: []byte(text)}},
		}}}}
		c.st.Generation++
		fx.changed()
		fx.pane.Select(lineKey{id: "P-050"})
	}
	report(`{"jsonrpc":"2.0","id":1,"result":{"text":"` + strings.Repeat("x", 100) + `the end"}}`)
	fx.sees(80, 30, `the end"}}`)
	report(`{"jsonrpc":"2.0","id":1,"result":{"text":"` + strings.Repeat("日本", 500) + `the end"}}`)
	screen := fx.screen(80, 30)
	if strings.Contains(screen, "the end") || !regexp.MustCompile(`本?日?… *│`).MatchString(screen) {
		t.Errorf("not cut, or not marked:\n%s", screen)
	}
}

func TestProbes_Run(t *testing.T) {
	fx, c := live(t)
	ran := func(want string, keys ...string) {
		t.Helper()
		n := len(c.ran)
		fx.Press(keys...)
		if len(c.ran) != n+1 || c.ran[n] != want {
			t.Errorf("%v: %q, want %q", keys, c.ran[n:], want)
		}
	}
	ran("", "r")          // on a finding of the session
	ran("", "G", "enter") // on those that have not run yet
	if got := fx.Press("x"); got != "off: No probe is running." {
		t.Error(got)
	}
	if got := fx.Press("X"); got != "off: There are no results to write yet: r runs the probes." {
		t.Error(got)
	}
	fx.ran(c)
	if got := fx.Press("r"); got != "off: The probes are running: x stops them." {
		t.Error(got)
	}
	ran("stop", "x")
	c.st.Running = false
	c.st.Generation++
	fx.changed()
	fx.pane.Select(lineKey{id: "P-050"})
	ran("P-050", "r")
	fx.pane.Select(lineKey{group: "tools"})
	if fx.Press("r"); !strings.HasPrefix(c.ran[len(c.ran)-1], "P-050 P-051 ") {
		t.Errorf("of a topic: %q", c.ran)
	}
	fx.Run("check.run")
	fx.Press("enter") // of failed, all
	if last := c.ran[len(c.ran)-1]; last != "P-050 P-051" {
		t.Error(last)
	}
}

// The outcome of a probe that has judged the server of before a restart is marked, and is not counted; the next
// finding still leads to it, and it can be run again.
func TestProbes_OutdatedByRestart(t *testing.T) {
	fx, c := live(t)
	fx.ran(c)
	c.st.Running, c.st.Current = false, nil
	c.st.Began = map[*probe.Entry]uint16{entryNamed(t, "P-001"): 1, entryNamed(t, "P-050"): 1, entryNamed(t, "P-051"): 3}
	c.st.Generation++
	fx.changed()
	if s := fx.screen(120, 30); strings.Contains(s, "before restart") || strings.Contains(s, "outdated") {
		t.Errorf("without a restart:\n%s", s)
	}
	restarts := []session.Restarted{{Number: 1, Conn: 2}, {Number: 2, Conn: 3}}
	fx.pane.Refresh(app.Tick{Now: noon, State: session.State{Current: 3, Restarts: restarts}})
	fx.pane.Select(lineKey{id: "P-050"})
	screen := fx.screen(120, 30)
	for _, row := range []string{`✗ P-050 .* before restart 1`, `✓ 1 passed   1 outdated`, `2 outcomes outdated`, `outdated +judged before restart 1; r runs the probe again`} {
		if !regexp.MustCompile(row).MatchString(screen) {
			t.Errorf("no %s:\n%s", row, screen)
		}
	}
	if regexp.MustCompile(`P-051.*before`).MatchString(screen) {
		t.Errorf("P-051 has run since:\n%s", screen)
	}
	if errors, _ := fx.pane.Total(); errors != 0 {
		t.Errorf("%d errors of the server before the restart are counted", errors)
	}
	fx.Press("g", "n")
	if fx.id() != "P-050" {
		t.Errorf("the next finding is %s", fx.id())
	}
	if fx.Press("r"); c.ran[len(c.ran)-1] != "P-050" {
		t.Errorf("runs %q", c.ran)
	}
}

func TestProbes_FindingToItsFrames(t *testing.T) {
	fx, c := live(t)
	fx.ran(c)
	fx.pane.Select(lineKey{id: "P-050"})
	if got := fx.Press("enter"); got != "frames of P-050 tool-unknown [6 7]" {
		t.Error(got)
	}
	fx.sees(120, 30, "A call of an unknown tool returns a result.", "Return error -32602.", "an empty name", "enter shows #7", "MUST · 2025-11-25")
	fx.Press("l", "j", "j")
	fx.sees(120, 30, "tool:x: The error has no message.", "Say which name is wrong.")
	if got := fx.Press("enter"); got != "off: This finding is not about one frame." {
		t.Error(got)
	}
	if got := fx.Press("o"); got != "open https://modelcontextprotocol.io/specification/2025-11-25/server/tools#error-handling" {
		t.Error(got)
	}
	if got := fx.Press("y"); !strings.Contains(got, "P-050 tool-unknown (MUST, 2025-11-25): fail\n") || !strings.Contains(got, "Return error -32602.") {
		t.Error(got)
	}
	fx.Run("copy.command")
	if got := fx.Asked[len(fx.Asked)-1]; got != "copy command: mcptea check --only P-050 --url http://127.0.0.1:3000/mcp" {
		t.Error(got)
	}
}

func TestProbes_NextFinding(t *testing.T) {
	fx, c := live(t)
	fx.ran(c)
	c.st.Running, c.st.Current = false, nil
	c.st.Generation++
	fx.changed()
	fx.Press("-", "g")
	var got []string
	for range 5 {
		fx.Press("n")
		got = append(got, fx.id())
	}
	fx.Press("N")
	if got = append(got, fx.id()); strings.Join(got, " ") != "T011 P-050 P-051 J017 T011 J017" {
		t.Errorf("%v", got)
	}
}

func TestProbes_FilterFindsWhatIsFoldedAway(t *testing.T) {
	fx, _ := live(t)
	fx.Press("/")
	fx.Type("tool-unknown")
	fx.sees(120, 20, "P-050", "not run yet")
	fx.Press("esc")
	fx.pane.Refresh(app.Tick{Now: noon})
	if s := fx.screen(120, 20); strings.Contains(s, "P-050") {
		t.Errorf("what has not run yet is still unfolded:\n%s", s)
	}
}

func TestProbes_AllowTool(t *testing.T) {
	fx, c := live(t)
	if got := fx.Press(","); got != "say: All tools are annotated as read-only: the probes call them anyway." {
		t.Error(got)
	}
	lists := map[string]offer.List{client.Tools.Name: {Items: []offer.Item{{Name: "drop", Raw: []byte(`{"name":"drop"}`)}}}}
	fx.pane.Refresh(app.Tick{Now: noon, State: session.State{Lists: lists}})
	fx.Press(",", "enter", "esc")
	if len(c.st.Allowed) != 1 || c.st.Allowed[0] != "drop" {
		t.Errorf("allowed: %q", c.st.Allowed)
	}
}

func TestProbes_Recording(t *testing.T) {
	fx := several(t)
	for _, k := range []string{"r", ",", "X"} {
		if got := fx.Press(k); got != "off: A recording has no server to check." {
			t.Errorf("%s: %q", k, got)
		}
	}
}

// A probe with many findings says how many are not listed, and a filter leaves in the counts of a
// group what it shows.
func TestProbes_CasesAndFilter(t *testing.T) {
	fx, c := live(t)
	var findings []probe.Finding
	for i := range 11 {
		findings = append(findings, probe.Finding{Severity: lint.Error, Case: fmt.Sprint("case ", i), Message: "A call of an unknown tool returns a result."})
	}
	for _, id := range []string{"P-050", "P-051"} {
		c.st.Reports = append(c.st.Reports, probe.Report{Entry: entryNamed(t, id), Verdict: probe.Fail, Revision: "2025-11-25", Transport: "stdio", Findings: findings})
	}
	c.st.Generation++
	fx.changed()
	fx.Press("g", "j", "j")
	fx.sees(120, 36, "cases    ✗ case 0", "6 of 11  ✗ case 1", "✗ case 5")
	group := regexp.MustCompile(`tools .*✗ (\d+)`)
	before := group.FindStringSubmatch(fx.screen(120, 36))
	fx.Press("/")
	fx.Press(strings.Split("P-051", "")...)
	after := group.FindStringSubmatch(fx.screen(120, 36))
	if before == nil || after == nil || before[1] == "1" || after[1] != "1" {
		t.Errorf("%v before the filter, %v with it:\n%s", before, after, fx.screen(120, 36))
	}
}
