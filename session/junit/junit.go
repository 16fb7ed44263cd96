// Package junit writes the results of checks as a JUnit report, which CI systems show.
package junit

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"
)

// Suite is a group of cases, such as a script.
type Suite struct {
	Name  string
	Took  time.Duration
	Cases []Case
}

// Case is one check. At most one of Failure, Error and Skipped is set.
type Case struct {
	Name string
	// Class groups cases in the views of CI systems, such as the name of a file.
	Class string
	Took  time.Duration

	Failure *Problem // the check has failed
	Error   *Problem // the check could not be made
	Skipped string   // why it was not made; empty if it was
}

// Problem says why a case has not passed.
type Problem struct {
	Type    string // a name that does not vary, such as that of a rule
	Message string // one sentence
	Text    string // evidence, several lines
}

type xmlSuites struct {
	XMLName xml.Name `xml:"testsuites"`
	counts
	Time   string     `xml:"time,attr"` // seconds
	Suites []xmlSuite `xml:"testsuite"`
}

// counts are the totals that an element of a report has as attributes. The root has
// not those of what was skipped: strict readers reject it there.
type counts struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
}

type xmlSuite struct {
	Name string `xml:"name,attr"`
	counts
	Skipped int       `xml:"skipped,attr"`
	Time    string    `xml:"time,attr"`
	Cases   []xmlCase `xml:"testcase"`
}

type xmlCase struct {
	Name    string      `xml:"name,attr"`
	Class   string      `xml:"classname,attr"`
	Time    string      `xml:"time,attr"`
	Failure *xmlProblem `xml:"failure"`
	Error   *xmlProblem `xml:"error"`
	Skipped *xmlSkipped `xml:"skipped"`
}

type xmlProblem struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

type xmlSkipped struct {
	Message string `xml:"message,attr"`
}

// Write writes a report. Characters that XML cannot have are replaced.
func Write(w io.Writer, suites []Suite) error {
	var doc xmlSuites
	var took time.Duration
	for _, s := range suites {
		suite := suiteOf(s)
		doc.Tests += suite.Tests
		doc.Failures += suite.Failures
		doc.Errors += suite.Errors
		took += s.Took
		doc.Suites = append(doc.Suites, suite)
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

func suiteOf(s Suite) xmlSuite {
	out := xmlSuite{Name: clean(s.Name), counts: counts{Tests: len(s.Cases)}, Time: seconds(s.Took)}
	for _, c := range s.Cases {
		x := xmlCase{Name: clean(c.Name), Class: clean(c.Class), Time: seconds(c.Took)}
		switch {
		case c.Failure != nil:
			out.Failures++
			x.Failure = problemOf(c.Failure)
		case c.Error != nil:
			out.Errors++
			x.Error = problemOf(c.Error)
		case c.Skipped != "":
			out.Skipped++
			x.Skipped = &xmlSkipped{clean(c.Skipped)}
		}
		out.Cases = append(out.Cases, x)
	}
	return out
}

func problemOf(p *Problem) *xmlProblem {
	return &xmlProblem{Message: clean(p.Message), Type: clean(p.Type), Text: clean(p.Text)}
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

// clean replaces what is no character of XML 1.0 (2.2), such as an escape.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t', r == '\n', r == '\r', r >= ' ' && r <= 0xd7ff, r >= 0xe000 && r <= 0xfffd && r != 0xfffd, r >= 0x10000:
			return r
		}
		return 0xfffd
	}, text)
}
