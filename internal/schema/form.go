// Package schema turns the JSON Schema of a tool's arguments into a list of fields that a person can fill in,
// and the values of these fields into JSON.
//
// It understands the part of JSON Schema that tools use (draft-07 and 2020-12: types, enums, ranges, local
// references) and tolerates everything else: a schema that it does not understand becomes a field of free
// JSON. It is a guide for people and not a validator: it warns, but never rejects a value. It fetches
// nothing, and depends on neither a protocol nor a user interface.
package schema

import (
	"encoding/json"
)

// A Kind is the way in which a field is filled in.
type Kind uint8

// The values of [Kind].
const (
	JSON    Kind = iota // any JSON, as text
	String              // text, unchanged
	Number              // a JSON number
	Integer             // a JSON number without a fraction
	Boolean             // true or false
	Enum                // one of the Options
	Multi               // some of Options
)

func (k Kind) String() string {
	return [...]string{"JSON", "string", "number", "integer", "boolean", "enum", "list"}[k]
}

// Option is one value of an Enum or Multi field.
type Option struct {
	Value json.RawMessage
	Label string // unique within the field
}

// Field is one property of the arguments.
type Field struct {
	Name                       string
	Kind                       Kind
	Type                       string // type in the schema's words, for people: "number", "array of string", "string or null"
	Title                      string
	Description                string
	Required                   bool
	nullable                   bool
	Default                    json.RawMessage // default, or nil
	Options                    []Option
	Format                     string
	Min, Max                   *float64
	MinExclusive, MaxExclusive bool
	MinLen, MaxLen             *int // characters of a string, values of a Multi
	Pattern                    string
	Base64                     bool   // contentEncoding, or the format byte
	Skeleton                   string // example of a value of a JSON field
	shape                      string // example of a JSON field without values
}

// Form describes the fields of a schema, in the order of the document. It is read-only once made.
type Form struct {
	Title       string
	Description string
	Fields      []Field
	Closed      bool // the schema allows no other properties
	Open        bool // the schema explicitly allows other properties
	// Unclear explains which part of the schema the form does not show, or is "".
	Unclear string

	raw json.RawMessage // the schema; nil for plain arguments
}

// Refutes reports whether the schema has no property with a name, and its properties are known completely. A
// schema that neither allows nor forbids other properties counts as complete.
func (f *Form) Refutes(name string) bool {
	_, known := f.Field(name)
	return !known && len(f.Fields) > 0 && f.Unclear == "" && !f.Open
}

// Field returns the field with a name.
func (f *Form) Field(name string) (*Field, bool) {
	for i := range f.Fields {
		if f.Fields[i].Name == name {
			return &f.Fields[i], true
		}
	}
	return nil, false
}

// FieldError is an error in one field. It is a warning: the value can still be sent.
type FieldError struct {
	Field string // "" for the arguments as a whole
	Msg   string
}

func (e FieldError) Error() string {
	if e.Field == "" {
		return e.Msg
	}
	return e.Field + ": " + e.Msg
}

// Argument is a plain text argument, as prompts and URI templates have.
type Argument struct {
	Name, Title, Description string
	Required                 bool
}

// FromArguments makes a form of plain text arguments.
func FromArguments(args []Argument) Form {
	var f Form
	for _, a := range args {
		f.Fields = append(f.Fields, Field{
			Name: a.Name, Kind: String, Type: "string",
			Title: a.Title, Description: a.Description, Required: a.Required,
		})
	}
	return f
}
