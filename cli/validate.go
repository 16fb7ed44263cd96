package cli

import (
	"os"
	"runtime"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"mcptea/ui/paint"
)

// validate checks the values of the flags that no command would notice to be
// wrong, and settles those that depend on the environment. It runs before each
// command.
func (p *program) validate(cmd *cobra.Command, _ []string) error {
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
			return usage("Write --root . for the current directory.", "--root is given an empty name")
		}
	}
	for _, kv := range f.env {
		if name, _, _ := strings.Cut(kv, "="); strings.ContainsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
			return usage("Write it as -e NAME=value.", "-e %q: the name of a variable contains a space or a control character", name)
		}
	}
	if f.ttl < 0 {
		return usage("Write it as 30s, 10m or 1h.", "--ttl %s is negative", f.ttl)
	}
	switch {
	case strings.EqualFold(f.record, "off"):
		f.record = "off"
	case f.record == "-":
		return usage("Name a file; ./- is one that is called so.", "--record - would be stdout, which a session cannot be recorded to")
	}
	if !cmd.Flags().Changed("ascii") {
		f.ascii = needsASCII(runtime.GOOS, os.Getenv)
	}
	paint.UseASCII(f.ascii)
	p.out.ascii, p.err.ascii = f.ascii && p.out.terminal, f.ascii && p.err.terminal
	return nil
}

// needsASCII reports whether the environment asks for ASCII: the locale has
// another encoding than UTF-8, or the terminal is a dumb one. An environment
// without a locale, which is that of many containers, does not ask for it.
func needsASCII(system string, getenv func(string) string) bool {
	if system == "windows" {
		return false // there is no locale in the environment
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

// helpCommand is that of Cobra, but a topic that does not exist is wrong usage.
func (p *program) helpCommand(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() != "help" {
			continue
		}
		cmd.Short = "Help for a command or topic"
		cmd.Long = "Print the help of a command, or of a topic: flags, environment, exit-codes."
		run := cmd.Run
		cmd.Run = nil
		cmd.RunE = p.runE(func(cmd *cobra.Command, args []string) error {
			topic, rest, err := root.Find(args)
			if err != nil || topic == nil {
				topic, rest = root, args
			}
			if len(rest) > 0 {
				return unknownAmong(topic, "command", rest[0], "Type mcptea --help for the commands there are.")
			}
			run(cmd, args)
			return nil
		})
	}
}

// completionCommand is that of Cobra, but a shell that does not exist is wrong
// usage.
func (p *program) completionCommand(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() != "completion" {
			continue
		}
		cmd.Short = "Generate a shell completion script"
		cmd.Long = "Print the completion script for a shell. The help of each shell says how to install it."
		cmd.Args = cobra.ArbitraryArgs
		cmd.RunE = p.runE(func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownAmong(cmd, "shell", args[0], "There are bash, zsh, fish and powershell.")
			}
			return cmd.Help()
		})
	}
}

// unknownAmong reports a word that names none of the subcommands of a command.
func unknownAmong(cmd *cobra.Command, what, word, hint string) error {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	if near := nearest(word, names); len(near) > 0 {
		hint = "Did you mean " + strings.Join(near, " or ") + "?\n" + hint
	}
	return usage(hint, "unknown %s %q", what, word)
}
