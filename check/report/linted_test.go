package report_test

import (
	"bytes"
	"encoding/xml"
	"strings"
	"testing"

	"mcptea/check/report"
	"mcptea/internal/schema/check"
	"mcptea/lint"
	"mcptea/lint/contract"
)

// linted is a file with a finding of each kind, and one without findings.
func linted() []report.Linted {
	rule := func(id string, s lint.Severity) *lint.Entry {
		return &lint.Entry{ID: id, Slug: "slug-of-" + id, DefaultSeverity: s, Basis: lint.Spec, Condition: "it is so", Fix: "Mend it.", Spec: "server/tools"}
	}
	expected := &lint.Entry{ID: "contract-expect", Slug: "expected-tool-not-called", Basis: lint.Contract, Spec: "an expectation of your own"}
	pending := &lint.Entry{ID: "contract-pending", Slug: "request-without-response", Basis: lint.Contract}
	failed, info := rule("T005", lint.Error), rule("C016", lint.Info)
	return []report.Linted{
		{
			File: "a b.jsonl", Expected: []*lint.Entry{expected, pending}, More: 3, Unjudged: []contract.Unjudged{{Kind: pending, Subject: "--no-pending", Text: "--no-pending is not judged: the recording is incomplete"}},
			Findings: []lint.Finding{
				{Rule: failed, Severity: lint.Error, Fault: lint.Client, Row: 7, Offset: -1, Path: "/params/name", Message: "No tool <x>.", Times: 1},
				{Rule: failed, Severity: lint.Warn, Fault: lint.Client, Row: 9, Offset: -1, Message: "Again.", Times: 2},
				{Rule: info, Severity: lint.Info, Fault: lint.Server, Row: 0, Offset: -1, Message: "By the way.", Times: 1},
			},
		},
		{File: "-"},
	}
}

func TestReport_LintJUnit_CasesOfRulesAndExpectations(t *testing.T) {
	var b bytes.Buffer
	if err := report.LintJUnit(&b, linted(), func(f *lint.Finding) bool { return f.Severity == lint.Error }); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Suites []struct {
			Name     string `xml:"name,attr"`
			Tests    int    `xml:"tests,attr"`
			Failures int    `xml:"failures,attr"`
			Errors   int    `xml:"errors,attr"`
			Cases    []struct {
				Name    string `xml:"name,attr"`
				Failure *struct {
					Text string `xml:",chardata"`
				} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatalf("%v in %s", err, b.Bytes())
	}
	if s := doc.Suites[0]; s.Name != "a b.jsonl" || s.Tests != 4 || s.Failures != 1 || s.Errors != 1 {
		t.Errorf("suite %+v", s)
	}
	// What is expected and was found to hold is a case that passes; what was not judged has no such case.
	if c := doc.Suites[0].Cases; c[0].Name != "contract-expect expected-tool-not-called" || c[0].Failure != nil ||
		c[1].Failure == nil || !strings.Contains(c[1].Failure.Text, "line 7: T005 slug-of-T005 (error, ") || !strings.Contains(c[1].Failure.Text, "\nplace: /params/name\n") || strings.Contains(c[1].Failure.Text, "Again.") {
		t.Errorf("cases %+v", c)
	}
	if s := doc.Suites[1]; s.Name != "stdin" || s.Tests != 1 || s.Cases[0].Name != "MCP rules" {
		t.Errorf("a file without findings: %+v", s)
	}
}

func TestReport_LintSARIF_MatchesSchema(t *testing.T) {
	var b bytes.Buffer
	if err := report.LintSARIF(&b, linted(), "1.2.3"); err != nil {
		t.Fatal(err)
	}
	if m, ok := check.Compile([]byte(sarifSchema), check.Options{}).Check(b.Bytes()); !ok || m != nil {
		t.Fatalf("%+v in %s", m, b.Bytes())
	}
	for _, want := range []string{
		`"ruleId": "T005"`, `"uri": "a%20b.jsonl"`, `"startLine": 7`, `"startLine": 1`, `"kind": "informational"`, `"executionSuccessful": false`,
		"a b.jsonl: 3 findings more", "--no-pending is not judged",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in %s", want, b.Bytes())
		}
	}
}
