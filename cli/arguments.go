package cli

import (
	"encoding/json"
	"errors"
	"fmt"

	"mcptea/cli/input"
	"mcptea/session/arguments"
)

// The maximum sizes of inputs, in bytes.
const (
	inputLimit   = 64 << 20 // arguments and results
	envFileLimit = 1 << 20
	keyFileLimit = 1 << 20 // a private key or a token
)

// argumentReader reads the arguments of a tool from the command line.
func (p *connection) argumentReader() arguments.Reader {
	return arguments.Reader{
		File: p.argumentFile, Lenient: p.flags.lenient,
		Warn: func(text string) { fmt.Fprintf(p.err, "%s %s\n", p.err.warn("warning:"), p.err.safe(text)) },
	}
}

func (p *connection) argumentFile(word string) (content []byte, source string, err error) {
	if word == "-" {
		content, err = input.Read(p.ctx, p.in, "stdin", inputLimit)
		return content, "stdin", inputError(arguments.Hint, "cannot read the arguments from stdin", err)
	}
	content, err = input.ReadFile(p.ctx, word[1:], inputLimit)
	return content, word[1:], inputError(arguments.Hint, "cannot read the arguments", err)
}

// readArguments parses the words after the name of a tool or a prompt.
func (p *connection) readArguments(words []string) (arguments.Arguments, error) {
	given, err := p.argumentReader().Read(words)
	return given, argumentError(err)
}

// argumentError returns an error of package arguments as a usage error, and others
// unchanged.
func argumentError(err error) error {
	var wrong *arguments.Error
	if errors.As(err, &wrong) {
		return usage(wrong.Hint, "%s", wrong.Text)
	}
	return err
}

// inputError returns a usage error for a failed read. It returns nil and the error of
// an interrupted read unchanged.
func inputError(hint, what string, err error) error {
	if err == nil || signalOf(err) != nil {
		return err
	}
	return usage(hint, "%s: %v", what, err)
}

func checkJSON(b []byte) error {
	var v json.RawMessage
	return json.Unmarshal(b, &v)
}
