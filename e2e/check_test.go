//go:build unix

package e2e

import (
	"encoding/json"
	"slices"
	"strings"
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

// The probes report nothing about servers of others that is not true.
func TestCheck_TrueFindingsOnly(t *testing.T) {
	if !demanded() {
		t.Skip("starts many processes of third-party servers; MCPTEA_E2E=1 runs it")
	}
	const dist = "@modelcontextprotocol/"
	for name, target := range map[string]func(*testing.T) []string{
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
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()                                                                                                       // a check waits most of the time
			r := startWithin(t, 4*deadline, append([]string{"check", "--json", "--fail-on", "none"}, target(t)...)...).wait(t) // five at once, on two processors
			r.exits(t, 0)
			probes := 0
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
				probes++
				if _, known := trueFindings[name][report.Probe]; !known && slices.Contains([]string{"warn", "fail", "error"}, report.Verdict) {
					t.Errorf("%s %s: %s %s %v", report.Probe, report.Name, report.Verdict, report.Skip, report.Findings)
				}
			}
			if probes < 100 {
				t.Errorf("%d probes\nstderr: %s", probes, r.stderr)
			}
		})
	}
}
