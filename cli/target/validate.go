package target

import (
	"os"
	"runtime"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"mcptea/cli/app"
	"mcptea/ui/paint"
)

// Validate reads the settings, checks values of flags, and sets those that depend on
// the environment. It runs before each command.
func (p *Connection) Validate(cmd *cobra.Command, _ []string) error {
	f := &p.Flags
	p.TargetFlags = GivenTargetFlags(cmd.Flags())
	if err := p.loadSettings(cmd); err != nil {
		return err
	}
	for _, name := range f.mute {
		if _, err := ruleNamed("--mute", name); err != nil {
			return err
		}
	}
	for _, dir := range f.roots {
		if dir == "" {
			return app.Usage("Write --root . for the current directory.", "--root: the directory is empty")
		}
	}
	for _, kv := range f.env {
		if name, _, _ := strings.Cut(kv, "="); strings.ContainsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
			return app.Usage("Write it as -e NAME=value.", "-e %q: the name contains a space or a control character", name)
		}
	}
	if f.Ttl < 0 {
		return app.Usage("Write it as 30s, 10m or 1h.", "--ttl %s is negative", f.Ttl)
	}
	if err := p.JQ.Compile(); err != nil {
		return err
	}
	p.JSON = p.JSON || p.JQ.Text != ""
	switch {
	case strings.EqualFold(f.Record, "off"):
		f.Record = "off"
	case f.Record == "-":
		return app.Usage("Name a file; for a file named \"-\" write ./-.", "--record - is not supported: stdout has the output of the command")
	}
	if !cmd.Flags().Changed("ascii") {
		p.ASCII = NeedsASCII(runtime.GOOS, os.Getenv)
	}
	paint.UseASCII(p.ASCII)
	p.Out.ASCII, p.Err.ASCII = p.ASCII && p.Out.Terminal, p.ASCII && p.Err.Terminal
	return p.OpenOutput()
}

// NeedsASCII reports whether output must be ASCII: the locale has another encoding
// than UTF-8, or TERM is dumb. Without a locale, as in many containers, it is UTF-8.
func NeedsASCII(system string, getenv func(string) string) bool {
	if system == "windows" {
		return false // the environment has no locale
	}
	if getenv("TERM") == "dumb" {
		return true
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		locale := getenv(name)
		if locale == "" {
			continue
		}
		_, charset, named := strings.Cut(locale, ".")
		charset, _, _ = strings.Cut(charset, "@")
		switch {
		case locale == "C" || locale == "POSIX":
			return true
		case !named:
			return false
		}
		return !strings.EqualFold(strings.ReplaceAll(charset, "-", ""), "utf8")
	}
	return false
}
