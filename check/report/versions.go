package report

import (
	"maps"
	"slices"
	"strings"

	"mcptea/check/probe"
)

// Merge combines a run over several protocol versions. The result has one report for each probe, and each
// finding once with the versions that it holds for and its likely consequences. Version-specific output, such
// as a baseline, must use the original run.
func Merge(s *probe.Summary) *probe.Summary {
	merged := *s
	defer func() { probe.LinkRoots(merged.Reports) }()
	if merged.Reports = nil; len(s.Servers) < 2 {
		for _, r := range s.Reports {
			r.Findings = slices.Clone(r.Findings)
			merged.Reports = append(merged.Reports, r)
		}
		return &merged
	}
	at := map[string]int{}
	for _, r := range s.Reports {
		if r.Versions == nil { // otherwise it was merged before
			r = inVersion(r)
		}
		i, known := at[r.Entry.ID]
		if !known {
			at[r.Entry.ID] = len(merged.Reports)
			merged.Reports = append(merged.Reports, r)
			continue
		}
		join(&merged.Reports[i], &r)
	}
	return &merged
}

// inVersion returns a report that names its version as one of several.
func inVersion(r probe.Report) probe.Report {
	r.Versions = []string{}
	if r.Verdict != probe.Skipped {
		r.Versions = append(r.Versions, r.Revision)
	}
	r.Findings, r.Measure = slices.Clone(r.Findings), maps.Clone(r.Measure)
	for i := range r.Findings {
		r.Findings[i].Versions = []string{r.Revision}
	}
	return r
}

// join adds the report of a probe for another version. If the probe was not judged in one version, the result
// is not judged, even if another version was judged.
func join(r, next *probe.Report) {
	if len(r.Versions) == 0 {
		r.Revision, r.Transport = next.Revision, next.Transport
	}
	r.Versions = append(r.Versions, next.Versions...)
	if isNews := rank(next.Verdict) < rank(r.Verdict); isNews || r.Verdict == probe.Skipped && r.Reason == probe.OtherVersion {
		r.Verdict, r.Reason, r.Skip, r.Because = next.Verdict, next.Reason, next.Skip, next.Because
	}
	for _, f := range next.Findings {
		i := slices.IndexFunc(r.Findings, func(of probe.Finding) bool {
			return of.Message == f.Message && of.Accepted == f.Accepted && fingerprint(r.Entry, of) == fingerprint(r.Entry, f)
		})
		if i < 0 {
			r.Findings = append(r.Findings, f)
			continue
		}
		r.Findings[i].Versions = append(slices.Clip(r.Findings[i].Versions), f.Versions...)
	}
	if r.Measure == nil {
		r.Measure = next.Measure
	}
	for name, value := range next.Measure {
		if _, has := r.Measure[name]; !has {
			r.Measure[name] = value
		}
	}
	r.Sent, r.Took = r.Sent+next.Sent, r.Took+next.Took
}

// rank orders verdicts, the most important first.
func rank(v probe.Verdict) int {
	return slices.Index([]probe.Verdict{probe.Fail, probe.Failure, probe.Warn, probe.Pass, probe.Skipped}, v)
}

// versionOf returns the protocol version of a finding, the first of several.
func versionOf(r *probe.Report, f probe.Finding) string {
	if len(f.Versions) > 0 {
		return f.Versions[0]
	}
	return r.Revision
}

// versionsOf returns the protocol versions of a run as a list in words.
func versionsOf(s *probe.Summary) string {
	var names []string
	for _, server := range s.Servers {
		names = append(names, string(server.Revision))
	}
	return strings.Join(names, ", ")
}
