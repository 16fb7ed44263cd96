package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/session/checks/probe"
	"mcptea/session/offer/diff"
	"mcptea/session/record/severity"
)

// Baseline is the content of a baseline file.
type Baseline struct {
	Version  int        `json:"v"`
	Servers  []offer    `json:"servers"`
	Accepted []accepted `json:"accepted"`
}

// offer is what the server offered in one protocol version.
type offer struct {
	Revision     string                       `json:"revision"`
	Capabilities json.RawMessage              `json:"capabilities,omitempty"`
	Instructions json.RawMessage              `json:"instructions,omitempty"`
	Lists        map[string][]json.RawMessage `json:"lists"`
}

// accepted is a finding that is no failure any more.
type accepted struct {
	Fingerprint string `json:"fingerprint"`
	Probe       string `json:"probe"`
	Revision    string `json:"revision"`
	Message     string `json:"message"`
	Reason      string `json:"reason,omitempty"` // by the user
}

const baselineVersion = 1

// ParseBaseline reads a baseline file.
func ParseBaseline(text []byte) (*Baseline, error) {
	b := &Baseline{}
	if err := json.Unmarshal(text, b); err != nil {
		return nil, err
	}
	if b.Version != baselineVersion {
		return nil, fmt.Errorf("it has version %d; this version of mcptea reads version %d", b.Version, baselineVersion)
	}
	return b, nil
}

// drift is the probe that compares what the server offers.
const drift = "P-175"

// BaselineOf is the baseline that accepts all of a check. Reasons of an earlier one are
// kept; it may be nil.
func BaselineOf(s *probe.Summary, earlier *Baseline) ([]byte, error) {
	b := Baseline{Version: baselineVersion, Servers: []offer{}, Accepted: []accepted{}}
	for _, server := range s.Servers {
		b.Servers = append(b.Servers, offerOf(server))
	}
	for _, r := range s.Reports {
		for _, f := range r.Findings {
			if f.Severity == severity.Info || r.Entry.ID == drift {
				continue
			}
			a := accepted{Fingerprint: fingerprint(r.Entry, f), Probe: r.Entry.ID, Revision: r.Revision, Message: f.Message}
			if earlier != nil {
				if i := slices.IndexFunc(earlier.Accepted, func(e accepted) bool { return e.Fingerprint == a.Fingerprint && e.Revision == a.Revision }); i >= 0 {
					a.Reason = earlier.Accepted[i].Reason
				}
			}
			if !slices.ContainsFunc(b.Accepted, func(e accepted) bool { return e.Fingerprint == a.Fingerprint && e.Revision == a.Revision }) {
				b.Accepted = append(b.Accepted, a)
			}
		}
	}
	text, err := json.MarshalIndent(b, "", " ")
	return append(text, '\n'), err
}

func offerOf(s *probe.Server) offer {
	o := offer{Revision: string(s.Revision), Capabilities: s.Handshake.ServerCaps, Lists: map[string][]json.RawMessage{}}
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

func (o offer) server() diff.Server {
	s := diff.Server{Revision: o.Revision, Capabilities: o.Capabilities, Instructions: o.Instructions, Lists: map[string][][]byte{}}
	for name, items := range o.Lists {
		s.Lists[name] = [][]byte{}
		for _, item := range items {
			s.Lists[name] = append(s.Lists[name], item)
		}
	}
	return s
}

// errRevision reports that the baseline has none of the protocol versions.
var errRevision = errors.New("the baseline has no such protocol version")

// Apply marks the findings that the baseline accepts, and judges the changes of
// what the server offers.
func (b *Baseline) Apply(s *probe.Summary) {
	for i := range s.Reports {
		r := &s.Reports[i]
		if r.Entry.ID == drift && r.Skip != "not selected" {
			b.judge(r, s.Servers)
			continue
		}
		changed := false
		for k := range r.Findings {
			f := &r.Findings[k]
			fingerprint := fingerprint(r.Entry, *f)
			if f.Severity != severity.Info && slices.ContainsFunc(b.Accepted, func(a accepted) bool { return a.Fingerprint == fingerprint && a.Revision == r.Revision }) {
				f.Accepted, changed = true, true
			}
		}
		if changed && (r.Verdict == probe.Fail || r.Verdict == probe.Warn) {
			r.Verdict = probe.VerdictOf(r.Findings)
		}
	}
}

// judge compares what the server offers with the baseline.
func (b *Baseline) judge(r *probe.Report, servers []*probe.Server) {
	r.Skip, r.Findings = "", nil
	at := slices.IndexFunc(servers, func(s *probe.Server) bool { return string(s.Revision) == r.Revision })
	old := slices.IndexFunc(b.Servers, func(o offer) bool { return o.Revision == r.Revision })
	if at < 0 || old < 0 {
		r.Verdict, r.Skip = probe.Skipped, errRevision.Error()
		return
	}
	for _, c := range diff.Servers(b.Servers[old].server(), offerOf(servers[at]).server()) {
		f := probe.Finding{
			Severity: severity.Warn, Case: "changes since the baseline", Subject: strings.TrimSuffix(c.Section, "s") + ":" + c.Item,
			Message: strings.TrimSpace(c.Section+" "+c.Item) + ": " + c.Reason + ".", Hint: r.Entry.Fix,
		}
		if c.Breaking {
			f.Severity, f.Message = severity.Error, "Breaking change: "+f.Message
		}
		r.Findings = append(r.Findings, f)
	}
	r.Verdict = probe.VerdictOf(r.Findings)
}
