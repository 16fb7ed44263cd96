package report

import (
	"strings"

	"mcptea/check/probe"
	"mcptea/client/servercard"
	"mcptea/lint"
)

// DiscoveryGroup is the group of the reports from [OfDiscovery].
const DiscoveryGroup = "discovery"

// OfDiscovery returns the results of the rules about a host's catalog and server cards, which clients read
// before they connect. live is nil if the server was not connected.
func OfDiscovery(d *servercard.Discovery, live *servercard.Live) []probe.Report {
	var reports []probe.Report
	for _, o := range d.Check(live) {
		level, severity, verdict := probe.Should, lint.Warn, probe.Warn
		if o.Rule.Must {
			level, severity, verdict = probe.Must, lint.Error, probe.Fail
		}
		r := probe.Report{Verdict: probe.Pass, Entry: &probe.Entry{
			ID: o.Rule.ID, Slug: o.Rule.Name, Group: DiscoveryGroup, Level: level, Basis: lint.Spec,
			Sends: "GET requests for the catalog and for server cards, without credentials", Pass: o.Rule.Requires, Fix: o.Rule.Fix, Spec: o.Rule.Spec,
		}}
		switch {
		case len(o.Problems) > 0:
			r.Verdict = verdict
			r.Findings = []probe.Finding{{Severity: severity, Message: strings.Join(o.Problems, " "), Hint: o.Rule.Fix}}
		case o.Skipped != "":
			r.Verdict, r.Reason, r.Skip = probe.Skipped, probe.Outside, o.Skipped
		case o.Advice != "":
			r.Findings = []probe.Finding{{Severity: lint.Info, Message: o.Advice, Hint: o.Rule.Fix}}
		}
		reports = append(reports, r)
	}
	return reports
}
