package declare

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"mcptea/client/jsonrpc"
	"mcptea/internal/schema/check"
	"mcptea/internal/words/phrase"
	"mcptea/internal/yamldoc"
)

// Schema is the JSON Schema of a file, for editors.
//
//go:embed schema.json
var Schema []byte

var compiled = sync.OnceValue(func() *check.Schema { return check.Compile(Schema, check.Options{}) })

// maxBytes bounds a file, and what its aliases expand to.
const maxBytes = 1 << 20

const maxDepth = 64

// Error is a mistake in a file.
type Error = yamldoc.Error

// source is a file as JSON, with the places of its values.
type source struct {
	name  string
	json  []byte
	nodes map[string]*yaml.Node // nodes by JSON Pointer; for a member the node of its key
}

// parse reads YAML, of which JSON is a part, and checks it with the schema.
func parse(name string, text []byte) (*source, error) {
	s := &source{name: name, nodes: map[string]*yaml.Node{}}
	if len(text) > maxBytes {
		return nil, &Error{Name: name, Text: fmt.Sprintf("the file is larger than %d bytes", maxBytes), Hint: "Split it into several servers."}
	}
	if trimmed := bytes.TrimSpace(text); len(trimmed) > 0 && trimmed[0] == '{' {
		text = bytes.ReplaceAll(text, []byte("\t"), []byte(" ")) // YAML has none for indentation
	}
	document, err := yamldoc.Parse(name, text)
	if err != nil {
		return nil, err
	}
	top := yamldoc.Top(document)
	if top == nil {
		return nil, &Error{Name: name, Text: "the file is empty", Hint: `Begin with "tools:" or "resources:".`}
	}
	if err := s.convert(top, "", 0); err != nil {
		return nil, err
	}
	return s, s.check()
}

// convert appends a value as JSON.
func (s *source) convert(n *yaml.Node, at string, depth int) error {
	if _, known := s.nodes[at]; !known {
		s.nodes[at] = n
	}
	if depth > maxDepth || len(s.json) > maxBytes {
		return s.wrong(at, "", "the file is nested too deeply, or its aliases expand to too much")
	}
	switch n.Kind {
	case yaml.AliasNode:
		return s.convert(n.Alias, at, depth+1)
	case yaml.SequenceNode:
		s.json = append(s.json, '[')
		for i, item := range n.Content {
			if i > 0 {
				s.json = append(s.json, ',')
			}
			if err := s.convert(item, at+"/"+strconv.Itoa(i), depth+1); err != nil {
				return err
			}
		}
		s.json = append(s.json, ']')
		return nil
	case yaml.MappingNode:
		return s.convertMapping(n, at, depth)
	}
	value, ok := yamldoc.Scalar(n)
	if !ok {
		return s.wrong(at, "Write a text in quotes.", "%s is not a number of JSON", n.Value)
	}
	s.json = append(s.json, value...)
	return nil
}

func (s *source) convertMapping(n *yaml.Node, at string, depth int) error {
	s.json = append(s.json, '{')
	if err := yamldoc.CheckKeys(s.name, n); err != nil {
		return err
	}
	first := true
	for key, value := range yamldoc.Members(n) {
		inner := at + "/" + jsonrpc.EscapePointer(key.Value)
		s.nodes[inner] = key
		if !first {
			s.json = append(s.json, ',')
		}
		first = false
		s.json = append(append(s.json, jsonrpc.Quote(key.Value)...), ':')
		if err := s.convert(value, inner, depth+1); err != nil {
			return err
		}
	}
	s.json = append(s.json, '}')
	return nil
}

// check compares the file with its schema.
func (s *source) check() error {
	m, ok := compiled().Check(s.json)
	switch {
	case !ok:
		return s.wrong("", "", "the file is too large to be checked")
	case m == nil:
		return nil
	}
	at := m.About
	if s.nodes[at] == nil {
		at = m.Path
	}
	parent := m.Path // object with the unknown key, or without the missing one
	if m.Unknown {
		parent = m.Path[:strings.LastIndexByte(m.Path, '/')]
	}
	if m.About != m.Path || parent != m.Path {
		if err := s.unknownKey(parent); err != nil {
			return err
		}
	}
	return s.wrong(at, "mcptea explain mock-schema prints the schema of the file.", "%s %s", described(m.About), m.Reason)
}

// unknownKey reports the first key of an object that the schema lacks; nil without one.
func (s *source) unknownKey(parent string) error {
	known, object := keysAt(parent), s.json
	for _, step := range strings.Split(parent, "/")[1:] {
		if i, err := strconv.Atoi(step); err == nil {
			for item := range jsonrpc.Elements(object) {
				if i--; i < 0 {
					object = item
					break
				}
			}
			continue
		}
		object = jsonrpc.Get(object, step)
	}
	for key := range jsonrpc.Members(object) {
		name := string(key)
		if slices.Contains(known, name) {
			continue
		}
		hint := "The keys here are " + strings.Join(known, ", ") + "."
		if near := phrase.Nearest(name, known); len(near) > 0 {
			hint = "Did you mean " + near[0] + "?"
		}
		return s.wrong(parent+"/"+jsonrpc.EscapePointer(name), hint, "unknown key %q in %s", name, described(parent))
	}
	return nil
}

// described returns a path for a sentence.
func described(pointer string) string {
	if pointer == "" {
		return "the file"
	}
	return strings.TrimPrefix(pointer, "/")
}

// keysAt returns the keys that the schema has at a path.
func keysAt(pointer string) (keys []string) {
	at := Schema
	follow := func() {
		if ref := jsonrpc.Text(at, "$ref"); ref != "" {
			at = jsonrpc.Get(Schema, "$defs", strings.TrimPrefix(ref, "#/$defs/"))
		}
	}
	for _, step := range strings.Split(pointer, "/")[1:] {
		follow()
		if items := jsonrpc.Get(at, "items"); items != nil {
			at = items
		} else {
			at = jsonrpc.Get(at, "properties", step)
		}
	}
	follow()
	for name := range jsonrpc.Members(jsonrpc.Get(at, "properties")) {
		keys = append(keys, string(name))
	}
	return keys
}

// wrong returns the error for a mistake at a path.
func (s *source) wrong(at, hint, format string, args ...any) error {
	e := yamldoc.Errorf(s.name, s.nodes[at], format, args...)
	e.Hint = hint
	return e
}
