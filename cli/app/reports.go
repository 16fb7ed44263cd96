package app

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"mcptea/internal/system"
	"mcptea/internal/words/display"
)

// stdout is the name of stdout in the flags that name a file.
const stdout = "-"

// Report is the value of a flag that names the file of a report for other programs; "-" is stdout.
type Report struct{ Flag, Path string }

// Declare declares the flag of a report. Without a short form the letter is empty.
func (r *Report) Declare(fs *pflag.FlagSet, flag, letter, usage string) {
	r.Flag = flag
	fs.StringVarP(&r.Path, flag, letter, "", usage)
}

// DeclareJUnit declares --junit; before is a condition in front of its sentence, or empty.
func (r *Report) DeclareJUnit(fs *pflag.FlagSet, before string) {
	r.Declare(fs, "junit", "", before+"also write a JUnit report to this `FILE`; - for stdout, instead of the text")
}

// DeclareSARIF declares --sarif.
func (r *Report) DeclareSARIF(fs *pflag.FlagSet) {
	r.Declare(fs, "sarif", "", "also write a SARIF 2.1.0 log to this `FILE`; - for stdout, instead of the text")
}

// Wanted reports whether the flag was given.
func (r Report) Wanted() bool { return r.Path != "" }

// Reports prepares reports before anything is printed. A report with the name "-" must be the only output on
// stdout; otherwise it returns an error.
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

// WriteReport writes the complete file that the flag names, or writes to stdout for "-". It does nothing if
// there is no name.
func (p *App) WriteReport(r Report, write func(w io.Writer) error) error {
	switch r.Path {
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
	if err := system.WriteFile(r.Path, write); err != nil {
		return Failed("--%s: %v", r.Flag, err)
	}
	return nil
}

// onTerminal returns a report in a form for a terminal, which would obey some characters of a server: they are
// escaped in JSON, and made visible in others.
func onTerminal(report string) string {
	if strings.HasPrefix(report, "{") {
		return display.EscapeJSON(report)
	}
	return display.SanitizeLines(report)
}
