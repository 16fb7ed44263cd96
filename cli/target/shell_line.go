package target

import (
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcptea/cli/app"
	"mcptea/client"
	"mcptea/client/transport/stdio"
	"mcptea/internal/shell"
	"mcptea/internal/system/sourcefile"
	"mcptea/session/explain/failure"
)

// shellLine returns the error for words that only a shell understands: they set a variable or change the
// directory first, or the launcher that they begin with is not installed. own are the words of the mcptea
// command before them. It returns nil for other words.
func shellLine(cmd *cobra.Command, commandWords, words []string) error {
	if len(words) == 0 {
		return nil
	}
	if len(words) == 1 && strings.ContainsAny(words[0], " \t") { // quoted as a whole
		if split, err := shell.Split(words[0], func(name string) (string, bool) { return "$" + name, true }); err == nil {
			words = split
		}
	}
	setup, program := shell.SplitSetup(words)
	if err := inPlaceOfServer(cmd, commandWords, program); err != nil {
		return err
	}
	if len(program) == 0 || setup.IsZero() && len(program) == 1 && !isMissingLauncher(program[0]) {
		return nil
	}
	known := client.Target{Argv: words}.Secrets() // a short value, such as in an example, is not a secret
	for i := range setup.Env {
		setup.Env[i] = known.Redact(setup.Env[i])
	}
	shown := lineOf(cmd, commandWords, slices.Concat(setup.Flags(), []string{"--"}, client.Target{}.Shown(program))...)
	switch {
	case isMissingLauncher(program[0]):
		e := failure.Explain(&stdio.StartError{Command: program[0], Err: exec.ErrNotFound}, failure.Facts{})
		return app.Usage(e.Try()+"\nThen write: "+shown, "%s", strings.TrimSuffix(e.Sentence, "."))
	case setup.IsZero():
		return nil
	}
	return app.Usage("Write: "+shown, "a shell would carry out %q first, but mcptea starts no shell", known.Redact(words[0]))
}

// isMissingLauncher reports whether a word names a program that starts servers and is not installed.
func isMissingLauncher(word string) bool {
	return !isPath(word) && sourcefile.IsLauncher(word) && !IsProgram(word)
}
