package report

import (
	"io"

	"mcptea/check/probe"
	"mcptea/client/jsonrpc"
	"mcptea/record"
)

// The types of SARIF 2.1.0 that the report uses.
type (
	sarifText struct {
		Text string `json:"text"`
	}
	sarifRule struct {
		ID                   string         `json:"id"`
		Name                 string         `json:"name"`
		ShortDescription     sarifText      `json:"shortDescription"`
		FullDescription      sarifText      `json:"fullDescription"`
		HelpURI              string         `json:"helpUri,omitempty"`
		Help                 sarifText      `json:"help"`
		DefaultConfiguration map[string]any `json:"defaultConfiguration"`
		Properties           map[string]any `json:"properties"`
	}
	sarifResult struct {
		RuleID              string            `json:"ruleId"`
		RuleIndex           int               `json:"ruleIndex"`
		Kind                string            `json:"kind"`
		Level               string            `json:"level"`
		Message             sarifText         `json:"message"`
		Locations           []map[string]any  `json:"locations"`
		PartialFingerprints map[string]string `json:"partialFingerprints"`
		Suppressions        []map[string]any  `json:"suppressions,omitempty"`
		Properties          map[string]any    `json:"properties,omitempty"`
	}
)

// A sarifLog is a log of one run under construction.
type sarifLog struct {
	rules         []sarifRule
	index         map[string]int // rules by id
	results       []sarifResult
	notifications []map[string]any
	incomplete    bool   // the run is incomplete
	client        string // sentence about the impersonated client, or ""
}

func newSARIF() *sarifLog {
	return &sarifLog{rules: []sarifRule{}, index: map[string]int{}, results: []sarifResult{}, notifications: []map[string]any{}}
}

// rule adds a rule if the log does not have it.
func (l *sarifLog) rule(r sarifRule) {
	if _, ok := l.index[r.ID]; !ok {
		l.index[r.ID] = len(l.rules)
		r.DefaultConfiguration = map[string]any{"level": "warning"}
		l.rules = append(l.rules, r)
	}
}

// A place is the place of a result: a line of a file, or something with a name.
type place struct {
	uri  string
	line int // line, or 0 for the start of the file
	name string
}

// result adds a result of a rule that the log has.
func (l *sarifLog) result(rule string, s record.Severity, at place, r sarifResult) {
	r.RuleID, r.RuleIndex, r.Kind, r.Level = rule, l.index[rule], "fail", level(s)
	if s == record.SeverityInfo {
		r.Kind, r.Level = "informational", "none"
	}
	r.Locations = []map[string]any{{
		"physicalLocation": map[string]any{"artifactLocation": map[string]any{"uri": at.uri}, "region": map[string]any{"startLine": max(1, at.line)}},
		"logicalLocations": []map[string]any{{"fullyQualifiedName": at.name}},
	}}
	l.results = append(l.results, r)
}

// notify adds a sentence about the run, and about a rule if the log has it.
func (l *sarifLog) notify(text, rule string) {
	n := map[string]any{"level": "warning", "message": sarifText{text}}
	if i, ok := l.index[rule]; ok {
		n["associatedRule"] = map[string]any{"id": rule, "index": i}
	}
	l.notifications = append(l.notifications, n)
}

// write writes the log. tool is the version of mcptea.
func (l *sarifLog) write(w io.Writer, tool string) error {
	invocation := map[string]any{"executionSuccessful": !l.incomplete, "toolExecutionNotifications": l.notifications}
	if l.client != "" {
		invocation["properties"] = map[string]any{"connected": l.client}
	}
	text, err := jsonrpc.MarshalIndented(map[string]any{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
		"runs": []map[string]any{{
			"tool":    map[string]any{"driver": map[string]any{"name": "mcptea", "version": tool, "informationUri": "https://modelcontextprotocol.io/", "rules": l.rules}},
			"results": l.results, "columnKind": "unicodeCodePoints",
			"invocations": []map[string]any{invocation},
		}},
	}, " ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// SARIF writes a log of SARIF 2.1.0. artifact is the file at which the results are shown, relative to the
// repository. tool is the version of mcptea.
func SARIF(w io.Writer, s *probe.Summary, artifact, tool string) error {
	s = Merge(s)
	log := newSARIF()
	log.incomplete = s.Stopped != nil
	if s.Client != "" {
		log.client = ConnectedAs(s)
	}
	for _, r := range s.Reports {
		e := r.Entry
		log.rule(sarifRule{
			ID: e.ID, Name: e.Slug, ShortDescription: sarifText{e.Slug}, FullDescription: sarifText{"Fails: " + e.Fail},
			HelpURI: SpecURL(e.Spec, ""), Help: sarifText{e.Fix},
			Properties: map[string]any{"tags": []string{"mcp", e.Group, string(e.Level)}},
		})
		for _, f := range r.Findings {
			result := sarifResult{
				Message:             sarifText{f.Message},
				PartialFingerprints: map[string]string{"mcptea/v1": fingerprint(e, f) + "/" + versionOf(&r, f)},
				Properties:          map[string]any{"protocolVersion": versionOf(&r, f), "transport": r.Transport, "evidence": evidence(&r, f)},
			}
			if len(f.Versions) > 0 {
				result.Properties["protocolVersions"] = f.Versions
			}
			if f.Library != nil {
				result.Properties["library"] = f.Library.Name
			}
			if f.Accepted {
				result.Suppressions = []map[string]any{{"kind": "external"}}
			}
			log.result(e.ID, f.Severity, place{uri: artifact, name: subject(f)}, result)
		}
	}
	for _, c := range Causes(s.Reports) {
		log.notify(c.String(), c.Probe)
	}
	return log.write(w, tool)
}
