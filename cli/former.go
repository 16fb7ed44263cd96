package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
)

// former are the names of commands, and of their flags, that an earlier release had, and what
// is written now. A flag that has only another name still works. An empty command is every one.
var former = []struct{ command, flag, now string }{
	{"ping", "", "mcptea bench --requests 10 TARGET"},
	{"compare", "", "mcptea info --protocol all TARGET"},
	{"themes", "", "mcptea config themes"},
	{"tap", "wrap", "mcptea servers wrap HOST/SERVER"},
	{"tap", "unwrap", "mcptea servers unwrap HOST/SERVER"},
	{"check", "no-call", "--call none"},
	{"check", "passive", "--only passive"},
	{"check", "list-probes", "mcptea explain probes"},
	{"check", "json-schema", "mcptea explain check-json"},
	{"diff", "unified", "--view unified"},
	{"diff", "side-by-side", "--view side-by-side"},
	{"mock", "http", "--listen"},
	{"demo", "http", "--listen"},
	{"bench", "duration", "--max-time"},
	{"", "fault-seed", "--seed"},
}

// formerCommands makes the commands that say what is written in place of them.
func (p *program) formerCommands() (commands []*cobra.Command) {
	for _, f := range former {
		if f.flag == "" {
			commands = append(commands, &cobra.Command{Use: f.command, Hidden: true, DisableFlagParsing: true, RunE: p.RunE(func(*cobra.Command, []string) error {
				return app.Usage("Write: "+f.now, "the command %s was removed", f.command)
			})})
		}
	}
	return commands
}

// acceptFormerFlags has a command take the former names of its flags, with a warning.
func (p *program) acceptFormerFlags(cmd *cobra.Command) {
	renamed := map[string]string{}
	for _, f := range former {
		if name, isFlag := strings.CutPrefix(f.now, "--"); (f.command == "" || f.command == cmd.Name()) && isFlag && !strings.Contains(name, " ") {
			renamed[f.flag] = name
		}
	}
	warned := map[string]bool{}
	cmd.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if now := renamed[name]; now != "" {
			if !warned[name] { // a flag is looked up several times
				fmt.Fprintf(p.Err, "%s --%s is now --%s\n", p.Err.Warn("warning:"), name, now)
			}
			warned[name], name = true, now
		}
		return pflag.NormalizedName(name)
	})
}

// formerFlag reports a flag that a command no longer has; nil for another error.
func formerFlag(cmd *cobra.Command, err error) error {
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) || missing.GetSpecifiedShortnames() != "" {
		return nil
	}
	for _, f := range former {
		if f.flag == missing.GetSpecifiedName() && f.command == cmd.Name() {
			return app.Usage("Write: "+f.now, "the flag --%s of %s was removed", f.flag, cmd.CommandPath())
		}
	}
	return nil
}
