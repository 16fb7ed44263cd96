package report_test

import (
	"encoding/xml"
	"slices"
	"strings"
	"testing"
	"time"

	"mcptea/check/report"
)

func TestReport_WriteJUnit(t *testing.T) {
	var b strings.Builder
	err := report.WriteJUnit(&b, []report.Suite{{Name: "tools.txtar", Took: 1500 * time.Millisecond, Cases: []report.Case{
		{Name: "passes", Class: "tools", Took: time.Second},
		{Name: "fails", Class: "tools", Failure: &report.Problem{Type: "expect", Message: "found \x1b[31m<b>", Text: "- 1\n+ 2"}},
		{Name: "breaks", Error: &report.Problem{Message: "cannot connect"}},
		{Name: "rest", Skipped: &report.Problem{Message: "an earlier section failed"}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	type counts struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
	}
	var doc struct {
		XMLName xml.Name `xml:"testsuites"`
		counts
		Time   string         `xml:"time,attr"`
		Suites []report.Suite `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(b.String()), &doc); err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	if got := doc.counts; got != (counts{Tests: 4, Failures: 1, Errors: 1}) || doc.Time != "1.500" || doc.Suites[0].Skipped != 1 {
		t.Errorf("the totals are %+v", got)
	}
	fails := doc.Suites[0].Cases[1]
	if fails.Failure.Message != "found \uFFFD[31m<b>" || fails.Failure.Text != "- 1\n+ 2" {
		t.Errorf("the failure is %+v with %+v", fails, fails.Failure)
	}
}

// The attributes are those of the schema of Jenkins' xunit plugin, which accepts no
// others.
func TestReport_WriteJUnit_AttributesOfTheStrictSchema(t *testing.T) {
	var b strings.Builder
	if err := report.WriteJUnit(&b, []report.Suite{{Name: "s", Cases: []report.Case{{Name: "a", Class: "c", Failure: &report.Problem{Type: "t"}}, {Name: "b", Skipped: &report.Problem{Message: "why"}}, {Name: "e", Error: &report.Problem{}}}}}); err != nil {
		t.Fatal(err)
	}
	allowed := map[string]string{
		"testsuites": "name time tests failures disabled errors", "testsuite": "name tests failures errors time disabled skipped timestamp hostname id package group log url version file",
		"testcase": "name classname time status assertions group", "failure": "type message", "error": "type message", "skipped": "type message",
	}
	d := xml.NewDecoder(strings.NewReader(b.String()))
	for {
		token, err := d.Token()
		if err != nil {
			break
		}
		if e, ok := token.(xml.StartElement); ok {
			for _, a := range e.Attr {
				if !slices.Contains(strings.Fields(allowed[e.Name.Local]), a.Name.Local) {
					t.Errorf("<%s> has the attribute %s", e.Name.Local, a.Name.Local)
				}
			}
		}
	}
}
