package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"mcptea/cli/input"
	"mcptea/client/jsonrpc"
	"mcptea/session/schema"
)

// arguments are those of a tool or a prompt, in the order of the command line.
type arguments []argument

type argument struct {
	name string
	text string          // key=value
	raw  json.RawMessage // anything else; nil for key=value
}

// texts returns the JSON object of arguments that are strings, as those of prompts
// are.
func (a arguments) texts() json.RawMessage {
	object := []byte{'{'}
	for i, one := range a {
		if i > 0 {
			object = append(object, ',')
		}
		object = append(append(object, jsonrpc.StringID(one.name)...), ':')
		if one.raw != nil {
			object = append(object, one.raw...)
		} else {
			object = append(object, jsonrpc.StringID(one.text)...)
		}
	}
	return append(object, '}')
}

const argumentHint = "An argument is key=value, key:=JSON, a JSON object, @file, or - for stdin."

// The maximum sizes of inputs, in bytes.
const (
	inputLimit   = 64 << 20 // arguments and results
	envFileLimit = 1 << 20
	keyFileLimit = 1 << 20 // a private key or a token
)

// readArguments parses the words after the name of a tool. Setting an argument twice
// is an error, but a key=value overrides the member of an object.
func (p *program) readArguments(words []string) (arguments, error) {
	var given arguments
	single := map[string]bool{}
	for _, w := range words {
		object, source, err := p.readObject(w)
		if err != nil {
			return nil, err
		}
		if source != "" {
			if err := p.checkUTF8(source, object); err != nil {
				return nil, err
			}
			if given, err = given.addObject(object, source); err != nil {
				return nil, err
			}
			continue
		}
		name, value, ok := strings.Cut(w, "=")
		if !ok {
			return nil, usage(argumentHint, "%q is not an argument", w)
		}
		if !utf8.ValidString(name) {
			return nil, usage(utf8Hint, "the argument name %q is not valid UTF-8", name)
		}
		a := argument{name: name, text: value}
		if inner, isJSON := strings.CutSuffix(name, ":"); isJSON {
			a = argument{name: inner, raw: json.RawMessage(value)}
			if err := checkJSON([]byte(value)); err != nil {
				return nil, usage("For a string, write "+inner+"=value.", "%s:= is followed by invalid JSON: %v", inner, err)
			}
			if err := p.checkUTF8("the JSON of "+inner, a.raw); err != nil {
				return nil, err
			}
		} else if !utf8.ValidString(value) {
			return nil, usage(utf8Hint, "the value of %s is not valid UTF-8: byte 0x%02x at offset %d", name, value[invalidUTF8([]byte(value))], invalidUTF8([]byte(value)))
		}
		if a.name == "" {
			return nil, usage(argumentHint, "%q has no name before \"=\"", w)
		}
		if single[a.name] {
			return nil, usage("", "the argument %q is set twice", a.name)
		}
		single[a.name] = true
		given = given.set(a)
	}
	return given, nil
}

const utf8Hint = `JSON must be UTF-8. Write \u00e9 for the character U+00E9; --lenient sends the bytes unchanged.`

// checkUTF8 rejects JSON that is not UTF-8 (RFC 8259, 8.1). With --lenient it is
// sent, and a warning is printed.
func (p *program) checkUTF8(what string, raw []byte) error {
	at := invalidUTF8(raw)
	switch {
	case at < 0:
		return nil
	case p.flags.lenient:
		fmt.Fprintf(p.err, "%s %s is not valid UTF-8: byte 0x%02x at offset %d; sent unchanged\n", p.err.warn("warning:"), p.err.safe(what), raw[at], at)
		return nil
	}
	return usage(utf8Hint, "%s is not valid UTF-8: byte 0x%02x at offset %d", what, raw[at], at)
}

// invalidUTF8 returns the offset of the first byte that is not valid UTF-8, or -1.
func invalidUTF8(b []byte) int {
	if utf8.Valid(b) {
		return -1
	}
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// readObject reads a word that contains or names a JSON object; source is empty for
// other words.
func (p *program) readObject(word string) (object []byte, source string, err error) {
	switch {
	case strings.HasPrefix(word, "{"):
		return []byte(word), "the JSON on the command line", nil
	case word == "-":
		object, err = input.Read(p.ctx, p.in, "stdin", inputLimit)
		return object, "stdin", inputError(argumentHint, "cannot read the arguments from stdin", err)
	case strings.HasPrefix(word, "@"):
		object, err = input.ReadFile(p.ctx, word[1:], inputLimit)
		return object, word[1:], inputError(argumentHint, "cannot read the arguments", err)
	}
	return nil, "", nil
}

// inputError returns a usage error for a failed read. It returns nil and the error of
// an interrupted read unchanged.
func inputError(hint, what string, err error) error {
	if err == nil || signalOf(err) != nil {
		return err
	}
	return usage(hint, "%s: %v", what, err)
}

func (a arguments) addObject(object []byte, source string) (arguments, error) {
	if err := checkJSON(object); err != nil {
		return nil, usage(argumentHint, "%s is not valid JSON: %v", source, err)
	}
	if !strings.HasPrefix(strings.TrimSpace(string(object)), "{") {
		return nil, usage("Tool arguments are an object: {\"name\": value, …}.", "%s is not a JSON object", source)
	}
	for name, raw := range jsonrpc.Members(object) {
		a = a.set(argument{name: string(name), raw: json.RawMessage(raw)})
	}
	return a, nil
}

func checkJSON(b []byte) error {
	var v json.RawMessage
	return json.Unmarshal(b, &v)
}

// set adds an argument, or replaces the one with the same name.
func (a arguments) set(one argument) arguments {
	for i := range a {
		if a[i].name == one.name {
			a[i] = one
			return a
		}
	}
	return append(a, one)
}

// typed reports whether the input schema is needed to encode the arguments.
func (a arguments) typed() bool {
	for _, one := range a {
		if one.raw == nil {
			return true
		}
	}
	return false
}

// encode returns the JSON object. warnings are mismatches with the schema that do not
// prevent sending, because servers are also tested with wrong arguments. A text that
// cannot be converted to its type is an error.
func (a arguments) encode(form schema.Form) (_ json.RawMessage, warnings []string, _ error) {
	object := []byte{'{'}
	for i, one := range a {
		raw := one.raw
		if raw == nil {
			field, known := form.Field(one.name)
			switch {
			case known:
				var err error
				if raw, err = field.Encode(one.text); err != nil {
					return nil, warnings, usage("To send it anyway, write "+one.name+":=JSON.", "%s: %v", one.name, err)
				}
			case len(form.Fields) > 0 && form.Unclear == "":
				warnings = append(warnings, fmt.Sprintf("the input schema of the tool has no property %q", one.name))
				fallthrough
			default:
				raw = guess(one.text)
			}
		}
		if i > 0 {
			object = append(object, ',')
		}
		object = append(append(object, jsonrpc.StringID(one.name)...), ':')
		object = append(object, raw...)
	}
	return append(object, '}'), warnings, nil
}

// guess encodes a value without a schema: text that is a JSON number, boolean, null,
// object or array as that value, other text as a string.
func guess(text string) json.RawMessage {
	if text != "" && text[0] != '"' && checkJSON([]byte(text)) == nil {
		return json.RawMessage(text)
	}
	return json.RawMessage(jsonrpc.StringID(text))
}
