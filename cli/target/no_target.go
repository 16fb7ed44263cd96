package target

import (
	"errors"
	"fmt"
	"net"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/internal/shell"
	"mcptea/internal/words/editdistance"
)

var schemed = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]*)://`)

// commandWithDashes is the command line with -- before the word that is a program, or a
// whole command in quotes; empty for another word.
func (p *Target) commandWithDashes(cmd *cobra.Command, words []string, at int) string {
	argv := append(p.quotedCommand(words[at]), words[at+1:]...)
	if !IsProgram(argv[0]) {
		return ""
	}
	return lineOf(cmd, words[:at], append([]string{"--"}, argv...)...)
}

// lineOf is a command line of the program. Flags are left out: they may have secrets.
func lineOf(cmd *cobra.Command, words []string, more ...string) string {
	line, err := shell.Bash.Join(append(shell.Literals(strings.Fields(cmd.CommandPath())...), shell.Literals(append(slices.Clone(words), more...)...)...))
	if err != nil {
		return ""
	}
	return line
}

// FlagHint says what a flag that a command does not have is meant for, in front of a hint.
func (p *Target) FlagHint(cmd *cobra.Command, err error, hint string) string {
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) {
		return hint
	}
	name := missing.GetSpecifiedName()
	short := missing.GetSpecifiedShortnames() != ""
	if line := p.commandBeforeFlag(cmd, name); line != "" {
		return "Put -- before the command: " + line + "\n" + hint
	}
	switch {
	case slices.Contains([]string{"trace", "verbose", "debug"}, name) || short && name == "v":
		switch {
		case cmd.Flags().Lookup("trace") != nil:
			return "--trace prints the frames.\n" + hint
		case cmd.Flags().Lookup("record") != nil:
			return "--record FILE keeps every frame, and mcptea open FILE shows them.\n" + hint
		}
	case cmd.Flags().Lookup("tool") == nil && cmd.Flags().Lookup("prompt") == nil || short:
	case slices.Contains([]string{"args", "arguments", "params", "input"}, name):
		return fmt.Sprintf("The JSON object of the arguments is a word, without a flag: %s NAME '{…}'.\n%s", cmd.CommandPath(), hint)
	default:
		return fmt.Sprintf("Arguments are words, without dashes: %s=…\n%s", name, hint)
	}
	return hint
}

// commandBeforeFlag is the command line with -- before the first word that is a program, if
// the flag comes after it; empty otherwise.
func (p *Target) commandBeforeFlag(cmd *cobra.Command, name string) string {
	var words []string
	for _, arg := range p.Args[min(len(p.Args), len(strings.Fields(cmd.CommandPath()))-1):] {
		if arg == "--" {
			return ""
		}
		if flag, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "="); strings.HasPrefix(arg, "-") && (flag == name || !strings.HasPrefix(arg, "--")) {
			break
		}
		if !strings.HasPrefix(arg, "-") {
			words = append(words, arg)
		}
	}
	at, word := targetWord(cmd, words)
	if word == "" || !strings.Contains(strings.Join(p.Args, " "), strings.Join(words[at:], " ")) {
		return ""
	}
	if line := p.commandWithDashes(cmd, words, at); line != "" {
		return line + " …"
	}
	return ""
}

// AsURL is the URL that a host with a port or a path may be short for, such as
// localhost:3000/mcp; empty for other words.
func AsURL(word string) string {
	host, path, _ := strings.Cut(word, "/")
	name, port, hasPort := strings.Cut(host, ":")
	if _, err := strconv.ParseUint(port, 10, 16); hasPort && err != nil || name == "" || strings.ContainsAny(word, "= \\@") {
		return ""
	}
	local := name == "localhost" || net.ParseIP(name) != nil
	switch {
	case !local && !hasPort && (!strings.Contains(name, ".") || path == ""):
		return ""
	case local || hasPort:
		return "http://" + word
	}
	return "https://" + word
}

// IsProgram reports whether a word names a program that can be started.
func IsProgram(word string) bool {
	_, err := exec.LookPath(word)
	return err == nil
}

// hasPort reports an address of this machine, or one with a port: a word like that is
// hardly a tool or a URI.
func hasPort(word string) bool {
	host, _, _ := strings.Cut(word, "/")
	name, _, found := strings.Cut(host, ":")
	return found || name == "localhost" || net.ParseIP(name) != nil
}

// NearCommands are the commands that have a name similar to a word. One that only
// contains the name of a command is that of a program.
func NearCommands(cmd *cobra.Command, word string) []string {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && len(word) <= len(c.Name())+2 {
			names = append(names, c.Name())
		}
	}
	return editdistance.Nearest(word, names)
}

// StartCommand is the command line that starts a server and inspects it.
func StartCommand(argv []string) string {
	line, err := shell.Bash.Join(append(shell.Literals("mcptea", "--"), shell.Literals(argv...)...))
	if err != nil {
		return "mcptea -- COMMAND"
	}
	return line
}

// UnknownCommand reports words that are neither a command nor a target.
func (p *Target) UnknownCommand(cmd *cobra.Command, words []string) error {
	word := words[0]
	if word == "" {
		return app.Usage("Type mcptea --help for the commands.", "the first argument is empty")
	}
	if address := AsURL(word); address != "" {
		return app.Usage("Did you mean "+address+"?", "%q is not a command, and a URL begins with http:// or https://", word)
	}
	if why := p.unusable(word); why != "" && len(words) == 1 {
		return app.Usage(why, "%q is a configured server that cannot be used", word)
	}
	hint := "To start a server with this command, write: " + StartCommand(words)
	if near := NearCommands(cmd, word); len(near) > 0 {
		hint = "Did you mean " + strings.Join(near, " or ") + "?\n" + hint
	}
	return app.Usage(hint, "unknown command %q", word)
}
