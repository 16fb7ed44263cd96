//go:build unix

package e2e

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
)

// trueFindings are the probes that rightly fail or warn for servers of others, by
// peer, with the reason.
var trueFindings = map[string]map[string]string{
	"everything": {
		"P-005": "a second initialize renegotiates", "P-024": "params of a wrong type get no response", "P-025": "extra members of the envelope get no response",
		"P-092": "-32602 in place of -32601", "P-177": "get-env returns the environment",
	},
	"everything over HTTP": {
		"P-092": "-32602 in place of -32601", "P-113": "it checks neither Host nor Origin", "P-114": "the same", "P-115": "an unknown session gets 400",
		"P-116": "a deleted session gets 400", "P-121": "a resumed stream has the events of others", "P-123": "it grants all origins", "P-127": "it listens on all interfaces",
	},
	"filesystem": {"P-005": "as everything", "P-024": "as everything", "P-025": "as everything"},
	"memory":     {"P-005": "as everything", "P-024": "as everything", "P-025": "as everything"},
	"SDK": {
		"P-020": "it exits after a frame that is not JSON", "P-021": "the same", "P-027": "the same", "P-103": "the same", "P-106": "the same", "P-187": "the same",
		"P-048": "tools without description", "P-057": "names with spaces",
		"P-079": "completes unknown prompts", "P-081": "accepts any level", "P-153": "accepts any level",
	},
}

// The probes report nothing about servers of others that is not true. Five checks run at once, and a probe is not
// judged where that has kept a server from answering in time: it is judged again, alone, when the others have ended.
func TestCheck_TrueFindingsOnly(t *testing.T) {
	if !demanded() {
		t.Skip("starts many processes of third-party servers; MCPTEA_E2E=1 runs it")
	}
	const dist = "@modelcontextprotocol/"
	peers := map[string]func(*testing.T) []string{
		"everything": func(t *testing.T) []string {
			return append([]string{"--"}, peer(t, dist+"server-everything/dist/index.js", "stdio")...)
		},
		"everything over HTTP": func(t *testing.T) []string { return []string{everythingOverHTTP(t, "streamableHttp", "/mcp")} },
		"filesystem": func(t *testing.T) []string {
			return append([]string{"--"}, peer(t, dist+"server-filesystem/dist/index.js", t.TempDir())...)
		},
		"memory": func(t *testing.T) []string {
			return append([]string{"--"}, peer(t, dist+"server-memory/dist/index.js")...)
		},
		"SDK": func(t *testing.T) []string { return []string{"--", sdkProgram(t, exampleServer)} },
	}
	var mu sync.Mutex
	unjudged := map[string][]string{}
	t.Run("beside each other", func(t *testing.T) {
		for name, target := range peers {
			t.Run(name, func(t *testing.T) {
				t.Parallel() // a check waits most of the time
				found := checkOf(t, name, target(t))
				if found.probes < 100 {
					t.Errorf("%d probes", found.probes)
				}
				mu.Lock()
				defer mu.Unlock()
				unjudged[name] = found.unjudged
			})
		}
	})
	for name, probes := range unjudged {
		if len(probes) == 0 {
			continue
		}
		t.Run(name+" alone", func(t *testing.T) {
			var only []string
			for _, id := range probes {
				only = append(only, "--only", id)
			}
			if found := checkOf(t, name, append(only, peers[name](t)...)); len(found.unjudged) > 0 {
				t.Errorf("%v could not be judged, and nothing else ran", found.unjudged)
			}
		})
	}
}

// checked is what a check has said.
type checked struct {
	probes   int
	unjudged []string // ids of the probes whose verdict is error
}

// checkOf checks a server, and reports findings that are not among those known to be true.
func checkOf(t *testing.T, name string, args []string) (found checked) {
	t.Helper()
	r := startWithin(t, 4*deadline, append([]string{"check", "--json", "--fail-on", "none"}, args...)...).wait(t)
	for line := range strings.Lines(r.stdout) {
		var report struct {
			Probe, Name, Verdict, Skip string
			Findings                   []struct{ Severity, Message string }
		}
		if err := json.Unmarshal([]byte(line), &report); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if report.Probe == "" {
			continue
		}
		found.probes++
		_, known := trueFindings[name][report.Probe]
		switch {
		case report.Verdict == "error":
			found.unjudged = append(found.unjudged, report.Probe)
			t.Logf("%s %s is not judged: %s %v", report.Probe, report.Name, report.Skip, report.Findings)
		case !known && (report.Verdict == "warning" || report.Verdict == "fail"):
			t.Errorf("%s %s: %s %s %v", report.Probe, report.Name, report.Verdict, report.Skip, report.Findings)
		}
	}
	want := 0
	if len(found.unjudged) > 0 {
		want = 5
	}
	r.exits(t, want)
	return found
}
