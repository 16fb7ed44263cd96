// Package yamldoc parses a text that is one YAML or JSON document, and reports the positions of errors. It
// returns nodes; callers interpret their values.
package yamldoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"mcptea/internal/words/phrase"
)

// maxInteger bounds the characters of an integer that is read as a number: the time for reading it grows with
// the square of its length.
const maxInteger = 200

// NotValid begins the text of an error of the parser.
const NotValid = "not valid YAML: "

// Error is a mistake in a text.
type Error struct {
	Name         string // name of the file; may be empty
	Line, Column int    // numbers from 1; 0 if unknown
	Text         string
	Hint         string // advice; may be empty
}

// Error returns the place, where editors and terminals look for it, and the text.
func (e *Error) Error() string {
	place := e.Name
	for _, n := range []int{e.Line, e.Column} {
		if n > 0 {
			place += ":" + strconv.Itoa(n)
		}
	}
	if place == "" {
		return e.Text
	}
	return strings.TrimPrefix(place, ":") + ": " + e.Text
}

// Place returns the file, and the line in it.
func (e *Error) Place() (path string, line int) { return e.Name, e.Line }

// Errorf returns an error at a node. Without a node the error has no place.
func Errorf(name string, at *yaml.Node, format string, args ...any) *Error {
	e := &Error{Name: name, Text: fmt.Sprintf(format, args...)}
	if at != nil {
		e.Line, e.Column = at.Line, at.Column
	}
	return e
}

// Parse reads the text of a file. The document of a text without a value, of comments at most, has no content. An error
// is an [*Error] with the name.
func Parse(name string, text []byte) (document *yaml.Node, err error) {
	if !utf8.Valid(text) {
		return nil, &Error{Name: name, Text: "not valid UTF-8"}
	}
	if at := anchorBeyond(text, maxAnchors); at >= 0 {
		return nil, &Error{Name: name, Line: 1 + bytes.Count(text[:at], []byte("\n")), Text: fmt.Sprintf("more than %d anchors", maxAnchors), Hint: "Write the values out."}
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	document = &yaml.Node{}
	switch err := d.Decode(document); {
	case errors.Is(err, io.EOF):
		return document, nil
	case err != nil:
		return nil, syntaxError(name, err)
	}
	var more yaml.Node
	switch err := d.Decode(&more); {
	case err == nil:
		e := Errorf(name, &more, "expected one YAML document, found several: a second one begins")
		e.Hint = "Put it into a file of its own."
		return nil, e
	case !errors.Is(err, io.EOF):
		return nil, syntaxError(name, err)
	}
	return document, nil
}

// maxAnchors is the maximum number of anchors in a file. Files that people write have a few; the parser
// keeps each, and code that follows aliases would follow as many.
const maxAnchors = 1000

// anchorBeyond returns the offset of the first anchor beyond a maximum number, or -1. It counts each "&" that
// starts a word, including those in comments and strings, since only the parser recognizes them.
func anchorBeyond(text []byte, most int) int {
	for at := 0; ; at++ {
		next := bytes.IndexByte(text[at:], '&')
		if next < 0 {
			return -1
		}
		at += next
		begins := at == 0 || bytes.IndexByte([]byte(" \t\r\n[{,:"), text[at-1]) >= 0
		if !begins || at+1 == len(text) || bytes.IndexByte([]byte(" \t\r\n&"), text[at+1]) >= 0 {
			continue
		}
		if most--; most < 0 {
			return at
		}
	}
}

// syntaxError takes the line out of an error of the parser, "yaml: line 3: did not find…".
func syntaxError(name string, err error) *Error {
	e := &Error{Name: name, Text: strings.TrimPrefix(err.Error(), "yaml: ")}
	if rest, ok := strings.CutPrefix(e.Text, "line "); ok {
		number, why, _ := strings.Cut(rest, ": ")
		if line, err := strconv.Atoi(number); err == nil {
			e.Line, e.Text = line, why
		}
	}
	e.Text = NotValid + e.Text
	return e
}

// Top returns the value of a document; nil if it has none, or null.
func Top(document *yaml.Node) *yaml.Node {
	if len(document.Content) == 0 || document.Content[0].Tag == "!!null" {
		return nil
	}
	return document.Content[0]
}

// Members returns the keys and values of a mapping, in their order; of another node none.
func Members(n *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(key, value *yaml.Node) bool) {
		if n.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i], n.Content[i+1]) {
				return
			}
		}
	}
}

// CheckKeys reports the first key of a mapping that is not a word, is the merge of another mapping, or is there twice.
func CheckKeys(name string, mapping *yaml.Node) error {
	lines := map[string]int{}
	for key := range Members(mapping) {
		if key.Kind != yaml.ScalarNode || key.Tag == "!!merge" {
			e := Errorf(name, key, "a key must be a word")
			e.Hint = "Write the keys out."
			return e
		}
		if line, twice := lines[key.Value]; twice {
			e := Errorf(name, key, "the key %q is already set in line %d", key.Value, line)
			e.Hint = "Remove one of them."
			return e
		}
		lines[key.Value] = key.Line
	}
	return nil
}

// UnknownKey returns the error for a key that is not one of the known ones. full is the key with the keys around it.
func UnknownKey(name string, key *yaml.Node, full string, known []string) error {
	hint := "the keys are " + strings.Join(known, ", ")
	if near := phrase.Nearest(key.Value, known); len(near) > 0 {
		hint = fmt.Sprintf("did you mean %q?", near[0])
	}
	return Errorf(name, key, "unknown key %q; %s", full, hint)
}

// Scalar returns a scalar as JSON. A number keeps its spelling if that is valid JSON, and otherwise has its
// exact value. A date is a string. ok is false for numbers that JSON cannot represent.
func Scalar(n *yaml.Node) (value []byte, ok bool) {
	switch n.ShortTag() {
	case "!!null":
		return []byte("null"), true
	case "!!bool":
		var b bool
		if n.Decode(&b) == nil {
			return strconv.AppendBool(nil, b), true
		}
	case "!!int":
		return integer(n.Value)
	case "!!float":
		return float(n)
	}
	text, err := json.Marshal(n.Value)
	return text, err == nil
}

func integer(text string) ([]byte, bool) {
	if json.Valid([]byte(text)) {
		return []byte(text), true
	}
	if len(text) > maxInteger {
		return nil, false
	}
	i, ok := new(big.Int).SetString(strings.ReplaceAll(text, "_", ""), 0)
	if !ok {
		return nil, false
	}
	return i.Append(nil, 10), true
}

func float(n *yaml.Node) ([]byte, bool) {
	if json.Valid([]byte(n.Value)) {
		return []byte(n.Value), true
	}
	var f float64
	if n.Decode(&f) != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, false
	}
	text, err := json.Marshal(f)
	return text, err == nil
}
