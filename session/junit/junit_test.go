package junit

import (
	"encoding/xml"
	"strings"
	"testing"
	"time"
)

func TestWrite(t *testing.T) {
	var b strings.Builder
	err := Write(&b, []Suite{{Name: "tools.txtar", Took: 1500 * time.Millisecond, Cases: []Case{
		{Name: "passes", Class: "tools", Took: time.Second},
		{Name: "fails", Class: "tools", File: "tools.txtar", Line: 7, Failure: &Problem{Type: "expect", Message: "found \x1b[31m<b>", Text: "- 1\n+ 2"}},
		{Name: "breaks", Error: &Problem{Message: "cannot connect"}},
		{Name: "rest", Skipped: "an earlier section failed"},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	var doc xmlSuites
	if err := xml.Unmarshal([]byte(b.String()), &doc); err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	if got := doc.counts; got != (counts{Tests: 4, Failures: 1, Errors: 1, Skipped: 1, Time: "1.500"}) {
		t.Errorf("the totals are %+v", got)
	}
	fails := doc.Suites[0].Cases[1]
	if fails.Failure.Message != "found \uFFFD[31m<b>" || fails.Failure.Text != "- 1\n+ 2" || fails.Line != 7 {
		t.Errorf("the failure is %+v with %+v", fails, fails.Failure)
	}
}
