// Package checks has the commands that judge a server, and explain what is found.
package checks

import (
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/cli/link"
	"mcptea/cli/target"
	"mcptea/session/checks/lint"
)

// Commands makes the commands.
func Commands(t *target.Target, l *link.Link) app.Commands {
	p := &commands{l, t}
	return app.Commands{
		"lint":    p.lintCommand,
		"check":   p.checkCommand,
		"run":     p.runCommand,
		"explain": p.explainCommand,
	}
}

// failOn is the value of --fail-on: the findings of this severity and worse fail.
type failOn string

// severities are the values of failOn, the one without the flag first.
var severities = []string{"error", "warn", "info", "none"}

func (f *failOn) declare(fs *pflag.FlagSet) {
	app.Choice(fs, (*string)(f), "fail-on", "exit with 1 for findings of this `SEVERITY` or worse: error, warn, info or none", severities...)
}

func (f failOn) fails(s lint.Severity) bool {
	var mildest lint.Severity
	return mildest.UnmarshalText([]byte(f)) == nil && s <= mildest
}

// commands connect to the server that the target names.
type commands struct {
	*link.Link
	target *target.Target
}
