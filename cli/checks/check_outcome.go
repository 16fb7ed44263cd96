package checks

import (
	"io"
	"os"
	"path/filepath"
	"slices"

	"mcptea/check/probe"
	"mcptea/check/report"
	"mcptea/cli/app"
	"mcptea/client"
	"mcptea/lint"
	"mcptea/lint/baseline"
)

// counts reports a finding that --fail-on makes a failure.
func (f *checkFlags) counts(found probe.Finding) bool {
	switch {
	case found.Accepted:
		return false
	case f.failOn == failOnLibrary:
		return found.Severity <= lint.Warn
	}
	return found.Library == nil && f.failOn.fails(found.Severity)
}

// writeCheck writes the reports for other programs, and the baseline.
func (p *checkCommand) writeCheck(t client.Target, s *probe.Summary, f *checkFlags) error {
	if err := p.print.writeReports(artifactOf(t), s, f); err != nil {
		return err
	}
	if err := p.print.writeSubmission(s, f); err != nil {
		return err
	}
	if err := p.print.writeFuzzScripts(s, f.fuzzDir); err != nil {
		return app.Failed("--fuzz-dir: %v", err)
	}
	if f.github {
		out := p.Out
		if p.JSON || f.markdown || p.ReportsOnStdout() {
			out = p.Err
		}
		if err := report.GitHub(out, s); err != nil {
			return err
		}
	}
	if !f.updateBaseline {
		return nil
	}
	return p.print.updateBaseline(f.baseline, func(now *baseline.File) *baseline.File { return report.BaselineOf(s, t.String(), now) })
}

// writeReports writes the reports of --junit and --sarif about a file of the project.
func (p *printer) writeReports(artifact string, s *probe.Summary, f *checkFlags) error {
	err := p.WriteReport(f.junit, func(w io.Writer) error { return report.JUnit(w, s, f.counts) })
	if err != nil {
		return err
	}
	return p.WriteReport(f.sarif, func(w io.Writer) error { return report.SARIF(w, s, artifact, p.Version.Version) })
}

// artifactOf returns the file of the server's command below the working directory, for programs that show
// findings at a file of the repository. It returns README.md for a URL, and for a command without such a file.
func artifactOf(t client.Target) string {
	if t.Dir == "" {
		for _, arg := range t.Argv {
			if info, err := os.Stat(arg); err == nil && info.Mode().IsRegular() && filepath.IsLocal(arg) {
				return filepath.ToSlash(filepath.Clean(arg))
			}
		}
	}
	return "README.md"
}

// checkOutcome returns the error with the exit code of the check.
func (p *printer) checkOutcome(s *probe.Summary, f *checkFlags) error {
	counts := report.CountOf(s.Reports)
	failed := slices.ContainsFunc(s.Reports, func(r probe.Report) bool { return slices.ContainsFunc(r.Findings, f.counts) })
	switch {
	case f.updateBaseline:
		return nil
	case failed:
		return app.Silent(app.ExitError)
	case counts.Error > 0 || s.Stopped != nil:
		return app.Silent(app.ExitIncomplete)
	}
	return nil
}
