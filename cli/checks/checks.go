// Package checks implements the commands that check a server and explain findings.
package checks

import (
	"slices"

	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/cli/link"
	"mcptea/cli/target"
	"mcptea/lint"
)

// Commands makes the commands.
func Commands(t *target.Target, l *link.Link) app.Commands {
	prints := printer{l.App}
	return app.Commands{
		"lint":    (&lintCommand{l.Settings, prints}).command,
		"check":   (&checkCommand{l, prints, t}).command,
		"run":     (&runCommand{l, t}).command,
		"explain": (&explainCommand{l.Settings, prints}).command,
	}
}

// failOn is the value of --fail-on: the findings of this severity and worse fail.
type failOn string

// failOnLibrary is like failOn with warnings, and also counts behavior of the library; see [probe.Library].
const failOnLibrary failOn = "library"

// severities lists the values of failOn, the default first.
var severities = []string{"error", "warning", "info", "none"}

func (f *failOn) declare(fs *pflag.FlagSet) {
	app.ChoiceOfSeverity(fs, (*string)(f), "fail-on", "exit with 1 for findings of this `SEVERITY` or worse: error, warning, info or none; library is warning plus findings caused by a library, such as an SDK", append(slices.Clone(severities), string(failOnLibrary))...)
}

func (f failOn) fails(s lint.Severity) bool {
	var mildest lint.Severity
	return mildest.UnmarshalText([]byte(f)) == nil && s <= mildest
}

// printer prints what checks find.
type printer struct{ *app.App }
