package target

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcptea/cli/app"
	"mcptea/internal/shell"
	"mcptea/internal/system/sourcefile"
)

// Source returns the command that runs the file or project that a word names. A program is run directly, and a
// plain directory may be a misspelt name.
func Source(word string) (c sourcefile.Command, found bool) {
	if IsURL(word) || IsProgram(word) {
		return c, false
	}
	c, found = sourcefile.Finder{}.Find(word)
	return c, found && (len(c.Argv) > 0 || isPath(word))
}

// isPath reports whether a word is written as a path.
func isPath(word string) bool {
	return word == "." || word == ".." || strings.ContainsRune(word, '/') || strings.ContainsRune(word, os.PathSeparator)
}

// SourceLine returns a command line for the start screen. It runs the file or project that the first word
// names, and ends with the other words. If the word names nothing that can be run, it is "". If something is
// missing, it consists of the unchanged words, because the start screen explains the problem for them.
func SourceLine(words []string) string {
	c, found := Source(words[0])
	if !found || len(c.Argv) == 0 {
		return ""
	}
	argv := slices.Concat(c.Argv, words[1:])
	if c.Lacks != "" {
		argv = words
	}
	line, err := shell.Bash.Join(shell.Literals(argv...))
	if err != nil {
		return ""
	}
	return line
}

// AsSource returns the error for words whose first one names a file or a project, or would if it existed, or
// nil.
func AsSource(cmd *cobra.Command, words []string) error {
	if err := shellLine(cmd, nil, words); err != nil {
		return err
	}
	if c, found := Source(words[0]); found {
		return sourceError(cmd, words, 0, c)
	}
	for _, wrong := range []func(*cobra.Command, []string, int) error{wrongAddress, packageName} {
		if err := wrong(cmd, words, 0); err != nil {
			return err
		}
	}
	return missingFile(words[0])
}

// sourceError returns the error for the word at an index, which names a file that a command runs. The words
// before it belong to the command and the words after it to the server, unless the file comes first.
func sourceError(cmd *cobra.Command, words []string, at int, c sourcefile.Command) error {
	word := words[at]
	if err := watchedPath(cmd, words, at); err != nil {
		return err
	}
	if len(c.Argv) == 0 {
		return app.Usage(c.Lacks+"\nWrite the command that starts the server: "+lineOf(cmd, words[:at], "--")+" …", "%q is %s, not a command", word, c.What)
	}
	before, behind := words[:at], words[at+1:]
	first := firstWords(cmd)
	switch {
	case at < first:
		before, behind = behind, nil
	case at == first && at > 0 && sourcefile.IsLauncher(words[at-1]): // call python3 server.py add a=1
		before, behind = behind, nil
	case at > first && !isOwnWord(cmd, words[at-1]) && !IsProgram(words[at-1]): // info pyhton3 server.py
		before = words[:at-1]
	}
	if at > first+1 && !isOwnWord(cmd, words[first]) && !IsProgram(words[first]) && behind != nil { // info sudo node server.js
		return app.Usage("To run "+word+" itself, write: "+lineOf(cmd, words[:first], slices.Concat([]string{"--"}, c.Argv, words[at+1:])...), "%q is not a program on PATH", words[first])
	}
	hint := fmt.Sprintf("To run it, write: %s", lineOf(cmd, before, slices.Concat([]string{"--"}, c.Argv, behind)...))
	if c.Lacks != "" {
		hint = c.Lacks + "\n" + hint
	}
	return app.Usage(hint, "%q is %s, not a command", word, c.What)
}

// watchedPath returns the error for a path that is meant as the value of --watch, which needs the sign =, in front of a
// command, or nil.
func watchedPath(cmd *cobra.Command, words []string, at int) error {
	flag := cmd.Flag("watch")
	if flag == nil || !flag.Changed || flag.NoOptDefVal == "" || at+1 >= len(words) || at < firstWords(cmd) {
		return nil
	}
	if info, err := os.Stat(words[at]); err != nil || !info.IsDir() {
		return nil
	}
	line := lineOf(cmd, words[:at], slices.Concat([]string{"--watch=" + words[at], "--"}, words[at+1:])...)
	return app.Usage("To watch it, write: "+line, "%q is a directory, but --watch takes a directory only with the sign =", words[at])
}

// hasEnding reports whether a word has the ending of a file that mcptea runs or reads.
func hasEnding(word string) bool {
	ending := strings.ToLower(filepath.Ext(word))
	return sourcefile.IsNamed(word) || readers[ending] != "" || ending == ".json" || ending == ".mcpb" || ending == ".dxt"
}

// missingFile reports a word that is a path, or has the ending of a file, and does not exist, with
// similar names in its directory; nil for another word.
func missingFile(word string) error {
	isNamed := isPath(word) && !schemed().MatchString(word) && AsURL(word) == "" || hasEnding(word)
	if !isNamed || IsURL(word) || IsProgram(word) {
		return nil
	}
	if _, err := os.Stat(word); err == nil { // such as a text
		return nil
	}
	hint := app.NearFiles(word)
	if build := sourcefile.BuiltBy(word); build != "" && strings.Contains(filepath.ToSlash(word), "/") {
		hint = strings.TrimSpace("The project has a script that builds it: " + build + "\n" + hint)
	}
	if ownerRepository().MatchString(word) && hint == "" {
		hint = "For a package of npm, the command is npx -y @" + word + "; for an image, docker run -i --rm " + word + "."
	}
	return app.Usage(hint, "%s: no such file or directory", word)
}

// fileLine returns the command that opens a file that is not source code, such as a recording or a script, or
// "" for any other word.
func fileLine(words []string) string {
	if info, err := os.Stat(words[0]); err != nil || !info.Mode().IsRegular() || len(words) > 1 {
		return ""
	}
	return readers[strings.ToLower(filepath.Ext(words[0]))]
}

// readers are the commands that read the files with an ending.
var readers = map[string]string{".jsonl": "open", ".gz": "open", ".har": "open", ".log": "lint", ".txt": "lint", ".ndjson": "lint", ".txtar": "run"}

// RecordingLine returns the command line, for the start screen, that opens a recording if its path is the only
// word, or "".
func RecordingLine(words []string) string {
	if fileLine(words) != "open" {
		return ""
	}
	line, err := shell.Bash.Join(shell.Literals("mcptea", "open", words[0]))
	if err != nil {
		return ""
	}
	return line
}

// passed are flags of mcptea that few servers have. After --, they were probably meant for mcptea.
var passed = []string{"allow", "only", "skip", "fail-on", "env-file", "jq", "record", "no-validate", "junit", "sarif"}

// passedTo are further such flags of some commands.
var passedTo = map[string][]string{
	"listen": {"for", "count", "until", "max", "reconnect", "webhook"},
	"bench":  {"requests", "concurrency", "rate", "max-time", "warmup"},
	"call":   {"task", "ttl", "meta", "json"},
	"info":   {"as", "all"},
}

// noteFlags prints a note about the first flag of mcptea that the server receives because it follows --. It
// prints none for docker, kubectl, env and similar commands, which have such flags of their own.
func (p *Target) noteFlags(cmd *cobra.Command, argv []string) {
	if len(argv) == 0 || slices.Contains([]string{"docker", "podman", "nerdctl", "kubectl", "env"}, filepath.Base(argv[0])) {
		return
	}
	for i, arg := range argv[1:] {
		name, _, _ := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
		isFlag := strings.HasPrefix(arg, "--") && cmd.Flags().Lookup(name) != nil && (slices.Contains(passed, name) || slices.Contains(passedTo[cmd.Name()], name))
		isEnv := arg == "-e" && i+2 < len(argv) && strings.Contains(argv[i+2], "=") && cmd.Flags().ShorthandLookup("e") != nil
		switch {
		case arg == "--":
			return
		case isEnv:
			name = "-e"
		case isFlag:
			name = "--" + name
		default:
			continue
		}
		p.Note(fmt.Sprintf("%s is after --, so the server gets it and mcptea does not. Write it before --.", name))
		return
	}
}
