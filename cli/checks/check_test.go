package checks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcptea/client"
	"mcptea/session/probe"
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

// Probes that could not be judged for one reason are one line.
func TestUnjudged_OneLineForEachReason(t *testing.T) {
	var reports []probe.Report
	for i, e := range probe.Catalogue()[:8] {
		why := "the server has ended during P-122 (other-methods)"
		if i == 7 {
			why = "the server limits the rate of requests: HTTP status 429"
		}
		reports = append(reports, probe.Report{Entry: e, Verdict: probe.Failure, Skip: why})
	}
	got := unjudged(reports)
	if len(got) != 2 || !strings.HasPrefix(got[0], "7 not judged (P-0") || !strings.HasSuffix(got[0], ", …): the server has ended during P-122 (other-methods)") || !strings.Contains(got[1], "429") {
		t.Errorf("%q", got)
	}
}

// A warning is no violation of a MUST, and does not name one.
func TestShownLevel(t *testing.T) {
	for _, test := range []struct {
		verdict probe.Verdict
		level   string
		want    string
	}{{probe.Warn, "MUST", ""}, {probe.Warn, "SHOULD", ""}, {probe.Warn, "SEC", "  SEC"}, {probe.Fail, "MUST", "  MUST"}, {probe.Pass, "MUST", "  MUST"}} {
		var e *probe.Entry
		for _, known := range probe.Catalogue() {
			if string(known.Level) == test.level {
				e = known
			}
		}
		if got := shownLevel(&probe.Report{Entry: e, Verdict: test.verdict}); got != test.want {
			t.Errorf("%s %s: %q, want %q", test.verdict, test.level, got, test.want)
		}
	}
}
