package ui

import (
	"context"
	"errors"
	"fmt"
	"io"

	"mcptea/session/lint"
	"mcptea/session/probe"
	"mcptea/session/report"
	"mcptea/ui/action"
	"mcptea/ui/dialog"
)

// reportFormat is a format of the report of a check.
type reportFormat struct {
	name, title, file string
	write             func(w io.Writer, s *probe.Summary, version string) error
}

var reportFormats = []reportFormat{
	{"Markdown", "a table of the groups, and what was found", "check.md", func(w io.Writer, s *probe.Summary, _ string) error {
		return report.Markdown(w, s, probe.Groups())
	}},
	{"SARIF", "for code scanning, such as that of GitHub", "check.sarif", func(w io.Writer, s *probe.Summary, version string) error {
		return report.SARIF(w, s, "README.md", version)
	}},
	{"JUnit", "for the test reports of CI", "check-junit.xml", func(w io.Writer, s *probe.Summary, _ string) error {
		return report.JUnit(w, s, func(f probe.Finding) bool { return f.Severity == lint.Error && !f.Accepted })
	}},
	{"JSON", "a line for each probe, as mcptea check --json", "check.jsonl", writeReportJSON},
}

func writeReportJSON(w io.Writer, s *probe.Summary, _ string) error {
	for i := range s.Reports {
		line, err := report.JSON(&s.Reports[i])
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%s\n", line); err != nil {
			return err
		}
	}
	line, err := report.SummaryJSON(s)
	if err == nil {
		_, err = fmt.Fprintf(w, "%s\n", line)
	}
	return err
}

// writeReport asks for the format and the file of the report of a check, and writes it.
func (m *model) writeReport() {
	p := dialog.Pick{
		Title: "Report of the check", Verb: "write", Width: 76, Label: "file", Empty: "Type the path of a file.",
		File: func(i int) string { return reportFormats[i].file },
	}
	for _, f := range reportFormats {
		p.Entries = append(p.Entries, dialog.Entry{Name: f.name, Summary: f.title})
	}
	write, version := m.writeFile, m.options.Version
	p.Accept = func(_ context.Context, i int, path string) (func(), error) {
		f, st := reportFormats[i], m.checker.State()
		if err := write(path, func(w io.Writer) error { return f.write(w, st.Summary(), version) }); err != nil {
			return nil, errors.New("cannot write the report: " + dialog.Reason(err).Error())
		}
		return func() { m.say(action.Flash{Text: fmt.Sprintf("Wrote %s (%s).", path, f.name), Stay: true}) }, nil
	}
	p.Open(m.app())
}
