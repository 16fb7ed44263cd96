package checks

import (
	"io"

	"github.com/spf13/pflag"

	"mcptea/check/report"
	"mcptea/cli/app"
	"mcptea/lint"
	"mcptea/lint/contract"
)

// lintReports holds the reports of lint for other programs, and their input.
type lintReports struct {
	junit, sarif app.Report
	linted       []report.Linted
}

func (r *lintReports) declare(fs *pflag.FlagSet) {
	r.junit.DeclareJUnit(fs, "")
	r.sarif.DeclareSARIF(fs)
}

func (r *lintReports) wanted() bool { return r.junit.Wanted() || r.sarif.Wanted() }

// add adds a file that was read. linted is nil if no report is requested.
func (r *lintReports) add(linted *report.Linted, unjudged []contract.Unjudged) {
	if linted != nil {
		linted.Unjudged = unjudged
		r.linted = append(r.linted, *linted)
	}
}

// maxReported bounds the findings of a file in its reports: GitHub shows 5,000 results of a log and rejects one
// with more than 25,000.
const maxReported = 25_000

// maxExcerpts bounds how many findings include their frame, so that a report stays below some megabytes.
const maxExcerpts = 1000

// keep keeps a finding for the reports, as often as findings at one place are printed.
func (t *lintTally) keep(f *lint.Finding) {
	switch l := t.linted; {
	case l == nil:
	case !t.shown(f.Times-1) || len(l.Findings) == maxReported:
		l.More++
	default:
		kept := *f
		if len(l.Findings) >= maxExcerpts {
			kept.Excerpt = nil
		}
		l.Findings = append(l.Findings, kept)
	}
}

// writeLinted writes the reports.
func (p *printer) writeLinted(r *lintReports, failed func(*lint.Finding) bool) error {
	err := p.WriteReport(r.junit, func(w io.Writer) error { return report.LintJUnit(w, r.linted, failed) })
	if err == nil {
		err = p.WriteReport(r.sarif, func(w io.Writer) error { return report.LintSARIF(w, r.linted, p.Version.Version) })
	}
	return err
}
