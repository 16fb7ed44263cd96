package checks

import (
	"io"

	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/session/checks/contract"
	"mcptea/session/checks/lint"
	"mcptea/session/checks/report"
)

// lintReports are the reports of lint for other programs, and what they are made of.
type lintReports struct {
	junit, sarif string // files; "-" for stdout
	linted       []report.Linted
}

func (r *lintReports) declare(fs *pflag.FlagSet) {
	fs.StringVar(&r.junit, "junit", "", "also write a JUnit report to this `FILE`; - for stdout, in place of the findings")
	fs.StringVar(&r.sarif, "sarif", "", "also write a SARIF 2.1.0 log to this `FILE`; - for stdout, in place of the findings")
}

func (r *lintReports) wanted() bool { return r.junit != "" || r.sarif != "" }

// onStdout reports whether one of the reports is what is printed.
func (r *lintReports) onStdout() bool { return r.junit == "-" || r.sarif == "-" }

// check refuses two things on stdout.
func (r *lintReports) check(json bool) error {
	switch {
	case r.junit == "-" && r.sarif == "-":
		return app.Usage("Write one of them to a file.", "--junit - and --sarif - cannot be used together")
	case r.onStdout() && json:
		return app.Usage("Write the report to a file.", "--json and a report on stdout cannot be used together")
	}
	return nil
}

// add adds a file that was read; linted is nil if no report is wanted.
func (r *lintReports) add(linted *report.Linted, unjudged []contract.Unjudged) {
	if linted != nil {
		linted.Unjudged = unjudged
		r.linted = append(r.linted, *linted)
	}
}

// maxReported is how many findings of a file are in its reports: GitHub shows 5,000 results of a
// log and refuses one of more than 25,000.
const maxReported = 25_000

// keep keeps a finding for the reports, as often as findings at one place are printed.
func (t *lintTally) keep(f *lint.Finding) {
	switch l := t.linted; {
	case l == nil:
	case !t.shown(f.Times-1) || len(l.Findings) == maxReported:
		l.More++
	default:
		l.Findings = append(l.Findings, *f)
	}
}

// writeLinted writes the reports.
func (p *commands) writeLinted(r *lintReports, failed func(*lint.Finding) bool) error {
	err := p.writeReport("junit", r.junit, func(w io.Writer) error { return report.LintJUnit(w, r.linted, failed) })
	if err == nil {
		err = p.writeReport("sarif", r.sarif, func(w io.Writer) error { return report.LintSARIF(w, r.linted, p.Version.Version) })
	}
	return err
}

// writeReport writes the file of a flag, or to stdout for "-".
func (p *commands) writeReport(flag, path string, write func(io.Writer) error) error {
	if path == "-" {
		return write(p.Out)
	}
	return app.WriteFile(flag, path, write)
}
