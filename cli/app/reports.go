package app

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"mcptea/internal/system"
	"mcptea/internal/words/display"
)

// stdout is the name of stdout in the flags that name a file.
const stdout = "-"

// Report is a flag that names the file of a report for other programs.
type Report struct{ Flag, Path string }

// Reports prepares reports, before anything is printed: one with the name "-" is all that is
// on stdout. It refuses two things there.
func (p *App) Reports(reports ...Report) error {
	i := slices.IndexFunc(reports, Report.onStdout)
	if i < 0 {
		return nil
	}
	if more := slices.IndexFunc(reports[i+1:], Report.onStdout); more >= 0 {
		return Usage("Write one of them to a file.", "--%s - and --%s - cannot be used together", reports[i].Flag, reports[i+1+more].Flag)
	}
	if p.JSON {
		return Usage("Write the report to a file.", "--json and a report on stdout cannot be used together")
	}
	p.Out.silent.Store(true)
	return nil
}

// ReportsOnStdout reports whether a report is all that is on stdout.
func (p *App) ReportsOnStdout() bool { return p.Out.silent.Load() }

func (r Report) onStdout() bool { return r.Path == stdout }

// WriteFile writes the file that a flag names, as a whole, or stdout for "-"; nothing without
// a name.
func (p *App) WriteFile(flag, path string, write func(w io.Writer) error) error {
	switch path {
	case "":
		return nil
	case stdout:
		defer p.Out.silent.Store(p.Out.silent.Swap(false))
		if !p.Out.Terminal {
			return write(p.Out)
		}
		var report bytes.Buffer
		if err := write(&report); err != nil {
			return err
		}
		_, err := io.WriteString(p.Out, onTerminal(report.String()))
		return err
	}
	if err := system.WriteFile(path, write); err != nil {
		return Failed("--%s: %v", flag, err)
	}
	return nil
}

// onTerminal is a report as a terminal gets it, which would obey some characters of a server: they
// are escaped in JSON, and shown in others.
func onTerminal(report string) string {
	if strings.HasPrefix(report, "{") {
		return display.EscapeJSON(report)
	}
	return display.SanitizeLines(report)
}
