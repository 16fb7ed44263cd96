package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"time"
)

// Suite is a group of cases of a JUnit report, such as a script.
type Suite struct {
	Name string `xml:"name,attr"`
	counts
	Skipped int           `xml:"skipped,attr"` // set by [WriteJUnit], like the fields below except for the cases
	Time    string        `xml:"time,attr"`    // Took in seconds
	Took    time.Duration `xml:"-"`

	Properties []Property `xml:"properties>property"` // properties of the run
	Cases      []Case     `xml:"testcase"`
}

// Property is a fact about a run.
type Property struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

// Case is one check. At most one of Failure, Error and Skipped is set.
type Case struct {
	Name string `xml:"name,attr"`
	// Class groups cases in the views of CI systems, such as the name of a file.
	Class string        `xml:"classname,attr"`
	Time  string        `xml:"time,attr"` // Took in seconds, set by [WriteJUnit]
	Took  time.Duration `xml:"-"`

	Failure *Problem `xml:"failure"` // the check has failed
	Error   *Problem `xml:"error"`   // the check could not be made
	Skipped *Problem `xml:"skipped"` // why it was not made
}

// A Problem is the reason why a case has not passed.
type Problem struct {
	Message string `xml:"message,attr"`        // one sentence
	Type    string `xml:"type,attr,omitempty"` // constant name, such as the id of a rule
	Text    string `xml:",chardata"`           // evidence, several lines
}

// counts holds the totals in the attributes of an element. The root has no count of skipped cases, because
// strict readers reject it there.
type counts struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
}

type xmlSuites struct {
	XMLName xml.Name `xml:"testsuites"`
	counts
	Time   string  `xml:"time,attr"`
	Suites []Suite `xml:"testsuite"`
}

// WriteJUnit writes the results of checks as a JUnit report, which CI systems show. It
// sets the totals of the suites.
func WriteJUnit(w io.Writer, suites []Suite) error {
	doc := xmlSuites{Suites: suites}
	var took time.Duration
	for i := range suites {
		s := &suites[i]
		s.count()
		doc.Tests, doc.Failures, doc.Errors = doc.Tests+s.Tests, doc.Failures+s.Failures, doc.Errors+s.Errors
		took += s.Took
	}
	doc.Time = seconds(took)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(doc); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (s *Suite) count() {
	s.counts, s.Skipped, s.Time = counts{Tests: len(s.Cases)}, 0, seconds(s.Took)
	for i := range s.Cases {
		c := &s.Cases[i]
		c.Time = seconds(c.Took)
		switch {
		case c.Failure != nil:
			s.Failures++
		case c.Error != nil:
			s.Errors++
		case c.Skipped != nil:
			s.Skipped++
		}
	}
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }
