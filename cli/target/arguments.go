package target

import (
	"encoding/json"
	"errors"
	"fmt"

	"mcptea/cli/app"
	"mcptea/cli/input"
	"mcptea/session/offer/arguments"
)

// The maximum sizes of inputs, in bytes.
const (
	InputLimit   = input.MaxStdin // arguments and results
	envFileLimit = 1 << 20
	keyFileLimit = 1 << 20 // a private key or a token
)

// ArgumentReader reads the arguments of a tool from the command line.
func (p *Connection) ArgumentReader() arguments.Reader {
	return arguments.Reader{
		File: p.argumentFile, Lenient: p.Flags.lenient,
		Warn: func(text string) { fmt.Fprintf(p.Err, "%s %s\n", p.Err.Warn("warning:"), p.Err.Safe(text)) },
	}
}

func (p *Connection) argumentFile(word string) (content []byte, source string, err error) {
	if word == "-" {
		content, err = input.ReadStdin(p.Ctx, p.In)
		return content, "stdin", InputError(arguments.Hint, "cannot read the arguments from stdin", err)
	}
	content, err = input.ReadFile(p.Ctx, word[1:], InputLimit)
	return content, word[1:], InputError(arguments.Hint, "cannot read the arguments", err)
}

// ReadArguments parses the words after the name of a tool or a prompt.
func (p *Connection) ReadArguments(words []string) (arguments.Arguments, error) {
	given, err := p.ArgumentReader().Read(words)
	return given, ArgumentError(err)
}

// ArgumentError returns an error of package arguments as a usage error, and others
// unchanged.
func ArgumentError(err error) error {
	var wrong *arguments.Error
	if errors.As(err, &wrong) {
		return app.Usage(wrong.Hint, "%s", wrong.Text)
	}
	return err
}

// InputError returns a usage error for a failed read. It returns nil and the error of
// an interrupted read unchanged.
func InputError(hint, what string, err error) error {
	if err == nil || app.SignalOf(err) != nil {
		return err
	}
	return app.Usage(hint, "%s: %v", what, err)
}

// ReadNamed reads a file that the command line names, or stdin for "-". what it is, is for the
// error.
func (p *Connection) ReadNamed(what, name string) (text []byte, err error) {
	if name == "-" {
		text, err = input.ReadStdin(p.Ctx, p.In)
	} else {
		text, err = input.ReadFile(p.Ctx, name, InputLimit)
	}
	return text, InputError("", "cannot read the "+what, err)
}

// CheckJSON is an error about a text that is not JSON.
func CheckJSON(b []byte) error {
	var v json.RawMessage
	return json.Unmarshal(b, &v)
}
