package invoke

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"mcptea/client/jsonrpc"
	"mcptea/internal/schema"
)

// Arguments holds the arguments of a tool or a prompt in the order written.
type Arguments []argument

type argument struct {
	name string
	text string          // key=value
	raw  json.RawMessage // anything else; nil for key=value
}

// An ArgumentError says what is wrong with a word, and what to write instead.
type ArgumentError struct{ Text, Hint string }

// Error returns the text.
func (e *ArgumentError) Error() string { return e.Text }

func wrong(hint, format string, args ...any) error {
	return &ArgumentError{Text: fmt.Sprintf(format, args...), Hint: hint}
}

// Hint explains how to write an argument.
const Hint = "An argument is key=value, key:=JSON, a JSON object, @file, or - for stdin."

const utf8Hint = `JSON must be UTF-8. Write \u00e9 for the character U+00E9; --lenient sends the bytes unchanged.`

// Reader reads words.
type Reader struct {
	// File returns the contents that a word names: @file, or -. Its error is returned unchanged.
	File func(word string) (content []byte, source string, err error)
	// Lenient accepts JSON that is not UTF-8.
	Lenient bool
	// Warn is called with a sentence about irregular input that is accepted. It may be nil.
	Warn func(text string)
}

// Read parses words. Setting an argument twice is an error, but a key=value overrides
// the member of an object.
func (r Reader) Read(words []string) (Arguments, error) {
	var given Arguments
	single := map[string]bool{}
	for _, w := range words {
		object, source, err := r.Value(w)
		if err != nil {
			return nil, err
		}
		if source != "" {
			if given, err = given.addObject(object, source); err != nil {
				return nil, err
			}
			continue
		}
		one, err := r.pair(w)
		if err != nil {
			return nil, err
		}
		if single[one.name] {
			return nil, wrong("", "the argument %q is set twice", one.name)
		}
		single[one.name] = true
		given = given.set(one)
	}
	return given, nil
}

// nameFirst returns the sentence about a word that has no name of a parameter.
func nameFirst(word string) string {
	return "The name of a parameter comes first, as in NAME=" + shownWord(word) + "; a call without arguments names those that it requires."
}

// pair parses key=value and key:=JSON.
func (r Reader) pair(word string) (argument, error) {
	name, value, ok := strings.Cut(word, "=")
	if !ok {
		return argument{}, wrong(Hint+"\n"+nameFirst(word), "%q is not an argument", word)
	}
	if !utf8.ValidString(name) {
		return argument{}, wrong(utf8Hint, "the argument name %q is not valid UTF-8", name)
	}
	a := argument{name: name, text: value}
	inner, isJSON := strings.CutSuffix(name, ":")
	at := jsonrpc.InvalidUTF8([]byte(value))
	switch {
	case isJSON:
		a = argument{name: inner, raw: json.RawMessage(value)}
		if err := checkJSON([]byte(value)); err != nil {
			return a, wrong("For a string, write "+inner+"=value.", "%s:= is followed by invalid JSON: %v", inner, err)
		}
		if err := r.CheckUTF8("the JSON of "+inner, a.raw); err != nil {
			return a, err
		}
	case at >= 0:
		return a, wrong(utf8Hint, "the value of %s is not valid UTF-8: byte 0x%02x at offset %d", name, value[at], at)
	}
	if a.name == "" {
		return a, wrong(Hint, "%q has no name before \"=\"", word)
	}
	return a, nil
}

// Value reads a word that contains or names JSON: an object, @file or -. source describes it, or is "" for
// other words.
func (r Reader) Value(word string) (value []byte, source string, err error) {
	switch {
	case strings.HasPrefix(word, "{"):
		value, source = []byte(word), "the JSON on the command line"
	case word == "-", strings.HasPrefix(word, "@"):
		if value, source, err = r.File(word); err != nil {
			return nil, "", err
		}
	default:
		return nil, "", nil
	}
	return value, source, r.CheckUTF8(source, value)
}

// CheckUTF8 rejects JSON that is not UTF-8 (RFC 8259, 8.1). A lenient reader only warns.
func (r Reader) CheckUTF8(what string, raw []byte) error {
	at := jsonrpc.InvalidUTF8(raw)
	if at < 0 {
		return nil
	}
	text := fmt.Sprintf("%s is not valid UTF-8: byte 0x%02x at offset %d", what, raw[at], at)
	if !r.Lenient {
		return &ArgumentError{Text: text, Hint: utf8Hint}
	}
	if r.Warn != nil {
		r.Warn(text + "; sent unchanged")
	}
	return nil
}

func (a Arguments) addObject(object []byte, source string) (Arguments, error) {
	if err := checkJSON(object); err != nil {
		return nil, wrong(Hint, "%s is not valid JSON: %v", source, err)
	}
	if !strings.HasPrefix(strings.TrimSpace(string(object)), "{") {
		return nil, wrong("Tool arguments are an object: {\"name\": value, …}.", "%s is not a JSON object", source)
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

// set adds an argument, or replaces the argument with the same name.
func (a Arguments) set(one argument) Arguments {
	for i := range a {
		if a[i].name == one.name {
			a[i] = one
			return a
		}
	}
	return append(a, one)
}

// Names returns the names of the arguments in order, never nil.
func (a Arguments) Names() []string {
	names := []string{}
	for _, one := range a {
		names = append(names, one.name)
	}
	return names
}

// NeedSchema reports whether the input schema is needed to encode the arguments.
func (a Arguments) NeedSchema() bool {
	for _, one := range a {
		if one.raw == nil {
			return true
		}
	}
	return false
}

// Texts returns a JSON object with the arguments as strings, as prompts require.
func (a Arguments) Texts() []byte {
	object, _ := a.object(func(one argument) (json.RawMessage, error) { return json.RawMessage(jsonrpc.Quote(one.text)), nil })
	return object
}

// Encode returns the JSON object of the arguments of a tool. A text that cannot
// be converted to its type is an error.
func (a Arguments) Encode(form schema.Form) ([]byte, error) {
	return a.object(func(one argument) (json.RawMessage, error) {
		if field, known := form.Field(one.name); known {
			raw, err := field.Encode(one.text)
			if err != nil {
				err = wrong(afterComma(one)+"To send the text anyway, add --no-validate and write '"+one.name+":="+jsonrpc.Quote(one.text)+"'.", "%s: %v", one.name, err)
			}
			return raw, err
		}
		return guess(one.text), nil
	})
}

// object returns the JSON object of the arguments. encode returns the JSON of a
// key=value.
func (a Arguments) object(encode func(one argument) (json.RawMessage, error)) ([]byte, error) {
	object := []byte{'{'}
	for i, one := range a {
		raw := one.raw
		if raw == nil {
			var err error
			if raw, err = encode(one); err != nil {
				return nil, err
			}
		}
		if i > 0 {
			object = append(object, ',')
		}
		object = append(append(object, jsonrpc.Quote(one.name)...), ':')
		object = append(object, raw...)
	}
	return append(object, '}'), nil
}

// guess encodes a value without a schema: text that is a JSON number, boolean, null,
// object or array as that value, other text as a string.
func guess(text string) json.RawMessage {
	if text != "" && text[0] != '"' && checkJSON([]byte(text)) == nil {
		return json.RawMessage(text)
	}
	return json.RawMessage(jsonrpc.Quote(text))
}

// Params returns params of tools/call or prompts/get with the name and the unchanged object of arguments.
func Params(name string, object []byte) []byte {
	params := append([]byte(`{"name":`), jsonrpc.Quote(name)...)
	return append(append(append(params, `,"arguments":`...), object...), '}')
}
