package cli

import (
	"os"
	"runtime"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"mcptea/ui/paint"
)

// validate reads the settings, checks values of flags, and sets those that depend on
// the environment. It runs before each command.
func (p *connection) validate(cmd *cobra.Command, _ []string) error {
	f := &p.flags
	p.targetFlags = givenTargetFlags(cmd.Flags())
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
			return usage("Write --root . for the current directory.", "--root: the directory is empty")
		}
	}
	for _, kv := range f.env {
		if name, _, _ := strings.Cut(kv, "="); strings.ContainsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
			return usage("Write it as -e NAME=value.", "-e %q: the name contains a space or a control character", name)
		}
	}
	if f.ttl < 0 {
		return usage("Write it as 30s, 10m or 1h.", "--ttl %s is negative", f.ttl)
	}
	if err := p.jq.compile(); err != nil {
		return err
	}
	p.json = p.json || p.jq.text != ""
	switch {
	case strings.EqualFold(f.record, "off"):
		f.record = "off"
	case f.record == "-":
		return usage("Name a file; for a file named \"-\" write ./-.", "--record - is not supported: stdout has the output of the command")
	}
	if !cmd.Flags().Changed("ascii") {
		p.ascii = needsASCII(runtime.GOOS, os.Getenv)
	}
	paint.UseASCII(p.ascii)
	p.out.ascii, p.err.ascii = p.ascii && p.out.terminal, p.ascii && p.err.terminal
	return p.openOutput()
}

// needsASCII reports whether output must be ASCII: the locale has another encoding
// than UTF-8, or TERM is dumb. Without a locale, as in many containers, it is UTF-8.
func needsASCII(system string, getenv func(string) string) bool {
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
