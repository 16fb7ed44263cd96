package settings

import (
	"encoding/json"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// field describes the values of a key: their JSON Schema, and a function that reads a value into a T. Both are
// made from the same rows, so that an editor with the schema and the program accept the same files.
type field[T any] struct {
	schema object
	read   func(d *decoder, name string, key, value *yaml.Node, into *T) error
}

type object = map[string]any

// textSchema is a scalar that is not empty. A number is also a text: keys such as 1.
var textSchema = object{"type": []string{"string", "number", "boolean"}, "minLength": 1}

// durationPattern matches the texts that [time.ParseDuration] accepts.
const durationPattern = `^\+?(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$`

func text[T any](at func(*T) *string) field[T] {
	return field[T]{textSchema, func(d *decoder, name string, _, value *yaml.Node, into *T) (err error) {
		*at(into), err = d.text(name, value)
		return err
	}}
}

func oneOf[T any](at func(*T) *string, values ...string) field[T] {
	return field[T]{object{"enum": values}, func(d *decoder, name string, _, value *yaml.Node, into *T) error {
		word, err := d.text(name, value)
		for _, v := range values {
			if err == nil && v == word {
				*at(into) = word
				return nil
			}
		}
		if err == nil {
			err = d.wrong(value, name, strings.Join(values, " or "))
		}
		return err
	}}
}

// boolean describes true or false, including the words of YAML 1.1 that the parser accepts.
func boolean[T any](at func(*T) *bool) field[T] {
	schema := object{"anyOf": []object{{"type": "boolean"}, {"enum": []string{"y", "Y", "yes", "on", "n", "N", "no", "off"}}}}
	return field[T]{schema, func(d *decoder, name string, _, value *yaml.Node, into *T) (err error) {
		*at(into), err = d.boolean(name, value)
		return err
	}}
}

func duration[T any](at func(*T) *time.Duration) field[T] {
	schema := object{"type": "string", "allOf": []object{{"pattern": durationPattern}, {"pattern": "[1-9]"}}, "examples": []string{"500ms", "30s", "2m"}}
	return field[T]{schema, func(d *decoder, name string, _, value *yaml.Node, into *T) (err error) {
		*at(into), err = d.duration(name, value)
		return err
	}}
}

// path returns a file or directory, which is made absolute.
func path[T any](at func(*T) *string, what string) field[T] {
	return field[T]{textSchema, func(d *decoder, name string, _, value *yaml.Node, into *T) (err error) {
		*at(into), err = d.absolute(name, what, value)
		return err
	}}
}

// orList returns the schema of one value, or a list of them; [listOf] reads it.
func orList(one object) object {
	return object{"anyOf": []object{one, {"type": "array", "items": one}}}
}

func listOf(n *yaml.Node) []*yaml.Node {
	if n.Kind == yaml.SequenceNode {
		return n.Content
	}
	return []*yaml.Node{n}
}

// entries returns the schema of a mapping from names of the user's choice.
func entries(names, values object) object {
	o := object{"type": "object", "additionalProperties": values}
	if names != nil {
		o["propertyNames"] = names
	}
	return o
}

func described(schema object, means string) object {
	o := object{"description": means}
	for k, v := range schema {
		o[k] = v
	}
	return o
}

// orNothing returns the schema of a key whose value may be left out, as in "mute:".
func orNothing(schema object, means string) object {
	return object{"description": means, "anyOf": []object{schema, {"type": "null"}}}
}

// Schema returns the JSON Schema of the file, for editors. It is made from [Keys].
func Schema() []byte {
	top, groups := object{}, map[string]object{}
	for _, k := range keys {
		group, name, isMember := strings.Cut(k.Name, ".")
		if !isMember {
			top[k.Name] = orNothing(k.value.schema, k.Means)
			continue
		}
		if groups[group] == nil {
			groups[group] = object{}
		}
		groups[group][name] = orNothing(k.value.schema, k.Means)
	}
	for name, members := range groups {
		schema := object{"type": "object", "properties": members, "additionalProperties": false}
		if k, ok := keyNamed(shorthands[name]); ok {
			schema = object{"anyOf": []object{k.value.schema, schema}}
		}
		top[name] = orNothing(schema, "see "+name+" of mcptea help config")
	}
	// An encoding of maps of texts cannot fail.
	text, _ := json.Marshal(object{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "config.yaml of mcptea",
		"type": []string{"object", "null"}, "properties": top, "additionalProperties": false,
	})
	return text
}
