package probes_test

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"maps"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/check/probe"
	"mcptea/check/probe/probes"
	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/demo"
	"mcptea/internal/test/inmemory"
	"mcptea/internal/test/official"
	"mcptea/internal/test/sessiontest"
	"mcptea/internal/test/wiremutant"
	"mcptea/lint/rules"
)

// mutantSeed chooses the generated mutants. With -all there are mutantsByNight of each kind and world, otherwise
// mutantsByDay.
var mutantSeed = flag.Uint64("mutant-seed", 1, "chooses the mutants of the wire")

// mutantFile is a file of mutants that are tried instead of all others.
var mutantFile = flag.String("mutants", "", "tries only the mutants of this `file`")

const (
	mutantsByDay   = 2
	mutantsByNight = 40
)

// chosenByDay is the share of the chosen mutants that run without -all, of each operator: one of so many.
const chosenByDay = 26

// A world is a right server that mutants are made of.
type world struct {
	name     string
	revision revision.Revision
	http     bool
	change   func(cfg *probe.Config) // nil for none
	pace     time.Duration           // of the pretended work of its tools
	kinds    string                  // part of the kinds of messages that its probes judge; "" for all
	said     *saidOf
}

// saidOf holds the ids of the probes and rules that have named a mutant.
type saidOf struct {
	mu  sync.Mutex
	ids map[string]bool
}

// add adds the ids of a line of [world.run].
func (s *saidOf) add(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range strings.Fields(line)[:2] {
		s.ids[id] = true
	}
}

// logMissing logs the probes and rules that no mutant is named by. The mutants of hosts have rules of their own.
func (s *saidOf) logMissing(t *testing.T) {
	t.Helper()
	var probesWithout, rulesWithout []string
	for _, e := range probe.Catalogue() {
		if !s.ids[e.ID] {
			probesWithout = append(probesWithout, e.ID)
		}
	}
	for _, e := range rules.Catalogue() {
		if !s.ids[e.ID] {
			rulesWithout = append(rulesWithout, e.ID)
		}
	}
	t.Logf("NOT KILLED probes %d: %s", len(probesWithout), strings.Join(probesWithout, " "))
	t.Logf("NOT KILLED rules %d: %s", len(rulesWithout), strings.Join(rulesWithout, " "))
}

var worlds = []world{
	{name: "stdio25", revision: revision.R20251125, change: withCalls, pace: time.Second},
	{name: "stdio26", revision: revision.R20260728, change: withCalls, pace: time.Second},
	{name: "http25", revision: revision.R20251125, http: true},
	{name: "http26", revision: revision.R20260728, http: true},
	{name: "events", revision: revision.R20260728, change: withTriggers, kinds: "events"},
	{name: "hooks", revision: revision.R20260728, http: true, change: func(cfg *probe.Config) { withTriggers(cfg); withToken(cfg) }, kinds: "events", pace: time.Second},
	{name: "principals", revision: revision.R20260728, http: true, change: withPrincipals, kinds: "tasks"},
}

// withPrincipals has the check act as two principals who have tasks and subscriptions.
func withPrincipals(cfg *probe.Config) {
	withToken(cfg)
	cfg.Tokens.Second = "two"
	cfg.Call, cfg.Events, cfg.Only = true, true, []string{"P-168", "P-091", "P-033", "P-058", "P-170"}
}

func withCalls(cfg *probe.Config) {
	cfg.Call, cfg.Allow = true, map[string]string{"change-list": "", "touch-resource": ""}
}

func withTriggers(cfg *probe.Config) {
	cfg.Events, cfg.Triggers = true, []probe.Trigger{{Tool: "emit-event", Arguments: `{"name":"order.placed"}`}}
	cfg.Only = []string{"events", "P-033", "P-045", "P-010"}
}

// run checks the server of a world behind a wire. It returns the findings, a line each: "PROBE RULE SEVERITY MESSAGE".
// What keeps the check from connecting is a finding, too; package failure has the sentence for it.
func (w world) run(t *testing.T, wire *wiremutant.Wire) (told []string) {
	t.Helper()
	var summary *probe.Summary
	var err error
	synctest.Test(t, func(t *testing.T) {
		cfg := probe.Config{Client: client.Config{Name: "mcptea", Version: "1", Revision: w.revision}, Seed: 1, MaxTime: 10 * time.Hour}
		var network inmemory.Network
		options := demo.Options{Pace: max(w.pace, time.Millisecond), Deliveries: wire.Deliveries(network.Transport())}
		if w.http {
			ctx, end := context.WithCancel(t.Context())
			dial, stop := inmemory.HTTP(wire.Handler(demo.New(options).HandlerContext(ctx)))
			defer stop()
			defer func() {
				end()
				time.Sleep(time.Minute) // in the bubble: the subscriptions of the demo get their responses
			}()
			cfg.Listen = network.Listen
			cfg.Target = client.Target{URL: "http://127.0.0.1:1/mcp", Transport: client.TransportHTTP, Header: http.Header{}, Dial: dial}
		} else {
			connect := sessiontest.Dial(wire.Stdio(sessiontest.Demo(options)))
			cfg.Dial = func(_ client.Target, tap client.Tap, c client.Config) *client.Client { return connect(tap, c) }
		}
		if w.change != nil {
			w.change(&cfg)
		}
		summary, err = probes.Run(context.Background(), cfg, nil)
	})
	if err != nil {
		return []string{"- - error not connected: " + err.Error()}
	}
	for _, r := range summary.Reports {
		for _, f := range r.Findings {
			rule := "-"
			if f.Rule != nil {
				rule = f.Rule.ID
			}
			told = append(told, fmt.Sprintf("%s %s %s %s", r.Entry.ID, rule, f.Severity, f.Message))
		}
	}
	return told
}

// ofTools matches what tools of the demo do wrong on purpose.
var ofTools = regexp.MustCompile(`^P-058 .* fail-protocol |^P-170 `)

// survey returns what the right server of a world sends, and what the check says of it.
func (w world) survey(t *testing.T) (places []wiremutant.Place, base []string) {
	t.Helper()
	wire := wiremutant.NewSurvey()
	base = w.run(t, wire)
	for _, line := range base {
		if !strings.Contains(line, " info ") && !ofTools.MatchString(line) {
			t.Errorf("the right server is accused: %s", line)
		}
	}
	for _, p := range wire.Places() {
		if strings.Contains(p.Kind, w.kinds) && (w.revision.IsStateless() || !strings.Contains(p.Kind, "server/discover")) {
			places = append(places, p)
		}
	}
	return places, base
}

// outcome is the result of the check for a mutant.
type outcome string

// Outcomes of mutants.
const (
	isNamed     outcome = "named"
	isMissed    outcome = "missed"    // or told with another sentence
	isSilent    outcome = "silent"    // right for what is allowed
	isFalse     outcome = "FALSE"     // what is allowed is an error or a warning
	isUnclear   outcome = "unclear"   // not observable, or nothing classifies it
	isUntouched outcome = "untouched" // it has changed no message
)

// tally counts outcomes by operator.
type tally map[string]map[outcome]int

func (t tally) add(m wiremutant.Mutant, o outcome) {
	op := m.Operator()
	if t[op] == nil {
		t[op] = map[outcome]int{}
	}
	t[op][o]++
}

// log logs a line for each operator.
func (t tally) log(tb testing.TB, world string) {
	for _, op := range slices.Sorted(maps.Keys(t)) {
		line := ""
		for _, o := range []outcome{isNamed, isMissed, isSilent, isFalse, isUnclear, isUntouched} {
			line += fmt.Sprintf("\t%s %d", o, t[op][o])
		}
		tb.Logf("TALLY %s\t%s%s", world, op, line)
	}
}

// judge runs a mutant and compares what the check says beyond the right server with its class.
func (w world) judge(t *testing.T, m wiremutant.Mutant, base []string, class func(changed []byte) wiremutant.Class) outcome {
	t.Helper()
	wire := wiremutant.New(m)
	var more, accused []string
	for _, line := range w.run(t, wire) {
		if slices.Contains(base, line) {
			continue
		}
		if more = append(more, line); !strings.Contains(line, " info ") {
			accused = append(accused, line)
		}
	}
	if wire.Touched() == 0 {
		return isUntouched
	}
	kind := m.Class
	if kind == "" && class != nil {
		kind = class(wire.Changed())
	}
	all := strings.Join(more, "\n\t")
	for _, line := range more {
		// what came instead of the missing response is said, here or by package failure
		saysWhatCame := strings.Contains(line, "; a response with id") || strings.HasPrefix(line, "- - error not connected:")
		if m.Never != "" && !saysWhatCame && regexp.MustCompile(m.Never).MatchString(line) {
			t.Errorf("%s: a sentence is false: %s", m, line)
		}
	}
	for _, line := range more {
		if kind != wiremutant.Allowed {
			w.said.add(line)
		}
	}
	result := isUnclear
	switch kind {
	case wiremutant.Violation:
		named := false
		for _, line := range more {
			for _, pattern := range m.Want {
				named = named || regexp.MustCompile(pattern).MatchString(line)
			}
		}
		result = isNamed
		if !named {
			result = isMissed
			t.Errorf("%s is missed, or told with another sentence (%s):\n\t%s", m, m.Spec, all)
		}
	case wiremutant.Allowed:
		result = isSilent
		if len(accused) > 0 {
			result = isFalse
			t.Errorf("%s is allowed, and accused:\n\t%s", m, strings.Join(accused, "\n\t"))
		}
	}
	t.Logf("%s: %s\n\t%s", result, m, all)
	return result
}

// TestMutants changes what right servers send and get, one thing at a time, and looks whether the check names it:
//   - chosen mutants of testdata/mutants.jsonl, which need a word more than an operator and a place: what is ignored, what
//     is never told, what is over
//   - transitions of testdata/transitions.jsonl: what is wrong is a history, such as the second time or the second connection
//   - operators on whole messages that the server sends
//   - operators on members that it sends, where an official schema says whether that is a violation
//
// What is allowed is no error and no warning.
func TestMutants(t *testing.T) {
	chosen, err := wiremutant.Read(cmp.Or(*mutantFile, "testdata/mutants.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if *mutantFile == "" && !*wholeMatrix {
		chosen = shareOf(chosen)
	}
	transitions, err := wiremutant.ReadTransitions("testdata/transitions.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	said := &saidOf{ids: map[string]bool{}}
	if *wholeMatrix {
		t.Cleanup(func() { said.logMissing(t) }) // after the parallel tests
	}
	for _, w := range worlds {
		w.said = said
		if *mutantFile != "" && len(chosen[w.name]) == 0 {
			continue
		}
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			places, base := w.survey(t)
			counts := tally{}
			t.Run("chosen", func(t *testing.T) {
				for _, m := range chosen[w.name] {
					o := w.judge(t, m, base, nil)
					if o == isUntouched && m.Class != wiremutant.NotObservable {
						t.Errorf("%s changes no message", m)
					}
					counts.add(m, o)
				}
			})
			if *mutantFile != "" {
				return
			}
			t.Run("transitions", func(t *testing.T) {
				for _, m := range wiremutant.Transitions(w.name, transitions, *mutantSeed, w.transitions()) {
					o := w.judge(t, m, base, nil)
					if o == isUntouched {
						t.Errorf("%s changes no message", m)
					}
					counts.add(m, o)
				}
			})
			t.Run("messages", func(t *testing.T) {
				for _, m := range wiremutant.Messages(w.name, places, *mutantSeed, w.mutants()) {
					counts.add(m, w.judge(t, m, base, nil))
				}
			})
			t.Run("responses", func(t *testing.T) {
				for _, m := range wiremutant.Responses(w.name, places, *mutantSeed, max(1, w.mutants()/2)) {
					counts.add(m, w.judge(t, m, base, nil))
				}
			})
			t.Run("members", func(t *testing.T) {
				schema := readDefinitions(t, official.Schemas(t), w.revision)
				for _, m := range wiremutant.Members(w.name, places, *mutantSeed, w.mutants()) {
					counts.add(m, w.judge(t, m, base, func(changed []byte) wiremutant.Class { return schema.class(t, m.Edits[0].On, changed) }))
				}
			})
			counts.log(t, w.name)
		})
	}
}

// mutants returns the number of generated mutants of each kind. A check of everything takes ten times as long as the
// check of events.
func (w world) mutants() int {
	switch {
	case *wholeMatrix:
		return mutantsByNight
	case w.kinds == "":
		return 1
	}
	return mutantsByDay
}

// transitions returns the number of mutants of transitions.
func (w world) transitions() int {
	if *wholeMatrix {
		return math.MaxInt
	}
	return 1
}

// shareOf returns one of chosenByDay mutants of each operator, over all worlds.
func shareOf(chosen map[string][]wiremutant.Mutant) map[string][]wiremutant.Mutant {
	var all []wiremutant.Mutant
	for _, w := range worlds {
		all = append(all, chosen[w.name]...)
	}
	slices.SortStableFunc(all, func(a, b wiremutant.Mutant) int { return cmp.Compare(a.Operator(), b.Operator()) })
	share := map[string][]wiremutant.Mutant{}
	for i, m := range all {
		if i%chosenByDay == 0 {
			share[m.World] = append(share[m.World], m)
		}
	}
	return share
}
