package probes_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/check/probe"
	"mcptea/check/probe/probes"
	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/demo"
	"mcptea/internal/test/raced"
	"mcptea/internal/test/sessiontest"
	"mcptea/session/runs/script"
)

var _ = raced.Also(TestRun_ServerGone)

// server is a block of a servers.txt: a script that alters the demo server, and what
// the probe has to say about it.
type server struct {
	place    string
	probe    string
	revision revision.Revision
	options  []string
	script   string
	verdict  probe.Verdict
	contains []string // in the messages, one each
}

var revisions = map[string]revision.Revision{
	"24": revision.R20241105, "25a": revision.R20250326, "25b": revision.R20250618, "25c": revision.R20251125, "26": revision.R20260728,
}

// readServers reads the blocks of a file. A block begins with
// "== PROBE REVISION VERDICT [OPTION…]"; lines that begin with "^ " are parts of
// the expected messages.
func readServers(t *testing.T, path string) []server {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []server
	for n, line := range strings.Split(string(text), "\n") {
		switch {
		case strings.HasPrefix(line, "== "):
			words := strings.Fields(line[3:])
			if len(words) < 3 || revisions[words[1]] == "" {
				t.Fatalf("%s:%d: want == PROBE REVISION VERDICT", path, n+1)
			}
			all = append(all, server{place: strings.TrimSuffix(filepath.Base(path), ".txt") + ":" + words[0], probe: words[0], revision: revisions[words[1]], verdict: probe.Verdict(words[2]), options: words[3:]})
		case strings.HasPrefix(line, "^ "):
			s := &all[len(all)-1]
			s.contains = append(s.contains, line[2:])
		case strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "":
		case len(all) == 0:
			t.Fatalf("%s:%d: outside of a block", path, n+1)
		default:
			all[len(all)-1].script += line + "\n"
		}
	}
	return all
}

// dial connects to an altered demo server in memory.
func dial(t *testing.T, script string, options demo.Options) func(client.Target, client.Tap, client.Config) *client.Client {
	t.Helper()
	serve, err := sessiontest.Altered(sessiontest.Demo(options), script)
	if err != nil {
		t.Fatal(err)
	}
	connect := sessiontest.Dial(serve)
	return func(_ client.Target, tap client.Tap, cfg client.Config) *client.Client { return connect(tap, cfg) }
}

// check runs one probe against a server in memory, with time that passes at once.
func check(t *testing.T, s server) probe.Report {
	t.Helper()
	var report probe.Report
	synctest.Test(t, func(t *testing.T) {
		cfg := probe.Config{
			Client: client.Config{Name: "mcptea", Version: "1", Revision: s.revision}, Only: []string{s.probe}, Seed: 1,
			Dial: dial(t, s.script, demo.Options{Pace: time.Millisecond}),
		}
		var err error
		for _, o := range s.options {
			switch name, value, _ := strings.Cut(o, "="); name {
			case "limit":
				limit, n, _ := strings.Cut(value, "=")
				if cfg.Limits == nil {
					cfg.Limits = map[string]float64{}
				}
				if cfg.Limits[limit], err = strconv.ParseFloat(n, 64); err != nil {
					t.Fatal(err)
				}
			case "fuzz":
				cfg.Fuzz = []string{value}
			case "findings": // how many there are
			case "events":
				cfg.Events = true
			case "trigger":
				tool, arguments, _ := strings.Cut(value, "=")
				cfg.Triggers = append(cfg.Triggers, probe.Trigger{Tool: tool, Arguments: arguments})
			case "with":
				cfg.Only = append(cfg.Only, value)
			case "allow":
				tool, arguments, _ := strings.Cut(value, "=")
				cfg.Allow = map[string]string{tool: arguments}
			default:
				t.Fatalf("unknown option %s", o)
			}
		}
		summary, err := probes.Run(context.Background(), cfg, nil)
		if err != nil {
			t.Fatalf("%s: %v", s.place, err)
		}
		for _, r := range summary.Reports {
			if r.Entry.ID == s.probe {
				report = r
			}
		}
	})
	return report
}

// Each probe fires on the server with its fault, and says what is wrong.
func TestProbe_FiresOnFault(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no servers", err)
	}
	for _, file := range files {
		for _, s := range readServers(t, file) {
			t.Run(s.probe+"/"+string(s.verdict), func(t *testing.T) {
				r := check(t, s)
				if r.Entry == nil {
					t.Fatalf("no report of %s", s.probe)
				}
				if r.Verdict != s.verdict {
					t.Errorf("verdict %s %s, want %s", r.Verdict, r.Skip, s.verdict)
				}
				var messages []string
				for _, f := range r.Findings {
					messages = append(messages, f.Message)
				}
				for _, o := range s.options {
					if n, ok := strings.CutPrefix(o, "findings="); ok && n != strconv.Itoa(len(messages)) {
						t.Errorf("%d findings, want %s", len(messages), n)
					}
				}
				for _, want := range s.contains {
					if !slices.ContainsFunc(messages, func(m string) bool { return strings.Contains(m, want) }) {
						t.Errorf("no finding contains %q", want)
					}
				}
				if t.Failed() {
					t.Logf("findings:\n%s", strings.Join(messages, "\n"))
				}
			})
		}
	}
}

// hostile are probes that rightly warn of the demo server: it has tools that return
// escape sequences.
var hostile = map[string]bool{"P-170": true}

// maxStarts is the maximum number of processes that a run starts.
const maxStarts = 39

// No probe reports more than infos about a correct server, which is not started more
// often than it has to be.
func TestProbe_SilentOnCorrectServer(t *testing.T) {
	for _, v := range revision.All() {
		t.Run(string(v), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var started atomic.Int32
				connect := dial(t, "", demo.Options{Pace: time.Millisecond})
				summary, err := probes.Run(context.Background(), probe.Config{
					Client: client.Config{Name: "mcptea", Version: "1", Revision: v}, Seed: 1,
					Dial: func(target client.Target, tap client.Tap, cfg client.Config) *client.Client {
						started.Add(1)
						return connect(target, tap, cfg)
					},
				}, nil)
				if err != nil {
					t.Fatal(err)
				}
				if n := started.Load(); n > maxStarts {
					t.Errorf("%d processes were started", n)
				}
				for _, r := range summary.Reports {
					if r.Verdict != probe.Pass && r.Verdict != probe.Skipped && !hostile[r.Entry.ID] {
						for _, f := range r.Findings {
							t.Errorf("%s %s: %s: %s", r.Entry.ID, f.Severity, f.Case, f.Message)
						}
						t.Errorf("%s %s: %s %s", r.Entry.ID, r.Entry.Slug, r.Verdict, r.Skip)
					}
				}
			})
		})
	}
}

// Each probe that can fail over stdio has a server that it fires on.
func TestProbe_HasFaultyServer(t *testing.T) {
	fires := map[string]bool{}
	files, _ := filepath.Glob("testdata/*.txt")
	for _, file := range files {
		for _, s := range readServers(t, file) {
			fires[s.probe] = fires[s.probe] || s.verdict != probe.Pass || len(s.contains) > 0
		}
	}
	for _, s := range httpServers {
		fires[s.probe] = true
	}
	for _, e := range probe.Catalogue() {
		if !fires[e.ID] && !elsewhere[e.ID] {
			t.Errorf("%s %s has no server that it fires on", e.ID, e.Slug)
		}
	}
}

// elsewhere are the probes whose servers are in other tests; P-127 has none, since it
// depends on the interfaces of the machine, P-130 consists of lint rules, and P-175 is in package baseline.
var elsewhere = map[string]bool{"P-104": true, "P-101": true, "P-102": true, "P-108": true, "P-109": true, "P-177": true, "P-190": true, "P-127": true, "P-130": true, "P-175": true, "P-234": true, "P-235": true}

// A failure of the fuzzer is shrunk to the argument that causes it, and its script
// can be run.
func TestFuzz_ShrinksAndWritesScript(t *testing.T) {
	r := check(t, server{
		place: "fuzz", probe: "P-200", revision: revision.R20251125, options: []string{"fuzz=add"},
		script: "tools/call ~ 9007199254740993 => exit",
	})
	if len(r.Findings) == 0 {
		t.Fatalf("no findings: %s %s", r.Verdict, r.Skip)
	}
	text := r.Findings[0].Script
	if _, err := script.Parse("fuzz.txtar", []byte(text)); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	_, arguments, _ := strings.Cut(text, "-- arguments.json --\n")
	var object map[string]any
	if err := json.Unmarshal([]byte(arguments), &object); err != nil || len(object) != 1 {
		t.Errorf("the smallest arguments are %s", arguments)
	}
}

// A server that cannot be started again ends the run soon, and is reported.
func TestRun_ServerGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var dials atomic.Int64 // of probes beside each other
		alive := dial(t, "tools/List => exit", demo.Options{Pace: time.Millisecond})
		gone := dial(t, "start => exit", demo.Options{Pace: time.Millisecond})
		summary, err := probes.Run(context.Background(), probe.Config{
			Client: client.Config{Name: "mcptea", Version: "1", Revision: revision.R20251125}, Seed: 1, Only: []string{"envelope", "tools"},
			Dial: func(target client.Target, tap client.Tap, cfg client.Config) *client.Client {
				connect := gone
				if dials.Add(1) == 1 {
					connect = alive
				}
				return connect(target, tap, cfg)
			},
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		unjudged := 0
		for _, r := range summary.Reports {
			switch {
			case r.Verdict == probe.Failure && strings.Contains(r.Skip, "can no longer be reached"):
				unjudged++
			case r.Verdict == probe.Failure, r.Verdict == probe.Skipped && r.Skip == "server gone":
				t.Errorf("%s: %s %s", r.Entry.ID, r.Verdict, r.Skip)
			}
		}
		if unjudged < 10 || dials.Load() > 14 { // the first, five that fail, their controls, and those that run beside them
			t.Errorf("%d probes could not be judged, after %d attempts to connect", unjudged, dials.Load())
		}
	})
}
