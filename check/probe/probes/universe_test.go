package probes_test

import (
	"bytes"
	"context"
	"flag"
	"regexp"
	"slices"
	"strings"
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
	"mcptea/lint"
)

var _ = raced.Also(TestProbe_AccusesOfNothingElse)

// wholeMatrix is set in .ci/run matrices. Without it, a quarter of the disturbances and faults is run, in one
// of the eras by turns; each kind of finding fires in TestProbe_FiresOnFault as well.
var wholeMatrix = flag.Bool("all", false, "run all disturbances, each in both eras, and all faults")

// inTurn reports whether row number i of a matrix is run: one of four, an even and an odd one by
// turns, which are the eras; or all with -all.
func inTurn(i int) bool { return *wholeMatrix || raced.Enabled || i%4 == i/4%2 }

// racedDisturbances are those that mix, repeat or flood while connections are opened again. With the
// race detector they are run alone, by night in both eras.
var racedDisturbances = []string{"shuffle", "twice", "flood"}

// No probe accuses a server of anything but what is wrong with it: whatever a request
// that is odd leads to says nothing where the plain one leads to it as well. A new probe is
// in it by itself.
func TestProbe_AccusesOfNothingElse(t *testing.T) {
	for i, d := range disturbances() {
		if !inTurn(i) || raced.Enabled && !slices.Contains(racedDisturbances, d.name) {
			continue
		}
		for _, v := range d.eras(i) {
			t.Run(d.name+"/"+string(v), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					starts := 0
					connect := sessiontest.Dial(disturb(sessiontest.Demo(demo.Options{Pace: time.Millisecond}), d, &starts))
					summary, err := probes.Run(context.Background(), probe.Config{
						Client: client.Config{Name: "mcptea", Version: "1", Revision: v}, Seed: 1, MaxTime: 10 * time.Hour,
						Dial: func(_ client.Target, tap client.Tap, cfg client.Config) *client.Client { return connect(tap, cfg) },
					}, nil)
					if err != nil {
						t.Logf("not connected, which another package explains: %v", err)
						return
					}
					d.judge(t, summary)
				})
			})
		}
	}
}

// eras are the versions that a disturbance is run in: both with -all, otherwise one by turns.
func (d disturbance) eras(turn int) []revision.Revision {
	both := []revision.Revision{revision.R20251125, revision.R20260728}
	switch {
	case d.only != "":
		return []revision.Revision{d.only}
	case *wholeMatrix || raced.Enabled && raced.All():
		return both
	}
	return both[turn%2 : turn%2+1]
}

// mistakes is how many findings one mistake may lead to, where a row does not say more.
const mistakes = 3

// judge looks at all errors and warnings: each of them is about what is wrong, and they are
// few.
func (d disturbance) judge(t *testing.T, summary *probe.Summary) {
	t.Helper()
	var said []string
	unjudged := 0
	for _, r := range summary.Reports {
		if r.Verdict == probe.Failure {
			unjudged++
		}
		if hostile[r.Entry.ID] {
			continue
		}
		for _, f := range r.Findings {
			if f.Severity != lint.Info {
				said = append(said, r.Entry.ID+" "+f.Message)
				if !d.isTrue(r.Entry.ID + " " + f.Message) {
					t.Errorf("%s %s %s (%s)", f.Severity, r.Entry.ID, f.Message, f.Case)
				}
			}
		}
	}
	if most := max(d.most, mistakes); len(said) > most {
		t.Errorf("%d findings for one mistake:\n%s", len(said), strings.Join(said, "\n"))
	}
	if summary.Stopped != nil {
		t.Errorf("the run ended early: %v", summary.Stopped)
	}
	t.Logf("%d findings, %d unjudged, %d sent, %s\n%s", len(said), unjudged, summary.Sent, summary.Took.Round(time.Second), strings.Join(said, "\n"))
}

func (d disturbance) isTrue(said string) bool {
	for _, pattern := range d.true {
		if regexp.MustCompile("^(" + pattern + ")").MatchString(said) {
			return true
		}
	}
	return false
}

// elsewhereFound are the faults of the demo server without a probe: no session can be
// established, which a failure explains; the specification allows it; or it needs a process,
// or HTTP.
var elsewhereFound = map[string]string{
	"exit-at-once": "not connected", "content-length": "not connected", "pretty": "not connected", "dies-unless-initialize": "not connected",
	"initialize-picks-unknown": "not connected", "newer-version": "not connected", "wrong-version": "not connected", "init-error": "not connected", "no-answer": "not connected",
	"blank-lines": "allowed", "crlf": "allowed", "legacy-only": "allowed", "modern-only": "allowed", "slow-start": "allowed", "stderr-flood": "allowed",
	"ignore-stdin-close": "a process", "header-mismatch": "HTTP", "huge-line": "50 MB",
}

// inEra are the versions of faults that are not in both eras; empty where the version has to
// be negotiated.
var inEra = map[string]revision.Revision{
	"answer-to-notification": revision.R20251125, "unknown-notification": revision.R20251125, "server-request": revision.R20251125,
	"skill-digest": revision.R20260728, "skill-size": revision.R20260728, "skill-frontmatter": revision.R20260728,
	"progress-backwards": revision.R20251125, "discover-silent": "", "discover-echo": "", "refuses-modern-calls": "",
}

// No planted fault is without a finding: what the examination refuses to say is said by
// another probe.
func TestProbe_FindsEachFault(t *testing.T) {
	for i, fault := range demo.Faults() {
		if strings.HasPrefix(fault.Name, "http-") || elsewhereFound[fault.Name] != "" || !inTurn(i) {
			continue
		}
		t.Run(fault.Name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				connect := sessiontest.Dial(sessiontest.Demo(demo.Options{Pace: time.Millisecond, Fault: fault.Name}))
				// With one of both eras, if the fault is in it.
				version := []revision.Revision{revision.R20251125, revision.R20260728}[i%2]
				if v, ok := inEra[fault.Name]; ok {
					version = v
				}
				cfg := probe.Config{
					Client: client.Config{Name: "mcptea", Version: "1", Revision: version}, Seed: 1, MaxTime: 10 * time.Hour,
					Dial: func(_ client.Target, tap client.Tap, cfg client.Config) *client.Client { return connect(tap, cfg) },
				}
				if strings.HasPrefix(fault.Name, "events-") { // what is delivered shows them
					cfg.Client.Revision, cfg.Events, cfg.Triggers = revision.R20260728, true, []probe.Trigger{{Tool: "emit-event", Arguments: `{"name":"order.placed"}`}}
				}
				summary, err := probes.Run(context.Background(), cfg, nil)
				if err != nil {
					t.Fatalf("not connected: %v", err)
				}
				var said []string
				for _, r := range summary.Reports {
					for _, f := range r.Findings {
						if f.Severity != lint.Info && !hostile[r.Entry.ID] {
							said = append(said, r.Entry.ID+" "+f.Message)
						}
					}
				}
				if len(said) == 0 {
					t.Error("no finding")
				}
				t.Logf("%d:\n%s", len(said), strings.Join(said, "\n"))
			})
		})
	}
}

// A mistake that both a probe and a rule know is reported by the probe alone, also as an info.
func TestProbe_RuleSaysNothingAgain(t *testing.T) {
	wrong := disturbance{response: func(m []byte, _ int) []byte {
		return unknownName.ReplaceAll(m, []byte(`"code":-32603`))
	}}
	for id, about := range findingsBeside(t, wrong) {
		for _, of := range []string{"P-050", "P-065", "P-075"} {
			if id == of && len(about) != 1 {
				t.Errorf("%s: %q", id, about)
			}
		}
		if id == "P-033" {
			t.Errorf("P-033 repeats %q", about)
		}
	}
}

// A string id that comes back as a number is one finding, of the probe about ids.
func TestProbe_IDOfOtherTypeIsOneFinding(t *testing.T) {
	wrong := disturbance{response: func(m []byte, _ int) []byte {
		return bytes.ReplaceAll(m, []byte(`"id":"17"`), []byte(`"id":17`))
	}}
	found := findingsBeside(t, wrong)
	if len(found["P-026"]) != 1 || len(found["P-033"]) > 0 {
		t.Errorf("P-026: %q, P-033: %q", found["P-026"], found["P-033"])
	}
}

// unknownName is the code of the errors of the demo for the name of what it does not have.
var unknownName = regexp.MustCompile(`"code":-3(2002|2602)`)

// A server of which only one process runs at a time can be reached: what is asked of the first
// process is judged, and one finding says why the rest is not.
func TestProbe_SecondProcessDoesNotStart(t *testing.T) {
	starts := 0
	synctest.Test(t, func(t *testing.T) {
		connect := sessiontest.Dial(disturb(sessiontest.Demo(demo.Options{Pace: time.Millisecond}), disturbance{alone: true}, &starts))
		summary, err := probes.Run(context.Background(), probe.Config{
			Client: client.Config{Name: "mcptea", Version: "1", Revision: revision.R20251125}, Seed: 1, MaxTime: 10 * time.Hour,
			Dial: func(_ client.Target, tap client.Tap, cfg client.Config) *client.Client { return connect(tap, cfg) },
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range summary.Reports {
			switch id := r.Entry.ID; {
			case strings.Contains(r.Skip, "reached"):
				t.Errorf("%s is not judged: %s", id, r.Skip)
			case (id == "P-050" || id == "P-065") && r.Verdict != probe.Pass:
				t.Errorf("%s of the first process is %s: %s", id, r.Verdict, r.Skip)
			case id == "P-189" && (len(r.Findings) != 1 || !strings.HasPrefix(r.Findings[0].Message, "A second process of the server does not start beside the first: ")):
				t.Errorf("P-189 says %+v, %s", r.Findings, r.Skip)
			case r.Because != nil && r.Because.Cause == "a second process does not start" && r.Because.Probe != "P-189":
				t.Errorf("%s names %q for the cause", id, r.Because.Probe)
			}
		}
	})
}

// findingsBeside are the messages of all findings about the demo with a disturbance, by probe,
// less those about the demo itself.
func findingsBeside(t *testing.T, d disturbance) map[string][]string {
	t.Helper()
	all := func(d disturbance) map[string][]string {
		found := map[string][]string{}
		synctest.Test(t, func(t *testing.T) {
			starts := 0
			connect := sessiontest.Dial(disturb(sessiontest.Demo(demo.Options{Pace: time.Millisecond}), d, &starts))
			summary, err := probes.Run(context.Background(), probe.Config{
				Client: client.Config{Name: "mcptea", Version: "1", Revision: revision.R20251125}, Seed: 1, MaxTime: 10 * time.Hour,
				Dial: func(_ client.Target, tap client.Tap, cfg client.Config) *client.Client { return connect(tap, cfg) },
			}, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range summary.Reports {
				for _, f := range r.Findings {
					found[r.Entry.ID] = append(found[r.Entry.ID], f.Message)
				}
			}
		})
		return found
	}
	plain, found := all(disturbance{}), all(d)
	for id, messages := range plain {
		found[id] = slices.DeleteFunc(found[id], func(m string) bool { return slices.Contains(messages, m) })
		if len(found[id]) == 0 {
			delete(found, id)
		}
	}
	return found
}
