package report

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"mcptea/check/probe"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/lint/baseline"
	"mcptea/record"
)

// drift is the id of the probe that compares the server with the baseline.
const drift = "P-175"

// BaselineOf returns a baseline that accepts the results of a check of a target, named as in recordings. It
// keeps the reasons and the other servers of an earlier baseline, which may be nil.
func BaselineOf(s *probe.Summary, target string, earlier *baseline.File) *baseline.File {
	b := baseline.New()
	for _, server := range s.Servers {
		b.Servers = append(b.Servers, offerOf(server, target))
	}
	if earlier != nil {
		b.Servers = append(b.Servers, others(b.Servers, earlier.Servers)...)
	}
	for _, r := range s.Reports {
		for _, f := range r.Findings {
			if f.Severity == record.SeverityInfo || r.Entry.ID == drift {
				continue
			}
			a := baseline.Accepted{Fingerprint: fingerprint(r.Entry, f), Probe: r.Entry.ID, Revision: r.Revision, Message: f.Message}
			if earlier != nil {
				if i := slices.IndexFunc(earlier.Accepted, func(e baseline.Accepted) bool { return e.Fingerprint == a.Fingerprint && e.Revision == a.Revision }); i >= 0 {
					a.Reason = earlier.Accepted[i].Reason
				}
			}
			if !slices.ContainsFunc(b.Accepted, func(e baseline.Accepted) bool { return e.Fingerprint == a.Fingerprint && e.Revision == a.Revision }) {
				b.Accepted = append(b.Accepted, a)
			}
		}
	}
	return b
}

// others returns the earlier offers of servers that were not checked now. An entry without name and target
// belongs to the only server that its file was about.
func others(now, earlier []baseline.Offer) (others []baseline.Offer) {
	for _, o := range earlier {
		isNow := func(n baseline.Offer) bool { return n.Name == o.Name && n.Target == o.Target }
		if o.Target != "" && !slices.ContainsFunc(now, isNow) {
			others = append(others, o)
		}
	}
	return others
}

func offerOf(s *probe.Server, target string) baseline.Offer {
	o := baseline.Offer{
		Name: s.Handshake.Server.Name, Target: target,
		Revision: string(s.Revision), Capabilities: s.Handshake.ServerCaps, Lists: map[string][]json.RawMessage{},
	}
	o.Instructions, _ = jsonrpc.Member(s.Handshake.Result, "instructions")
	for _, kind := range client.ListKinds {
		if l := s.Lists[kind.Name]; l != nil && l.Problem == "" {
			items := []json.RawMessage{}
			for _, item := range l.Items {
				items = append(items, item)
			}
			o.Lists[kind.Name] = items
		}
	}
	return o
}

// errRevision reports that the baseline contains no matching protocol version.
var errRevision = errors.New("the baseline has no such protocol version")

// ApplyBaseline marks the findings that the baseline accepts, and judges the changes in the target's lists.
func ApplyBaseline(b *baseline.File, s *probe.Summary, target string) {
	for i := range s.Reports {
		r := &s.Reports[i]
		if r.Entry.ID == drift && r.Reason != probe.NotSelected {
			judge(b, r, s.Servers, target)
			continue
		}
		changed := false
		for k := range r.Findings {
			f := &r.Findings[k]
			fingerprint := fingerprint(r.Entry, *f)
			if f.Severity != record.SeverityInfo && slices.ContainsFunc(b.Accepted, func(a baseline.Accepted) bool { return a.Fingerprint == fingerprint && a.Revision == r.Revision }) {
				f.Accepted, changed = true, true
			}
		}
		if changed && (r.Verdict == probe.Fail || r.Verdict == probe.Warn) {
			r.Verdict = probe.VerdictOf(r.Findings)
		}
	}
}

// judge compares the offers of the servers with the baseline.
func judge(b *baseline.File, r *probe.Report, servers []*probe.Server, target string) {
	r.Reason, r.Skip, r.Findings = probe.OtherReason, "", nil
	at := slices.IndexFunc(servers, func(s *probe.Server) bool { return string(s.Revision) == r.Revision })
	var old *baseline.Offer
	var now baseline.Offer
	if at >= 0 {
		now = offerOf(servers[at], target)
		if old, _ = b.Find(&now); old == nil {
			old = b.Only(r.Revision)
		}
	}
	if old == nil {
		r.Verdict, r.Skip = probe.Skipped, errRevision.Error()
		return
	}
	for _, c := range old.Changes(&now) {
		f := probe.Finding{
			Severity: record.SeverityWarning, Case: "changes since the baseline", Subject: strings.TrimSuffix(c.Section, "s") + ":" + c.Item,
			Message: strings.TrimSpace(c.Section+" "+c.Item) + ": " + c.Reason + ".", Hint: r.Entry.Fix,
		}
		if c.Breaking {
			f.Severity, f.Message = record.SeverityError, "Breaking change: "+f.Message
		}
		r.Findings = append(r.Findings, f)
	}
	r.Verdict = probe.VerdictOf(r.Findings)
}
