package checks

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcptea/authority/trial"
	"mcptea/check/probe"
	"mcptea/check/report"
	"mcptea/cli/app"
	"mcptea/client"
	"mcptea/client/transport"
	"mcptea/lint"
)

// Findings are shown at the file of the server's command, below the working directory.
func TestArtifactOf(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"server.js", "data.json", "report.xml"} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir("folder", 0o700); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		target client.Target
		want   string
	}{
		{"the file of the command", client.Target{Argv: []string{"node", "./server.js", "data.json"}}, "server.js"},
		{"a program", client.Target{Argv: []string{"nosuchprogram", "folder"}}, "README.md"},
		{"an absolute path", client.Target{Argv: []string{"node", filepath.Join(dir, "server.js")}}, "README.md"},
		{"outside of the directory", client.Target{Argv: []string{"node", "../" + filepath.Base(dir) + "/server.js"}}, "README.md"},
		{"in another directory", client.Target{Argv: []string{"node", "server.js"}, Dir: "/"}, "README.md"},
		{"a URL", client.Target{URL: "http://127.0.0.1:1/mcp"}, "README.md"},
	} {
		if got := artifactOf(test.target); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// The report begins with what most follows from. Each finding has its evidence, byte for
// byte, what mcptea did, and its control; what follows is folded.
func TestPrintFindings(t *testing.T) {
	must := &probe.Entry{ID: "P-045", Slug: "page-walk", Level: probe.Must, Spec: "server/utilities/pagination#operations", Group: "lists"}
	reports := []probe.Report{
		{Entry: &probe.Entry{ID: "P-050", Slug: "tool-unknown", Level: probe.Must}, Verdict: probe.Fail, Revision: "2025-11-25", Findings: []probe.Finding{{
			Severity: lint.Error, Message: "It executes what does not exist.", Hint: "Return an error.", Acts: []probe.Act{{What: "stopped waiting for a response after 3 s"}},
			Exit:   &probe.Exit{Code: 1, Stderr: []string{"TypeError: x", "    at f"}},
			Frames: []probe.Frame{{Dir: transport.Out, Bytes: []byte(`{"a":  1}`)}, {Dir: transport.In, Bytes: []byte(`{"b":  2}`)}},
		}}},
		{Entry: must, Verdict: probe.Fail, Revision: "2025-11-25", Findings: []probe.Finding{{
			Severity: lint.Error, Message: "The list cannot be read.", Ground: &probe.Ground{Section: "server/tools#capabilities", Says: "It MUST."}, Also: []string{"prompts/list"}, Control: &probe.Control{Sent: "ping", Outcome: probe.Outcome{Kind: probe.Result}},
		}}},
	}
	sdk := &probe.Library{Name: "the TypeScript SDK", Known: "Each result has its form (result, jsonrpc, id)."}
	for _, id := range []string{"P-005", "P-024"} {
		reports = append(reports, probe.Report{Entry: &probe.Entry{ID: id}, Verdict: probe.Warn, Findings: []probe.Finding{{Severity: lint.Warn, Message: "It is silent.", Library: sdk}}})
	}
	for _, id := range []string{"P-022", "P-023", "P-024", "P-025"} {
		reports = append(reports, probe.Report{Entry: &probe.Entry{ID: id}, Verdict: probe.Failure, Skip: "no", Because: &probe.Because{Probe: "P-045", Cause: "tools/list fails"}})
	}
	var b bytes.Buffer
	p := &printer{&app.App{Out: &app.Screen{Writer: &b, Terminal: true, Width: 72}}}
	p.printFindings(reports, &checkFlags{})
	p.printUnjudged(reports)
	want := `
── cause of most ───────────────────────── 4 probes not judged for it ──
✗ The list cannot be read.                               P-045 page-walk
  control   ping gets a result
  also      prompts/list
  MUST      server/tools#capabilities

── failed ───────────────────────────────────────────────── 1 finding ──
✗ It executes what does not exist.                    P-050 tool-unknown
  → Return an error.
  sent      → {"a":  1}
  received  ← {"b":  2}
  mcptea    stopped waiting for a response after 3 s
  stderr    TypeError: x
                at f

⚠ 2 findings are what the TypeScript SDK does: P-005, P-024. Each result
  has its form (result, jsonrpc, id). (--verbose)

── not judged ───────────────────────────────────────────────────── 4 ──
   4  The list cannot be read, see P-045      P-022, P-023, P-024, P-025
`
	if got := b.String(); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// The headings count findings, and the last row counts probes: the headings say how the numbers belong together.
func TestCheck_HeadingsCountProbes(t *testing.T) {
	a, b := &probe.Report{}, &probe.Report{}
	for want, of := range map[string][]*probe.Report{
		"1 finding": {a}, "2 findings": {a, b}, "2 findings of 1 probe": {a, a}, "3 findings of 2 probes": {a, b, a},
	} {
		var entries []report.Entry
		for _, r := range of {
			entries = append(entries, report.Entry{Report: r})
		}
		if got := countFindings(entries); got != want {
			t.Errorf("%d findings: %q, want %q", len(of), got, want)
		}
	}
}

// What a library does changes the exit code only if that is asked for; the same finding of a server
// that was written by hand does.
func TestCounts_WhatALibraryDoes(t *testing.T) {
	own := probe.Finding{Severity: lint.Warn}
	librarys := probe.Finding{Severity: lint.Warn, Library: &probe.Library{Name: "the TypeScript SDK"}}
	for _, c := range []struct {
		failOn        failOn
		own, librarys bool
	}{{"error", false, false}, {"warning", true, false}, {"info", true, false}, {"library", true, true}, {"none", false, false}} {
		f := checkFlags{failOn: c.failOn}
		if f.counts(own) != c.own || f.counts(librarys) != c.librarys {
			t.Errorf("--fail-on %s: %v %v", c.failOn, f.counts(own), f.counts(librarys))
		}
	}
}

// The tools that were not called are told where some could have been: not if only probes without
// tools were chosen.
func TestNotDone_ToolsThatWereNotCalled(t *testing.T) {
	uncalled := []probe.Uncalled{{Tool: "delete", Why: "not read-only", Flag: "--allow"}}
	about := func(capability string) []probe.Report {
		return []probe.Report{{Entry: &probe.Entry{Capability: capability}, Verdict: probe.Pass}}
	}
	for _, tt := range []struct {
		name    string
		reports []probe.Report
		only    []string
		told    bool
	}{
		{"all probes", about("tools"), nil, true},
		{"all probes, none of tools", about("prompts"), nil, true},
		{"chosen ones of tools", about("tools"), []string{"tools"}, true},
		{"chosen ones of others", about("prompts"), []string{"prompts"}, false},
	} {
		var b bytes.Buffer
		p := &printer{&app.App{Out: &app.Screen{Writer: &b, Width: 72}}}
		f := &checkFlags{}
		f.Only = tt.only
		p.printNotDone(uncalled, tt.reports, f)
		if told := strings.Contains(b.String(), "1 tool was not called: it is not read-only. --allow delete"); told != tt.told {
			t.Errorf("%s: %q", tt.name, &b)
		}
	}
}

// The flags that are printed to be pasted have no break in a quoted name.
func TestPrintNotDone_PastedFlags(t *testing.T) {
	for width := 40; width < 110; width++ {
		var b bytes.Buffer
		p := &printer{&app.App{Out: &app.Screen{Writer: &b, Terminal: true, Width: width}}}
		p.printNotDone([]probe.Uncalled{{Tool: "a tool!", Why: "not annotated as read-only", Flag: "--allow TOOL"}, {Tool: "dup", Why: "not annotated as read-only", Flag: "--allow TOOL"}}, nil, &checkFlags{})
		if got := b.String(); !strings.Contains(got, shellWord("a tool!")) || !strings.Contains(got, "dup") {
			t.Errorf("%d cells: %q", width, got)
		}
	}
}

// A frame of the evidence is cut to a line in a pipe as on a terminal; --verbose has all of it.
func TestPrintFindings_FramesInAPipe(t *testing.T) {
	frame := `{"a":"` + strings.Repeat("x", 600) + `","end":1}`
	reports := []probe.Report{{Entry: &probe.Entry{ID: "P-050", Slug: "tool-unknown", Level: probe.Must}, Verdict: probe.Fail, Findings: []probe.Finding{{
		Severity: lint.Error, Message: "It fails.", Frames: []probe.Frame{{Dir: transport.In, Bytes: []byte(frame)}},
	}}}}
	for _, verbose := range []bool{false, true} {
		var b bytes.Buffer
		p := &printer{&app.App{Out: &app.Screen{Writer: &b}}}
		p.printFindings(reports, &checkFlags{verbose: verbose})
		if whole := strings.Contains(b.String(), frame); whole != verbose {
			t.Errorf("verbose %v: %s", verbose, b.String())
		}
		for line := range strings.Lines(b.String()) {
			if !verbose && len([]rune(line)) > app.DefaultWidth+1 {
				t.Errorf("%d columns: %s", len([]rune(line)), line)
			}
		}
	}
}

// Infos of one kind about many tools are the first one and a line.
func TestPrintFindings_InfosOfOneKind(t *testing.T) {
	report := probe.Report{Entry: &probe.Entry{ID: "P-048", Slug: "missing-description"}, Verdict: probe.Pass}
	for i := range 14 {
		name := fmt.Sprintf("tool-%d", i)
		report.Findings = append(report.Findings, probe.Finding{Severity: lint.Info, Subject: "tool:" + name, Message: "The tool " + name + " does not describe body."})
	}
	other := probe.Report{Entry: &probe.Entry{ID: "P-049", Slug: "tool-tokens"}, Verdict: probe.Pass, Findings: []probe.Finding{{Severity: lint.Info, Message: "The tools take 9 tokens."}}}
	var b bytes.Buffer
	p := &printer{&app.App{Out: &app.Screen{Writer: &b}}}
	p.printFindings([]probe.Report{report, other}, &checkFlags{verbose: true})
	got := strings.Join(strings.Fields(b.String()), " ")
	if !strings.Contains(got, "The tool tool-0 does not describe body. P-048") || strings.Contains(got, "tool-1 does not describe") ||
		!strings.Contains(got, "and 13 more of this kind: tool:tool-1, tool:tool-2,") || !strings.Contains(got, "tool:tool-10 and 3 more (--json has them all)") ||
		!strings.Contains(got, "infos ") || !strings.Contains(got, "15 findings") || !strings.Contains(got, "The tools take 9 tokens.") {
		t.Error(b.String())
	}
}

// The last line mentions processes only if there were more at once than usual.
func TestCheckSummary_Processes(t *testing.T) {
	p := &printer{&app.App{Out: &app.Screen{Writer: &bytes.Buffer{}}}}
	const want = "\n49 processes of the server were started, up to 40 at once, because their start is mostly waiting"
	if got := p.checkSummary(&probe.Summary{Processes: 49, AtOnce: 40}, &checkFlags{}); !strings.HasSuffix(got, want) {
		t.Errorf("%q", got)
	}
	if got := p.checkSummary(&probe.Summary{Processes: 38, AtOnce: 13}, &checkFlags{}); strings.Contains(got, "processes") {
		t.Errorf("%q", got)
	}
}

// A challenge without an error is one info, whether tokens of the authority or of a probe have found it.
func TestCheck_ChallengeOnce(t *testing.T) {
	info := probe.Finding{Severity: lint.Info, Message: `WWW-Authenticate does not have error="invalid_token".`}
	reports := []probe.Report{{Entry: &probe.Entry{ID: "P-163"}, Findings: []probe.Finding{{Message: "The server accepts an empty token."}, info}}}
	dropChallenge(reports, trial.Finding{Message: "The server accepts the token."})
	if len(reports[0].Findings) != 2 {
		t.Errorf("another finding removes the info: %v", reports[0].Findings)
	}
	dropChallenge(reports, trial.Finding{Message: `WWW-Authenticate has no error="invalid_token".`})
	if got := reports[0].Findings; len(got) != 1 || got[0].Severity == lint.Info {
		t.Errorf("the info stays: %v", got)
	}
}
