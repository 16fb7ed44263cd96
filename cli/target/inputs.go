package target

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"mcptea/cli/app"
	"mcptea/cli/settings"
	"mcptea/client/hosts"
)

// maxInputBytes is the size of the largest file with the value of an input.
const maxInputBytes = 64 << 10

// filledInputs are the values of the inputs of an entry.
type filledInputs struct {
	values  map[string][]string // values by input id
	private []string            // values that may be secrets
	missing []hosts.Input
	unset   []hosts.Input // optional inputs without a value
}

func (f *filledInputs) set(in hosts.Input, values []string) {
	f.values[in.ID] = values
	if in.IsPrivate() {
		f.private = append(f.private, values...)
	}
}

// inputVariableOf returns the environment variable of an input: upper case, with _ for characters that variable
// names cannot contain.
func inputVariableOf(id string) string {
	return settings.InputVariable + strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToUpper(id))
}

// givenInputs returns the values of --input and of the environment. It fails if a value is missing and the user
// cannot be asked.
func (p *Target) givenInputs(s *hosts.Server, name string) (*filledInputs, error) {
	all := s.Inputs()
	f, err := p.knownInputs(all)
	if err != nil {
		return nil, err
	}
	for _, text := range p.Flags.Inputs {
		if id, _, _ := strings.Cut(text, "="); !slices.ContainsFunc(all, func(in hosts.Input) bool { return in.ID == id }) {
			var ids []string
			for _, in := range all {
				ids = append(ids, in.ID)
			}
			reference := "${input:" + id + "}"
			if s.IsBundle() {
				reference = "${user_config." + id + "}"
			}
			return nil, app.Usage(app.Suggest(id, ids, ""), "--input %s: %s does not refer to %s", id, name, reference)
		}
	}
	if len(f.missing) == 0 || p.canAsk() {
		return f, nil
	}
	return nil, app.Usage(p.Err.Safe(inputHint(f.missing)), "%s requires the %s", name, p.Err.Safe(inputNames(f.missing)))
}

// inputNames names inputs in a sentence.
func inputNames(missing []hosts.Input) string {
	var names []string
	for _, in := range missing {
		names = append(names, in.ID)
	}
	if len(names) == 1 {
		return "input " + names[0]
	}
	return "inputs " + strings.Join(names, ", ")
}

// inputHint returns the flags that set inputs.
func inputHint(missing []hosts.Input) string {
	var flags, variables []string
	for _, in := range missing {
		value := "…"
		if in.IsPrivate() {
			value = "env:NAME"
		}
		flags, variables = append(flags, "--input "+in.ID+"="+value), append(variables, inputVariableOf(in.ID))
	}
	return fmt.Sprintf("Add %s, or set %s.", strings.Join(flags, " "), strings.Join(variables, " and "))
}

// knownInputs returns the values of the inputs of an entry from --input and the environment.
func (p *Target) knownInputs(all []hosts.Input) (*filledInputs, error) {
	f := &filledInputs{values: map[string][]string{}}
	for _, in := range all {
		values, err := p.inputValues(in)
		switch b := in.Bundle; {
		case err != nil:
			return nil, err
		case values != nil:
			f.set(in, values)
		case b != nil && b.Defaults != nil:
			f.set(in, b.Defaults)
		case b != nil && b.IsOptional:
			f.values[in.ID] = []string{b.Reference}
			f.unset = append(f.unset, in)
		default:
			f.missing = append(f.missing, in)
		}
	}
	return f, nil
}

// noteUnset reports the text that a server of a bundle receives for optional values that are not set: the same
// as from Claude Desktop.
func (p *Target) noteUnset(f *filledInputs) {
	for _, in := range f.unset {
		p.Note(p.Err.Safe(fmt.Sprintf("%s is not set: the server gets the text %s, as from Claude Desktop; --input %s=… sets it", in.ID, in.Bundle.Reference, in.ID)))
	}
}

// inputValues returns the values of an input, of the flag or of the variable, or nil if it has none.
func (p *Target) inputValues(in hosts.Input) (values []string, err error) {
	text, known := p.Given[in.ID]
	if known {
		return p.checkedInput(in, "the value of "+in.ID, text)
	}
	for _, text := range p.Flags.Inputs { // the last value counts, unless the input has several values
		id, given, assigned := strings.Cut(text, "=")
		switch {
		case !assigned || id == "":
			return nil, app.Usage("Write it as --input ID=VALUE.", "--input %s has no value", id)
		case id != in.ID:
			continue
		}
		if text, err = p.inputFrom(in, given); err != nil {
			return nil, err
		}
		more, err := p.checkedInput(in, "--input "+in.ID, text)
		switch {
		case err != nil:
			return nil, err
		case in.Bundle != nil && in.Bundle.IsList:
			values = append(values, more...)
		default:
			values = more
		}
	}
	if values != nil {
		return values, nil
	}
	where := inputVariableOf(in.ID)
	if text, known = p.Env.Lookup(where); known {
		return p.checkedInput(in, where, text)
	}
	return nil, nil
}

// checkedInput returns the values in a text that the user has given in a place.
func (p *Target) checkedInput(in hosts.Input, where, text string) ([]string, error) {
	if len(in.Choices) > 0 && !slices.ContainsFunc(in.Choices, func(c hosts.Choice) bool { return c.Value == text }) {
		return nil, app.Usage("It is one of "+p.Err.Safe(choices(in))+".", "%s is not one of the listed values", where)
	}
	values, err := in.Values(text)
	if err != nil {
		return nil, app.Usage("", "%s: %v", where, err)
	}
	return values, nil
}

func choices(in hosts.Input) string {
	var all []string
	for _, c := range in.Choices {
		all = append(all, c.Value)
	}
	return strings.Join(all, ", ")
}

// inputFrom reads the value of --input. The value of a secret is not on the command line, which other processes
// can read.
func (p *Target) inputFrom(in hosts.Input, given string) (string, error) {
	kind, name, _ := strings.Cut(given, ":")
	switch {
	case kind == "env":
		value, ok := p.Env.Lookup(name)
		if !ok {
			return "", app.Usage("", "--input %s: the environment variable %s is not set", in.ID, name)
		}
		return value, nil
	case kind == "file":
		text, err := app.ReadText(p.Ctx, name, maxInputBytes)
		if err != nil {
			return "", app.InputError("", "--input "+in.ID, err)
		}
		return strings.TrimRight(string(text), "\r\n"), nil
	case in.IsPrivate():
		return "", app.Usage(fmt.Sprintf("Write --input %s=env:NAME or --input %s=file:PATH.", in.ID, in.ID), "--input %s: the value may be a secret, and a command line is visible to other processes", in.ID)
	}
	return given, nil
}

// askForInputs asks for the missing values on the terminal.
func (p *Target) askForInputs(f *filledInputs, name string) error {
	if len(f.missing) == 0 {
		return nil
	}
	p.Err.Line(fmt.Sprintf("%s %s requires values, which are not stored. ctrl+c cancels.", p.Err.Strong("mcptea:"), p.Err.Safe(name)))
	for _, in := range f.missing {
		value, err := p.askForInput(in)
		if err == io.EOF {
			return app.Failed("%s was not started", name)
		}
		if err != nil {
			return err
		}
		f.set(in, value)
	}
	f.missing = nil
	return nil
}

// MissingInputs returns the inputs of an entry that the user must enter.
func (p *Target) MissingInputs(s *hosts.Server) []hosts.Input {
	f, err := p.knownInputs(s.Inputs())
	if err != nil {
		return nil // the run reports the error
	}
	return f.missing
}

// AboutInput describes an input for the user who must enter it.
func AboutInput(in hosts.Input) string {
	switch in.Type {
	case "command":
		return in.ID + " is the result of a command of the editor. mcptea does not run it; type the value."
	case "":
		return "The file does not define the input " + in.ID + "."
	}
	if in.Description != "" {
		return in.Description + " (" + in.ID + ")"
	}
	return in.ID
}

// askForInput asks for a value until the user gives one.
func (p *Target) askForInput(in hosts.Input) ([]string, error) {
	if in.Type == "command" || in.Type == "" {
		p.Err.Line(p.Err.Safe("  " + AboutInput(in)))
	}
	for i, c := range in.Choices {
		label := c.Label
		if c.Label != c.Value {
			label += " (" + c.Value + ")"
		}
		p.Err.Line(p.Err.Safe(fmt.Sprintf("  %d  %s", i+1, label)))
	}
	prompt := in.ID
	if in.Description != "" {
		prompt = in.Description + " (" + in.ID + ")"
	}
	if in.Bundle != nil && in.Bundle.IsList {
		prompt += `, several as ["a","b"]`
	}
	if len(in.Choices) > 0 {
		prompt += ", number or value"
	}
	shown := in.Default
	if in.IsPrivate() {
		prompt += ", not shown"
		if shown != "" {
			shown = "••••"
		}
	}
	if shown != "" {
		prompt += " [" + shown + "]"
	}
	for {
		text, err := p.readInput(in, p.Err.Safe(prompt)+": ")
		if err != nil {
			return nil, err
		}
		if text == "" {
			text = in.Default
		}
		value, ok := chosen(in, text)
		if !ok {
			continue
		}
		values, err := in.Values(value)
		if err == nil {
			return values, nil
		}
		p.Err.Line(p.Err.Safe("  " + err.Error()))
	}
}

// chosen returns the value of an input for the text that the user has typed. Each text except "" has a value; a
// list has only the values of its choices.
func chosen(in hosts.Input, text string) (string, bool) {
	for _, c := range in.Choices {
		if c.Value == text || c.Label == text {
			return c.Value, true
		}
	}
	if n, err := strconv.Atoi(text); err == nil && n > 0 && n <= len(in.Choices) {
		return in.Choices[n-1].Value, true
	}
	return text, text != "" && len(in.Choices) == 0
}

// readInput reads the typed value of an input.
func (p *Target) readInput(in hosts.Input, prompt string) (string, error) {
	if in.IsPrivate() {
		return p.ReadSecret(prompt)
	}
	return p.Prompt(prompt)
}
