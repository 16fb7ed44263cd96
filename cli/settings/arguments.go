package settings

import (
	"errors"
	"slices"
	"strings"

	"mcptea/cli/app"
	"mcptea/internal/shell"
	"mcptea/internal/system"
	"mcptea/offer/invoke"
)

// The maximum sizes of inputs, in bytes.
const (
	envFileLimit = 1 << 20
	keyFileLimit = 1 << 20 // a private key or a token
)

// ArgumentReader reads the arguments of a tool from the command line.
func (p *Settings) ArgumentReader() invoke.Reader {
	return invoke.Reader{
		File: p.argumentFile, Lenient: p.Flags.Lenient,
		Warn: func(text string) { p.Warning(text) },
	}
}

func (p *Settings) argumentFile(word string) (content []byte, source string, err error) {
	if word == "-" {
		content, err = app.ReadStdin(p.Ctx, p.In)
		return system.WithoutMark(content), "stdin", app.InputError(invoke.Hint, "cannot read the arguments from stdin", err)
	}
	content, err = app.ReadText(p.Ctx, word[1:], app.MaxStdin)
	return content, word[1:], app.InputError(invoke.Hint, "cannot read the arguments", err)
}

// ReadArguments parses the words after the name of a tool or a prompt.
func (p *Settings) ReadArguments(words []string) (invoke.Arguments, error) {
	given, err := p.ArgumentReader().Read(words)
	var wrong *invoke.ArgumentError
	if errors.As(err, &wrong) {
		return given, app.Usage(meantArguments(words, wrong.Hint), "%s", wrong.Text)
	}
	return given, err
}

// meantArguments returns the hint for words that are not arguments. The hint starts with the arguments that the
// user probably meant, if there are any.
func meantArguments(words []string, hint string) string {
	pairs := invoke.Meant(words)
	if _, err := (invoke.Reader{}).Read(slices.DeleteFunc(slices.Clone(pairs), func(w string) bool { return w == "-" || w[:1] == "@" })); pairs == nil || err != nil || slices.Equal(pairs, words) {
		return hint
	}
	line, err := shell.Bash.Join(shell.Literals(pairs...))
	if err != nil {
		return hint
	}
	sentence, _, _ := strings.Cut(hint, "\n") // what follows is about a word without a name
	return "Did you mean " + line + "?\n" + sentence
}

// ArgumentError returns an error of package arguments as a usage error, and others
// unchanged.
func ArgumentError(err error) error {
	var wrong *invoke.ArgumentError
	if errors.As(err, &wrong) {
		return app.Usage(wrong.Hint, "%s", wrong.Text)
	}
	return err
}
