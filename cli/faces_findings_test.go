package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/internal/test/panetest"
	"mcptea/internal/test/recordingtest"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/pane/problems"
)

// judged is a conversation with findings of each severity, and one rule with two of them.
const judged = `> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"host","version":"1"}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"flaky","version":"1"}}}
> {"jsonrpc":"2.0","method":"notifications/initialized"}
> {"jsonrpc":"2.0","id":1,"method":"tools/list"}
< {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}},{"name":"b","description":"b","inputSchema":{"type":"object","required":["x"],"properties":{}}},{"name":"c","description":"c","inputSchema":{"type":"string"}},{"name":"d","description":"d","inputSchema":{"type":"array"}}]}}`

// findingsOfJudged maps each rule to the severity and the number of its findings.
var findingsOfJudged = facts{"T015": "error ×2", "T016": "info ×1", "T017": "warning ×1"}

// findingFaces show which rules have found something in a recording, how severe it is, and how often.
var findingFaces = map[string]face{
	"lint": func(t *testing.T, dir string) facts {
		stdout, _, _ := called(t, "lint", judgedIn(dir))
		return countsIn(regexp.MustCompile(`(?m)^\S+ \d+ \S+  (error|warning|info) (\S+)  `).FindAllStringSubmatch(stdout, -1))
	},
	"lint --json": func(t *testing.T, dir string) facts {
		stdout, _, _ := called(t, "lint", "--json", judgedIn(dir))
		var found [][]string
		for line := range strings.Lines(stdout) {
			var f struct{ Severity, Rule string }
			if err := json.Unmarshal([]byte(line), &f); err != nil {
				t.Fatal(err)
			}
			found = append(found, []string{"", f.Severity, f.Rule})
		}
		return countsIn(found)
	},
	"lint --sarif": func(t *testing.T, dir string) facts {
		var doc struct {
			Runs []struct {
				Results []struct{ RuleID, Level string }
			}
		}
		unmarshalOf(t, &doc, "lint", "--sarif", "-", judgedIn(dir))
		var found [][]string
		for _, r := range doc.Runs[0].Results {
			found = append(found, []string{"", map[string]string{"error": "error", "warning": "warning", "none": "info"}[r.Level], r.RuleID})
		}
		return countsIn(found)
	},
	// A warning or an info is a test that passes, unless --fail-on names it.
	"lint --junit": func(t *testing.T, dir string) facts {
		stdout, _, _ := called(t, "lint", "--junit", "-", "--fail-on", "info", judgedIn(dir))
		var doc struct {
			Cases []struct {
				Failure struct {
					Text string `xml:",chardata"`
				} `xml:"failure"`
			} `xml:"testsuite>testcase"`
		}
		if err := xml.Unmarshal([]byte(stdout), &doc); err != nil {
			t.Fatalf("%v: %s", err, stdout)
		}
		var text strings.Builder
		for _, c := range doc.Cases {
			text.WriteString(c.Failure.Text + "\n")
		}
		return countsIn(reversed(regexp.MustCompile(`(?m)^\S+ \d+: (\w+) \S+ \((\w+), `).FindAllStringSubmatch(text.String(), -1)))
	},
	"the pane Problems": problemsPane,
}

func judgedIn(dir string) string { return filepath.Join(dir, "session.mcptea.jsonl") }

// countsIn counts matches whose groups are a severity and a rule.
func countsIn(found [][]string) facts {
	n := map[[2]string]int{}
	for _, m := range found {
		n[[2]string{m[2], m[1]}]++
	}
	got := facts{}
	for what, n := range n {
		got[what[0]] = strings.TrimSpace(fmt.Sprintf("%s %s ×%d", got[what[0]], what[1], n))
	}
	return got
}

// reversed exchanges the groups of matches.
func reversed(found [][]string) [][]string {
	for _, m := range found {
		m[1], m[2] = m[2], m[1]
	}
	return found
}

// problemsPane reads the rows of the pane, whose marks are the severities.
func problemsPane(t *testing.T, dir string) facts {
	s, err := session.OpenRecording(judgedIn(dir), session.Config{Lint: true, Lists: client.ListKinds})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close(context.WithoutCancel(t.Context())) }()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	if err := s.AwaitLint(ctx); err != nil {
		t.Fatal(err)
	}
	program := panetest.New(t)
	p := problems.New(program, s, nil)
	program.Pane = p
	p.Refresh(app.Tick{State: s.State()})
	got := facts{}
	for _, m := range regexp.MustCompile(`(?m)([✗⚠i]) ([A-Z]\d+) .*?(?:×(\d+) )? +#\d`).FindAllStringSubmatch(program.Paint(160, 40, true), -1) {
		severity := map[string]string{"✗": "error", "⚠": "warning", "i": "info"}[m[1]]
		got[m[2]] = severity + " ×" + cmp.Or(m[3], "1")
	}
	return got
}

// TestFaces_Findings asks each face for the severity and the number of the findings of the same recording.
func TestFaces_Findings(t *testing.T) {
	dir := filepath.Dir(recordingtest.File(t, "stdio", judged))
	for _, name := range slices.Sorted(maps.Keys(findingFaces)) {
		t.Run(name, func(t *testing.T) {
			if got := findingFaces[name](t, dir); !maps.Equal(got, findingsOfJudged) {
				t.Errorf("%v, want %v", got, findingsOfJudged)
			}
		})
	}
}
