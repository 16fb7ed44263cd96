package syntax

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"mcptea/internal/lazyregexp"
)

var yamlPlace = lazyregexp.New(`^yaml: (?:line (\d+): )?`)

func parseYAML(data []byte) (*Tree, *Error) {
	d := yaml.NewDecoder(bytes.NewReader(data))
	var document yaml.Node
	err := d.Decode(&document)
	if errors.Is(err, io.EOF) {
		return &Tree{Root: &Node{Kind: Null}}, nil
	}
	if err != nil {
		return nil, yamlError(err)
	}
	w := yamlWalker{data: data}
	for i, c := range data {
		if c == '\n' {
			w.lines = append(w.lines, i+1)
		}
	}
	root := &Node{Kind: Null}
	if len(document.Content) > 0 {
		root = w.node(document.Content[0], 0)
	}
	if w.tooDeep {
		return nil, &Error{Message: fmt.Sprintf("values are nested deeper than %d levels, or aliases refer to themselves", maxDepth), Line: 1}
	}
	if w.left() < 0 {
		return nil, &Error{Message: "the document has too many values, or aliases that refer to themselves", Line: 1}
	}
	return &Tree{Root: root}, nil
}

func yamlError(err error) *Error {
	text := err.Error()
	m := yamlPlace().FindStringSubmatch(text)
	if m == nil {
		return &Error{Message: text, Line: 1}
	}
	line, _ := strconv.Atoi(m[1])
	return &Error{Message: text[len(m[0]):], Line: max(line, 1)}
}

type yamlWalker struct {
	data  []byte
	lines []int // offsets after each line end
	count int

	tooDeep bool
}

func (w *yamlWalker) left() int { return maxNodes - w.count }

// offset converts a position of the parser, which counts characters, into bytes.
func (w *yamlWalker) offset(line, column int) int {
	at := 0
	if line > 1 && line-2 < len(w.lines) {
		at = w.lines[line-2]
	}
	for range column - 1 {
		if at >= len(w.data) {
			break
		}
		_, size := utf8.DecodeRune(w.data[at:])
		at += size
	}
	return min(at, len(w.data))
}

func (w *yamlWalker) node(y *yaml.Node, depth int) *Node {
	n := &Node{Start: w.offset(y.Line, y.Column)}
	w.count++
	if depth >= maxDepth && y.Kind != yaml.ScalarNode {
		w.count, w.tooDeep = maxNodes+1, true
	}
	if w.left() < 0 {
		return n
	}
	switch y.Kind {
	case yaml.AliasNode:
		target := w.node(y.Alias, depth+1)
		target.Start = n.Start
		return target
	case yaml.MappingNode:
		n.Kind = Object
		w.members(n, y, depth)
	case yaml.SequenceNode:
		n.Kind = List
		for _, c := range y.Content {
			n.Items = append(n.Items, w.node(c, depth+1))
		}
	case yaml.ScalarNode:
		scalar(n, y)
	}
	return n
}

// members converts a mapping, with what it merges from others.
func (w *yamlWalker) members(n *Node, y *yaml.Node, depth int) {
	var merged []*Node
	for i := 0; i+1 < len(y.Content); i += 2 {
		key, value := y.Content[i], w.node(y.Content[i+1], depth+1)
		if key.Tag == "!!merge" {
			merged = append(merged, value)
			continue
		}
		value.Key, value.At = key.Value, w.offset(key.Line, key.Column)
		n.Members = append(n.Members, value)
	}
	for _, from := range merged {
		for _, source := range append(from.Items, from) {
			for _, m := range source.Members {
				if n.Get(m.Key) == nil {
					n.Members = append(n.Members, m)
				}
			}
		}
	}
}

func scalar(n *Node, y *yaml.Node) {
	n.Kind, n.Text = String, y.Value
	switch y.Tag {
	case "!!null":
		n.Kind = Null
	case "!!bool":
		n.Kind = Bool
		n.Text = strings.ToLower(y.Value)
	case "!!int", "!!float":
		n.Kind = Number
	}
}
