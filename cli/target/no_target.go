package target

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/client/secret"
	"mcptea/internal/lazyregexp"
	"mcptea/internal/shell"
	"mcptea/internal/system/sourcefile"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
)

// hostName is a name of a host, or an address: no path such as ./server.js.
var hostName = lazyregexp.New(`^[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_.])?$`)

// noTarget reports that the words of a command contain no target, and shows how to write the probable one.
func (p *Target) noTarget(cmd *cobra.Command, words []string) error {
	name := cmd.Name()
	at, word := targetWord(cmd, words)
	if err := shellLine(cmd, words[:at], words[at:]); err != nil {
		return err
	}
	for i, w := range words {
		if i >= at || i == 0 && !wordsOf[name].files {
			if c, found := Source(w); found {
				return sourceError(cmd, words, i, c)
			}
		}
		if i == at {
			if err := p.miswritten(cmd, words, i); err != nil && w != "demo" {
				return err
			}
			if err := missingFile(w); err != nil {
				return err
			}
		}
	}
	for _, w := range words[at:] {
		if address := AsURL(w); address != "" {
			return app.Usage("Did you mean "+address+"?", "%s requires a server; %q is not a URL, which begins with http:// or https://", name, w)
		}
	}
	if word == "" && !(len(words) > 0 && IsURL(words[0])) {
		for i := 1; i < len(words); i++ {
			for _, wrong := range []func(*cobra.Command, []string, int) error{wrongAddress, packageName} {
				if err := wrong(cmd, words, i); err != nil {
					return err
				}
			}
		}
	}
	if word == "" {
		hint := TargetHint
		if flag, address := takenAddress(cmd); flag != "" {
			hint = fmt.Sprintf("--%s has taken %s as its value. Write the value between them: %s", flag, display.Cut(address, 60), lineOf(cmd, words, "--"+flag, "VALUE", address))
		}
		if len(words) > 0 {
			last := words[len(words)-1]
			if c, _, err := p.Pasted(last); err == nil && c != nil && len(c.Servers) > 0 && strings.HasPrefix(last, "{") {
				hint = "The JSON is read as arguments here, and it is the entry of a server. Save it in a file, and name the file last: " + lineOf(cmd, words[:len(words)-1], "FILE.json")
			} else if p.isName(last) {
				hint = fmt.Sprintf("%q is a word of the command here. For the server with this name: %s", last, lineOf(cmd, words[:len(words)-1], "--server", last))
			}
		}
		return app.Usage(hint, "%s requires a server", name)
	}
	if at > 0 && IsURL(words[0]) {
		return app.Usage(TargetHint, "%s requires a server; the first word, %s, is the URI of the resource", name, display.Cut(words[0], 60))
	}
	if name == "tap" && len(words) == 1 && slices.Contains([]string{"list", "ls", "status"}, word) {
		return app.Usage("The flag for this is: mcptea tap --list", "tap requires a server, and %q is none", word)
	}
	if line := p.commandWithDashes(cmd, words, at); line != "" {
		return app.Usage("Put -- before the command: "+line, "%s requires a server; %q is not a configured server, and a program of one word is not started", name, word)
	}
	if at < len(words)-1 && p.isName(word) {
		return app.Usage("Write the name of the server last: "+lineOf(cmd, slices.Concat(words[:at], words[at+1:]), word), "%s requires a server; words follow the server %q", name, word)
	}
	if why := p.unusable(word); why != "" {
		return app.Usage(why, "%s requires a server; %q is a configured server that cannot be used", name, word)
	}
	if info, err := os.Stat(word); err == nil && info.IsDir() {
		return app.Usage("It has no package.json, pyproject.toml, go.mod or the like that says how to start it. Write the command of the server: "+lineOf(cmd, words[:at], "--")+" COMMAND …", "%s requires a server; %q is a directory without a project", name, word)
	}
	hint := TargetHint
	if i := slices.Index(words, "demo"); i >= 0 { // the name of a command
		hint = "For the server of mcptea demo, put its command last, after --: " + lineOf(cmd, slices.Delete(slices.Clone(words), i, i+1), "--", "mcptea", "demo", "--serve")
	}
	if unread := p.unread(); unread != "" {
		hint = "The servers in these files are unknown, because they cannot be read:\n" + unread + "\n" + hint
	}
	return app.Usage(hint, "%s requires a server; %q is neither a URL, nor a configured server, nor a program on PATH", name, word)
}

// takenAddress returns the flag whose value is the URL that was meant as the target, or "".
func takenAddress(cmd *cobra.Command) (flag, address string) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if value := f.Value.String(); slices.Contains([]string{"token", "timeout", "protocol", "jq", "as"}, f.Name) && IsURL(value) {
			flag, address = f.Name, value
		}
	})
	return flag, address
}

// isName reports whether a word is the name of a server.
func (p *Target) isName(word string) bool {
	c, _, err := Discover(p.Ctx)
	return p.isOwn(word) || err == nil && len(ServersNamed(c, word)) > 0
}

// commandWithDashes returns the command line with -- before the word that is a program, or a whole command in
// quotes. It returns "" for any other word.
func (p *Target) commandWithDashes(cmd *cobra.Command, words []string, at int) string {
	argv := append(p.quotedCommand(words[at]), words[at+1:]...)
	if c, found := Source(words[at]); found && len(c.Argv) > 0 {
		argv = slices.Concat(c.Argv, words[at+1:])
	} else if !IsProgram(argv[0]) {
		return ""
	}
	return lineOf(cmd, words[:at], append([]string{"--"}, argv...)...)
}

// lineOf returns a command line of the program without flags, which may contain secrets.
func lineOf(cmd *cobra.Command, words []string, more ...string) string {
	line, err := shell.Bash.Join(append(shell.Literals(strings.Fields(cmd.CommandPath())...), shell.Literals(append(slices.Clone(words), more...)...)...))
	if err != nil {
		return ""
	}
	return line
}

// FlagHint returns a hint, preceded by the meaning of an unknown flag if other programs have it.
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
	if instead := OtherFlag(cmd, missing); instead != "" {
		return instead + "\n" + hint
	}
	switch {
	case cmd.Flags().Lookup("tool") == nil && cmd.Flags().Lookup("prompt") == nil || short:
	case slices.Contains([]string{"args", "arguments", "params", "input"}, name):
		return fmt.Sprintf("The JSON object of the arguments is a word, without a flag: %s NAME '{…}'.\n%s", cmd.CommandPath(), hint)
	default:
		return fmt.Sprintf("Arguments are words, without dashes: %s=…\n%s", name, hint)
	}
	return hint
}

// commandBeforeFlag returns the command line with -- before the first word that is a program if the flag
// follows it, or "".
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

// IsProgram reports whether a word names a program that can be started.
func IsProgram(word string) bool {
	_, err := exec.LookPath(word)
	return err == nil
}

// Starts reports whether a word names a program that is started even without -- before it. A program of the
// operating system, such as rm, is not, unless the word is a path.
func Starts(word string) bool {
	path, err := exec.LookPath(word)
	return err == nil && (isPath(word) || !sourcefile.IsOfSystem(path))
}

// hasPort reports an address of this machine, or one with a port: a word like that is
// hardly a tool or a URI.
func hasPort(word string) bool {
	host, _, _ := strings.Cut(word, "/")
	name, _, found := strings.Cut(host, ":")
	return found || isLocal(name)
}

// isLocal reports whether a host is this machine by its name, or an address.
func isLocal(host string) bool { return host == "localhost" || net.ParseIP(host) != nil }

// NearCommands returns the commands whose names are similar to a word. A longer word that contains the name of
// a command belongs to another program.
func NearCommands(cmd *cobra.Command, word string) []string {
	var names []string
	for _, c := range cmd.Commands() {
		if (c.IsAvailableCommand() || c.Name() == "help") && len(word) <= len(c.Name())+2 {
			names = append(names, c.Name())
		}
	}
	return phrase.Nearest(word, names)
}

// StartCommand returns the command line that starts a server and inspects it.
func StartCommand(argv []string) string {
	line, err := shell.Bash.Join(append(shell.Literals("mcptea", "--"), shell.Literals(argv...)...))
	if err != nil {
		return "mcptea -- COMMAND"
	}
	return line
}

// UnknownCommand returns the error for words that are neither a command nor a target. args are all
// arguments of the command line. A proposed command contains them.
func (p *Target) UnknownCommand(cmd *cobra.Command, words, args []string) error {
	word := words[0]
	if word == "" {
		return app.Usage("Type mcptea --help for the commands.", "the first argument is empty")
	}
	if cmd.HasParent() {
		return p.noTarget(cmd, words)
	}
	if at := slices.IndexFunc(words, func(w string) bool { return AsURL(w) == "" }); at > 0 { // addresses before a command
		if hint := Proposal(cmd, words[at:], withSchemes(args, words[:at])); hint != "" {
			return app.Usage(hint, "unknown command %q", words[at])
		}
	}
	if line := fileLine(words); line != "" {
		return app.Usage("To open it, write: "+lineOf(cmd, strings.Fields(line), words[0]), "%q is a file, not a command", word)
	}
	if err := AsSource(cmd, words); err != nil && !isMeant(words) {
		return err
	}
	if address := AsURL(word); address != "" {
		return app.Usage("Did you mean "+address+"?", "%q is not a command, and a URL begins with http:// or https://", word)
	}
	if err := p.miswritten(cmd, words, 0); err != nil && !isMeant(words) && len(NearCommands(cmd, word)) == 0 {
		return err
	}
	if why := p.unusable(word); why != "" && len(words) == 1 {
		return app.Usage(why, "%q is a configured server that cannot be used", word)
	}
	if err := watchedPath(cmd, words, 0); err != nil {
		return err
	}
	hint := Proposal(cmd, words, args)
	if instead := NoCounterpart(word); instead != "" {
		return app.Usage(instead, "unknown command %q", word)
	}
	switch {
	case IsProgram(word) && cmd.ArgsLenAtDash() < 0:
		hint = strings.TrimPrefix(hint+"\nTo start the program "+word+", write: "+StartCommand(words), "\n")
	case hint == "" && !IsProgram(word):
		if c, found := (sourcefile.Finder{}).Find(word); found { // a directory without a project
			return sourceError(cmd, words, 0, c)
		}
		fallthrough
	case hint == "":
		hint = "It is neither a command of mcptea (mcptea --help), nor a configured server (mcptea servers), nor a program on PATH.\nTo start a server with this command, write: " + StartCommand(words)
	}
	return app.Usage(hint, "unknown command %q", word)
}

// withSchemes returns the arguments of a command line with a scheme added to some addresses.
func withSchemes(args, addresses []string) []string {
	args = slices.Clone(args)
	for _, address := range addresses {
		if i := slices.Index(args, address); i >= 0 {
			args[i] = AsURL(address)
		}
	}
	return args
}

// isRecordingName reports whether a word is the name of a file for a recording.
func isRecordingName(word string) bool {
	return strings.HasSuffix(word, ".jsonl") || strings.HasSuffix(word, ".json") && strings.Trim(word, "./") != ""
}

// Proposal returns what may be meant by words that are not a command, as command lines that keep the
// other arguments; empty for words that mean nothing. Secrets in the arguments are masked.
func Proposal(cmd *cobra.Command, words, args []string) string {
	line := func(taken int, instead string) string {
		return lineOf(cmd, slices.Concat(strings.Fields(instead), secret.Args(behind(args, words, taken))))
	}
	instead, taken, known := meaning(words)
	near := NearCommands(cmd, words[0])
	switch {
	case known && instead == "" && len(args) > taken:
		return "No command is needed: " + line(taken, instead)
	case known && instead == "":
		return "No command is needed, only a server: mcptea -- COMMAND, or mcptea URL. mcptea alone lists configured servers."
	case known && instead == "tap" && len(words) > taken && isRecordingName(words[taken]):
		return "The command for this is: " + line(taken+1, "tap --record="+words[taken])
	case known:
		return "The command for this is: " + line(taken, instead)
	case len(near) > 0:
		lines := make([]string, len(near))
		for i, name := range near {
			lines[i] = line(1, name)
		}
		return "Did you mean: " + strings.Join(lines, "\n          or: ")
	}
	return ""
}
