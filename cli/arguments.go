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

// arguments are what was given for a tool, in the order of the command line.
type arguments []argument

type argument struct {
	name string
	text string          // key=value
	raw  json.RawMessage // anything else; nil for key=value
}

// texts makes the JSON object of arguments that are texts, as those of prompts
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

// The largest inputs, in bytes.
const (
	inputLimit   = 64 << 20 // arguments and results
	envFileLimit = 1 << 20
	keyFileLimit = 1 << 20 // a private key or a token
)

// readArguments sorts out the words behind the tool's name. The same name twice
// is a mistake, except that a single argument may replace one of an object.
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
			return nil, usage(utf8Hint, "%q: the name of an argument is not UTF-8", name)
		}
		a := argument{name: name, text: value}
		if inner, isJSON := strings.CutSuffix(name, ":"); isJSON {
			a = argument{name: inner, raw: json.RawMessage(value)}
			if err := checkJSON([]byte(value)); err != nil {
				return nil, usage("For a text, write "+inner+"=value.", "%s:= is not followed by JSON: %v", inner, err)
			}
			if err := p.checkUTF8("the JSON of "+inner, a.raw); err != nil {
				return nil, err
			}
		} else if !utf8.ValidString(value) {
			return nil, usage(utf8Hint, "the value of %s is not UTF-8: byte 0x%02x at %d", name, value[invalidUTF8([]byte(value))], invalidUTF8([]byte(value)))
		}
		if a.name == "" {
			return nil, usage(argumentHint, "%q names no argument", w)
		}
		if single[a.name] {
			return nil, usage("", "the argument %q is given twice", a.name)
		}
		single[a.name] = true
		given = given.set(a)
	}
	return given, nil
}

const utf8Hint = `JSON is UTF-8. Write \u00e9 for the character U+00E9; --lenient sends JSON with other bytes as it is.`

// checkUTF8 refuses JSON that is not UTF-8, as RFC 8259 does. --lenient sends it
// with a warning.
func (p *program) checkUTF8(what string, raw []byte) error {
	at := invalidUTF8(raw)
	switch {
	case at < 0:
		return nil
	case p.flags.lenient:
		fmt.Fprintf(p.err, "%s %s is not UTF-8: byte 0x%02x at %d; it is sent as it is\n", p.err.warn("warning:"), p.err.safe(what), raw[at], at)
		return nil
	}
	return usage(utf8Hint, "%s is not UTF-8: byte 0x%02x at %d", what, raw[at], at)
}

// invalidUTF8 is the place of the first byte that is not UTF-8, -1 when all are.
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

// readObject reads the words that stand for a whole object; source is empty for
// all others.
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

// inputError makes an error of the command line of a failed read; nil and the
// cause of an interrupted one stay what they are.
func inputError(hint, what string, err error) error {
	if err == nil || signalOf(err) != nil {
		return err
	}
	return usage(hint, "%s: %v", what, err)
}

func (a arguments) addObject(object []byte, source string) (arguments, error) {
	if err := checkJSON(object); err != nil {
		return nil, usage(argumentHint, "%s is no JSON: %v", source, err)
	}
	if !strings.HasPrefix(strings.TrimSpace(string(object)), "{") {
		return nil, usage("The arguments of a tool are an object: {\"name\": value, …}.", "%s is JSON, but no object", source)
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

// set puts an argument in, in the place of one with the same name.
func (a arguments) set(one argument) arguments {
	for i := range a {
		if a[i].name == one.name {
			a[i] = one
			return a
		}
	}
	return append(a, one)
}

// typed reports whether a schema is needed to encode them.
func (a arguments) typed() bool {
	for _, one := range a {
		if one.raw == nil {
			return true
		}
	}
	return false
}

// encode makes the JSON object. doubts are what the schema has against it and
// does not keep it from being sent: a server is debugged with wrong arguments
// too. A text that its type does not take is an error, since what to send for
// it is not known.
func (a arguments) encode(form schema.Form) (_ json.RawMessage, doubts []string, _ error) {
	object := []byte{'{'}
	for i, one := range a {
		raw := one.raw
		if raw == nil {
			field, known := form.Field(one.name)
			switch {
			case known:
				var err error
				if raw, err = field.Encode(one.text); err != nil {
					return nil, doubts, usage("To send it all the same, write "+one.name+":=JSON.", "%s: %v", one.name, err)
				}
			case len(form.Fields) > 0 && form.Unclear == "":
				doubts = append(doubts, fmt.Sprintf("the tool's schema has no argument %q", one.name))
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
	return append(object, '}'), doubts, nil
}

// guess types a value by its looks: what is a JSON number, boolean, null,
// object or array is sent as such, everything else as a text.
func guess(text string) json.RawMessage {
	if text != "" && text[0] != '"' && checkJSON([]byte(text)) == nil {
		return json.RawMessage(text)
	}
	return json.RawMessage(jsonrpc.StringID(text))
}
