// Package probe checks a server by what it does: it sends chosen messages, correct
// and malformed ones, and judges the reaction. Package harness is what the probes
// are written with, each folder beside it a group of probes.
package probe

import (
	"context"
	"sync"

	"mcptea/session/probe/concurrency"
	"mcptea/session/probe/envelope"
	"mcptea/session/probe/harness"
	"mcptea/session/probe/httptransport"
	"mcptea/session/probe/lifecycle"
	"mcptea/session/probe/tools"
)

// What a caller of this package handles is defined in package harness, which the
// groups import.
type (
	// Config says what is probed, and how far the probes may go.
	Config = harness.Config
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
	// Entry is a probe as the catalog describes it.
	Entry = harness.Entry
	// Verdict is the outcome of a probe in a word.
	Verdict = harness.Verdict
)

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
		tools.Group(),
		httptransport.Group(),
	}
}

var catalog = sync.OnceValue(func() *harness.Catalog { return harness.NewCatalog(Groups()...) })

// Catalogue lists all probes, group by group. The slice must not be changed.
func Catalogue() []*Entry { return catalog().Entries }

// Run connects to a server and runs the probes that the configuration selects.
// report is called for each step, in order, from the goroutine of the caller; it may
// be nil. The error is that of connecting. When the context ends, the summary has
// what was found before.
func Run(ctx context.Context, cfg Config, report func(Event)) (*Summary, error) {
	return harness.NewRunner(catalog(), cfg).Run(ctx, report)
}
