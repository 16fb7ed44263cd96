// Package probe checks a server by what it does: it sends chosen messages, correct
// and malformed ones, and judges the reaction. Package harness is what the probes
// are written with, each folder beside it a group of probes.
package probe

import (
	"context"
	"maps"
	"slices"
	"sync"

	"mcptea/client/revision"
	"mcptea/session/probe/authorization"
	"mcptea/session/probe/callbacks"
	"mcptea/session/probe/concurrency"
	"mcptea/session/probe/envelope"
	"mcptea/session/probe/fuzz"
	"mcptea/session/probe/harness"
	"mcptea/session/probe/httptransport"
	"mcptea/session/probe/lifecycle"
	"mcptea/session/probe/lists"
	"mcptea/session/probe/load"
	"mcptea/session/probe/prompts"
	"mcptea/session/probe/resources"
	"mcptea/session/probe/safety"
	"mcptea/session/probe/stateless"
	"mcptea/session/probe/stdio"
	"mcptea/session/probe/tasks"
	"mcptea/session/probe/tools"
	"mcptea/session/probe/utilities"
)

// What a caller of this package handles is defined in package harness, which the
// groups import.
type (
	// Config says what is probed, and how far the probes may go.
	Config = harness.Config
	// Tokens are access tokens that the server must not accept for everything.
	Tokens = harness.Tokens
	// Event is what a run reports while it goes on.
	Event = harness.Event
	// Summary is the outcome of a run.
	Summary = harness.Summary
	// Report is the outcome of one probe.
	Report = harness.Report
	// Finding is what a probe has found.
	Finding = harness.Finding
	// Frame is a frame as evidence of a finding.
	Frame = harness.Frame
	// Server is what is known of a server, in a protocol version.
	Server = harness.Server
	// Entry is a probe as the catalog describes it.
	Entry = harness.Entry
	// Verdict is the outcome of a probe in a word.
	Verdict = harness.Verdict
)

// AllTools is a value of Config.Fuzz: all tools that may be called.
const AllTools = harness.AllTools

// NotSelected is why a probe was skipped that the configuration does not select.
const NotSelected = harness.NotSelected

// The verdicts.
const (
	Pass    = harness.Pass
	Warn    = harness.Warn
	Fail    = harness.Fail
	Skipped = harness.Skipped
	Failure = harness.Failure
)

// Groups lists the groups of probes.
func Groups() []harness.Group {
	return []harness.Group{
		lifecycle.Group(),
		envelope.Group(),
		concurrency.Group(),
		lists.Group(),
		tools.Group(),
		resources.Group(),
		prompts.Group(),
		utilities.Group(),
		tasks.Group(),
		callbacks.Group(),
		stdio.Group(),
		httptransport.Group(),
		authorization.Group(),
		stateless.Group(),
		safety.Group(),
		load.Group(),
		fuzz.Group(),
	}
}

var catalog = sync.OnceValue(func() *harness.Catalog { return harness.NewCatalog(Groups()...) })

// Catalogue lists all probes, group by group. The slice must not be changed.
func Catalogue() []*Entry { return catalog().Entries }

// Run connects to a server and runs the probes that the configuration selects: with
// the protocol version that is negotiated, and, if no version was requested, also
// with the other era when the server supports both. report is called for each step,
// in order, from the goroutine of the caller; it may be nil. The error is that of
// connecting. When the context ends, the summary has what was found before.
func Run(ctx context.Context, cfg Config, report func(Event)) (*Summary, error) {
	summary, err := harness.NewRunner(catalog(), cfg).Run(ctx, report)
	if err != nil || cfg.Client.Revision != "" || summary.Stopped != nil {
		return summary, err
	}
	cfg.Seed = summary.Seed
	for _, r := range furtherRevisions(ctx, summary.Servers[0], cfg) {
		cfg.Client.Revision = r
		next, err := harness.NewRunner(catalog(), cfg).Run(ctx, report)
		if err != nil {
			continue // the list of versions was not true; P-140 is about it
		}
		summary.Servers = append(summary.Servers, next.Servers...)
		summary.Reports = append(summary.Reports, next.Reports...)
		summary.Sent, summary.Took, summary.Stopped = summary.Sent+next.Sent, summary.Took+next.Took, next.Stopped
		if next.Stopped != nil {
			break
		}
	}
	return summary, nil
}

// furtherRevisions are the versions to probe with after that of a server: its other era,
// or all that it speaks.
func furtherRevisions(ctx context.Context, s *harness.Server, cfg Config) []revision.Revision {
	if !cfg.EachRevision {
		if s.OtherEra != "" {
			return []revision.Revision{s.OtherEra}
		}
		return nil
	}
	var spoken []revision.Revision
	for _, r := range slices.Backward(revision.All()) {
		if r != s.Revision && speaks(ctx, r, cfg) {
			spoken = append(spoken, r)
		}
	}
	return spoken
}

// speaks reports whether a server accepts a version when that is requested.
func speaks(ctx context.Context, r revision.Revision, cfg Config) bool {
	cfg.Client.Revision, cfg.Only, cfg.Passive = r, []string{"-"}, true // no probe
	summary, err := harness.NewRunner(catalog(), cfg).Run(ctx, nil)
	return err == nil && len(summary.Servers) == 1 && summary.Servers[0].Revision == r
}

// Matches reports whether a pattern selects a probe.
func Matches(pattern string) bool {
	return slices.ContainsFunc(Catalogue(), func(e *Entry) bool { return e.Matches(pattern) })
}

// LimitNames are the thresholds that [Config] may change, sorted.
func LimitNames() []string { return slices.Sorted(maps.Keys(harness.Limits)) }

// HasLimit reports whether there is a threshold with a name.
func HasLimit(name string) bool {
	_, ok := harness.Limits[name]
	return ok
}
